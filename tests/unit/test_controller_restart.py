"""A restart is no way out of what has stopped the launcher; what the start sees may be one."""

import pytest

from cannon.core import states
from cannon.core.causes import ENDED_BY_LID, Latched
from cannon.core.commands import Off, Sound
from cannon.core.events import (
    BUTTON,
    EXIT,
    HOPPER,
    Acknowledge,
    Failure,
    Levels,
    Refilled,
    Start,
)
from cannon.core.latch import HELD_IN, held_in
from tests.unit.core_tools import CLOSED, Played, shot

FIRST = 1_700_000_000.0  # by the wall clock
EMPTY_HOPPER = Levels(exit=False, hopper=False)
LOADED = Levels(exit=False, hopper=True)
BLOCKED = Levels(exit=True)
OPEN = Levels(exit=False, lid=True)


def again(cause, start=CLOSED, *cards, **settings):
    """A controller that comes up after one that `cause` had stopped."""
    return Played(*cards, start=start, latched=Latched(cause, FIRST), **settings)


@pytest.mark.parametrize(
    ("cause", "levels", "state", "now"),
    [
        ("empty", CLOSED, "empty", "empty"),
        ("empty", EMPTY_HOPPER, "empty", "empty"),
        ("empty", BLOCKED, "empty", "empty"),
        ("empty", LOADED, "ready", ""),
        ("empty", Levels(exit=True, hopper=True), "jammed", "sensor_blocked"),
        ("empty", OPEN, "lid_open", ""),
        ("empty", Levels(lid=True, hopper=True), "lid_open", ""),
        ("no_feed", CLOSED, "jammed", "no_feed"),
        ("no_feed", LOADED, "jammed", "no_feed"),
        ("slow", EMPTY_HOPPER, "jammed", "slow"),
        ("jam", CLOSED, "jammed", "jam"),
        ("jam", BLOCKED, "jammed", "jam"),
        ("jam", OPEN, "lid_open", ""),
        ("sensor_blocked", BLOCKED, "jammed", "sensor_blocked"),
        ("sensor_blocked", Levels(), "jammed", "sensor_blocked"),
        ("sensor_blocked", CLOSED, "ready", ""),
        ("sensor_blocked", EMPTY_HOPPER, "empty", "empty"),
        ("motor", CLOSED, "fault", "motor"),
        ("motor", LOADED, "fault", "motor"),
        ("motor", BLOCKED, "fault", "motor"),
        ("motor", OPEN, "fault", "motor"),
        ("a cause of a later version", CLOSED, "fault", "a cause of a later version"),
    ],
)
def test_what_stopped_it_still_does_unless_the_start_sees_that_it_is_over(
    cause, levels, state, now
):
    played = again(cause, levels)
    snapshot = played.controller.snapshot()
    assert (snapshot.state, snapshot.cause) == (state, now)
    if state != "ready":
        played.press().wait(3600)
        assert (played.state, played.runs()) == (state, [])


def test_the_jams_hold_it_in_jammed_an_empty_hopper_in_empty_and_all_else_is_a_fault():
    for cause, state in HELD_IN.items():
        assert again(cause, Levels()).state == held_in(cause) == state
    assert set(HELD_IN.values()) == {states.EMPTY, states.JAMMED}
    assert set(HELD_IN) == set(ENDED_BY_LID)


@pytest.mark.parametrize(
    ("cause", "tune", "light"),
    [("empty", "empty", "slow"), ("jam", "jam", "alarm"), ("motor", "fault", "alarm")],
)
def test_it_is_heard_and_seen_at_the_start_and_put_on_record_no_second_time(cause, tune, light):
    played = again(cause)
    assert played.sounds() == [tune]
    assert [command.pattern for _, command in played.out if hasattr(command, "pattern")] == [light]
    assert played.data("fault") == played.data("notice") == []


def test_what_the_start_sees_to_be_over_is_not_sounded_but_on_record():
    played = again("empty", LOADED)
    assert played.sounds() == ["beep"]
    assert played.data("refill") == [{"source": "hopper"}]
    assert played.data("cleared") == [{"cause": "empty", "source": "hopper"}]
    played = again("sensor_blocked")
    assert played.sounds() == ["beep"]
    assert played.data("cleared") == [{"cause": "sensor_blocked", "source": "sensor"}]


def test_its_first_time_is_that_of_the_record_until_it_is_over():
    played = again("motor")
    snapshot = played.controller.snapshot()
    assert (snapshot.cause_since, snapshot.cause_wall_time) == (None, FIRST)
    played.handle(Acknowledge("web"))
    played.handle(Failure("motor"))
    snapshot = played.controller.snapshot()
    assert (snapshot.cause_since, snapshot.cause_wall_time) == (played.now, None)


WAYS_OUT = {
    "held button": lambda played: played.press(hold_s=2.5),
    "acknowledged": lambda played: played.handle(Acknowledge("web")),
    "lid": lambda played: played.lid(True).lid(False),
    "said to be refilled": lambda played: played.handle(Refilled("web")),
    "hopper": lambda played: played.edge(HOPPER, False).wait(1).edge(HOPPER, True).wait(1),
    "beam": lambda played: played.edge(EXIT, True).wait(1).edge(EXIT, False).wait(1),
}
LEADS_OUT = {
    "empty": {"held button", "acknowledged", "lid", "said to be refilled", "hopper"},
    "no_feed": {"held button", "acknowledged", "lid"},
    "jam": {"held button", "acknowledged", "lid"},
    "sensor_blocked": {"held button", "acknowledged", "lid", "beam"},
    "motor": {"held button", "acknowledged"},
}


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("cause", LEADS_OUT)
def test_the_ways_out_are_the_usual_ones_and_none_fires(cause, way):
    played = again(cause, Levels())
    WAYS_OUT[way](played)
    played.wait(60)
    assert played.state == ("ready" if way in LEADS_OUT[cause] else held_in(cause))
    assert played.runs() == []
    if played.state == "ready":
        assert played.controller.snapshot().cause == ""
        shot(played, 2)
        assert played.data("outcome")[0]["delivered"] == 2


def test_a_lid_found_open_counts_as_opened_and_closing_it_as_a_refill():
    played = again("empty", OPEN)
    assert played.data("lid") == [{"open": True}]
    played.press()
    assert played.data("refusal") == [{"reason": "lid_open", "source": "button"}]
    played.lid(False)
    assert played.state == "ready"
    assert played.data("refill") == [{"source": "lid"}]
    assert played.sounds().count("beep") == 1
    played.wait(60)
    assert played.runs() == []


def test_a_button_that_is_down_at_the_start_is_no_acknowledgement():
    played = again("empty", Levels(button=True, exit=False))
    played.wait(60)
    assert played.state == "empty"
    played.edge(BUTTON, False).wait(1)
    played.press(hold_s=2.5)
    assert played.state == "ready"


def test_what_fails_before_the_start_comes_first_and_if_it_is_the_same_it_is_as_old():
    for cause, first in (("sensor_selftest", FIRST), ("motor", None)):
        played = again(cause, None)
        played.handle(Failure("sensor_selftest"))
        played.forget().handle(Start(CLOSED))
        snapshot = played.controller.snapshot()
        assert (snapshot.state, snapshot.cause) == ("fault", "sensor_selftest")
        assert snapshot.cause_wall_time == first
        assert played.sounds() == [], "it was told of when it came"


def test_an_acknowledged_cause_does_not_come_back_with_a_second_start():
    played = again("motor")
    played.handle(Acknowledge("web"))
    played.handle(Start(CLOSED))
    assert played.state == "ready"


def test_owed_cards_come_with_a_press_after_the_way_out_and_never_before():
    played = again("empty", CLOSED, cards_owed=3)
    played.press().wait(60)
    assert played.runs() == []
    played.lid(True).lid(False).wait(60)
    assert played.runs() == []
    shot(played, 3)
    assert played.data("outcome")[0]["rest"] == 3


def test_the_motor_is_ordered_off_before_anything_else_where_the_lid_is_open():
    played = again("jam", OPEN)
    first = played.out[0][1]
    assert isinstance(first, Off)
    assert not [command for _, command in played.out if isinstance(command, Sound)]
