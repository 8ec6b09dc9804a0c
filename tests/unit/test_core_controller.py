"""The controller with plain values: what people do at the launcher, and what it answers."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannon.core.commands import FORWARD, Feed, Light, Off, Record, Run
from cannon.core.controller import Controller
from cannon.core.events import (
    BATTERY,
    BUTTON,
    EXIT,
    HOPPER,
    LID,
    Acknowledge,
    CancelRest,
    CardSeen,
    DeliverRest,
    Edge,
    Failure,
    FeedEnded,
    Levels,
    MotorOff,
    Press,
    Refilled,
    Request,
    Start,
    Stop,
)
from cannon.core.odds import Odds
from tests.unit.core_tools import CLOSED, ONE_WAY, Abilities, Played, in_state

EMPTY_HOPPER = Levels(exit=False, hopper=False)
LOADED = Levels(exit=False, hopper=True)


def shot(played, cards):
    """A press and the cards it brings, to the end of the shot."""
    played.press()
    for _ in range(cards):
        played.card()
    return played.finish()


# --- a press ------------------------------------------------------------------------------------


def test_a_press_brings_the_decided_cards_counted_and_on_record():
    played = shot(Played(3), 3)
    assert played.state == "ready"
    assert played.sounds() == ["beep", "ding", "cards"]
    assert played.records("press") == [
        (1, {"source": "button", "purpose": "", "wait": 1, "rest": False, "odds": {"blanks": 0}})
    ]
    assert played.records("intent") == [(1, {"cards": 3})]
    assert [data["cards"] for data in played.data("card")] == [1, 2, 3]
    [(press, outcome)] = played.records("outcome")
    assert press == 1
    assert outcome == {
        "decided": 3,
        "rest": 0,
        "delivered": 3,
        "owed": 0,
        "extra": 0,
        "suspects": 0,
        "reason": "enough",
        "retries": 0,
        "slow": False,
        "protruding": False,
    }


def test_a_blank_is_sounded_and_on_record_and_moves_nothing():
    played = Played(0).press()
    assert played.state == "ready"
    assert played.runs() == []
    assert played.sounds() == ["beep", "ding", "nothing"]
    assert played.data("intent") == []
    assert played.data("outcome")[0]["reason"] == "blank"


def test_the_motor_starts_in_the_step_that_takes_the_press_before_record_and_sound():
    played = Played(2)
    played.edge(BUTTON, True)
    played.now += 0.003
    kinds = [type(command) for command in played._took(played.controller.tick(played.now))]
    assert kinds[0] is Run
    assert kinds.index(Run) < kinds.index(Record)


def test_two_presses_80_ms_apart_are_two_the_second_refused_while_cards_come():
    played = Played(3)
    played.edge(BUTTON, True).wait(0.04).edge(BUTTON, False).wait(0.04)
    played.edge(BUTTON, True).wait(0.04).edge(BUTTON, False).wait(0.04)
    assert len(played.data("press")) == 1
    assert played.data("refusal") == [{"reason": "busy", "source": "button"}]


def test_two_presses_80_ms_apart_both_count_where_the_first_is_a_blank():
    played = Played(0, 0)
    played.edge(BUTTON, True).wait(0.04).edge(BUTTON, False).wait(0.04)
    played.edge(BUTTON, True).wait(0.04).edge(BUTTON, False).wait(0.04)
    assert [press for press, _ in played.records("press")] == [1, 2]


def test_presses_are_numbered_on_from_those_on_record():
    played = Played(0, presses=41).press()
    assert played.records("press")[0][0] == 42


def test_without_a_sensor_the_count_is_unknown_and_nothing_is_owed():
    played = Played(4, start=Levels(), counts=False).press().finish()
    [outcome] = played.data("outcome")
    assert (outcome["delivered"], outcome["owed"], outcome["decided"]) == (None, None, 4)
    assert played.data("card") == []
    assert played.controller.snapshot().owed == 0


def test_a_launch_that_was_asked_for_brings_just_that_many_and_leaves_the_odds_alone():
    played = Played()
    played.handle(Request(4, "draw four"))
    shot(played, 4)
    assert played.odds.presses == 0
    assert played.data("intent") == [{"cards": 4}]
    assert played.data("press")[0]["purpose"] == "draw four"
    played.press()
    assert played.odds.presses == 1, "it held for one press"
    assert played.data("press")[1]["purpose"] == ""


def test_a_request_waits_out_a_refused_press_and_a_newer_one_replaces_it():
    played = Played()
    played.handle(Request(4, "old"))
    played.lid(True)
    played.handle(Press("web"))
    played.lid(False)
    played.handle(Request(2, "new"))
    played.press()
    assert played.data("intent") == [{"cards": 2}]
    assert played.data("press")[0]["purpose"] == "new"


def test_a_request_without_cards_takes_it_back_and_one_for_none_is_ignored():
    played = Played(1)
    played.handle(Request(4))
    played.handle(Request(0))
    played.handle(Request(-3))
    played.handle(Request())
    shot(played, 1)
    assert played.data("intent") == [{"cards": 1}]


# --- suspense -----------------------------------------------------------------------------------


def test_suspense_keeps_the_answer_back_for_its_time():
    played = Played(0, 3, suspense_s=2.0)
    played.press().wait(1.85)
    assert played.state == "suspense"
    assert played.data("intent") == [{"cards": 0}]  # on record, and told to nobody
    assert played.data("outcome") == []
    assert played.sounds() == ["beep", "ding", "suspense-1"]
    played.wait(0.1)
    assert played.sounds()[-1] == "nothing"
    assert played.state == "ready"
    played.press()
    began = played.now - 0.1
    played.wait(3, until=lambda: played.motor)
    assert played.now - began == pytest.approx(2.003)
    assert played.sounds()[-2:] == ["suspense-2", "cards"]


def test_suspense_gets_quicker_press_by_press_up_to_the_last_tune():
    played = Played(*[0] * 7, suspense_s=0.5)
    for _ in range(7):
        played.press().wait(0.6)
    levels = [sound[-1] for sound in played.sounds() if sound.startswith("suspense")]
    assert levels == ["1", "2", "3", "4", "5", "5", "5"]


def test_a_lid_opened_in_suspense_keeps_what_was_decided_as_owed():
    played = in_state("suspense")
    played.lid(True)
    [outcome] = played.data("outcome")
    assert (outcome["reason"], outcome["delivered"], outcome["owed"]) == ("lid", 0, 3)
    played.lid(False).wait(5)
    assert played.runs() == []
    played.press().wait(2)
    played.card().card().card().finish()
    assert played.data("outcome")[-1]["rest"] == 3


# --- the lid ------------------------------------------------------------------------------------


def lid_opened_after_two_of_five(**settings):
    played = Played(5, **settings).press().card().card()
    played.forget()
    played.edge(LID, True).wait(0.02)
    return played


def test_an_opened_lid_ends_the_shot_with_what_was_counted_and_what_is_owed():
    played = lid_opened_after_two_of_five()
    assert isinstance(played.out[0][1], Off)
    assert played.state == "lid_open"
    played.wait(1)
    [outcome] = played.data("outcome")
    assert (outcome["reason"], outcome["delivered"], outcome["owed"]) == ("lid", 2, 3)


def test_presses_while_the_lid_is_open_are_refused_and_nothing_resumes_when_it_closes():
    played = lid_opened_after_two_of_five()
    for _ in range(4):
        played.press()
    assert played.data("refusal") == 4 * [{"reason": "lid_open", "source": "button"}]
    played.lid(False)
    assert played.state == "ready"
    played.wait(60)
    assert played.motor == 0
    assert played.runs() == []
    assert played.sounds().count("beep") == 1


@pytest.mark.parametrize("taken_after_s", [0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 3.0])
def test_a_card_in_the_beam_that_is_taken_lets_it_go_on_however_soon_it_is_taken(taken_after_s):
    played = Played(5, times={"settle": 0.6}).press()
    for _ in range(2):
        played.card()
    played.wait(0.1).edge(EXIT, True).wait(0.02).edge(LID, True).wait(0.02).edge(LID, False)
    played.wait(taken_after_s).edge(EXIT, False).wait(5)
    assert (played.state, played.controller.snapshot().cause) == ("ready", "")
    assert played.controller.snapshot().owed == 2


def test_after_the_lid_a_fresh_press_brings_the_rest_and_not_more():
    played = lid_opened_after_two_of_five().wait(1).lid(False)
    shot(played, 3)
    assert played.odds.presses == 1
    outcome = played.data("outcome")[-1]
    assert (outcome["decided"], outcome["rest"], outcome["delivered"]) == (0, 3, 3)
    assert played.data("press")[-1]["rest"] is True
    assert played.controller.snapshot().owed == 0


def test_owed_cards_may_wait_for_a_command():
    played = lid_opened_after_two_of_five(owed="command").wait(1).lid(False)
    shot(played, 2)
    assert played.data("outcome")[-1]["decided"] == 2, "the odds decided anew"
    assert played.controller.snapshot().owed == 3
    played.handle(DeliverRest("web"))
    shot(played, 3)
    assert played.data("outcome")[-1]["rest"] == 3
    shot(played, 2)
    assert played.data("outcome")[-1]["decided"] == 2, "the command held for one press"


def test_owed_cards_may_be_forgotten_on_record():
    played = lid_opened_after_two_of_five(owed="forget").wait(1)
    assert played.data("waived") == [{"cards": 3, "source": "settings"}]
    assert played.controller.snapshot().owed == 0


def test_owed_cards_can_be_given_up():
    played = lid_opened_after_two_of_five().wait(1).lid(False)
    played.handle(DeliverRest("web"))
    played.handle(CancelRest("web"))
    assert played.data("waived") == [{"cards": 3, "source": "web"}]
    shot(played, 2)
    assert played.data("outcome")[-1]["decided"] == 2


def test_nothing_is_waived_where_nothing_is_owed():
    played = Played()
    played.handle(CancelRest("web"))
    assert played.data("waived") == []


def test_a_bouncing_lid_opens_once_and_beeps_once():
    played = Played()
    for n in range(7):
        played.edge(LID, n % 2 == 0)
        played.now += 0.001
    played.wait(0.1)
    for n in range(9):
        played.edge(LID, n % 2 == 1)
        played.now += 0.004
    played.wait(0.2)
    assert [data["open"] for data in played.data("lid")] == [True, False]
    assert played.sounds() == ["beep", "beep"]


def test_opening_the_lid_changes_neither_wait_nor_draw():
    played = Played(0, 0, 0, 0)
    for _ in range(2):
        played.press()
    played.lid(True).lid(False)
    assert (played.odds.wait, played.odds.presses) == (2, 2)
    assert played.odds.lids == 1, "a model that wants to know is told"


def test_a_press_while_the_lid_is_just_opening_is_refused():
    played = Played(3)
    played.edge(LID, True)
    played.handle(Press("web"))
    assert played.data("refusal") == [{"reason": "lid_open", "source": "web"}]


def test_a_spike_on_the_lid_makes_the_motor_pause_and_the_shot_goes_on():
    played = Played(2).press().wait(0.05)
    played.edge(LID, True)
    played.handle(MotorOff("lid", played.now))
    played.motor = 0
    played.now += 0.0002
    played.edge(LID, False)
    assert played.motor == 0
    played.wait(0.006)
    assert played.motor == FORWARD
    played.card().card().finish()
    assert played.data("outcome")[0]["delivered"] == 2
    assert played.data("lid") == []


def test_a_lid_that_cut_the_motor_and_is_open_does_not_let_it_go_on():
    played = Played(2).press().wait(0.05)
    played.handle(MotorOff("lid", played.now))
    played.handle(Levels(lid=True, exit=False))
    played.wait(1)
    assert played.state == "lid_open"
    assert played.motor == 0


def test_spikes_on_button_and_lid_in_a_shot_are_neither_presses_nor_openings():
    played = Played(6).press().forget()
    for n in range(240):
        width = 0.0002 if n < 200 else 0.0029
        for name in (BUTTON, LID):
            played.edge(name, True)
            played.now += width
            played.edge(name, False)
        played.wait(0.004)
        if n % 40 == 20:
            played.edge(EXIT, True)
        if n % 40 == 39:
            played.edge(EXIT, False)
    played.finish()
    assert played.data("press") == played.data("refusal") == played.data("lid") == []
    assert played.data("outcome")[0]["delivered"] == 6
    played.press()
    assert len(played.data("press")) == 1, "and a real press right after it counts"


# --- the button held ----------------------------------------------------------------------------


def test_a_button_held_at_start_gives_no_press_until_it_was_released():
    played = Played(3, start=Levels(button=True, exit=False))
    played.wait(100)
    assert played.data("press") == []
    assert played.data("notice") == [{"code": "button_stuck"}]
    played.edge(BUTTON, False).wait(0.1)
    assert played.data("press") == []
    played.press()
    assert len(played.data("press")) == 1


@pytest.mark.parametrize("state", ["empty", "jammed", "fault"])
def test_holding_the_button_acknowledges(state):
    played = in_state(state)
    played.edge(BUTTON, True).wait(1.9)
    assert played.state == state
    assert played.data("refusal") == [{"reason": state, "source": "button"}]
    played.wait(0.2)
    assert played.state == "ready"
    assert played.data("cleared")[0]["source"] == "button"
    played.edge(BUTTON, False).wait(5)
    assert played.runs() == [], "a hold is no press"


def test_a_press_that_is_held_on_neither_acknowledges_what_it_caused_nor_fires_again():
    played = Played(2)
    played.edge(BUTTON, True).wait(20)
    assert played.state == "empty"
    assert played.data("cleared") == []
    assert len(played.data("press")) == 1


def test_a_button_that_stays_down_is_reported_once():
    played = Played(0)
    played.edge(BUTTON, True).wait(300)
    assert played.data("notice") == [{"code": "button_stuck"}]


# --- the exit sensor ----------------------------------------------------------------------------


def test_a_sensor_blocked_at_start_is_told_and_refuses_until_it_clears():
    played = Played(3, start=Levels(exit=True))
    assert (played.state, played.controller.snapshot().cause) == ("jammed", "sensor_blocked")
    assert played.sounds() == ["jam"]
    played.press()
    assert played.data("press") == []
    played.edge(EXIT, False).wait(0.2)
    assert played.state == "ready"
    assert played.data("cleared") == [{"cause": "sensor_blocked", "source": "sensor"}]
    assert played.data("card") == []


def test_a_protruding_card_belongs_to_the_presser_and_holds_back_the_next_press():
    played = Played(2, times=ONE_WAY).press().card()
    played.wait(0.1).edge(EXIT, True).wait(3)
    assert played.controller.snapshot().protruding
    assert played.state == "settling"
    assert played.data("outcome")[0] | {"retries": 0} == {
        "decided": 2,
        "rest": 0,
        "delivered": 1,
        "owed": 1,
        "extra": 0,
        "suspects": 0,
        "reason": "stalled",
        "retries": 0,
        "slow": False,
        "protruding": True,
    }
    played.press()
    assert played.data("refusal")[-1]["reason"] == "protruding"
    played.edge(EXIT, False).wait(0.2)
    assert played.records("protruding") == [(1, {"delivered": 1, "extra": 0, "owed": 0})]
    assert played.state == "ready"
    assert not played.controller.snapshot().protruding
    played.press()
    assert len(played.data("press")) == 2


def test_a_protruding_card_beyond_what_was_wanted_is_an_extra_one():
    played = Played(1, times=ONE_WAY).press().card()
    played.edge(EXIT, True).wait(1)
    assert played.data("outcome")[0]["protruding"]
    played.edge(EXIT, False).wait(0.2)
    assert played.data("protruding") == [{"delivered": 0, "extra": 1, "owed": 0}]


def test_a_card_stuck_with_more_to_come_is_a_jam():
    played = Played(5, times=ONE_WAY).press().card()
    played.wait(0.1).edge(EXIT, True).wait(5)
    assert (played.state, played.controller.snapshot().cause) == ("jammed", "jam")
    assert played.controller.snapshot().owed == 4
    for _ in range(3):
        played.press()
    assert played.motor == 0
    assert len(played.data("press")) == 1
    played.handle(Acknowledge("web"))
    assert played.controller.snapshot().cause == "sensor_blocked", "it is still there"
    played.edge(EXIT, False).wait(0.2)
    assert played.state == "ready"
    assert played.controller.snapshot().owed == 3


def test_edges_of_the_beam_while_nothing_runs_are_no_cards():
    played = Played()
    for _ in range(5):
        played.card()
    assert played.data("card") == []


def test_a_beam_blocked_while_ready_refuses_a_press():
    played = Played(3)
    played.edge(EXIT, True).wait(0.5)
    played.press()
    assert played.data("refusal") == [{"reason": "sensor_blocked", "source": "button"}]
    assert played.motor == 0


def test_edges_that_were_lost_are_found_by_reading_the_levels():
    played = Played(1).press().wait(0.1)
    played.handle(Levels(exit=True))
    played.wait(0.085)
    played.handle(Levels(exit=False))
    played.finish()
    assert played.data("outcome")[0]["delivered"] == 1


def test_a_double_feed_is_one_card_and_a_suspect_never_silently():
    played = Played(2).press()
    played.card(width_s=0.170).card().finish()
    assert played.data("outcome")[0]["suspects"] == 1
    assert played.data("card")[0] == {"cards": 1, "suspects": 1}


# --- empty, jammed, weak ------------------------------------------------------------------------


def test_no_card_is_empty_where_nothing_shows_the_hopper():
    played = Played(3).press().finish()
    assert (played.state, played.controller.snapshot().cause) == ("empty", "empty")
    assert played.sounds()[-1] == "empty"
    outcome = played.data("outcome")[0]
    assert (outcome["reason"], outcome["delivered"], outcome["owed"]) == ("stalled", 0, 3)


def test_no_card_from_a_hopper_that_has_some_is_a_slipping_roller():
    played = Played(3, start=LOADED).press().finish()
    assert (played.state, played.controller.snapshot().cause) == ("jammed", "no_feed")
    assert played.controller.snapshot().owed == 3


def test_empty_does_not_go_away_by_waiting_but_by_the_lid_and_is_a_refill():
    played = in_state("empty").wait(86_400)
    assert played.state == "empty"
    played.lid(True).lid(False)
    assert played.state == "ready"
    assert played.data("refill") == [{"source": "lid"}]


def test_a_lid_opened_and_closed_with_cards_left_is_no_refill():
    played = Played().lid(True).lid(False)
    assert played.data("refill") == []


def test_the_hopper_sensor_says_empty_before_a_press_and_loaded_after_a_refill():
    played = Played(3, start=LOADED)
    played.edge(HOPPER, False).wait(0.5)
    assert played.state == "empty"
    played.press()
    assert played.data("press") == []
    played.edge(HOPPER, True).wait(0.5)
    assert played.state == "ready"
    assert played.data("refill") == [{"source": "hopper"}]


def test_an_empty_hopper_stays_empty_whoever_says_otherwise():
    played = Played(start=EMPTY_HOPPER)
    assert played.state == "empty"
    for event in (Acknowledge("web"), Refilled("web")):
        played.handle(event)
        assert played.state == "empty"
    played.lid(True).lid(False)
    assert played.state == "empty"


def test_the_last_card_out_of_a_watched_hopper_leaves_it_empty():
    played = Played(1, start=LOADED).press()
    played.edge(HOPPER, False)
    played.card().finish()
    assert played.data("outcome")[0]["delivered"] == 1
    assert played.state == "empty"


def test_cards_too_slow_for_the_whole_shot_are_a_jam_named_slow():
    played = Played(3, start=LOADED, times={"max_shot": 0.3, "per_card": 0.1}).press()
    played.card(after_s=0.2, width_s=0.25)
    played.wait(0.2).edge(EXIT, True).wait(0.1).edge(EXIT, False)
    played.finish()
    assert (played.state, played.controller.snapshot().cause) == ("jammed", "slow")


def test_low_batteries_refuse_a_press_and_are_told_and_a_running_shot_ends_first():
    played = Played(2, start=Levels(exit=False, battery=False)).press()
    played.edge(BATTERY, True)
    played.card().card().wait(0.1).finish()
    assert played.data("outcome")[0]["delivered"] == 2
    assert {"code": "low_battery"} in played.data("notice")
    played.press()
    assert played.data("refusal") == [{"reason": "low_battery", "source": "button"}]
    played.edge(BATTERY, False).wait(0.3)
    played.press()
    assert len(played.data("press")) == 2


def test_low_batteries_at_start_are_told():
    played = Played(start=Levels(exit=False, battery=True))
    assert played.data("notice") == [{"code": "low_battery"}]


def test_many_slips_are_told_as_worn_cards():
    played = Played(*[1] * 40)
    for n in range(40):
        played.press()
        if n % 4 == 0:
            played.wait(0.5)  # the first push brings none
        played.card().finish()
        if played.data("notice"):
            break
    assert {"code": "worn_cards"} in played.data("notice")
    assert "worn_cards" in played.controller.snapshot().hints
    assert n < 30


def test_three_stalls_in_ten_shots_are_told_once():
    played = Played(*[1] * 10)
    for _ in range(5):
        played.press().finish()
        played.handle(Acknowledge("web"))
        played.handle(CancelRest("web"))
    assert played.data("notice").count({"code": "needs_care"}) == 1


def test_slow_cards_are_a_hint_at_weak_batteries():
    played = Played(2).press()
    played.card(after_s=0.2, width_s=0.3).card(after_s=0.3, width_s=0.3).finish()
    assert played.data("outcome")[0]["slow"]
    assert played.data("outcome")[0]["delivered"] == 2
    assert {"code": "low_power"} in played.data("notice")


# --- debts --------------------------------------------------------------------------------------


def test_press_decision_and_delivery_are_separate_and_reconcile_after_a_jam():
    played = Played(4, start=LOADED).press().card().card().finish()
    assert played.state == "jammed"
    assert played.data("intent") == [{"cards": 4}]
    outcome = played.data("outcome")[0]
    assert (outcome["decided"], outcome["delivered"], outcome["owed"]) == (4, 2, 2)
    played.handle(Acknowledge("web"))
    shot(played, 2)
    assert played.data("outcome")[1]["rest"] == 2
    assert played.controller.snapshot().owed == 0
    assert played.odds.presses == 1


def test_cards_owed_by_an_earlier_run_come_with_a_press_and_not_by_themselves():
    played = Played(cards_owed=3).wait(60)
    assert played.runs() == []
    shot(played, 3)
    assert played.data("outcome")[0]["rest"] == 3
    assert played.odds.presses == 0


def test_a_rest_that_stalls_again_is_owed_again():
    played = Played(cards_owed=3, start=LOADED)
    played.press().card().finish()
    outcome = played.data("outcome")[0]
    assert (outcome["decided"], outcome["rest"], outcome["delivered"], outcome["owed"]) == (
        0,
        3,
        1,
        2,
    )
    assert played.controller.snapshot().owed == 2


# --- faults -------------------------------------------------------------------------------------


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


# --- the end ------------------------------------------------------------------------------------


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


# --- a launcher that feeds by itself ------------------------------------------------------------


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


# --- the whole of it ----------------------------------------------------------------------------

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
