"""Any actions, possible or not, in any order: nothing breaks, and the past stays exact."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cannon.settings.editions import all_editions
from cannon.settings.texts import Texts
from cannon.settings.wording import refusal_words, state_words
from cannon.table import actions as a
from cannon.table.engine import move
from cannon.table.history import Game, apply, new_game
from cannon.table.offers import offers, playable
from cannon.table.rules import Rules
from cannon.table.scoring import scores, winners
from cannon.table.state import (
    ENDED,
    GAME_OVER,
    NOBODY,
    PENALTIES,
    SETUP,
    Refusal,
    State,
    phase,
    seat_from,
)
from cannon.table.view import as_object

EDITIONS = all_editions()
LANGUAGES = [Texts("en"), Texts("da")]
NAMES = ["A", "B", "C", "D", "Zoe"]
PHASES = {
    "setup", "dealing", "first_card", "turn", "drawn", "colour", "owed", "final_penalty", "refill",
    "round_end", "round_over", "game_over", "ended",
}  # fmt: skip
CARDS = sorted({name for e in EDITIONS.values() for name in Rules(e, {}).deck})
names = st.sampled_from(NAMES)
numbers = st.one_of(st.none(), st.just("unknown"), st.integers(0, 9))
colours = st.sampled_from([None, "red", "blue", "pink"])


def optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy)


def options_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    chosen = {}
    for key, spec in EDITIONS[name].options.items():
        if spec.values:
            chosen[key] = st.sampled_from(list(spec.values))
        elif isinstance(spec.default, bool):
            chosen[key] = st.booleans()
    return st.fixed_dictionaries({}, optional=chosen)


ACTIONS: st.SearchStrategy[a.Action] = st.one_of(
    st.builds(
        a.Lay,
        names,
        st.sampled_from(CARDS),
        colours,
        optional(names),
        st.sampled_from([None, None, None, True, False]),
        optional(st.integers(0, 3)),
    ),
    st.builds(a.JumpIn, names, st.sampled_from(CARDS), optional(names)),
    st.builds(a.First, st.sampled_from(CARDS)),
    st.builds(a.Keep, names),
    st.builds(a.Colour, names, st.sampled_from(["red", "green", "pink"])),
    st.builds(a.Press, names),
    st.builds(a.Pressed, numbers, optional(names)),
    st.builds(a.Draw, names, optional(st.integers(1, 9))),
    st.builds(a.Jam, numbers),
    st.just(a.Empty()),
    st.builds(a.Refill, numbers),
    st.builds(a.Taken, numbers),
    st.just(a.Appeared()),
    st.builds(a.Waive, optional(names)),
    st.builds(a.Uno, names),
    st.builds(a.Catch, names, optional(names)),
    st.builds(a.Advice, names),
    st.builds(a.Wrong, names),
    st.builds(a.Penalty, names, st.integers(1, 4)),
    st.builds(a.Challenge, names, st.sampled_from([None, "guilty", "innocent"])),
    st.builds(a.Hand, names, st.one_of(st.just("unknown"), st.integers(1, 9))),
    st.builds(a.Count, names, st.none(), st.integers(0, 300)),
    st.builds(a.Won, names),
    st.builds(a.Next, optional(names)),
    st.builds(a.Join, names, optional(names)),
    st.builds(a.Leave, names, st.sampled_from([None, "waive", "hand-on"])),
    st.builds(a.TakeOver, names, names),
    st.just(a.End()),
    st.just(a.Undo()),
    st.just(a.Redo()),
    st.builds(a.Correct, st.integers(1, 12), st.just(()), optional(st.integers(1, 12))),
)


class AnyGame(RuleBasedStateMachine):
    """A table where people type what they like."""

    game: Game

    @initialize(data=st.data(), edition=st.sampled_from(sorted(EDITIONS)), size=st.integers(2, 4))
    def begin(self, data: st.DataObject, edition: str, size: int) -> None:
        options = data.draw(options_of(edition))
        start = a.Start(edition, tuple(NAMES[:size]), NAMES[size - 1], options=options)
        self.game = new_game(EDITIONS)
        self.do(start)

    def do(self, action: a.Action) -> None:
        written = a.read(a.write(action))
        assert written == action
        result = apply(self.game, action)
        if isinstance(result, Refusal):
            for texts in LANGUAGES:
                assert refusal_words(texts, self.game.state, result)
            return
        if not isinstance(action, SETTLING):
            assert penalties(result.state) >= penalties(self.game.state)
        if not isinstance(action, (a.Undo, a.Redo)):
            undone = apply(result, a.Undo())
            assert isinstance(undone, Game)
            assert undone.state is self.game.state
            assert undone.actions() == self.game.actions()
            redone = apply(undone, a.Redo())
            assert isinstance(redone, Game)
            assert redone.state is result.state
        self.game = result

    @rule(action=ACTIONS)
    def anything(self, action: a.Action) -> None:
        self.do(action)

    @rule(data=st.data())
    @precondition(lambda self: self.game.state.stage != SETUP)
    def something_possible(self, data: st.DataObject) -> None:
        action = data.draw(possible(self.game.state))
        assert not isinstance(apply(self.game, action), Refusal)
        self.do(action)

    @invariant()
    def holds(self) -> None:
        if not hasattr(self, "game"):
            return
        state = self.game.state
        check_state(state)
        for texts in LANGUAGES:
            assert all(state_words(texts, state))

    def teardown(self) -> None:
        if not hasattr(self, "game"):
            return
        again: Game | Refusal = new_game(EDITIONS)
        for action in self.game.actions():
            assert isinstance(again, Game)
            again = apply(again, action)
        assert isinstance(again, Game)
        assert again.state == self.game.state


def possible(state: State) -> st.SearchStrategy[a.Action]:
    """Something that the table says is possible."""
    made: list[a.Action] = []
    for do, who in offers(state).items():
        for name in who:
            if do in ("lay", "play", "jump-in"):
                made += [lay(state, name, card.name, do) for card in playable(state, name, do)[:6]]
            elif do == "catch":
                other = next(n for n in state.ring if n != name)
                made.append(a.Catch(other, name))
            elif do == "colour":
                made.append(a.Colour(name, "red"))
            elif do in BY_NAME:
                made.append(BY_NAME[do](name))
        if not who and do == "pressed":
            made += [a.Pressed(1), a.Pressed(3), a.Pressed(None)]
        elif not who and do == "next":
            made.append(a.Next())
    if state.stage in (ENDED, GAME_OVER):
        made.append(a.Start("extreme", ("A", "B"), "A"))
    return st.sampled_from(made or [a.End()])


BY_NAME: dict[str, Any] = {
    "press": a.Press, "draw": a.Draw, "keep": a.Keep, "uno": a.Uno, "advice": a.Advice,
    "wrong": a.Wrong, "count": lambda name: a.Count(name, points=120),
    "challenge": lambda name: a.Challenge(name, "guilty"),
}  # fmt: skip


def lay(state: State, name: str, card: str, do: str) -> a.Action:
    other = next(n for n in state.ring if n != name)
    kind = state.rules.card(card) if state.rules else None
    named = kind is not None and (kind.who == "named" or kind.hands == "swap")
    player = other if named else None
    if do == "jump-in":
        return a.JumpIn(name, card, player)
    return (a.Play if do == "play" else a.Lay)(name, card, None, player)


# What may make a penalty fewer; nothing else may.
SETTLING = (
    *(a.Pressed, a.Draw, a.Jam, a.Waive, a.Empty, a.Refill, a.Leave, a.Count, a.Press),
    *(a.Start, a.End, a.Undo, a.Redo, a.Correct),
)


def penalties(state: State) -> int:
    return sum(owed.count for owed in state.owed if owed.reason in PENALTIES)


def check_state(state: State) -> None:
    size = len(state.ring)
    assert phase(state) in PHASES
    assert len(set(state.ring)) == size
    assert as_object(state)["scores"] == scores(state)
    assert set(winners(state)) <= {*state.ring, *scores(state)}
    if state.stage == SETUP:
        return
    assert len(state.hands) == size
    assert all(n is None or n >= 0 for n in (*state.hands, state.pile, state.launcher))
    seats = [state.dealer, state.turn]
    for owed in state.owed:
        assert owed.count >= 1
        seats += [owed.by, owed.takes]
    assert all(0 <= seat < size for seat in seats)
    others = [state.choosing, state.called, state.laid_by, state.presser, state.winner]
    assert all(NOBODY <= seat < size for seat in others)
    assert all(0 <= seat < size for seat in (*state.open, *state.barred))
    assert state.direction in (1, -1)
    # The turn goes round: as many steps as there are players lead back.
    round_the_table = [seat_from(state, state.turn, k) for k in range(size)]
    assert sorted(round_the_table) == list(range(size))
    check_scores(state)


def check_scores(state: State) -> None:
    """The score is what all rounds say, added up anew in the plainest way."""
    total = dict.fromkeys(state.ring, 0)
    scoring = state.rules.scoring if state.rules else ""
    for played in state.rounds:
        for name in (played.winner, played.partner, *dict(played.points)):
            if name is not None:
                total.setdefault(name, 0)
        if scoring in ("own", "challenge", "tournament"):
            for name, points in played.points:
                total[name] += points
        elif scoring == "none":
            total[played.winner] += 1
        else:
            for name in (played.winner, played.partner):
                if name is not None:
                    total[name] += sum(points for _, points in played.points)
    assert scores(state) == total


TestAnyGame = AnyGame.TestCase
TestAnyGame.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, print_blob=True
)


class ManyGames(AnyGame):
    """The same, for as long as it takes."""


TestManyGames = pytest.mark.long(ManyGames.TestCase)
TestManyGames.settings = settings(
    max_examples=600, stateful_step_count=80, deadline=None, print_blob=True
)


def test_a_move_does_not_change_the_state_it_starts_from() -> None:
    game = new_game(EDITIONS)
    for action in (
        a.Start("classic", ("A", "B", "C"), "C", first="red 5"),
        a.Lay("A", "red draw-two"),
        a.Draw("B"),
    ):
        before, shown = game.state, repr(game.state)
        result = apply(game, action)
        assert isinstance(result, Game)
        assert result.state != before
        assert repr(before) == shown
        again = move(before, action)
        assert again == result.state
        game = result


def test_a_long_game_undone_to_the_beginning_and_done_again() -> None:
    game = apply(
        new_game(EDITIONS),
        a.Start("extreme", ("A", "B", "C"), "C", first="red 5", options={"scoring": "none"}),
    )
    assert isinstance(game, Game)
    games = [game]
    for number in range(5000):
        after = apply(game, a.Pressed(number % 3 and None))
        assert isinstance(after, Game)
        game = after
        games.append(game)
    end = game.state
    for _ in range(5000):
        back = apply(game, a.Undo())
        assert isinstance(back, Game)
        game = back
    assert game.state is games[0].state
    for _ in range(5000):
        forth = apply(game, a.Redo())
        assert isinstance(forth, Game)
        game = forth
    assert game.state is end
    assert isinstance(apply(game, a.Redo()), Refusal)


def test_a_game_of_many_actions_is_let_go_without_harm() -> None:
    game = apply(new_game(EDITIONS), a.Start("extreme", ("A", "B"), "B", first="red 5"))
    for _ in range(100_000):
        assert isinstance(game, Game)
        game = apply(game, a.Pressed(0))
    assert isinstance(game, Game)
    assert game.number == 100_001
    del game
