"""What is said rather than laid: UNO, caught, advice, a wrong card, a challenge.

Penalties go into the queue of what is owed and leave the order of turns as it is.
"""

from __future__ import annotations

from cannon.table.actions import Advice, Catch, Challenge, Hand, Penalty, Uno, Wrong
from cannon.table.laying import out_of_turn, unknown_card
from cannon.table.owing import next_turn, with_penalty
from cannon.table.rules import Rules
from cannon.table.state import (
    ADVICE,
    FALSE_UNO,
    MISSED_UNO,
    NOBODY,
    PENALTY,
    PLAY,
    WRONG_CARD,
    Result,
    State,
    note,
    refuse,
    replace,
    rules_of,
    seat_of,
    with_at,
    with_counts_settled,
)


def uno(state: State, action: Uno) -> Result:
    """UNO, before the second-last card or as long as nobody noticed.

    Where hands are unknown, or can shrink to one card at once, it is taken on trust.
    """
    if state.stage != PLAY or state.winner != NOBODY:
        return refuse("no_round")
    seat = seat_of(state, action.by)
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    if seat in state.open:
        still = tuple(s for s in state.open if s != seat)
        return replace(state, open=still, notes=(note("uno_in_time", by=action.by),))
    if state.called == seat:
        return refuse("uno_said", by=action.by)
    hand, rules = state.hands[seat], rules_of(state)
    if seat == state.laid_by and hand is None:
        return _with_one_card(state, seat)
    if hand != 1:
        if _may_lay(state, seat) and (hand in (None, 2) or rules.sudden_uno):
            return replace(state, called=seat, notes=())
        if rules.false_uno:
            return with_penalty(state, seat, rules.false_uno, FALSE_UNO)
    return refuse("no_uno_due", by=action.by)


def catch(state: State, action: Catch) -> Result:
    """Whoever has one card left and has not said UNO, until the next player begins."""
    if state.stage != PLAY or state.winner != NOBODY:
        return refuse("no_round")
    for name in filter(None, (action.by, action.player)):
        if name not in state.ring:
            return refuse("no_such_player", name=name)
    rules, caught = rules_of(state), _caught(state, action.player)
    if caught == NOBODY:
        return refuse("nobody_to_catch")
    if caught == seat_of(state, action.by):
        return refuse("caught_oneself", by=action.by)
    if not rules.uno:
        return refuse("no_penalty", edition=rules.edition.name)
    if caught == state.laid_by and state.hands[caught] is None:
        state = _with_one_card(state, caught)
    elif caught not in state.open:
        return refuse("not_to_catch", by=state.ring[caught])
    still = tuple(s for s in state.open if s != caught)
    return with_penalty(replace(state, open=still), caught, rules.uno, MISSED_UNO)


def advice(state: State, action: Advice) -> Result:
    return _penalised(state, action.by, rules_of(state).advice if state.rules else 0, ADVICE)


def penalty(state: State, action: Penalty) -> Result:
    return _penalised(state, action.by, action.presses, PENALTY)


def wrong(state: State, action: Wrong) -> Result:
    """A card that does not fit was laid and is taken back, with a penalty if there is one."""
    if state.stage != PLAY or state.owed or state.choosing != NOBODY or state.winner != NOBODY:
        return refuse("not_now")
    rules = rules_of(state)
    if "wrong_card" not in rules.options:
        return refuse("no_penalty", edition=rules.edition.name)
    if action.by != state.ring[state.turn]:
        return out_of_turn(state, action.by)
    seat = state.turn
    if rules.wrong_card_passes:
        turn, barred = next_turn(state, seat, 1)
        state = replace(state, turn=turn, barred=barred, drawn=False)
    state = replace(state, open=(), called=NOBODY, laid_by=NOBODY)
    if not rules.wrong_card:
        return replace(state, notes=(note("taken_back", by=action.by),))
    return with_penalty(state, seat, rules.wrong_card, WRONG_CARD)


def challenge(state: State, action: Challenge) -> Result:
    """Was the card allowed? Guilty: who laid it draws instead. Innocent: the challenger, and more.

    Only the one hit may ask, and only before drawing. What counts is the colour before the card.
    """
    owed = state.owed[0] if state.stage == PLAY and state.owed else None
    if owed is None or not owed.challenge:
        return refuse("nothing_to_challenge")
    if state.ring[owed.takes] != action.by:
        return refuse("not_your_challenge", by=state.ring[owed.takes])
    if not owed.fresh:
        return refuse("already_drawn", by=action.by)
    guilty = action.verdict == "guilty"
    if (action.verdict is None) == (action.hand is None):
        return refuse("verdict_needed", colour=owed.colour or "")
    if action.hand is not None:
        for name in action.hand:
            if rules_of(state).card(name) is None:
                return unknown_card(rules_of(state), name)
        guilty = is_guilty(rules_of(state), action.hand, owed.colour)
    layer = state.ring[owed.layer]
    state = replace(state, open=(), called=NOBODY, laid_by=NOBODY)
    if guilty:
        settled = replace(owed, by=owed.layer, takes=owed.layer, fresh=False, answers="")
        state = replace(state, turn=owed.takes, notes=(note("guilty", by=layer),))
    else:
        more = owed.count + owed.challenge
        settled = replace(owed, count=more, fresh=False, answers="")
        state = replace(state, notes=(note("innocent", by=layer, count=more),))
    return replace(state, owed=(replace(settled, challenge=0), *state.owed[1:]))


def is_guilty(rules: Rules, hand: tuple[str, ...], colour: str | None) -> bool:
    """Whether `hand` has a card of the colour before: only then was the card not allowed."""
    cards = [rules.card(name) for name in hand]
    return any(card is not None and card.colour == colour for card in cards)


def hand(state: State, action: Hand) -> Result:
    """Somebody counted their cards: that is now what is known."""
    if state.stage != PLAY or state.winner != NOBODY:
        return refuse("no_round")
    seat = seat_of(state, action.by)
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    before, cards = state.hands[seat], None if action.cards == "unknown" else action.cards
    still = tuple(s for s in state.open if s != seat or cards == 1)
    state = replace(state, hands=with_at(state.hands, seat, cards), open=still, notes=())
    if before is not None and before != cards:  # a miscount; the launcher is where nobody looks
        state = replace(state, launcher=None)
    return with_counts_settled(state)


def _with_one_card(state: State, seat: int) -> State:
    """UNO said or missed tells how many cards are in a hand that nobody could know."""
    return with_counts_settled(replace(state, hands=with_at(state.hands, seat, 1), notes=()))


def _caught(state: State, name: str | None) -> int:
    """Who is meant: the one named, or the only one that it can be."""
    if name is not None:
        return seat_of(state, name)
    if len(state.open) == 1:
        return state.open[0]
    return NOBODY if state.open else state.laid_by


def _may_lay(state: State, seat: int) -> bool:
    """Whether this player may be about to lay a card."""
    if state.owed:
        owed = state.owed[0]
        return bool(owed.fresh and owed.answers and owed.takes == seat) or rules_of(state).jump_in
    return seat == state.turn or rules_of(state).jump_in


def _penalised(state: State, name: str, count: int, reason: str) -> Result:
    if state.stage != PLAY or state.winner != NOBODY:
        return refuse("no_round")
    seat = seat_of(state, name)
    if seat == NOBODY:
        return refuse("no_such_player", name=name)
    if not count:
        return refuse("no_penalty", edition=rules_of(state).edition.name)
    return with_penalty(state, seat, count, reason)
