"""People sit down, get up, or take over a place, in mid-round too.

The order of turns is a ring of people: whoever was on turn stays on turn, unless they leave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannon.table.actions import Join, Leave, TakeOver
from cannon.table.owing import carried_on, deal_owed, next_turn
from cannon.table.state import (
    CHOICE,
    DEALING,
    FIRST_CARD,
    NOBODY,
    PLAY,
    ROUND_OVER,
    Owed,
    Refusal,
    Result,
    Round,
    State,
    note,
    plus,
    refuse,
    replace,
    rules_of,
    seat_of,
)


def join(state: State, action: Join) -> Result:
    """A new player, with a new hand if a round is on."""
    if not _may_move(state):
        return refuse("not_now")
    rules, name = rules_of(state), action.name.strip()
    if rules.scoring == "partners":
        return refuse("partners_are_four", count=len(state.ring) + 1)
    if name in state.ring or not name or name in _out(state):
        return refuse("name_taken", name=name)
    if len(state.ring) >= rules.edition.players[1]:
        return refuse("too_many_players", count=len(state.ring) + 1, most=rules.edition.players[1])
    after = len(state.ring) - 1 if action.after is None else seat_of(state, action.after)
    if after == NOBODY:
        return refuse("no_such_player", name=action.after or "")
    seat, hand = after + 1, rules.edition.hand
    state = _reseated(
        replace(state, ring=(*state.ring[:seat], name, *state.ring[seat:])),
        lambda old: old + (old >= seat),
    )
    dealt = 0 if rules.deals_by_launcher else hand
    state = replace(
        state,
        hands=(*state.hands[:seat], dealt, *state.hands[seat:]),
        counts=(*state.counts[:seat], None, *state.counts[seat:]) if state.counts else (),
        notes=(),
    )
    if state.stage == ROUND_OVER:
        return state
    if rules.deals_by_launcher:
        stage = DEALING if state.stage == FIRST_CARD else state.stage
        return replace(state, stage=stage, owed=(*state.owed, deal_owed(seat, hand)))
    return replace(state, launcher=plus(state.launcher, -hand))


def leave(state: State, action: Leave) -> Result:
    """A player goes; the hand goes under the pile. What they owe is let off or handed on."""
    if not _may_move(state):
        return refuse("not_now")
    if rules_of(state).scoring == "partners":
        return refuse("partners_are_four", count=len(state.ring) - 1)
    seat = seat_of(state, action.by)
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    if len(state.ring) == 1:
        return refuse("too_few_players", count=0)
    if state.stage == ROUND_OVER:
        return replace(_without(state, seat), notes=())
    owed = _settled(state, seat, action.owed)
    if isinstance(owed, Refusal):
        return owed
    state = replace(state, owed=owed, notes=())
    if state.turn == seat:
        turn, barred = next_turn(state, seat, 1)
        state = replace(state, turn=turn, barred=barred, drawn=False)
    if state.choosing == seat:
        state = replace(state, choosing=state.turn)
    state = _without(replace(state, pile=plus(state.pile, state.hands[seat])), seat)
    if len(state.ring) == 1:  # nobody left to play with: this round has no winner
        return replace(state, stage=ROUND_OVER, owed=(), open=(), notes=(note("round_abandoned"),))
    return carried_on(state)


def take_over(state: State, action: TakeOver) -> Result:
    """Another person on the same chair: only the name changes, everywhere."""
    old, name = action.by, action.name.strip()
    if old not in state.ring:
        return refuse("no_such_player", name=old)
    if not name or name in state.ring or name in _out(state):
        return refuse("name_taken", name=name)

    def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name if one == old else one for one in names)

    def of_round(played: Round) -> Round:
        return Round(
            winner=name if played.winner == old else played.winner,
            points=tuple((name if one == old else one, points) for one, points in played.points),
            partner=name if played.partner == old else played.partner,
            out=renamed(played.out),
            kept=renamed(played.kept),
        )

    rounds = tuple(of_round(played) for played in state.rounds)
    return replace(state, ring=renamed(state.ring), rounds=rounds, notes=())


def _may_move(state: State) -> bool:
    """Whether chairs may be moved: not while cards are dealt or counted."""
    if state.stage == PLAY:
        return state.winner == NOBODY
    return state.stage in (FIRST_CARD, ROUND_OVER)


def _settled(state: State, seat: int, how: str | None) -> tuple[Owed, ...] | Refusal:
    """The queue without the leaver: what they owe or would take is let off, or the next one's.

    Their own choice to press is simply not made.
    """
    heir, _ = next_turn(replace(state, barred=()), seat, 1)
    queue = []
    for owed in state.owed:
        if owed.layer == seat:  # nobody is left whom a challenge could hit
            owed = replace(owed, challenge=0)
        if seat not in (owed.by, owed.takes):
            queue.append(owed)
        elif owed.reason != CHOICE:
            if how is None:
                return refuse("waive_or_hand_on", by=state.ring[seat], count=owed.count)
            if how == "hand-on":
                by = heir if owed.by == seat else owed.by
                takes = heir if owed.takes == seat else owed.takes
                queue.append(replace(owed, by=by, takes=takes))
    return tuple(queue)


def _without(state: State, seat: int) -> State:
    """`state` with the place at `seat` gone from the ring, and from everything that names it."""
    size = len(state.ring) - 1

    def moved(old: int) -> int:
        return NOBODY if old == seat else old - (old > seat)

    dealer = moved(state.dealer)
    gone = _reseated(state, moved)
    cut = {
        name: (*values[:seat], *values[seat + 1 :]) if values else values
        for name, values in (("ring", state.ring), ("hands", state.hands), ("counts", state.counts))
    }
    # Whoever sat on the dealer's left is next to deal, so the deal counts for the one before.
    return replace(gone, dealer=(seat - 1) % size if dealer == NOBODY else dealer, **cut)


def _reseated(state: State, moved: Callable[[int], int]) -> State:
    """Every seat in `state` put through `moved`; seats that are gone become nobody's."""

    def one(seat: int) -> int:
        return NOBODY if seat == NOBODY else moved(seat)

    def many(seats: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(new for new in map(one, seats) if new != NOBODY)

    single: dict[str, Any] = {
        name: one(getattr(state, name))
        for name in ("dealer", "turn", "choosing", "called", "laid_by", "presser", "winner")
    }
    owed = tuple(
        replace(o, by=one(o.by), takes=one(o.takes), layer=one(o.layer)) for o in state.owed
    )
    return replace(state, **single, open=many(state.open), barred=many(state.barred), owed=owed)


def _out(state: State) -> set[str]:
    return {name for played in state.rounds for name in played.out}
