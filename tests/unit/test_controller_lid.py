"""The lid at the controller: it stops everything, and starts nothing."""

import pytest

from cannon.core.commands import FORWARD, Off
from cannon.core.events import BUTTON, EXIT, LID, CancelRest, DeliverRest, Levels, MotorOff, Press
from tests.unit.core_tools import Played, shot


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
