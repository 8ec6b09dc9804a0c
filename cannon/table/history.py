"""A game with its past: what was done, undone, and corrected afterwards.

`apply` is what everybody uses. A game keeps a chain backwards, so that undo, redo and a correction
give back exactly what was, and a move costs the same after 10,000 others. Nothing is ever changed:
two games that went on from the same one share what is before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from cannon.table.actions import Action, Correct, Move, Redo, Undo
from cannon.table.edition import Edition
from cannon.table.engine import move
from cannon.table.state import Refusal, State, refuse


class Step(NamedTuple):
    """One action that counts: its number from 1, the state before it, and the step before."""

    number: int
    action: Move
    start: State
    before: Step | None


class Game(msgspec.Struct, frozen=True, eq=False):
    """The state now, the last step that led there, and what undo and redo give back."""

    state: State
    last: Step | None = None
    undone: Game | None = None
    redone: Game | None = None

    def actions(self) -> list[Move]:
        """The actions that count, in order; done from the beginning they give `state`."""
        return [step.action for step in self._steps(1)]

    def _steps(self, first: int) -> list[Step]:
        found = []
        step = self.last
        while step is not None and step.number >= first:
            found.append(step)
            step = step.before
        return found[::-1]


def new_game(editions: Mapping[str, Edition]) -> Game:
    """A table where nothing has happened. `editions` are those that a game can start with."""
    return Game(State(editions=editions))


def apply(game: Game, action: Action) -> Game | Refusal:
    """The game after `action`, or the reason why it is not possible."""
    if isinstance(action, (Undo, Redo, Correct)):
        return _turned_back(game, action)
    state = move(game.state, action)
    if isinstance(state, Refusal):
        return state
    last = game.last
    step = Step(last.number + 1 if last is not None else 1, action, game.state, last)
    return Game(state, step, game)


def _turned_back(game: Game, action: Undo | Redo | Correct) -> Game | Refusal:
    if isinstance(action, Correct):
        return _corrected(game, action)
    if isinstance(action, Redo):
        return game.redone or refuse("nothing_to_redo")
    if game.undone is None:
        return refuse("nothing_to_undo")
    before = game.undone
    return Game(before.state, before.last, before.undone, game)


def _corrected(game: Game, correction: Correct) -> Game | Refusal:
    """The game as if that action had been another one; all later ones must still be possible."""
    steps = game._steps(correction.at)
    if not steps or steps[0].number != correction.at:
        return refuse("no_such_action", at=correction.at)
    actions = [step.action for step in steps[1:]]
    if correction.action is not None:
        actions.insert(0, correction.action)
    state, last = steps[0].start, steps[0].before
    for number, action in enumerate(actions, correction.at):
        result = move(state, action)
        if isinstance(result, Refusal):
            broken = {**result.values, "at": number, "reason": result.code}
            return Refusal("correction_breaks", broken)
        state, last = result, Step(number, action, state, last)
    return Game(state, last, game)
