"""What a card does once it lies: who is passed over, who has to press, whose hands are swapped.

The effect of a card is data (`rules.Card`); this file knows what each kind of effect means.
"""

from __future__ import annotations

from typing import Any

from cannon.table.owing import carried_on, next_turn, with_penalty
from cannon.table.rules import Card
from cannon.table.state import (
    FALSE_UNO,
    NOBODY,
    Note,
    Owed,
    Result,
    State,
    note,
    refuse,
    replace,
    rules_of,
    seat_from,
    seat_of,
    with_at,
    with_counts_settled,
)


def with_effect(
    state: State, seat: int, card: Card, player: str | None, before: State, pending: int
) -> Result:
    """What `card` does once it lies; `before` is what held until then."""
    rules, ending = rules_of(state), state.winner != NOBODY
    two = len(state.ring) == 2
    named = NOBODY
    if card.who == "named" or (card.hands == "swap" and not ending):
        named = _named(state, seat, player)
        if named == NOBODY:
            return refuse("player_needed", card=card.name, name=player or "")
    changed: dict[str, Any] = {}
    notes: list[Note] = [note("card_says", text=card.says)] if card.says else []
    skips = card.skips_with_two if two else card.skips
    if card.reverse:
        changed["direction"] = -state.direction
        if two and rules.reverse_skips:
            skips += 1
            notes.append(note("reverse_skips"))
    if card.wild and state.colour is None and rules.edition.colours and not ending:
        changed["choosing"] = seat
    if card.bars:
        changed["barred"] = (*state.barred, named)
    if changed:
        state = replace(state, **changed)
    owed = tuple(_hits(state, seat, card, named, pending, before.colour)) if card.presses else ()
    if ending and owed and not rules.last_hit:
        owed = ()
        notes.append(note("last_hit_off"))
    turn, barred = next_turn(state, seat, 1 + skips)
    state = replace(state, turn=turn, barred=barred, owed=owed, notes=tuple(notes))
    if not ending:
        if card.hands:
            state = _with_hands_moved(state, seat, card, named, before.called)
        if before.called == seat and rules.false_uno and state.hands[seat] != 1:
            state = with_penalty(state, seat, rules.false_uno, FALSE_UNO)
        if None in state.hands:
            state = with_counts_settled(state)
    return carried_on(state)


def _hits(
    state: State, seat: int, card: Card, named: int, pending: int, before: str | None
) -> list[Owed]:
    """What the card makes owed, in the order it is to be pressed."""
    if card.who == "next":
        takers = [seat_from(state, seat, 1)]
    elif card.who == "named":
        takers = [named]
    else:
        step = 1 if card.order == "left" else state.direction
        takers = [(seat + step * k) % len(state.ring) for k in range(1, len(state.ring))]
    rules = rules_of(state)
    ending = state.winner != NOBODY
    return [
        Owed(
            by=seat if card.by_layer else taker,
            takes=taker,
            count=card.presses + pending,
            reason=card.rank,
            cards=rules.owes_cards,
            until=card.until,
            layer=seat,
            fresh=True,
            answers=card.answers if rules.stacking and not ending else "",
            challenge=0 if ending or before is None else card.challenge,
            colour=before if card.challenge else None,
        )
        for taker in takers
    ]


def _with_hands_moved(state: State, seat: int, card: Card, partner: int, called: int) -> State:
    """Hands swapped, passed on or dealt anew. Whoever is left with one card must say UNO."""
    hands, size = state.hands, len(state.ring)
    if card.hands == "swap":
        moved = with_at(with_at(hands, seat, hands[partner]), partner, hands[seat])
    elif card.hands == "rotate":
        moved = tuple(hands[(to - state.direction) % size] for to in range(size))
    else:
        moved = _dealt_anew(state, seat)
    single = tuple(s for s in range(size) if moved[s] == 1 and s != called)
    return replace(state, hands=moved, open=single)


def _dealt_anew(state: State, seat: int) -> tuple[int | None, ...]:
    """All hands in one and dealt round, beginning with the player after the one who laid it."""
    size = len(state.ring)
    total = sum(n for n in state.hands if n is not None)
    if None in state.hands:
        return (None,) * size
    each, over = divmod(total, size)
    lucky = {seat_from(state, seat, k) for k in range(1, over + 1)}
    return tuple(each + (s in lucky) for s in range(size))


def _named(state: State, seat: int, player: str | None) -> int:
    if player is None:
        return 1 - seat if len(state.ring) == 2 else NOBODY
    named = seat_of(state, player)
    return NOBODY if named == seat else named
