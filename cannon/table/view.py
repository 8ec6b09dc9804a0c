"""What can be shown of a game: plain values, worked out from the state, without sentences."""

from __future__ import annotations

from typing import Any, NamedTuple

from cannon.table.scoring import scores
from cannon.table.state import (
    DEALING,
    LEFT,
    NOBODY,
    PLAY,
    Owed,
    State,
    phase,
    rules_of,
)


def as_object(state: State, refused: str | None = None) -> dict[str, Any]:
    """The state as `cannon table replay --json` prints it. The keys are told in README.md."""
    return {
        "phase": phase(state),
        "turn": turn_of(state),
        "direction": "left" if state.direction == LEFT else "right",
        "colour": state.colour,
        "owed": [owed_as_object(state, owed) for owed in state.owed],
        "uno_window": uno_window(state),
        "hands_known": dict(zip(state.ring, state.hands, strict=True)),
        "scores": scores(state),
        "launcher_cards": state.launcher,
        "refused": refused,
    }


def owed_as_object(state: State, owed: Owed) -> dict[str, Any]:
    """One entry of the queue; `cards` and `until` are there only where they say something."""
    entry: dict[str, Any] = {
        "by": state.ring[owed.by],
        "presses": owed.count,
        "takes": state.ring[owed.takes],
        "reason": owed.reason,
    }
    if owed.cards:
        entry["cards"] = owed.count
    if owed.until:
        entry["until"] = owed.until
    return entry


def turn_of(state: State) -> str | None:
    """Whose turn it is, or comes once nothing is owed; None between rounds."""
    if state.stage != PLAY or state.winner != NOBODY:
        return None
    return state.ring[state.turn]


def uno_window(state: State) -> str | list[str] | None:
    """Who can be caught without UNO: nobody, one, or (after swapped hands) several."""
    names = [state.ring[seat] for seat in state.open]
    return names if len(names) > 1 else (names[0] if names else None)


class NextPress(NamedTuple):
    """What the next press of the launcher is for. `cards` is exact, None = as the odds have it."""

    by: str
    takes: str
    reason: str
    cards: int | None
    presses: int


def next_press(state: State) -> NextPress | None:
    """What the launcher is to do when it is pressed next; None if nothing is owed by press.

    Where exact numbers are drawn by hand, the launcher is left alone.
    """
    if state.stage not in (PLAY, DEALING) or not state.owed:
        return None
    owed = state.owed[0]
    if owed.cards and rules_of(state).by_hand and state.stage != DEALING:
        return None
    return NextPress(
        by=state.ring[owed.by],
        takes=state.ring[owed.takes],
        reason=owed.reason,
        cards=owed.count if owed.cards else None,
        presses=1 if owed.cards else owed.count,
    )


def refill_soon(state: State) -> bool:
    """Whether the launcher should be refilled soon, as far as anybody can know."""
    if state.stage != PLAY or state.launcher is None or phase(state) == "refill":
        return False
    return state.launcher <= rules_of(state).refill_hint and state.pile != 1
