"""Ties the table to the launcher: its presses are counted, its cards go to whoever they are for.

Pure. A record of the launcher gives the actions it means at the table; the state of the table
gives what the next press of the launcher is for. Whoever sees both, a page or a terminal, applies
the ones and posts the other.

A press counts once its outcome is on record. One that was cut short (a jam, the lid, a power cut)
does not: its cards are taken, the press stays owed, and the next one brings the launcher's rest.

Where two cards may have come as one, nobody knows how many are in that hand from then on; what is
owed is counted down as the sensor counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannon.core import records
from cannon.core.commands import Record
from cannon.core.events import Request
from cannon.table.actions import (
    CardsOrUnknown,
    Draw,
    Empty,
    Hand,
    Jam,
    Move,
    Pressed,
    Refill,
    Taken,
)
from cannon.table.state import CHOICE, DEALING, NOBODY, PLAY, State, phase, rules_of
from cannon.table.view import next_press

EXACT = "draw"  # how the purpose of a press begins that asks for a number, past the odds

Data = dict[str, Any]


def moves_for(record: Record, state: State) -> list[Move]:
    """What `record` means at the table, in order; nothing where no round is being played."""
    meaning = _MEANINGS.get(record.kind)
    if meaning is None or state.stage not in (PLAY, DEALING):
        return []
    return meaning(record.data, state)


def request_for(state: State, counts: bool) -> Request:
    """What the next press of the launcher is for; an empty request where the table wants none.

    An exact number is asked for only of a launcher that `counts` its cards.
    """
    wanted = next_press(state)
    if wanted is not None:
        cards = wanted.cards if counts else None
        return Request(cards, _purpose(cards, wanted.takes, wanted.reason))
    if phase(state) != "turn":
        return Request()
    rules, name = rules_of(state), state.ring[state.turn]
    if not rules.draws_cards:
        return Request(None, _purpose(None, name, CHOICE))
    if rules.by_hand:
        return Request()
    cards = 1 if counts and rules.owes_cards else None
    return Request(cards, _purpose(cards, name, CHOICE))


def takes_next(state: State) -> str:
    """Who takes the cards of the next press, while a round is being played or dealt."""
    return state.ring[state.owed[0].takes if state.owed else state.turn]


def _purpose(cards: int | None, name: str, reason: str) -> str:
    what = "press" if cards is None else f"{EXACT} {cards}"
    return f"{what} for {name} ({reason})"


def _outcome(data: Data, state: State) -> list[Move]:
    cards = _came(data)
    doubtful = data["suspects"] > 0
    # A card that sticks out is the presser's already, so it is no reason to press again.
    to_come = (data["owed"] or 0) - bool(data["protruding"])
    if to_come <= 0:
        return [Pressed("unknown" if doubtful else cards)]
    return [Jam(cards), Hand(takes_next(state), "unknown")] if doubtful else [Jam(cards)]


def _taken(data: Data, state: State) -> list[Move]:
    if state.presser == NOBODY:
        return []
    owed = state.owed[0] if state.owed else None
    if data["delivered"] and owed is not None and owed.cards and owed.takes == state.presser:
        return [Draw(state.ring[owed.by], data["delivered"])]  # it was one of those still to come
    return [Taken(_came(data))]


def _notice(data: Data, state: State) -> list[Move]:
    return [Empty()] if data["code"] == "empty" and state.launcher != 0 else []


def _refill(data: Data, state: State) -> list[Move]:
    """Not with the top card alone: that there is nothing to refill with, people say themselves."""
    return [Refill()] if state.stage == PLAY and (state.pile is None or state.pile > 1) else []


def _came(data: Data) -> CardsOrUnknown:
    delivered = data["delivered"]
    return "unknown" if delivered is None else delivered + data["extra"]


_MEANINGS: dict[str, Callable[[Data, State], list[Move]]] = {
    records.OUTCOME: _outcome,
    records.PROTRUDING: _taken,
    records.NOTICE: _notice,
    records.REFILL: _refill,
}
