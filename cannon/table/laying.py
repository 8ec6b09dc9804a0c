"""Cards are laid: in turn, as an answer to a hit, out of turn, or just drawn.

What a card does once it lies is in `effects`.
"""

from __future__ import annotations

from cannon.table.actions import Colour, JumpIn, Keep, Lay, Play
from cannon.table.effects import with_effect
from cannon.table.owing import next_turn
from cannon.table.rules import Card, Rules
from cannon.table.state import (
    NOBODY,
    PLAY,
    Refusal,
    Result,
    State,
    note,
    plus,
    refuse,
    replace,
    rules_of,
    seat_of,
    with_at,
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
    wrong = _not_after_drawing(state, action.by)
    if wrong is not None:
        return wrong
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
    wrong = _not_after_drawing(state, action.by)
    if wrong is not None:
        return wrong
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
    if state.stage != PLAY or state.choosing == NOBODY:
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
    return with_effect(laid, seat, card, player, state, pending)


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


def _not_after_drawing(state: State, name: str) -> Refusal | None:
    """Why `name` cannot decide about a card just drawn; None if they can."""
    if state.stage != PLAY or not state.drawn:
        return refuse("nothing_drawn")
    if state.owed:
        return refuse("still_owed", **_who_owes(state))
    return None if state.ring[state.turn] == name else out_of_turn(state, name)


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
