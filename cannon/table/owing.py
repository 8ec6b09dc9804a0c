"""What is owed: a queue of presses, or of cards to draw. It is counted down, kept or let off.

The first in the queue is the one who has to press now. Cards that come go to whom they are for.
"""

from __future__ import annotations

from cannon.table.actions import (
    Appeared,
    CardsOrUnknown,
    Draw,
    Empty,
    Jam,
    Press,
    Pressed,
    Refill,
    Taken,
    Waive,
)
from cannon.table.scoring import count_or_close
from cannon.table.state import (
    CHOICE,
    DEAL,
    DEALING,
    FIRST_CARD,
    NOBODY,
    PENALTIES,
    PLAY,
    Owed,
    Result,
    State,
    note,
    plus,
    refuse,
    replace,
    rules_of,
    seat_of,
    unaccounted,
    with_at,
    with_counts_settled,
)


def next_turn(state: State, seat: int, steps: int) -> tuple[int, tuple[int, ...]]:
    """Whose turn comes `steps` after `seat`, and who stays barred from a later turn."""
    size = len(state.ring)
    turn = (seat + state.direction * steps) % size
    barred = state.barred
    while turn in barred:
        at = barred.index(turn)
        barred = (*barred[:at], *barred[at + 1 :])
        turn = (turn + state.direction) % size
    return turn, barred


def carried_on(state: State) -> State:
    """What follows by itself once nothing is owed, or nothing is left to press for."""
    if state.owed and state.stage == PLAY and state.launcher == 0 and state.pile in (0, 1):
        state = _waived(state, state.owed, "nothing_left")
    if state.owed:
        return state
    if state.stage == DEALING:
        return replace(state, stage=FIRST_CARD)
    if state.stage == PLAY and state.winner != NOBODY:
        return count_or_close(state)
    return state


def press(state: State, action: Press) -> Result:
    """The player on turn lays nothing."""
    if state.stage != PLAY or state.winner != NOBODY:
        return refuse("no_round")
    if state.owed:
        owed = state.owed[0]
        return refuse("still_owed", by=state.ring[owed.by], count=owed.count)
    return _busy(state, action.by) or carried_on(_chosen(state))


def pressed(state: State, action: Pressed) -> Result:
    """The launcher reports a press that counts. It is the first's in the queue, or a choice."""
    cards = _number(action.cards)
    if not state.owed:
        rules = state.rules
        if state.stage != PLAY or rules is None:
            return refuse("nothing_to_press")
        seat = state.turn
        busy = _busy(state, action.by or state.ring[seat])
        if busy is not None:
            return busy
        if rules.draws_cards or state.launcher == 0 or cards is None or state.barred:
            state = _chosen(state)
        else:
            return _pressed_by_choice(state, seat, cards)
    owed = state.owed[0]
    if action.by is not None and action.by != state.ring[owed.by]:
        return refuse("not_yours_to_press", by=state.ring[owed.by], count=owed.count)
    if state.launcher == 0 and cards == 0:
        return refuse("launcher_empty")
    return _counted_down(state, cards, presses=1)


def draw(state: State, action: Draw) -> Result:
    """Cards drawn by hand from the stack, in the games that draw cards."""
    rules = state.rules
    if rules is None or state.stage not in (PLAY, DEALING):
        return refuse("no_round")
    if state.owed:
        owed = state.owed[0]
        if not owed.cards:
            return refuse("presses_here", by=state.ring[owed.by], count=owed.count)
        if action.by != state.ring[owed.by]:
            return refuse("not_yours_to_press", by=state.ring[owed.by], count=owed.count)
    elif not rules.draws_cards:
        return refuse("no_drawing", edition=rules.edition.name)
    else:
        busy = _busy(state, action.by)
        if busy is not None:
            return busy
        state = _chosen(state)
        owed = replace(state.owed[0], cards=True)
        state = replace(state, owed=(owed,))
    if state.launcher == 0:
        return refuse("launcher_empty")
    due = min(owed.count, state.launcher or owed.count)
    cards = due if action.cards is None else action.cards
    if cards > due:
        return refuse("too_many_drawn", count=due)
    return _counted_down(state, cards, presses=0)


def jam(state: State, action: Jam) -> Result:
    """Cards that came before the jam are taken; a press stays owed, cards still to come too."""
    if state.stage not in (PLAY, DEALING):
        return refuse("nothing_to_press")
    if not state.owed:
        busy = _busy(state, state.ring[state.turn])
        if busy is not None:
            return busy
        state = _chosen(state)
    owed = state.owed[0]
    cards = _number(action.cards)
    if owed.cards and cards is not None and cards >= owed.count:
        return _counted_down(state, cards, presses=0)
    count = owed.count - cards if owed.cards and cards else owed.count
    state = _credited(state, owed.takes, cards)
    rest = replace(owed, count=count, fresh=owed.fresh and cards == 0)
    return replace(state, owed=(rest, *state.owed[1:]), notes=(note("jam", count=count),))


def empty(state: State, action: Empty) -> Result:
    """Nothing is in the launcher. What is owed waits for a refill, or is waived if none can be."""
    if state.stage not in (PLAY, DEALING):
        return refuse("no_round")
    state = with_counts_settled(replace(state, launcher=0, notes=()))
    missing = unaccounted(state)
    if missing:
        state = replace(state, notes=(note("unaccounted", count=missing),))
    return carried_on(state)


def refill(state: State, action: Refill) -> Result:
    """All of the pile but its top card goes into the launcher, and what was owed goes on."""
    if state.stage != PLAY:
        return refuse("no_round")
    moved = _number(action.cards)
    if moved is None and state.pile is not None:
        moved = state.pile - 1
    if moved == 0:
        if state.owed and state.launcher in (0, None):
            return carried_on(_waived(state, state.owed, "nothing_left"))
        return refuse("nothing_to_refill")
    pile = 1 if state.pile is None or moved is None else max(1, state.pile - moved)
    launcher = plus(state.launcher, moved)
    notes = (note("refilled", count=moved),) if moved else ()
    return with_counts_settled(replace(state, launcher=launcher, pile=pile, notes=notes))


def taken(state: State, action: Taken) -> Result:
    """Protruding cards belong to whom the last press was for."""
    if state.stage not in (PLAY, DEALING) or state.presser == NOBODY:
        return refuse("nobody_pressed")
    state = _credited(state, state.presser, _number(action.cards))
    return replace(state, notes=(note("taken", by=state.ring[state.presser]),))


def appeared(state: State, action: Appeared) -> Result:
    """A card of the named colour has come: pressing for it is over."""
    owed = state.owed[0] if state.owed else None
    if owed is None or owed.until != "colour" or owed.fresh:
        return refuse("no_colour_awaited")
    return carried_on(replace(state, owed=state.owed[1:], notes=()))


def waive(state: State, action: Waive) -> Result:
    if state.stage != PLAY or not state.owed:
        return refuse("nothing_owed")
    seat = NOBODY
    if action.by is not None:
        seat = seat_of(state, action.by)
        if seat == NOBODY:
            return refuse("no_such_player", name=action.by)
    let_off = tuple(owed for owed in state.owed if seat in (NOBODY, owed.by))
    if not let_off:
        return refuse("nothing_owed")
    return carried_on(_waived(state, let_off, "waived"))


def with_penalty(state: State, seat: int, count: int, reason: str) -> State:
    """One more in the queue. The order of turns stays as it is."""
    cards = rules_of(state).owes_cards
    owed = Owed(by=seat, takes=seat, count=count, reason=reason, cards=cards)
    return carried_on(replace(state, owed=(*state.owed, owed), notes=()))


def _pressed_by_choice(state: State, seat: int, cards: int) -> State:
    """The common case, in one step: known cards, and the turn passes."""
    hand = state.hands[seat]
    launcher = state.launcher
    return replace(
        state,
        hands=with_at(state.hands, seat, None if hand is None else hand + cards),
        launcher=None if launcher is None or launcher < cards else launcher - cards,
        turn=(seat + state.direction) % len(state.ring),
        called=NOBODY,
        open=(),
        laid_by=NOBODY,
        presser=seat,
        notes=(),
    )


def _chosen(state: State) -> State:
    """The player on turn will press. In the launcher games that is the turn."""
    rules, seat = rules_of(state), state.turn
    owed = Owed(by=seat, takes=seat, count=1, reason=CHOICE, cards=rules.owes_cards)
    turn, barred = (seat, state.barred) if rules.draws_cards else next_turn(state, seat, 1)
    return replace(
        state,
        owed=(owed,),
        turn=turn,
        barred=barred,
        called=NOBODY,
        open=(),
        laid_by=NOBODY,
        notes=(),
    )


def _counted_down(state: State, cards: int | None, presses: int) -> State:
    """The first in the queue has pressed, or drawn `cards`; they go to whom they are for."""
    owed = state.owed[0]
    state = _credited(state, owed.takes, cards)
    if owed.until == "cards":
        left = 1 if cards == 0 else 0
    elif owed.until == "colour":
        left = 1
    elif owed.cards:
        left = owed.count - cards if cards is not None else 0
    else:
        left = owed.count - presses
    begun = owed.by != state.laid_by and owed.reason not in PENALTIES
    if begun:  # the next player has begun: nobody can be caught any more
        state = replace(state, open=(), laid_by=NOBODY, called=NOBODY)
    if left > 0:
        rest = replace(owed, count=left, fresh=False)
        return carried_on(replace(state, owed=(rest, *state.owed[1:])))
    state = replace(state, owed=state.owed[1:])
    if owed.reason == CHOICE and rules_of(state).draws_cards:
        if cards == 0:
            return carried_on(_passed(state, owed.by))
        state = replace(state, drawn=True)
    return carried_on(state)


def _credited(state: State, seat: int, cards: int | None) -> State:
    less = None if cards is None else -cards
    state = replace(
        state,
        hands=with_at(state.hands, seat, plus(state.hands[seat], cards)),
        launcher=plus(state.launcher, less),
        open=tuple(s for s in state.open if s != seat) if cards != 0 else state.open,
        presser=seat,
        notes=(),
    )
    return state if cards is not None and state.launcher is not None else with_counts_settled(state)


def _passed(state: State, seat: int) -> State:
    turn, barred = next_turn(state, seat, 1)
    return replace(state, turn=turn, barred=barred)


def _waived(state: State, let_off: tuple[Owed, ...], why: str) -> State:
    """`let_off` is owed no more; whoever wanted to draw has had the turn."""
    kept = tuple(owed for owed in state.owed if owed not in let_off)
    count = sum(owed.count for owed in let_off)
    chose = [owed.by for owed in let_off if owed.reason == CHOICE]
    if chose and rules_of(state).draws_cards:
        state = _passed(state, chose[0])
    return replace(state, owed=kept, notes=(note(why, count=count),))


def _busy(state: State, name: str) -> Result | None:
    """Why `name` cannot press or draw by choice now; None if they can."""
    if name not in state.ring:
        return refuse("no_such_player", name=name)
    if state.ring[state.turn] != name:
        return refuse("not_your_turn", turn=state.ring[state.turn])
    return refuse("play_or_keep", by=name) if state.drawn else None


def _number(cards: CardsOrUnknown) -> int | None:
    return cards if isinstance(cards, int) else None


def deal_owed(seat: int, cards: int) -> Owed:
    """Cards that the launcher deals to a player."""
    return Owed(by=seat, takes=seat, count=cards, reason=DEAL, cards=True)
