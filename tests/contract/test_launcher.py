"""What every launcher promises to the control loop, whatever it is made of.

Each test is run on each launcher of `rigs.RIGS`; how to add one stands there. A launcher keeps the
contract of `cannon.devices.ports.Launcher`, and beyond it what the house promises of every motor:
no movement without an end, none with the lid open, off at any time.
"""

import threading
from contextlib import suppress

import pytest

from cannon.core.commands import FORWARD, Feed, Light, Off, Record, Run, Sound
from cannon.core.events import BUTTON, LID, Edge, Failure, FeedEnded, MotorOff
from cannon.devices.ports import DeviceFault
from tests.contract.rigs import edges

LONGEST_S = 10.0  # no movement that was asked for here lasts longer by itself


def move(rig):
    """Asks for a movement, and sees the motor turn."""
    rig.launcher.do(rig.move)
    for _ in range(200):
        if rig.motor():
            return
        rig.pass_time(0.005)
    raise AssertionError("the motor does not turn")


def until_still(rig, within_s=LONGEST_S, turning=True):
    """Lets time pass until the motor is off; how long that took."""
    waited = 0.0
    while rig.motor():
        assert waited < within_s
        rig.pass_time(0.005, turning)
        waited += 0.005
    return waited


# --- what it is -----------------------------------------------------------------------------------


def test_it_says_truly_whether_it_counts_and_feeds_by_itself(rig):
    able = rig.launcher.capabilities
    assert (rig.launcher.levels().exit is not None) == able.counts
    rig.launcher.do(Feed(1) if able.feeds_itself else Run(FORWARD, 1.0, 0.1))
    if not able.feeds_itself:
        with pytest.raises(DeviceFault):
            rig.launcher.do(Feed(1))


def test_a_command_that_is_not_for_launchers_is_a_fault(rig):
    with pytest.raises(DeviceFault) as raised:
        rig.launcher.do(Record("press", {}, 1))
    assert raised.value.cause == "program"


# --- inputs ---------------------------------------------------------------------------------------


def test_every_input_is_read_as_what_it_means(rig):
    for name in rig.inputs:
        for active in (True, False, True):
            rig.set(name, active)
            rig.pass_time(0.3)
            assert getattr(rig.launcher.levels(), name) is active, name
        rig.set(name, False)
        rig.pass_time(0.3)


def test_every_change_of_an_input_is_posted_as_an_edge_in_order(rig):
    for name in (BUTTON, LID):
        rig.set(name, True)
        rig.pass_time(0.3)
        rig.set(name, False)
        rig.pass_time(0.3)
    assert edges(rig.posted) == [(BUTTON, True), (BUTTON, False), (LID, True), (LID, False)]
    times = [event.at for event in rig.posted if isinstance(event, Edge)]
    assert times == sorted(times)


def test_inputs_that_nobody_moves_say_nothing(rig):
    rig.pass_time(2.0)
    assert edges(rig.posted) == []


# --- the motor ------------------------------------------------------------------------------------


def test_a_movement_ends_by_itself_and_that_is_told(rig):
    move(rig)
    until_still(rig)
    rig.pass_time(LONGEST_S)
    assert rig.motor() == 0
    assert [event for event in rig.posted if isinstance(event, MotorOff | FeedEnded)]


def test_a_movement_ends_though_the_control_loop_hangs(rig):
    move(rig)
    until_still(rig, within_s=2.0, turning=False)
    rig.pass_time(2.0, turning=False)
    assert rig.motor() == 0


def test_an_opened_lid_stops_the_motor_within_a_few_milliseconds_and_nobody_is_asked(rig):
    move(rig)
    rig.set(LID, True)
    rig.pass_time(0.005, turning=False)
    assert rig.motor() == 0
    rig.pass_time(1.0)
    assert rig.motor() == 0


def test_with_the_lid_open_nothing_moves_and_that_is_told(rig):
    rig.set(LID, True)
    rig.pass_time(0.3)
    rig.posted.clear()
    rig.launcher.do(rig.move)
    moved = False
    for _ in range(100):
        rig.pass_time(0.01)
        moved = moved or bool(rig.motor())
    assert not moved
    told = [event for event in rig.posted if isinstance(event, MotorOff | FeedEnded)]
    assert [event.reason for event in told] == ["lid"]


def test_a_closed_lid_moves_nothing(rig):
    move(rig)
    rig.set(LID, True)
    rig.pass_time(0.3)
    rig.set(LID, False)
    for _ in range(200):
        rig.pass_time(0.01)
        assert rig.motor() == 0


@pytest.mark.parametrize("how", ["a command", "off", "off in another thread", "close"])
def test_off_is_off_at_any_time(rig, how):
    move(rig)
    match how:
        case "a command":
            rig.launcher.do(Off())
        case "off":
            rig.launcher.off()
        case "off in another thread":
            thread = threading.Thread(target=rig.launcher.off)
            thread.start()
            thread.join()
        case "close":
            rig.launcher.close()
    rig.pass_time(0.02, turning=False)
    assert rig.motor() == 0
    rig.pass_time(1.0)
    assert rig.motor() == 0
    rig.launcher.off()
    rig.launcher.off()


def test_after_an_off_it_moves_again_when_it_is_asked(rig):
    move(rig)
    rig.launcher.do(Off())
    rig.pass_time(1.0)
    move(rig)


def test_closed_is_closed(rig):
    move(rig)
    rig.launcher.close()
    rig.launcher.close()
    rig.launcher.off()
    with suppress(DeviceFault, OSError):
        rig.launcher.do(rig.move)
    for _ in range(50):
        rig.pass_time(0.02, turning=False)
        assert rig.motor() == 0


@pytest.mark.parametrize("moving", [True, False])
def test_hardware_that_is_gone_is_told_of_and_never_silent(rig, moving):
    if moving:
        move(rig)
    rig.posted.clear()
    rig.break_down()
    told = []
    for _ in range(100):
        try:
            rig.launcher.levels()
            rig.launcher.do(rig.move)
        except (DeviceFault, OSError) as error:
            told.append(error)
        rig.pass_time(0.05)
        told += [event for event in rig.posted if isinstance(event, Failure)]
        if told:
            break
    assert told


# --- sounds and lights ----------------------------------------------------------------------------


def test_a_tune_sounds_and_ends(rig):
    rig.launcher.do(Sound("beep"))
    sounded = False
    for _ in range(30):
        rig.pass_time(0.01)
        sounded = sounded or rig.sounding()
    assert sounded
    rig.pass_time(3.0)
    assert not rig.sounding()


def test_tunes_follow_each_other_and_a_new_one_replaces(rig):
    rig.launcher.do(Sound("jam"))
    rig.launcher.do(Sound("fault", after=True))
    rig.pass_time(0.05)
    rig.launcher.do(Sound("ding"))
    rig.pass_time(0.4)
    assert not rig.sounding(), "neither the first goes on nor what was to follow it"


def test_muted_is_silent_and_dark_from_then_on(rig):
    rig.launcher.do(Light("on"))
    rig.launcher.do(Sound("jam"))
    rig.pass_time(0.05)
    rig.launcher.mute()
    rig.pass_time(0.05)
    assert (rig.sounding(), rig.lit() or False) == (False, False)
    rig.launcher.do(Sound("jam"))
    rig.launcher.do(Light("on"))
    for _ in range(30):
        rig.pass_time(0.02)
        assert (rig.sounding(), rig.lit() or False) == (False, False)


def test_a_light_stands_until_another_one_is_asked_for(rig_with_light):
    rig = rig_with_light
    for pattern, lit in (("on", True), ("off", False), ("on", True)):
        rig.launcher.do(Light(pattern))
        rig.pass_time(2.0)
        assert rig.lit() is lit


def test_sounds_and_lights_hold_up_no_motor(rig):
    rig.launcher.do(Sound("fault"))
    rig.launcher.do(Light("alarm"))
    move(rig)
    rig.set(LID, True)
    rig.pass_time(0.005, turning=False)
    assert rig.motor() == 0


def test_at_rest_it_wants_no_turn(rig):
    rig.launcher.do(Sound("beep"))
    move(rig)
    rig.launcher.do(Off())
    rig.pass_time(5.0)
    assert rig.launcher.deadline is None
