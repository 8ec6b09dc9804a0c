"""Rounds are counted, and the score follows from them.

Only what each was caught with is kept (`state.Round`). Tallies, who is out and who has won are
worked out from that, so that a correction of any round puts everything right.
"""

from __future__ import annotations

from cannon.table.actions import Count, Won
from cannon.table.rules import Rules
from cannon.table.state import (
    COUNTING,
    GAME_OVER,
    NOBODY,
    PLAY,
    ROUND_OVER,
    Result,
    Round,
    State,
    refuse,
    replace,
    rules_of,
    seat_of,
    with_at,
)

ELIMINATING = ("challenge", "tournament")  # one's own tally puts one out
OWN_TALLY = ("own", *ELIMINATING)


def tallies(rules: Rules, rounds: tuple[Round, ...]) -> dict[str, int]:
    """Points by name of everybody who was in a round; rounds won, where there are no points."""
    total: dict[str, int] = {}
    for played in rounds:
        caught = sum(points for _, points in played.points)
        for name in filter(None, (played.winner, played.partner)):
            total.setdefault(name, 0)
            if rules.scoring == "none":
                total[name] += 1
            elif rules.scoring not in OWN_TALLY:
                total[name] += caught
        for name, points in played.points:
            total.setdefault(name, 0)
            if rules.scoring in OWN_TALLY:
                total[name] += points
    return total


def scores(state: State) -> dict[str, int]:
    """Points of everybody at the table, and of those who have left it or are out."""
    if state.rules is None:
        return {}
    counted = tallies(state.rules, state.rounds)
    return {name: counted.get(name, 0) for name in (*state.ring, *counted)}


def winners(state: State) -> tuple[str, ...]:
    """Who has won the game; nobody yet, one, or several who share it."""
    if state.stage != GAME_OVER:
        return ()
    rules, last = rules_of(state), state.rounds[-1]
    if rules.scoring == "own":
        counted = tallies(rules, state.rounds)
        lowest = min(counted.get(name, 0) for name in state.ring)
        return tuple(name for name in state.ring if counted.get(name, 0) == lowest)
    return tuple(filter(None, (last.winner, last.partner)))


def must_be_counted(state: State) -> list[int]:
    """The seats whose cards count at the end of this round, as far as not yet counted."""
    spared = (state.winner, partner_of(state, state.winner))
    return [s for s in range(len(state.ring)) if s not in spared and state.counts[s] is None]


def partner_of(state: State, seat: int) -> int:
    """Who sits opposite, where partners play together."""
    partners = rules_of(state).scoring == "partners"
    return (seat + 2) % len(state.ring) if partners and seat != NOBODY else NOBODY


def count_or_close(state: State) -> State:
    """The round is won and nothing is owed: the cards left are counted, if points are kept."""
    return _closed_if_counted(
        replace(
            state,
            stage=COUNTING,
            choosing=NOBODY,
            open=(),
            called=NOBODY,
            counts=(None,) * len(state.ring),
        )
    )


def count(state: State, action: Count) -> Result:
    """What one player was caught with. After the last one the round is over."""
    if state.stage == PLAY and state.winner != NOBODY:  # what is still owed cannot be had
        state = count_or_close(replace(state, owed=()))
    if state.stage != COUNTING:
        return refuse("round_not_over")
    seat = seat_of(state, action.by)
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    if seat not in must_be_counted(state):
        return refuse("not_counted" if state.counts[seat] is None else "counted", by=action.by)
    points = action.points
    if (points is None) == (action.cards is None):
        return refuse("cards_or_points")
    if action.cards is not None:
        points = 0
        for name in action.cards:
            card = rules_of(state).card(name)
            if card is None:
                return refuse("unknown_card", card=name, edition=rules_of(state).edition.name)
            points += card.points
    return _closed_if_counted(replace(state, counts=with_at(state.counts, seat, points), notes=()))


def won(state: State, action: Won) -> Result:
    """Another player has won the round than it seemed. Who was counted stays counted."""
    if state.stage != COUNTING and not _can_be_reopened(state):
        return refuse("round_not_over")
    seat, old = seat_of(state, action.by), state.winner
    if seat == NOBODY:
        return refuse("no_such_player", name=action.by)
    if seat == old:
        return refuse("has_won", by=action.by)
    partner = partner_of(state, seat)
    counts = (None if at in (seat, partner) else n for at, n in enumerate(state.counts))
    state = replace(
        state,
        stage=COUNTING,
        rounds=state.rounds if state.stage == COUNTING else state.rounds[:-1],
        winner=seat,
        counts=tuple(counts),
        hands=with_at(with_at(state.hands, seat, 0), old, None),
        notes=(),
    )
    return _closed_if_counted(state)


def _can_be_reopened(state: State) -> bool:
    """Whether the last round is over, and all who were in it are still here."""
    if state.stage not in (ROUND_OVER, GAME_OVER) or state.winner == NOBODY:
        return False
    last = state.rounds[-1]
    counted = {last.winner, last.partner, *(name for name, _ in last.points)}
    return rules_of(state).scoring == "none" or counted - {None} == set(state.ring)


def _closed_if_counted(state: State) -> State:
    """The round is over once everybody is counted who has to be."""
    if rules_of(state).scoring == "none":
        return _closed(state, ())
    if must_be_counted(state):
        return state
    caught = zip(state.ring, state.counts, strict=True)
    return _closed(state, tuple((name, n) for name, n in caught if n is not None))


def _closed(state: State, points: tuple[tuple[str, int], ...]) -> State:
    partner = partner_of(state, state.winner)
    played = Round(
        winner=state.ring[state.winner],
        points=points,
        partner=None if partner == NOBODY else state.ring[partner],
    )
    played, over = _judged(rules_of(state), state, played)
    return replace(
        state, stage=GAME_OVER if over else ROUND_OVER, rounds=(*state.rounds, played), owed=()
    )


def _judged(rules: Rules, state: State, played: Round) -> tuple[Round, bool]:
    """`played` with those it puts out, and whether it ends the game."""
    counted = tallies(rules, (*state.rounds, played))
    reached = tuple(name for name in state.ring if counted.get(name, 0) >= rules.limit)
    if rules.scoring == "none":
        return played, False
    if rules.scoring not in ELIMINATING:
        return played, bool(reached)
    if state.rounds and state.rounds[-1].kept:  # that was the last round, its winner has won
        return replace(played, out=tuple(n for n in state.ring if n != played.winner)), True
    staying = len(state.ring) - len(reached)
    if staying > 1 or not reached:
        return replace(played, out=reached), False
    if rules.lower_stays and len(reached) > 1:
        lowest = min(counted[name] for name in reached)
        kept = tuple(name for name in reached if counted[name] == lowest)
        return replace(played, out=tuple(n for n in reached if n not in kept), kept=kept), False
    return replace(played, out=reached), True
