"""Cards at the controller: seen, stuck, run out, and owed."""

from cannon.core.events import BATTERY, EXIT, HOPPER, Acknowledge, CancelRest, Levels, Refilled
from tests.unit.core_tools import ONE_WAY, Played, in_state, shot

EMPTY_HOPPER = Levels(exit=False, hopper=False)
LOADED = Levels(exit=False, hopper=True)


# --- the exit sensor ------------------------------------------------------------------------------


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


# --- empty, jammed, weak --------------------------------------------------------------------------


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


# --- debts ----------------------------------------------------------------------------------------


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
