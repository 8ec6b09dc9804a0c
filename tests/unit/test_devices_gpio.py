"""The launcher on mock pins: every part of every board, sounds and lights, and its end."""

from pathlib import Path

import pytest
from gpiozero import PinPWMUnsupported
from gpiozero.pins.mock import MockFactory

from cannon.core.commands import FORWARD, REVERSE, Feed, Light, Off, Run, Sound
from cannon.core.events import Failure, MotorOff
from cannon.devices.gpio import GpioLauncher
from cannon.devices.players import LightPlayer, TunePlayer
from cannon.devices.ports import DeviceFault
from cannon.settings.signals import TUNES
from hardware import board_names, load_board
from hardware.board import Beeper, Output
from tests.unit.device_tools import SIGNALS, Clock, LoggedPins, Posted, board

PI_BOARDS = [name for name in board_names() if load_board(name).computer == "pi"]
LIGHT = Output(pin=16)
ACTIVE = Beeper(pin=12, kind="active")


class Opened:
    """A launcher on fresh mock pins, lid closed, in virtual time."""

    def __init__(self, name="launcher-pi", pins=None, wait=None, signals=SIGNALS, **tables):
        self.board = board(name, **tables)
        self.pins = LoggedPins() if pins is None else pins
        self.clock = Clock(self.pins.ticks())
        self.posted = Posted()
        self.launcher = GpioLauncher(
            self.board,
            self.pins,
            signals,
            self.clock,
            self.posted,
            wait or (lambda seconds: self.set(self.board.exit_sensor, self._dark())),
        )
        for part in (self.board.button, self.board.lid, self.board.exit_sensor):
            if part is not None:
                self.set(part, False)  # a mock pin has followed its pull until now
        self.posted.clear()

    def __enter__(self):
        return self

    def __exit__(self, *ended):
        self.launcher.close()
        self.pins.reset()

    def _dark(self):
        return not self.pins.state(self.board.exit_sensor.emitter)

    def set(self, part, active):
        self.pins.drive(part.pin, active == part.active_high)

    def pass_time(self, for_s):
        """Lets the launcher go on with its sounds and lights."""
        end = self.clock.now + for_s
        while self.launcher.deadline is not None and self.launcher.deadline <= end:
            self.clock.now = max(self.clock.now, self.launcher.deadline)
            self.launcher.tick(self.clock.now)
        self.clock.now = end


# --- every part of every board ------------------------------------------------------------------


@pytest.mark.parametrize("name", PI_BOARDS)
def test_every_board_opens_all_off_runs_and_closes(name):
    with Opened(name) as opened:
        outputs = [pin for role, pin in opened.board.pins().items() if role.startswith("motor")]
        assert [opened.pins.state(pin) for pin in outputs] == [0] * len(outputs)
        assert opened.launcher.levels()[:2] == (False, False)
        assert opened.launcher.capabilities.counts == (opened.board.exit_sensor is not None)
        assert opened.launcher.capabilities.retracts == opened.board.motor.reversible
        assert not opened.launcher.capabilities.feeds_itself
        opened.launcher.do(Run(FORWARD, 1.0, 0.5))
        assert opened.pins.state(opened.board.motor.forward) == 1
        opened.launcher.do(Off())
        assert opened.pins.state(opened.board.motor.forward) == 0


@pytest.mark.parametrize("pwm", [True, False])
@pytest.mark.parametrize("name", ["launcher-pi", "launcher-pi-basic", "diy-pi"])
def test_a_board_that_only_switches_works_on_pins_without_pwm(name, pwm):
    with Opened(name, LoggedPins(pwm), beeper=ACTIVE, light=LIGHT) as opened:
        assert opened.board.motor.pwm_hz is None
        opened.launcher.do(Run(FORWARD, 1.0, 0.5))
        opened.launcher.do(Sound("ding"))
        opened.launcher.do(Light("on"))
        assert [opened.pins.state(pin) for pin in (23, 12, 16)] == [1, 1, 1]


def test_a_passive_beeper_needs_pins_with_pwm_and_says_so_and_leaves_nothing_open():
    pins = LoggedPins(pwm=False)
    with pytest.raises(PinPWMUnsupported):
        Opened("launcher-pi", pins)
    Opened("launcher-pi", pins, beeper=ACTIVE).launcher.close()


def test_two_launchers_on_one_set_of_pins_cannot_be():
    with Opened() as opened:
        with pytest.raises(Exception, match="already in use"):
            Opened(pins=opened.pins)
        opened.launcher.do(Run(FORWARD, 1.0, 0.5))
        assert opened.pins.state(23) == 1, "the first one is unharmed"


def test_pins_are_free_again_after_close():
    with Opened() as opened:
        opened.launcher.close()
        Opened(pins=opened.pins).launcher.close()


# --- the motor ----------------------------------------------------------------------------------


def test_the_lids_edge_cuts_the_motor_before_anyone_is_asked():
    with Opened() as opened:
        opened.launcher.do(Run(FORWARD, 1.0, 1.0))
        opened.set(opened.board.lid, True)
        assert opened.pins.state(23) == 0
        assert [type(event).__name__ for event in opened.posted] == ["MotorOff", "Edge"]
        opened.launcher.do(Run(FORWARD, 1.0, 1.0))
        assert opened.pins.state(23) == 0, "and it stays off"


def test_a_cut_lid_wire_stops_the_motor():
    with Opened() as opened:
        opened.launcher.do(Run(FORWARD, 1.0, 1.0))
        opened.pins.drive(opened.board.lid.pin, True)  # the pull alone
        assert opened.pins.state(23) == 0


def test_the_cap_of_the_board_holds_for_every_run():
    with Opened() as opened:
        with pytest.raises(DeviceFault):
            opened.launcher.do(Run(FORWARD, 1.0, opened.board.motor.max_run_ms / 1000 + 0.001))
        assert opened.pins.state(23) == 0


def test_half_of_the_boards_dead_time_is_the_least_that_the_guard_lets_pass():
    with Opened() as opened:
        opened.launcher.do(Run(FORWARD, 1.0, 0.5))
        opened.launcher.do(Off())
        opened.clock.now += opened.board.motor.dead_time_ms / 2000 - 0.001
        with pytest.raises(DeviceFault, match="rest"):
            opened.launcher.do(Run(REVERSE, 1.0, 0.1))
        opened.clock.now += 0.002
        opened.launcher.do(Run(REVERSE, 1.0, 0.1))
        assert opened.pins.state(24) == 1


def test_a_run_ends_by_the_guards_look_alone():
    with Opened() as opened:
        opened.launcher.do(Run(FORWARD, 1.0, 0.5))
        opened.clock.now += 0.5
        opened.launcher.guard.check(opened.clock.now)
        assert opened.pins.changes(23)[-2:] == [1, 0]
        assert opened.posted == [MotorOff("time", opened.clock.now)]


def test_a_command_for_another_kind_of_launcher_is_a_fault():
    with Opened() as opened, pytest.raises(DeviceFault, match="cannot do"):
        opened.launcher.do(Feed(3))


def test_a_sensor_that_fails_its_self_test_is_a_fault_from_the_first_moment():
    pins = LoggedPins()
    made = board("launcher-pi")
    posted = Posted()
    launcher = GpioLauncher(
        made,
        pins,
        SIGNALS,
        Clock(),
        posted,
        wait=lambda seconds: pins.drive(made.exit_sensor.pin, False),
    )
    [failure] = [event for event in posted if isinstance(event, Failure)]
    assert failure.cause == "sensor_selftest"
    launcher.close()
    pins.reset()


# --- sounds and lights --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["passive", "active"])
@pytest.mark.parametrize("tune", TUNES)
def test_every_tune_sounds_and_ends_in_silence(kind, tune):
    with Opened(beeper=Beeper(pin=12, kind=kind)) as opened:
        opened.launcher.do(Sound(tune))
        assert opened.pins.state(12) > 0
        opened.pass_time(3.0)
        assert opened.pins.state(12) == 0
        assert opened.launcher.deadline is None


@pytest.mark.parametrize("kind", ["passive", "active"])
@pytest.mark.parametrize("how", ["another tune", "mute", "close"])
def test_an_interrupted_tune_ends_in_silence_too(kind, how):
    with Opened(beeper=Beeper(pin=12, kind=kind)) as opened:
        for tune in TUNES:
            opened.launcher.do(Sound(tune))
            opened.pass_time(0.02)
            assert opened.pins.state(12) > 0
        if how == "another tune":
            opened.launcher.do(Sound("ding"))
            opened.pass_time(3.0)
        else:
            getattr(opened.launcher, how)()
        assert opened.pins.state(12) == 0


@pytest.mark.parametrize(
    ("volume", "passive", "active"),
    [("loud", 0.5, 1), ("medium", 0.1, 1), ("quiet", 0.03, 1), ("off", 0, 0)],
)
def test_a_passive_beeper_has_a_volume_and_an_active_one_is_on_or_off(volume, passive, active):
    for kind, level in (("passive", passive), ("active", active)):
        with Opened(beeper=Beeper(pin=12, kind=kind), signals=SIGNALS.at(volume)) as opened:
            opened.launcher.do(Sound("ding"))
            assert opened.pins.state(12) == pytest.approx(level)


def test_a_passive_beeper_plays_the_tunes_own_tones():
    with Opened() as opened:
        heard = []
        opened.launcher.do(Sound("jam"))
        for _ in range(5):
            sounding = opened.pins.state(12) > 0
            heard.append(round(opened.pins.pin(12).frequency) if sounding else 0)
            opened.clock.now = opened.launcher.deadline
            opened.launcher.tick(opened.clock.now)
        assert heard == [hz for hz, _ in SIGNALS.tones["jam"]]


def test_after_mute_it_stays_silent_and_dark():
    with Opened(light=LIGHT) as opened:
        opened.launcher.do(Light("on"))
        opened.launcher.do(Sound("jam"))
        assert (opened.pins.state(12) > 0, opened.pins.state(16)) == (True, 1)
        opened.launcher.mute()
        opened.launcher.do(Light("alarm"))
        opened.launcher.do(Sound("beep"))
        opened.pass_time(1.0)
        assert (opened.pins.state(12), opened.pins.state(16)) == (0, 0)
        assert opened.launcher.deadline is None
        opened.launcher.mute()


def test_a_board_without_beeper_and_light_is_asked_in_vain_and_without_an_error():
    with Opened(beeper=None, light=None) as opened:
        opened.launcher.do(Sound("beep"))
        opened.launcher.do(Light("on"))
        opened.launcher.tick(opened.clock.now)
        opened.launcher.mute()
        assert opened.launcher.deadline is None


def test_light_patterns_go_on_until_another_one_is_asked_for():
    with Opened(light=LIGHT) as opened:
        opened.launcher.do(Light("slow"))
        assert opened.pins.state(16) == 1
        opened.pass_time(0.5)
        assert opened.pins.state(16) == 0
        opened.pass_time(1.5)
        assert opened.pins.state(16) == 1
        opened.launcher.do(Light("off"))
        opened.pass_time(10)
        assert opened.pins.state(16) == 0
        assert opened.launcher.deadline is None


def test_an_unknown_tune_or_pattern_is_an_error():
    with Opened(light=LIGHT) as opened:
        for command in (Sound("hum"), Light("rainbow")):
            with pytest.raises(KeyError):
                opened.launcher.do(command)


# --- the players alone --------------------------------------------------------------------------

TUNE = {"a": [(440.0, 0.1), (0.0, 0.1), (440.0, 0.1)], "b": [(880.0, 0.2)], "none": []}


def played(orders, until=5.0):
    """What sounds, as [(time, frequency)]; `orders` are [(time, tune, after)]."""
    now, heard = 0.0, []
    player = TunePlayer(TUNE, lambda hz: heard.append((round(now, 3), hz)))
    for at, tune, after in orders:
        while player.deadline is not None and player.deadline <= at:
            now = player.deadline
            player.tick(now)
        now = at
        player.play(tune, after, now)
    while player.deadline is not None and player.deadline <= until:
        now = player.deadline
        player.tick(now)
    return heard


def test_a_tune_replaces_the_one_that_plays_or_waits_for_its_end():
    assert played([(0.0, "a", False)]) == [(0.0, 440), (0.1, 0), (0.2, 440), (0.3, 0)]
    assert played([(0.0, "a", False), (0.05, "b", False)]) == [(0.0, 440), (0.05, 880), (0.25, 0)]
    assert played([(0.0, "b", False), (0.05, "a", True)]) == [
        (0.0, 880),
        (0.2, 0),
        (0.25, 440),
        (0.35, 0),
        (0.45, 440),
        (0.55, 0),
    ]
    assert played([(1.0, "b", True)]) == [(1.0, 880), (1.2, 0)]


def test_a_tune_of_no_steps_is_silence_and_cuts_what_plays():
    assert played([(0.0, "none", False)]) == []
    assert played([(0.0, "a", False), (0.05, "none", False)]) == [(0.0, 440), (0.05, 0)]


def test_a_late_look_skips_what_is_over():
    heard = []
    player = TunePlayer(TUNE, heard.append)
    player.play("a", False, 0.0)
    player.tick(9.0)
    assert heard == [440, 0, 440, 0]
    assert player.deadline is None


def test_a_light_that_stands_needs_no_turn():
    shown = []
    player = LightPlayer({"on": [(True, 0)], "slow": [(True, 1.0), (False, 2.0)]}, shown.append)
    player.play("on", 0.0)
    assert (shown, player.deadline) == ([True], None)
    player.play("slow", 5.0)
    player.tick(6.0)
    player.tick(8.0)
    assert shown == [True, True, False, True]
    player.stop()
    assert (shown[-1], player.deadline) == (False, None)


class Broken:
    """A part that cannot be closed."""

    def close(self):
        raise OSError("no such line")


# --- the end ------------------------------------------------------------------------------------


def test_close_switches_off_and_releases_everything_and_may_come_twice():
    with Opened(light=LIGHT) as opened:
        opened.launcher.do(Run(FORWARD, 1.0, 1.0))
        opened.launcher.do(Light("on"))
        opened.launcher.do(Sound("jam"))
        opened.pins.log.clear()
        opened.launcher.close()
        assert opened.pins.log[0] == ("GPIO23", 0), "the motor first"
        opened.launcher.close()
        opened.launcher.off()
        with pytest.raises(DeviceFault):
            opened.launcher.do(Run(FORWARD, 1.0, 0.5))


def test_close_goes_on_when_a_part_cannot_be_released():
    with Opened(light=LIGHT) as opened:
        opened.launcher.do(Run(FORWARD, 1.0, 1.0))
        emitter, opened.launcher.inputs._emitter = opened.launcher.inputs._emitter, Broken()
        with pytest.raises(OSError, match="no such line"):
            opened.launcher.close()
        emitter.close()
        assert opened.pins.state(23) == 0
        Opened(pins=opened.pins, light=LIGHT).launcher.close()


def test_a_motor_that_cannot_be_switched_off_at_the_end_does_not_keep_the_rest_open():
    with Opened() as opened:
        opened.launcher.guard._motor.off = Broken().close
        with pytest.raises(OSError, match="no such line"):
            opened.launcher.close()
        Opened(pins=opened.pins).launcher.close()


def test_mock_pins_are_made_by_the_twin_alone():
    """Real pins are never replaced by others: nothing else in the program knows mock ones."""
    for path in Path("cannon").rglob("*.py"):
        if path.parts[1] != "twin":
            text = path.read_text()
            assert "pins.mock" not in text, path
            assert "MockFactory" not in text, path
            assert "PIN_FACTORY=mock" not in text, path
    assert MockFactory.__module__ == "gpiozero.pins.mock"
