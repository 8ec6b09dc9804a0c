"""Faults of the controller, its end, a launcher that feeds by itself; and what always holds."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannon.core.commands import Feed, Light, Off
from cannon.core.controller import Controller
from cannon.core.events import (
    BUTTON,
    Acknowledge,
    CardSeen,
    Edge,
    Failure,
    FeedEnded,
    Levels,
    Press,
    Start,
    Stop,
)
from cannon.core.odds import Odds
from tests.unit.core_tools import CLOSED, Abilities, Played, in_state, shot

# --- faults ---------------------------------------------------------------------------------------


def test_a_failure_in_a_shot_stops_records_sounds_and_stays():
    played = Played(5).press().card().forget()
    played.handle(Failure("journal", "disk"))
    assert isinstance(played.out[0][1], Off)
    snapshot = played.controller.snapshot()
    assert (snapshot.state, snapshot.cause, snapshot.cause_since) == (
        "fault",
        "journal",
        played.now,
    )
    assert played.data("fault") == [{"cause": "journal", "detail": "disk"}]
    assert played.sounds() == ["fault"]
    played.wait(3600)
    assert played.state == "fault"
    outcome = played.data("outcome")[0]
    assert (outcome["reason"], outcome["delivered"], outcome["owed"]) == ("fault", 1, 4)


def test_the_first_cause_stays_and_a_second_failure_still_switches_off():
    played = in_state("fault")
    played.handle(Failure("journal", ""))
    assert [type(command) for _, command in played.out] == [Off]
    assert played.controller.snapshot().cause == "motor"


def test_the_lid_does_not_clear_a_fault_and_neither_does_a_press():
    played = in_state("fault").lid(True).lid(False).press()
    assert played.state == "fault"
    assert played.data("refusal") == [{"reason": "fault", "source": "button"}]


@pytest.mark.parametrize(
    ("levels", "then"),
    [
        (Levels(exit=False), "ready"),
        (Levels(exit=False, lid=True), "lid_open"),
        (Levels(exit=True), "jammed"),
        (Levels(exit=False, hopper=False), "empty"),
    ],
)
def test_an_acknowledged_fault_leads_to_what_is_true_now(levels, then):
    played = in_state("fault")
    played.handle(levels)
    played.wait(0.3)
    played.handle(Acknowledge("web"))
    assert played.state == then
    assert played.data("cleared")[0] == {"cause": "motor", "source": "web"}
    assert played.runs() == []
    assert played.controller.snapshot().cause != "motor"


def test_an_acknowledged_fault_in_mid_shot_waits_for_the_shot_to_settle():
    played = Played(5).press()
    played.handle(Failure("motor", ""))
    played.handle(Acknowledge("web"))
    played.handle(Press("web"))
    assert played.data("refusal") == [{"reason": "busy", "source": "web"}]
    played.finish()
    shot(played, 5)
    assert played.data("outcome")[-1]["rest"] == 5


def test_a_failure_before_the_start_is_a_fault_that_can_be_acknowledged():
    played = in_state("starting")
    played.handle(Failure("sensor_selftest", ""))
    played.handle(Start(CLOSED))
    assert played.state == "fault"
    played.handle(Acknowledge("button"))
    shot(played, 2)
    assert played.data("outcome")[0]["delivered"] == 2


def test_a_button_that_is_down_at_start_does_not_acknowledge_what_failed_before():
    played = in_state("starting")
    played.handle(Failure("sensor_selftest", ""))
    played.handle(Start(Levels(button=True, exit=False)))
    assert played.data("notice") == [{"code": "button_stuck"}]
    played.wait(60)
    assert played.state == "fault"


# --- the end --------------------------------------------------------------------------------------


def test_stop_in_a_shot_is_off_first_then_outcome_and_state_of_the_odds():
    played = Played(5).press().card().forget()
    played.handle(Stop())
    commands = [command for _, command in played.out]
    assert isinstance(commands[0], Off)
    assert played.data("outcome")[0]["reason"] == "stop"
    assert played.data("outcome")[0]["owed"] == 4
    assert played.data("stop") == [{"odds": {"blanks": 0}}]
    assert commands[-1] == Light("off")
    played.forget().press().lid(True).lid(False)
    played.handle(Acknowledge("web"))
    played.wait(60)
    assert played.state == "stopping"
    assert played.runs() == []
    assert played.sounds() == []


# --- a launcher that feeds by itself --------------------------------------------------------------


def remote(*cards, **settings):
    return Played(*cards, feeds_itself=True, **settings)


def test_a_launcher_that_feeds_by_itself_is_asked_and_believed():
    played = remote(3).press()
    assert [command for _, command in played.out if isinstance(command, Feed)] == [Feed(3)]
    assert played.runs() == []
    for n in (1, 2, 3):
        played.handle(CardSeen(n, n == 2, played.now))
    played.handle(FeedEnded("enough", 3, 1, False, False, 0))
    assert played.state == "ready"
    assert [data["cards"] for data in played.data("card")] == [1, 2, 3]
    outcome = played.data("outcome")[0]
    assert (outcome["delivered"], outcome["suspects"], outcome["reason"]) == (3, 1, "enough")


def test_a_count_that_goes_back_or_was_missed_is_not_lost():
    played = remote(5).press()
    played.handle(CardSeen(2, False, played.now))
    played.handle(CardSeen(1, False, played.now))
    played.handle(FeedEnded("stalled", 1, 0, False, False, 2))
    assert played.data("outcome")[0]["delivered"] == 2
    assert [data["cards"] for data in played.data("card")] == [1, 2]


def test_a_link_that_falls_silent_ends_the_shot_a_little_after_its_own_caps():
    played = remote(2).press()
    began = played.now
    played.handle(CardSeen(1, False, played.now))
    played.finish()
    assert played.now - began == pytest.approx(2.0 + 2 * 1.5 + 1.0, abs=0.2)
    outcome = played.data("outcome")[0]
    assert (outcome["reason"], outcome["delivered"], outcome["owed"]) == ("timeout", 1, 1)
    commands = [command for _, command in played.out]
    given_up = next(n for n, each in enumerate(commands) if getattr(each, "kind", "") == "outcome")
    assert isinstance(commands[given_up - 1], Off), "off first, then on record"
    played.handle(FeedEnded("enough", 2, 0, False, False, 0))
    assert len(played.data("outcome")) == 1, "late words on an old feed are none"


def test_the_lid_ends_a_feed_over_there_too_and_what_was_counted_is_waited_for():
    played = remote(4).press()
    played.handle(CardSeen(1, False, played.now))
    played.lid(True)
    assert played.forget().state == "lid_open"
    played.handle(CardSeen(2, False, played.now))
    played.handle(FeedEnded("lid", 2, 0, False, False, 0))
    outcome = played.data("outcome")[0]
    assert (outcome["reason"], outcome["delivered"], outcome["owed"]) == ("lid", 2, 2)
    assert played.state == "lid_open"


def test_cards_told_of_by_a_launcher_that_does_not_feed_by_itself_are_not_believed():
    played = Played(3).press()
    played.handle(CardSeen(3, False, played.now))
    played.handle(FeedEnded("enough", 3, 0, False, False, 0))
    assert played.state == "feeding"
    assert played.data("card") == []


# --- the whole of it ------------------------------------------------------------------------------


MODEL = {
    "name": "half",
    "chances": [0.5],
    "max_blanks": 4,
    "max_launches": None,
    "rapid": None,
    "sequence": None,
    "length": 0,
    "reset_on": [],
    "cards": [[[1, 0.5], [2, 1.0]]],
}


def answers(seed, presses):
    """All commands of some presses by the real odds; each card comes as it should."""
    played = Played()
    played.controller = Controller(
        played.settings, Abilities(), Odds(MODEL), Random(seed), presses=0, owed=0
    )
    played.forget().handle(Start(CLOSED))
    for _ in range(presses):
        played.press()
        while played.state == "feeding":
            played.card()
        played.finish()
    return [command for _, command in played.out]


def test_the_same_seed_and_events_give_the_same_commands_and_another_seed_others():
    assert answers(7, 30) == answers(7, 30)
    assert answers(7, 30) != answers(8, 30)


def test_nothing_but_the_odds_draws_so_the_lid_leaves_the_next_press_as_it_was():
    rng = Random(3)
    before = rng.getstate()
    played = Played()
    played.controller = Controller(played.settings, Abilities(), Odds(MODEL), rng)
    played.handle(Start(CLOSED))
    for _ in range(5):
        played.lid(True).press().lid(False)
    played.handle(Failure("motor", ""))
    played.handle(Acknowledge("web"))
    assert rng.getstate() == before


@given(st.integers(0, 13), st.integers(0, 13), st.sampled_from(["press", "command", "forget"]))
def test_wanted_is_always_delivered_and_owed(cards, come, owed):
    played = Played(cards, owed=owed)
    played.press()
    for _ in range(come):
        if played.state != "feeding":
            break
        played.card()
    played.finish()
    for outcome in played.data("outcome"):
        wanted = outcome["decided"] + outcome["rest"]
        assert wanted == outcome["delivered"] + outcome["owed"]
        assert outcome["delivered"] == min(cards, come)


def test_the_deadline_is_none_only_where_nothing_but_an_event_can_change_anything():
    assert in_state("ready").controller.deadline is None
    assert in_state("fault").controller.deadline is None
    played = in_state("ready").edge(BUTTON, True)
    assert played.controller.deadline == pytest.approx(played.now + 0.003)
    assert in_state("feeding").controller.deadline is not None
    assert in_state("suspense").controller.deadline is not None


def test_the_snapshot_follows_a_shot():
    played = Played(3).press().card()
    snapshot = played.controller.snapshot()
    assert (snapshot.state, snapshot.press, snapshot.wanted, snapshot.cards) == ("feeding", 1, 3, 1)
    assert (snapshot.presses, snapshot.wait, snapshot.owed) == (1, 0, 0)
    played.finish()
    snapshot = played.controller.snapshot()
    assert (snapshot.press, snapshot.wanted, snapshot.cards) == (None, None, None)


def test_edges_with_the_wrong_name_do_not_exist():
    with pytest.raises(KeyError):
        Played().handle(Edge("knob", True, 0.0))
