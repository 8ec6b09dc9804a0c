"""A press at the controller: what it is answered with, suspense, and the button that is held."""

import pytest

from cannon.core.commands import Record, Run
from cannon.core.events import BUTTON, Levels, Press, Request
from tests.unit.core_tools import Played, in_state, shot

# --- a press --------------------------------------------------------------------------------------


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


# --- suspense -------------------------------------------------------------------------------------


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


# --- the button held ------------------------------------------------------------------------------


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
