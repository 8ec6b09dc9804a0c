"""Cards are laid: in turn, as an answer to a hit, out of turn, or just drawn. What they do.

The effect of a card is data (`rules.Card`); this file knows what each kind of effect means.
"""

from __future__ import annotations

from typing import Any

from cannon.table.actions import Colour, JumpIn, Keep, Lay, Play
from cannon.table.owing import carried_on, next_turn, with_penalty
from cannon.table.rules import Card, Rules
from cannon.table.state import (
    FALSE_UNO,
    NOBODY,
    PLAY,
    Note,
    Owed,
    Refusal,
    Result,
    State,
    note,
    plus,
    refuse,
    replace,
    rules_of,
    seat_from,
    seat_of,
    with_at,
    with_counts_settled,
)


def lay(state: State, action: Lay) -> Result:
    if state.stage != PLAY:
        return refuse("no_round")
    rules = rules_of(state)
    card = rules.cards.get(action.card) or rules.card(action.card)
    if card is None:
        return unknown_card(rules, action.card)
    if state.owed:
        return _answer(state, action, card)
    seat = state.turn
    if state.ring[seat] != action.by:
        return out_of_turn(state, action.by)
    if state.choosing != NOBODY:
        return refuse("colour_first", by=state.ring[state.choosing])
    if state.drawn:
        return refuse("play_or_keep", by=action.by)
    if not fits(state, card):
        return _does_not_fit(state, card)
    return put(
        state,
        seat,
        card,
        colour=action.colour,
        player=action.player,
        last=action.last,
        others=action.others,
    )


def play(state: State, action: Play) -> Result:
    """Lays the card just drawn."""
    if state.stage != PLAY or not state.drawn:
        return refuse("nothing_drawn")
    if state.ring[state.turn] != action.by:
        return out_of_turn(state, action.by)
    rules = rules_of(state)
    card = rules.card(action.card)
    if card is None:
        return unknown_card(rules, action.card)
    if state.choosing != NOBODY:
        return refuse("colour_first", by=state.ring[state.choosing])
    if not fits(state, card):
        return _does_not_fit(state, card)
    return put(
        state,
        state.turn,
        card,
        colour=action.colour,
        player=action.player,
        last=action.last,
        others=action.others,
    )


def keep(state: State, action: Keep) -> Result:
    if state.stage != PLAY or not state.drawn:
        return refuse("nothing_drawn")
    if state.ring[state.turn] != action.by:
        return out_of_turn(state, action.by)
    turn, barred = next_turn(state, state.turn, 1)
    return replace(state, turn=turn, barred=barred, drawn=False, notes=())


def jump_in(state: State, action: JumpIn) -> Result:
    """Exactly the card on top, from anywhere. What that card did before is undone if it can be."""
    rules = rules_of(state) if state.rules else None
    if state.stage != PLAY or rules is None or state.winner != NOBODY:
        return refuse("no_round")
    if not rules.jump_in:
        return refuse("no_jump_in", edition=rules.edition.name)
    seat = seat_of(state, action.by)
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    card = rules.card(action.card)
    if card is None:
        return unknown_card(rules, action.card)
    if card.wild or card != state.top:
        return refuse("not_identical", card=card.name, top=state.top.name if state.top else "")
    copies = rules.deck[card.name]
    if copies is not None and state.alike >= copies:
        return refuse("all_of_them_laid", card=card.name, count=copies)
    if seat == state.turn and not state.owed:
        return refuse("your_turn_anyway", by=action.by)
    if state.drawn:
        return refuse("card_drawn", by=state.ring[state.turn])
    if not all(owed.fresh and owed.layer == state.laid_by for owed in state.owed):
        return refuse("still_owed", **_who_owes(state))
    if state.laid_by != NOBODY and card.reverse:
        state = replace(state, direction=-state.direction)
    neutral = replace(state, owed=(), choosing=NOBODY)
    result = put(neutral, seat, card, player=action.player, last=action.last)
    if isinstance(result, State):
        return replace(result, notes=(note("jumped_in", by=action.by), *result.notes))
    return result


def colour(state: State, action: Colour) -> Result:
    if state.stage != PLAY or state.choosing == NOBODY or state.owed:
        return refuse("no_colour_due")
    if state.ring[state.choosing] != action.by:
        return refuse("not_your_colour", by=state.ring[state.choosing])
    if action.colour not in rules_of(state).edition.colours:
        return _no_such_colour(state, action.colour)
    return replace(state, colour=action.colour, choosing=NOBODY, notes=())


def fits(state: State, card: Card) -> bool:
    """Whether `card` may be laid on the pile: a wild, or of the same colour or symbol."""
    top = state.top
    return card.wild or card.colour == state.colour or (top is not None and card.rank == top.rank)


def put(
    state: State,
    seat: int,
    card: Card,
    *,
    colour: str | None = None,
    player: str | None = None,
    last: bool | None = None,
    others: int | tuple[str, ...] | None = None,
    pending: int = 0,
) -> Result:
    """`card` from the hand at `seat` comes on the pile, and does what it does.

    The rest is as in `actions.Lay`; `pending` is what an answered hit passes on. Turn and fit
    were checked before.
    """
    rules = rules_of(state)
    if colour is not None and colour != card.colour:
        if not card.wild:
            return refuse("colour_is_fixed", card=card.name)
        if colour not in rules.edition.colours:
            return _no_such_colour(state, colour)
    if player is not None and card.who != "named" and not card.hands:
        return refuse("no_player_named", card=card.name)
    left = state.hands[seat]
    if card.discards or others:
        along = _along(state, seat, card, others)
        if isinstance(along, Refusal):
            return along
        pile = plus(state.pile, None if along is None else 1 + along)
        left = plus(left, None if along is None else -1 - along)
    else:
        pile = None if state.pile is None else state.pile + 1
        left = None if left is None else left - 1
    if last is not None:
        left = 0 if last else left or None
    called = state.called == seat
    if called and left is None:
        left = 1  # that is what UNO says
    laid = replace(
        state,
        top=card,
        alike=state.alike + 1 if card is state.top else 1,
        colour=colour if card.wild else card.colour,
        hands=with_at(state.hands, seat, left),
        pile=pile,
        turn=(seat + state.direction) % len(state.ring),
        drawn=False,
        choosing=NOBODY,
        called=NOBODY,
        open=(seat,) if left == 1 and not called else (),
        laid_by=seat,
        presser=NOBODY,
        winner=seat if left == 0 else NOBODY,
        owed=(),
        notes=(),
    )
    if left and card.name in rules.quick and not called and not state.barred:
        return laid
    return _with_effect(laid, seat, card, player, state, pending)


def _with_effect(
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


def _answer(state: State, action: Lay, card: Card) -> Result:
    """A hit is answered with a card of its group: it passes on, and grows."""
    owed = state.owed[0]
    seat = seat_of(state, action.by)
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    answers = owed.fresh and seat == owed.takes and card.answers == owed.answers
    if not owed.answers or not answers:
        return refuse("still_owed", **_who_owes(state))
    result = put(
        replace(state, owed=()),
        seat,
        card,
        colour=action.colour,
        player=action.player,
        last=action.last,
        others=action.others,
        pending=owed.count,
    )
    if isinstance(result, Refusal):
        return result
    notes = (note("passed_on", count=owed.count, by=action.by), *result.notes)
    others = state.owed[1:] if result.stage == PLAY else ()
    return replace(result, owed=(*result.owed, *others), notes=notes)


def _along(
    state: State, seat: int, card: Card, others: int | tuple[str, ...] | None
) -> int | Refusal | None:
    """How many cards go along with a Discard All; None = nobody said."""
    if not card.discards:
        return refuse("no_others", card=card.name)
    if isinstance(others, tuple):
        for name in others:
            other = rules_of(state).card(name)
            if other is None:
                return unknown_card(rules_of(state), name)
            if other.colour != card.colour:
                return refuse("other_colour", card=other.name, colour=card.colour or "")
        others = len(others)
    held = state.hands[seat]
    if others is None or held is None:
        return others if held != 1 else 0
    return others if others < held else refuse("too_many_others", held=held)


def _named(state: State, seat: int, player: str | None) -> int:
    if player is None:
        return 1 - seat if len(state.ring) == 2 else NOBODY
    named = seat_of(state, player)
    return NOBODY if named == seat else named


def _who_owes(state: State) -> dict[str, str | int]:
    owed = state.owed[0]
    return {"by": state.ring[owed.by], "count": owed.count}


def out_of_turn(state: State, name: str) -> Refusal:
    if name not in state.ring:
        return refuse("no_such_player", name=name)
    return refuse("not_your_turn", turn=state.ring[state.turn])


def unknown_card(rules: Rules, name: str) -> Refusal:
    return refuse("unknown_card", card=name, edition=rules.edition.name)


def _does_not_fit(state: State, card: Card) -> Refusal:
    top = state.top.name if state.top else ""
    return refuse("does_not_fit", card=card.name, top=top, colour=state.colour or "")


def _no_such_colour(state: State, name: str) -> Refusal:
    colours = ", ".join(rules_of(state).edition.colours)
    return refuse("no_such_colour", colour=name, colours=colours)
