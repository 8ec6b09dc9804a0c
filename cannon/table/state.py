"""What holds at the table at one moment: a value. Moves make a new one, they never change it.

A seat is a place in `ring`, the players in the order they sit, clockwise. What can be worked out
from the rest is not kept: the phase, the scores, who has won.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cannon.table.edition import Edition
from cannon.table.rules import Card, Rules

NOBODY = -1
LEFT = 1  # clockwise, the direction a round begins in
RIGHT = -1

# Stages of a game. Within PLAY the phase says what is to be done, see `phase`.
SETUP = "setup"
DEALING = "dealing"
FIRST_CARD = "first_card"
PLAY = "play"
COUNTING = "round_end"
ROUND_OVER = "round_over"
GAME_OVER = "game_over"
ENDED = "ended"

# Why something is owed, where it is not the card that was laid.
CHOICE = "choice"
DEAL = "deal"
MISSED_UNO = "uno"
FALSE_UNO = "false-uno"
ADVICE = "advice"
WRONG_CARD = "wrong-card"
PENALTY = "penalty"
PENALTIES = frozenset({MISSED_UNO, FALSE_UNO, ADVICE, WRONG_CARD, PENALTY})


class Refusal(msgspec.Struct, frozen=True):
    """Why an action cannot be. `code` is a key of the texts, `values` fill its places."""

    code: str
    values: dict[str, str | int] = {}


class Note(msgspec.Struct, frozen=True):
    """Something that the last action brought about and people should be told."""

    code: str
    values: dict[str, str | int] = {}


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """Presses waiting to be made, or cards to be drawn if `cards`. `count` is 1 or more.

    `fresh` means nothing of it has happened yet: only then can the card be answered, challenged
    or jumped on. `colour` is that before the card was laid.
    """

    by: int
    takes: int
    count: int
    reason: str
    cards: bool = False
    until: str = ""
    layer: int = NOBODY
    fresh: bool = False
    answers: str = ""
    challenge: int = 0
    colour: str | None = None


class Round(msgspec.Struct, frozen=True):
    """A round that was counted: who won, what each was caught with, who is out of the game.

    `partner` wins along with the winner. `kept` are those whom the option lets play the last
    round although they reached the limit.
    """

    winner: str
    points: tuple[tuple[str, int], ...]
    partner: str | None = None
    out: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class State(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Everything at the table. Numbers of cards are None where nobody can know them.

    turn        who plays when nothing is owed any more
    top, colour the card on the pile, and the colour that counts
    alike       how many cards in a row were laid that are the same as the one on top
    hands       cards in each hand; pile, launcher: cards there (or in the stack drawn from)
    drawn       the player on turn has just drawn a card and may lay it
    choosing    who has to choose a colour
    called      who has said UNO for the card that they are about to lay
    open        who has one card, has not said UNO, and can be caught
    laid_by     who laid the top card, until the next player begins
    presser     whom the cards of the last press were for; those that stick out are theirs too
    barred      who loses their next turn
    winner      who has laid the last card of this round
    counts      points that each was caught with, as far as counted
    """

    editions: Mapping[str, Edition]
    rules: Rules | None = None
    stage: str = SETUP
    ring: tuple[str, ...] = ()
    dealer: int = NOBODY
    turn: int = NOBODY
    direction: int = LEFT
    top: Card | None = None
    alike: int = 1
    colour: str | None = None
    hands: tuple[int | None, ...] = ()
    pile: int | None = 0
    launcher: int | None = None
    owed: tuple[Owed, ...] = ()
    drawn: bool = False
    choosing: int = NOBODY
    called: int = NOBODY
    open: tuple[int, ...] = ()
    laid_by: int = NOBODY
    presser: int = NOBODY
    barred: tuple[int, ...] = ()
    winner: int = NOBODY
    counts: tuple[int | None, ...] = ()
    rounds: tuple[Round, ...] = ()
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        top = self.top and self.top.name
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__[1:])
        shown = (f"{name}={top if name == 'top' else value!r}" for name, value in fields)
        return f"State({', '.join(shown)})"


Result = State | Refusal

replace = msgspec.structs.replace


def refuse(code: str, **values: str | int) -> Refusal:
    return Refusal(code, values)


def note(code: str, **values: str | int) -> Note:
    return Note(code, values)


def rules_of(state: State) -> Rules:
    """The rules of a game that has begun."""
    assert state.rules is not None
    return state.rules


def phase(state: State) -> str:
    """What is to be done now."""
    if state.stage != PLAY:
        return state.stage
    if state.owed:
        if state.launcher == 0:
            return "refill"
        return "final_penalty" if state.winner != NOBODY else "owed"
    if state.choosing != NOBODY:
        return "colour"
    return "drawn" if state.drawn else "turn"


def seat_of(state: State, name: str) -> int:
    """The seat of `name`, NOBODY if there is none."""
    return state.ring.index(name) if name in state.ring else NOBODY


def seat_from(state: State, seat: int, steps: int) -> int:
    """The seat `steps` on from `seat` in the direction of play."""
    return (seat + state.direction * steps) % len(state.ring)


def with_at(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def plus(count: int | None, more: int | None) -> int | None:
    """A sum that is unknown if a part is; fewer than no cards were a miscount, so unknown too."""
    if count is None or more is None or count + more < 0:
        return None
    return count + more


def with_counts_settled(state: State) -> State:
    """Works out the one number of cards that is unknown, if it is the only one.

    All cards are somewhere: in hands, on the pile, in the launcher.
    """
    known = [n for n in (*state.hands, state.pile, state.launcher) if n is not None]
    if len(known) != len(state.hands) + 1:
        return state
    left = rules_of(state).total - sum(known)
    if left < 0:
        return state
    if state.launcher is None:
        return replace(state, launcher=left)
    if state.pile is None:
        return replace(state, pile=left)
    if not left:  # whoever is still playing holds a card: something was miscounted
        return state
    return replace(state, hands=tuple(left if n is None else n for n in state.hands))


def unaccounted(state: State) -> int:
    """Cards that should be somewhere and are nowhere, if all counts are known; else 0."""
    counts = [n for n in (*state.hands, state.pile, state.launcher) if n is not None]
    if len(counts) != len(state.hands) + 2:
        return 0
    return rules_of(state).total - sum(counts)
