"""A game with its past: what was done, undone, and corrected afterwards.

`apply` is what everybody uses. A game keeps a chain backwards, so that undo, redo and a correction
give back exactly what was, and a move costs the same after 10,000 others. Nothing is ever changed:
two games that went on from the same one share what is before.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cannon.table.actions import Action, Correct, Move, OverThePast, Redo
from cannon.table.edition import Edition
from cannon.table.engine import move
from cannon.table.state import Refusal, State, refuse


class Game(msgspec.Struct, frozen=True, eq=False):
    """The state now, and how it came about.

    `action` is the last one that counts, `number` how many count, `before` the game without the
    last. `undone` and `redone` are what undo and redo go back to: after a correction, or an undo,
    that is not the same as `before`.
    """

    state: State
    number: int = 0
    action: Move | None = None
    before: Game | None = None
    undone: Game | None = None
    redone: Game | None = None

    def actions(self) -> list[Move]:
        """The actions that count, in order; done from the beginning they give `state`."""
        found = []
        game: Game | None = self
        while game is not None and game.action is not None:
            found.append(game.action)
            game = game.before
        return found[::-1]

    def after(self, number: int) -> Game | None:
        """The game as it was after so many of the actions that count; None if there were fewer."""
        game: Game | None = self
        while game is not None and game.number > number:
            game = game.before
        return game if game is not None and game.number == number else None


def new_game(editions: Mapping[str, Edition]) -> Game:
    """A table where nothing has happened. `editions` are those that a game can start with."""
    return Game(State(editions=editions))


def apply(game: Game, action: Action) -> Game | Refusal:
    """The game after `action`, or the reason why it is not possible."""
    if isinstance(action, OverThePast):
        return _turned_back(game, action)
    state = move(game.state, action)
    if isinstance(state, Refusal):
        return state
    return Game(state, game.number + 1, action, game, game)


def _turned_back(game: Game, action: OverThePast) -> Game | Refusal:
    if isinstance(action, Correct):
        return _corrected(game, action)
    if isinstance(action, Redo):
        return game.redone or refuse("nothing_to_redo")
    back = game.undone
    if back is None:
        return refuse("nothing_to_undo")
    return Game(back.state, back.number, back.action, back.before, back.undone, game)


def _corrected(game: Game, correction: Correct) -> Game | Refusal:
    """The game as if those actions had been others; all later ones must still be possible."""
    to = correction.at if correction.to is None else correction.to
    corrected = game.after(correction.at - 1)
    if corrected is None or not correction.at <= to <= game.number:
        return refuse("no_such_action", at=max(correction.at, to))
    for action in (*correction.actions, *game.actions()[to:]):
        state = move(corrected.state, action)
        number = corrected.number + 1
        if isinstance(state, Refusal):
            broken = {**state.values, "at": number, "reason": state.code}
            return Refusal("correction_breaks", broken)
        corrected = Game(state, number, action, corrected)
    return Game(corrected.state, corrected.number, corrected.action, corrected.before, game)
