"""Inputs on mock pins: levels and raw edges in the words of the core, whatever the wiring is."""

import inspect

import pytest

from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Edge, Failure, Levels
from cannon.devices.inputs import CLOCK_TRUST_S, RELEASE_TRIES, EdgeInput, Inputs
from cannon.devices.ports import DeviceFault
from hardware.board import Sensor, Switch
from tests.unit.device_tools import Clock, LoggedPins, Posted, board

SWITCHES = [
    # contact, pull, level of the pin while pressed or open
    ("no", "up", False),
    ("no", "down", True),
    ("nc", "up", True),
    ("nc", "down", False),
    ("no", "external-up", False),
    ("nc", "external-down", False),
]


@pytest.fixture
def pins():
    made = LoggedPins()
    yield made
    made.reset()


class Wired:
    """One input with its clock and what it posted."""

    def __init__(self, pins, part, first=None, name=BUTTON, post=None):
        self.pins, self.part = pins, part
        self.clock = Clock(pins.ticks())
        self.posted = Posted()
        post = self.posted if post is None else post
        self.input = EdgeInput(name, part, pins, self.clock, post, first)

    def set(self, active):
        self.pins.drive(self.part.pin, active == self.part.active_high)


@pytest.mark.parametrize(("contact", "pull", "level"), SWITCHES)
def test_each_wiring_of_a_switch_is_read_and_told_as_what_it_means(pins, contact, pull, level):
    wired = Wired(pins, Switch(pin=17, contact=contact, pull=pull))
    pins.drive(17, not level)
    wired.input.listen()
    assert wired.input.read() is False
    pins.drive(17, level)
    assert wired.input.read() is True
    pins.drive(17, not level)
    assert wired.posted.edges() == [(BUTTON, True), (BUTTON, False)]
    wired.input.close()


@pytest.mark.parametrize("active", ["high", "low"])
@pytest.mark.parametrize("pull", ["up", "down", "none"])
def test_each_wiring_of_a_sensor_too(pins, active, pull):
    wired = Wired(pins, Sensor(pin=22, active=active, pull=pull), name=EXIT)
    wired.set(False)
    wired.input.listen()
    wired.set(True)
    assert wired.input.read() is True
    assert wired.posted.edges() == [(EXIT, True)]
    wired.input.close()


@pytest.mark.parametrize(("contact", "pull"), [("nc", "up"), ("nc", "down")])
def test_a_cut_wire_at_a_lid_whose_contact_opens_reads_as_an_open_lid(pins, contact, pull):
    """The pin then follows its pull."""
    wired = Wired(pins, Switch(pin=27, contact=contact, pull=pull), name=LID)
    pins.drive(27, pull == "up")
    assert wired.input.read() is True
    wired.input.close()


def test_nothing_is_posted_before_it_listens(pins):
    wired = Wired(pins, Switch(pin=17, contact="no", pull="up"))
    wired.set(True)
    assert wired.posted == []
    wired.input.close()


def test_an_input_that_is_active_from_the_start_is_read_though_no_edge_tells(pins):
    pins.pin(17).drive_low()
    wired = Wired(pins, Switch(pin=17, contact="no", pull="external-up"))
    pins.drive(17, False)
    wired.input.listen()
    assert wired.posted == []
    assert wired.input.read() is True
    wired.input.close()


def test_the_library_debounces_nothing(pins):
    wired = Wired(pins, Switch(pin=17, contact="no", pull="up"))
    wired.input.listen()
    for _ in range(6):
        wired.set(True)
        wired.set(False)
    assert len(wired.posted.edges()) == 12
    assert pins.pin(17).bounce is None
    wired.input.close()


def test_an_edge_has_its_own_time_unless_that_is_of_another_clock(pins):
    wired = Wired(pins, Switch(pin=17, contact="no", pull="up"))
    for ticks, at in (
        (wired.clock.now - 0.4, wired.clock.now - 0.4),
        (wired.clock.now - CLOCK_TRUST_S - 1, wired.clock.now),
        (1.7e9, wired.clock.now),
    ):
        wired.input._changed(ticks, 0)
        assert wired.posted.pop() == Edge(BUTTON, True, at)
    wired.input.close()


# --- callbacks ----------------------------------------------------------------------------------


def test_what_hangs_on_a_pin_takes_time_and_level_and_never_a_device(pins):
    wired = Wired(pins, Switch(pin=17, contact="no", pull="up"))
    wired.input.listen()
    handler = pins.pin(17).when_changed
    assert handler == wired.input._changed
    assert list(inspect.signature(handler).parameters) == ["ticks", "state"]
    wired.input.close()


def test_first_comes_before_the_edge_is_posted(pins):
    order = []
    wired = Wired(
        pins,
        Switch(pin=27, contact="nc", pull="up"),
        first=lambda: order.append("cut"),
        post=lambda event: order.append("posted"),
    )
    pins.drive(27, False)
    wired.input.listen()
    pins.drive(27, True)
    assert order == ["cut", "posted"]
    wired.input.close()


def test_an_exception_in_a_callback_is_a_failure_and_all_inputs_stay_alive(pins):
    """The mock calls back in this thread: an exception would come out of `drive`."""
    posted = Posted()
    troubles = [RuntimeError("once")]

    def first():
        if troubles:
            raise troubles.pop()

    bouncing = Wired(pins, Switch(pin=17, contact="no", pull="up"), post=posted)
    lid = Wired(pins, Switch(pin=27, contact="no", pull="up"), first=first, name=LID, post=posted)
    for wired in (bouncing, lid):
        wired.input.listen()
    lid.set(True)
    assert posted == [Failure("input", "lid: RuntimeError('once')")]
    bouncing.set(True)
    lid.set(False)
    assert posted.edges() == [(BUTTON, True), (LID, False)]
    for wired in (bouncing, lid):
        wired.input.close()


# --- all inputs of a board ----------------------------------------------------------------------


def opened(pins, name="launcher-pi", lid_edge=lambda: None, **tables):
    made = board(name, **tables)
    posted = Posted()
    return made, Inputs(made, pins, Clock(pins.ticks()), posted, lid_edge), posted


def set_active(pins, part, active):
    pins.drive(part.pin, active == part.active_high)


def test_levels_are_read_by_name_and_none_where_there_is_no_such_input(pins):
    made, inputs, _ = opened(pins)
    parts = {
        BUTTON: made.button,
        LID: made.lid,
        EXIT: made.exit_sensor,
        BATTERY: made.low_battery,
    }
    for part in parts.values():
        set_active(pins, part, False)
    assert inputs.levels() == Levels(False, False, False, None, False)
    for name, part in parts.items():
        set_active(pins, part, True)
        assert getattr(inputs.levels(), name) is True
        assert inputs.lid_is_open() == (name == LID)
        set_active(pins, part, False)
    inputs.close()


def test_a_board_without_sensors_knows_button_and_lid(pins):
    made, inputs, _ = opened(pins, "launcher-pi-basic")
    set_active(pins, made.lid, False)
    assert inputs.levels() == Levels(False, False, None, None, None)
    inputs.close()


def test_the_hopper_is_loaded_when_its_sensor_is_active(pins):
    made, inputs, posted = opened(pins, "diy-pi")
    set_active(pins, made.hopper_sensor, True)
    inputs.listen()
    set_active(pins, made.hopper_sensor, False)
    assert inputs.levels().hopper is False
    assert posted.edges() == [(HOPPER, False)]
    inputs.close()


def test_only_the_lids_edge_goes_to_the_guard(pins):
    cuts = []
    made, inputs, _ = opened(pins, lid_edge=lambda: cuts.append(True))
    for part in (made.button, made.lid, made.exit_sensor):
        set_active(pins, part, False)
    inputs.listen()
    set_active(pins, made.button, True)
    set_active(pins, made.exit_sensor, True)
    assert cuts == []
    set_active(pins, made.lid, True)
    assert cuts == [True]
    inputs.close()


def sees(pins, made, answers, looks=1):
    """A wait after which the sensor shows the answer for its light being off, or on, once that
    was so for so many `looks`; remembers the light."""
    lights = []

    def wait(seconds):
        light = int(pins.state(made.exit_sensor.emitter))
        lights.append(light)
        if lights[-looks:] == [light] * looks:
            set_active(pins, made.exit_sensor, answers[light])

    return lights, wait


def test_the_self_test_switches_the_light_off_and_on_and_wants_it_dark_between(pins):
    made, inputs, _ = opened(pins)
    light, wait = sees(pins, made, [True, False])
    inputs.self_test(wait)
    assert light == [0, 1]
    assert pins.state(made.exit_sensor.emitter) == 1
    inputs.close()


def test_a_sensor_that_sees_light_without_its_light_fails_the_self_test(pins):
    made, inputs, _ = opened(pins)
    light, wait = sees(pins, made, [False, False])
    with pytest.raises(DeviceFault) as raised:
        inputs.self_test(wait)
    assert raised.value.cause == "sensor_selftest"
    assert (light[0], light[-1]) == (0, 1), "the light is on again"
    inputs.close()


def test_a_slow_sensor_is_given_time_to_go_dark_and_to_see_light_again(pins):
    made, inputs, _ = opened(pins)
    light, wait = sees(pins, made, [True, False], looks=10)
    set_active(pins, made.exit_sensor, False)
    inputs.self_test(wait)
    assert light == [0] * 10 + [1] * 10
    assert not inputs.levels().exit
    inputs.close()


def test_a_card_in_the_slot_does_not_fail_the_self_test(pins):
    made, inputs, _ = opened(pins)
    _, wait = sees(pins, made, [True, True])
    inputs.self_test(wait)
    inputs.close()


def test_a_light_that_cannot_be_switched_is_not_tested(pins):
    sensor = Sensor(pin=22, active="high", pull="up")
    _, inputs, _ = opened(pins, exit_sensor=sensor)
    inputs.self_test(lambda seconds: pytest.fail("nothing to wait for"))
    inputs.close()


def test_what_was_opened_is_released_when_a_later_pin_cannot_be_had(pins):
    """So the next try finds the pins free."""
    sensor = Sensor(pin=17, active="high", pull="up")  # the button's
    with pytest.raises(Exception, match="17"):
        opened(pins, exit_sensor=sensor)
    _, inputs, _ = opened(pins)
    inputs.close()


def unplugged():
    raise OSError("no such line")


def test_close_may_come_twice_and_releases_every_pin_even_if_one_fails(pins):
    _, inputs, _ = opened(pins)
    broken = inputs._by_name[LID]
    real_close, broken.close = broken.close, unplugged
    with pytest.raises(OSError, match="no such line"):
        inputs.close()
    real_close()
    _, again, _ = opened(pins)
    again.close()
    again.close()


class Busy:
    """lgpio's thread looks at the pin when it is to be released, so many times."""

    def __init__(self, pin, times):
        self.left, self._close = times, pin.close
        pin.close = self

    def __call__(self):
        self.left -= 1
        if self.left >= 0:
            raise RuntimeError("GPIO busy")
        self._close()


def test_a_pin_that_is_busy_for_a_moment_is_released_all_the_same(pins):
    wired = Wired(pins, Switch(pin=17, contact="no", pull="up"))
    wired.input.listen()
    busy = Busy(pins.pin(17), RELEASE_TRIES - 1)
    wired.input.close()
    assert busy.left == -1
    wired.input.close()


def test_a_pin_that_stays_busy_is_told_of(pins):
    wired = Wired(pins, Switch(pin=17, contact="no", pull="up"))
    Busy(pins.pin(17), RELEASE_TRIES)
    with pytest.raises(RuntimeError, match="GPIO busy"):
        wired.input.close()
    wired.input.close()
