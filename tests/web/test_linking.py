"""The table follows the launcher: presses count down what is owed, cards go to the right player.

Played on the twin: a finger presses the simulated pins, and the records that come of it are
brought to the table as the page or a terminal would.
"""

import pytest

from cannon import app
from cannon.companion.linking import EXACT, moves_for, request_for
from cannon.core import records
from cannon.core.commands import Record
from cannon.core.events import CancelRest, DeliverRest, Refilled, Request
from cannon.settings.cannon_toml import CannonToml, Play
from cannon.settings.editions import all_editions
from cannon.table import actions as a
from cannon.table.history import apply, new_game
from cannon.table.state import Refusal, phase
from cannon.twin.mechanism import DOUBLE, JAMS, STICKS
from tests.web.tools import Odds

EDITIONS = all_editions()
WHOLE_SHOT_S = 12.0


class Evening:
    """A twin on the table, and a game that follows it."""

    def __init__(self, *cards, board="launcher-pi", owed="press", stack=83, follow=True):
        settings = CannonToml(board=board, play=Play(owed=owed))
        self.records = []
        self.twin = app.simulated(
            app.plan(settings, 1), write=self.take, odds=Odds(*cards), stack=stack
        )
        self.counts = self.twin.launcher.capabilities.counts
        self.game = new_game(EDITIONS)
        self.refused = []
        self.follow = follow
        self.requested = Request()
        self.twin.start()
        self.twin.run(1.0)

    def take(self, record):
        self.records.append(record)
        if self.follow:
            self.bring(record)

    def bring(self, record):
        for move in moves_for(record, self.game.state):
            result = apply(self.game, move)
            if isinstance(result, Refusal):
                self.refused.append(result.code)
            else:
                self.game = result
        if record.kind == records.PRESS:
            self.requested = Request()
        self.ask()

    def ask(self):
        request = request_for(self.game.state, self.counts)
        if request != self.requested:
            self.requested = request
            self.twin.events.post(request)

    def do(self, *actions):
        for action in actions:
            result = apply(self.game, action)
            assert not isinstance(result, Refusal), result
            self.game = result
        self.ask()
        self.twin.run(0.1)

    def press(self, times=1):
        for _ in range(times):
            self.twin.press()
            self.twin.run(WHOLE_SHOT_S)

    def finish(self):
        self.twin.stop()
        assert self.twin.account.violations == []

    @property
    def state(self):
        return self.game.state

    @property
    def owed(self):
        """(who, how often, for whom) of all that is owed."""
        ring = self.state.ring
        return [(ring[o.by], o.count, ring[o.takes]) for o in self.state.owed]

    @property
    def hands(self):
        return dict(zip(self.state.ring, self.state.hands, strict=True))


def started(*cards, edition="extreme", names=("A", "B", "C", "D"), first="red 5", **how):
    options = how.pop("options", {})
    evening = Evening(*cards, **how)
    evening.do(a.Start(edition, names, names[-1], first=first, options=options))
    return evening


def test_a_hit_2_makes_two_presses_that_the_button_counts_down():
    evening = started(3, 0)
    evening.do(a.Lay("A", "red hit-2"))
    assert evening.owed == [("B", 2, "B")]
    evening.press()
    assert evening.owed == [("B", 1, "B")]
    evening.press()
    assert evening.owed == []
    assert evening.hands == {"A": 6, "B": 10, "C": 7, "D": 7}
    assert evening.state.ring[evening.state.turn] == "C"
    assert evening.refused == []
    evening.finish()


def test_extreme_hit_one_presses_another_takes():
    evening = started(2, 5)
    evening.do(a.Lay("A", "extreme-hit", "blue", "D"))
    assert evening.owed == [("A", 2, "D")]
    evening.press(2)
    assert evening.hands == {"A": 6, "B": 7, "C": 7, "D": 14}
    assert evening.owed == []
    evening.finish()


def test_a_press_by_choice_is_the_turn():
    evening = started(4)
    evening.press()
    assert evening.hands["A"] == 11
    assert evening.state.ring[evening.state.turn] == "B"
    evening.finish()


def test_a_refused_press_does_not_count():
    evening = started(3, 3)
    evening.do(a.Lay("A", "red hit-2"))
    evening.twin.open_lid()
    evening.twin.run(1.0)
    evening.twin.press()
    evening.twin.run(1.0)
    assert [r.data["reason"] for r in evening.records if r.kind == records.REFUSAL] == ["lid_open"]
    assert evening.owed == [("B", 2, "B")]
    evening.twin.close_lid()
    evening.twin.run(1.0)
    assert evening.owed == [("B", 2, "B")]
    evening.press(2)
    assert evening.owed == []
    assert evening.hands["B"] == 13
    evening.finish()


def test_a_jam_leaves_the_press_owed_and_the_next_one_brings_the_rest():
    evening = started(5, 2)
    evening.do(a.Lay("A", "red hit-2"))
    evening.twin.mechanism.plan[3] = JAMS
    evening.press()
    state = evening.twin.loop.controller.snapshot()
    assert state.state == "jammed"
    before = evening.hands["B"]
    assert evening.owed == [("B", 2, "B")]
    evening.twin.open_lid()
    evening.twin.run(1.0)
    evening.twin.clear()
    evening.twin.close_lid()
    evening.twin.run(1.0)
    assert evening.owed == [("B", 2, "B")]
    evening.press()
    assert evening.owed == [("B", 1, "B")]
    assert evening.hands["B"] >= before
    assert evening.hands["B"] == 7 + evening.twin.mechanism.out == 12
    evening.press()
    assert evening.owed == []
    assert evening.hands["B"] == 14
    evening.finish()


def test_two_that_may_have_come_as_one_leave_the_hand_unknown_until_it_is_counted():
    evening = started(3, 2)
    evening.do(a.Lay("A", "red hit-2"))
    evening.twin.mechanism.plan[2] = DOUBLE
    evening.press()
    assert evening.twin.mechanism.out == 4
    assert evening.owed == [("B", 1, "B")]
    assert evening.hands == {"A": 6, "B": None, "C": 7, "D": 7}
    assert evening.state.launcher is None
    evening.do(a.Hand("B", 11))
    evening.press()
    assert evening.owed == []
    assert evening.hands["B"] == 7 + evening.twin.mechanism.out == 13
    evening.finish()


def test_two_as_one_before_a_jam_leave_the_rest_owed_as_counted():
    evening = started(edition="classic")
    evening.do(a.Lay("A", "wild-draw-four", "blue"))
    evening.twin.mechanism.plan.update({1: DOUBLE, 3: JAMS})
    evening.press()
    assert evening.twin.mechanism.out == 2
    assert evening.owed == [("B", 3, "B")]
    assert evening.hands["B"] is None
    evening.twin.open_lid()
    evening.twin.run(1.0)
    evening.twin.clear()
    evening.twin.close_lid()
    evening.twin.run(1.0)
    evening.press()
    assert evening.owed == []
    assert evening.hands["B"] is None
    assert evening.refused == []
    evening.finish()


def test_a_card_that_sticks_out_belongs_to_the_presser():
    evening = started(3, 0)
    evening.do(a.Lay("A", "red hit-2"))
    evening.twin.mechanism.plan[3] = STICKS
    evening.press()
    assert evening.owed == [("B", 1, "B")]
    assert evening.hands["B"] == 9
    evening.press()  # refused: the card is still there
    assert evening.owed == [("B", 1, "B")]
    evening.twin.clear()
    evening.twin.run(1.0)
    assert evening.hands["B"] == 10
    evening.press()
    assert evening.owed == []
    evening.finish()


def test_the_last_of_an_exact_number_sticks_out_and_no_card_more_is_owed():
    evening = started(edition="classic")
    evening.do(a.Lay("A", "wild-draw-four", "blue"))
    evening.twin.mechanism.plan[4] = STICKS
    evening.press()
    assert evening.hands["B"] == 10
    evening.twin.clear()
    evening.twin.run(1.0)
    assert evening.owed == []
    assert evening.hands["B"] == 7 + 4
    assert evening.refused == []
    evening.finish()


def test_empty_in_mid_penalty_refill_and_on():
    evening = started(4, 3, stack=2)
    evening.do(
        a.Lay("A", "red 7"), a.Lay("B", "red 8"), a.Lay("C", "red 9"), a.Lay("D", "red hit-2")
    )
    evening.press()
    assert phase(evening.state) == "refill"
    assert evening.owed == [("A", 2, "A")]
    assert evening.hands["A"] == 8
    evening.twin.open_lid()
    evening.twin.run(1.0)
    evening.twin.load(40)
    evening.twin.close_lid()
    evening.twin.run(1.0)
    assert phase(evening.state) == "owed"
    evening.press(2)
    assert evening.owed == []
    assert evening.hands["A"] == 6 + 4 + 3
    evening.finish()


def test_said_twice_that_it_is_refilled_waives_nothing():
    evening = started(0, 0)
    evening.do(a.Lay("A", "red hit-2"), a.Refill())
    for _ in range(2):
        evening.twin.events.post(Refilled("page"))
        evening.twin.run(0.5)
    assert evening.owed == [("B", 2, "B")]
    assert evening.refused == []
    evening.finish()


def test_the_lid_in_mid_shot_leaves_the_press_owed():
    evening = started(6)
    evening.do(a.Lay("A", "red hit-2"))
    evening.twin.press()
    evening.twin.run(20.0, until=lambda: evening.twin.mechanism.out == 2)
    evening.twin.open_lid()
    evening.twin.run(2.0)
    assert evening.owed == [("B", 2, "B")]
    evening.twin.close_lid()
    evening.twin.run(1.0)
    assert evening.owed == [("B", 2, "B")]  # closing fires nothing
    evening.press()
    assert evening.owed == [("B", 1, "B")]
    assert evening.hands["B"] == 7 + evening.twin.mechanism.out == 13
    evening.finish()


def test_without_an_exit_sensor_the_count_is_unknown_and_the_press_counts():
    evening = started(3, 0, board="launcher-pi-basic")
    evening.do(a.Lay("A", "red hit-2"))
    evening.press(2)
    assert evening.owed == []
    assert evening.hands["B"] is None
    evening.finish()


def test_exact_numbers_are_asked_for_where_cards_are_drawn():
    evening = started(9, 9, 9, edition="classic")
    evening.do(a.Lay("A", "wild-draw-four", "blue"))
    assert evening.requested == Request(4, f"{EXACT} 4 for B (wild-draw-four)")
    evening.press()
    assert evening.hands["B"] == 11
    assert evening.owed == []
    assert evening.twin.mechanism.out == 4
    evening.press()  # C draws one by choice, without saying so first
    assert evening.hands["C"] == 8
    assert phase(evening.state) == "drawn"
    evening.do(a.Keep("C"))
    evening.do(a.Lay("D", "blue draw-two"))
    evening.press()
    assert evening.hands["A"] == 6 + 2
    evening.finish()


def test_dealing_by_the_launcher_gives_seven_to_each():
    evening = Evening(stack=112)
    options = {"deal": "launcher"}
    evening.do(a.Start("extreme", ("A", "B", "C"), "C", options=options))
    evening.press(3)
    assert evening.hands == {"A": 7, "B": 7, "C": 7}
    assert evening.twin.mechanism.out == 21
    assert evening.state.stage == "first_card"
    evening.finish()


def test_a_launcher_that_does_not_count_is_asked_for_no_number():
    game = new_game(EDITIONS)
    game = apply(game, a.Start("classic", ("A", "B"), "B", first="red 5"))
    assert request_for(game.state, counts=True) == Request(1, f"{EXACT} 1 for A (choice)")
    assert request_for(game.state, counts=False) == Request(None, "press for A (choice)")


def test_drawing_by_hand_leaves_the_launcher_alone():
    game = new_game(EDITIONS)
    start = a.Start("classic", ("A", "B"), "B", first="red 5", options={"draw": "hand"})
    game = apply(game, start)
    assert request_for(game.state, counts=True) == Request()
    assert request_for(new_game(EDITIONS).state, counts=True) == Request()


def test_the_purpose_goes_on_record_with_each_press():
    evening = started(1, 0)
    evening.do(a.Lay("A", "red hit-2"))
    evening.press(2)
    purposes = [r.data["purpose"] for r in evening.records if r.kind == records.PRESS]
    assert purposes == ["press for B (hit-2)"] * 2
    evening.finish()


@pytest.mark.parametrize("owed", ["command", "forget"])
def test_rest_that_no_press_brings(owed):
    """Where the launcher does not bring the rest by itself, the press is simply made again."""
    evening = started(5, 2, 1, owed=owed)
    evening.do(a.Lay("A", "red hit-2"))
    evening.twin.mechanism.plan[3] = JAMS
    evening.press()
    evening.twin.open_lid()
    evening.twin.run(1.0)
    evening.twin.clear()
    evening.twin.close_lid()
    evening.twin.run(1.0)
    assert evening.owed == [("B", 2, "B")]
    if owed == "command":
        evening.twin.events.post(DeliverRest("page"))
        evening.twin.events.post(CancelRest("page"))
        evening.twin.run(0.1)
    evening.press(2)
    assert evening.owed == []
    assert evening.hands["B"] == 7 + evening.twin.mechanism.out
    evening.finish()


def test_power_cut_in_mid_penalty():
    """The program that comes up after it finds the shot cut short, and the table goes on."""
    evening = started(6, 2)
    evening.do(a.Lay("A", "red hit-2"))
    evening.press()
    assert evening.owed == [("B", 1, "B")]
    outcome = app._cut_short(cards=2, rest=False, seen=1, counts=True)  # of the second press
    evening.bring(Record(records.OUTCOME, outcome.data(), 2))
    assert evening.owed == [("B", 1, "B")]
    assert evening.hands["B"] == 14
    rest = outcome._replace(decided=0, rest=1, delivered=1, owed=0, reason="done")
    evening.bring(Record(records.OUTCOME, rest.data(), 3))
    assert evening.owed == []
    assert evening.hands["B"] == 15
    evening.finish()


@pytest.mark.parametrize(
    "kind", [records.OUTCOME, records.PROTRUDING, records.NOTICE, records.REFILL]
)
def test_without_a_round_nothing_happens(kind):
    data = {"delivered": 1, "extra": 0, "owed": 0, "protruding": False, "code": "empty"}
    for actions in ([], [a.Start("extreme", ("A", "B"), "B")]):
        game = new_game(EDITIONS)
        for action in actions:
            game = apply(game, action)
        assert moves_for(Record(kind, data, 1), game.state) == []
