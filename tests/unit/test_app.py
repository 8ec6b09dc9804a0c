"""Putting a launcher together: what is carried on from the last run, and what is not."""

import math

import pytest

from cannon import app
from cannon.core.commands import Record
from cannon.journal import Journal
from cannon.settings import cannon_toml
from cannon.settings.cannon_toml import CannonToml
from tests.unit.loop_tools import Looped

PATIENCE_S = 30.0
MODEL = "measured"


@pytest.fixture
def on_record(tmp_path):
    """Writes records of an earlier run; gives what a start makes of them, and the journal."""
    path = tmp_path / "journal.db"

    def resume(*records, counts=True):
        journal = Journal.open(path)
        for kind, data, press in records:
            journal.write(kind, data, press)
        assert journal.flush(PATIENCE_S)
        resumed = app.resume(journal, MODEL, counts)
        assert journal.close(PATIENCE_S)
        return resumed

    return resume


def press(number, rest=False, blanks=0):
    odds = {"blanks": blanks, "in_a_row": 0, "position": 0}
    return ("press", {"source": "button", "rest": rest, "odds": odds}, number)


def intent(number, cards):
    return ("intent", {"cards": cards}, number)


def card(number, cards):
    return ("card", {"cards": cards, "suspects": 0}, number)


def outcome(number, decided, delivered, owed, rest=0):
    values = {"decided": decided, "rest": rest, "delivered": delivered, "owed": owed}
    return ("outcome", values | {"reason": "lid", "extra": 0, "suspects": 0}, number)


START = ("start", {"model": MODEL, "seed": 1}, None)


def test_a_first_start_begins_with_nothing(on_record):
    assert on_record() == app.NEW


def test_presses_debts_and_odds_go_on_where_they_stood(on_record):
    resumed = on_record(START, press(1, blanks=2), intent(1, 5), outcome(1, 5, 2, 3))
    assert resumed.presses == 1
    assert resumed.owed == 3
    assert resumed.odds_state == {"blanks": 2, "in_a_row": 0, "position": 0}
    assert resumed.cut_short is None


def test_a_shot_without_an_outcome_was_cut_short_and_what_was_counted_counts(on_record):
    resumed = on_record(START, press(1), intent(1, 4), card(1, 1))
    assert resumed.cut_short.reason == "interrupted"
    assert (resumed.cut_short.decided, resumed.cut_short.delivered) == (4, 1)
    assert resumed.owed == 3


def test_it_gets_its_outcome_once(on_record):
    on_record(START, press(1), intent(1, 4), card(1, 1))
    again = on_record()
    assert again.cut_short is None
    assert again.owed == 3


def test_a_rest_that_was_cut_short_is_owed_as_before_less_what_came(on_record):
    resumed = on_record(
        START,
        press(1),
        intent(1, 5),
        outcome(1, 5, 1, 4),
        press(2, rest=True),
        intent(2, 4),
        card(2, 1),
    )
    assert (resumed.cut_short.decided, resumed.cut_short.rest) == (0, 4)
    assert resumed.owed == 3


def test_where_nothing_counts_an_interrupted_shot_is_unknown_and_owes_nothing(on_record):
    resumed = on_record(START, press(1), intent(1, 4), counts=False)
    assert (resumed.cut_short.delivered, resumed.cut_short.owed) == (None, None)
    assert resumed.owed == 0


def test_more_cards_than_wanted_are_extra_also_when_cut_short(on_record):
    resumed = on_record(START, press(1), intent(1, 2), card(1, 1), card(1, 2), card(1, 3))
    assert (resumed.cut_short.delivered, resumed.cut_short.extra, resumed.owed) == (2, 1, 0)


def test_the_next_press_goes_on_with_number_and_debt():
    plan = app.plan(CannonToml(), seed=4)
    resumed = app.Resumed(presses=41, owed=2, odds_state=None, cut_short=None)
    controller = app.controller_maker(plan, resumed)(Looped().launcher.capabilities)
    assert controller.snapshot().presses == 41
    assert controller.snapshot().owed == 2


def test_odds_that_do_not_fit_begin_afresh_and_that_is_said():
    model = app.plan(CannonToml(), seed=1).odds
    odds, fit = app.make_odds(model, {"blanks": 3, "in_a_row": 0, "position": 0})
    assert (odds.wait, fit) == (3, True)
    odds, fit = app.make_odds(model, {"blanks": 99, "in_a_row": 0, "position": 0})
    assert (odds.wait, fit) == (0, False)
    odds, fit = app.make_odds(model, None)
    assert (odds.wait, fit) == (0, True)


def test_a_restart_sends_only_a_model_that_wants_it_back_to_its_beginning():
    for name, position in (("sequence-96", 7), ("sequence-96-reset", 0)):
        model = app.plan(CannonToml(odds=name), seed=1).odds
        odds, fit = app.make_odds(model, {"blanks": 0, "in_a_row": 0, "position": 7})
        assert fit
        assert odds.state()["position"] == position


def test_every_start_has_a_fresh_seed_unless_one_is_given():
    assert app.plan(CannonToml()).seed != app.plan(CannonToml()).seed
    assert app.plan(CannonToml(), seed=7).seed == 7


def test_the_start_on_record_makes_the_run_repeatable():
    plan = app.plan(CannonToml(odds="even"), seed=7)
    assert app.start_record(plan, simulated=True) == Record(
        "start", {"board": "launcher-pi", "model": "even", "seed": 7, "simulated": True}
    )


def test_a_journals_path_may_begin_at_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = CannonToml(journal=cannon_toml.Journal(path="~/mine.db"))
    assert app.journal_path(settings) == tmp_path / "mine.db"


def test_sound_that_is_off_is_silent_and_the_lights_stay():
    plan = app.plan(CannonToml(sound=cannon_toml.Sound(volume="off")))
    assert not any(plan.signals.tones.values())
    assert not any(plan.signals.beats.values())
    assert plan.signals.lights["on"]


def test_each_volume_is_ten_decibels_softer_than_the_one_before():
    def level_db(volume):
        plan = app.plan(CannonToml(sound=cannon_toml.Sound(volume=volume)))
        assert plan.signals.tones["ding"]
        return 20 * math.log10(math.sin(math.pi * plan.signals.duty))

    levels = [level_db(volume) for volume in ("loud", "medium", "quiet")]
    assert levels == pytest.approx([0, -10, -20], abs=1)
