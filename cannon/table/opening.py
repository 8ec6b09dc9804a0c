"""A game begins, cards are dealt, the first card is turned up; and the next round likewise."""

from __future__ import annotations

from collections.abc import Mapping

from cannon.table.actions import End, First, Next, Start
from cannon.table.edition import Edition
from cannon.table.owing import carried_on, deal_owed, next_turn
from cannon.table.rules import Card, Rules, wrong_option
from cannon.table.state import (
    DEALING,
    ENDED,
    FIRST_CARD,
    GAME_OVER,
    LEFT,
    PLAY,
    ROUND_OVER,
    SETUP,
    Owed,
    Refusal,
    Result,
    State,
    note,
    plus,
    refuse,
    replace,
    rules_of,
    with_counts_settled,
)


def start(state: State, action: Start) -> Result:
    if state.stage not in (SETUP, ENDED, GAME_OVER):
        return refuse("already_started")
    edition = state.editions.get(action.edition)
    if edition is None:
        return refuse("no_such_edition", edition=action.edition, known=", ".join(state.editions))
    rules = _rules(edition, action)
    if isinstance(rules, Refusal):
        return rules
    names = tuple(name.strip() for name in action.players)
    wrong = _wrong_players(rules, names)
    if wrong is not None:
        return wrong
    dealer = _dealer(rules, action, names)
    if isinstance(dealer, Refusal):
        return dealer
    begun = State(editions=state.editions, rules=rules, ring=names)
    return _with_round(begun, dealer, action.first)


def next_round(state: State, action: Next) -> Result:
    if state.stage != ROUND_OVER:
        return refuse("game_over" if state.stage == GAME_OVER else "round_not_over")
    out = state.rounds[-1].out if state.rounds else ()
    ring = tuple(name for name in state.ring if name not in out)
    if len(ring) < rules_of(state).edition.players[0]:
        return refuse("too_few_players", count=len(ring))
    if action.dealer is not None and action.dealer not in ring:
        return refuse("no_such_player", name=action.dealer)
    dealer = action.dealer or next_dealer(state)
    begun = State(editions=state.editions, rules=state.rules, ring=ring, rounds=state.rounds)
    return _with_round(begun, ring.index(dealer), action.first)


def next_dealer(state: State) -> str:
    """Who deals the next round if nobody says otherwise: the one left of the last dealer."""
    out = state.rounds[-1].out if state.rounds else ()
    size = len(state.ring)
    after = [state.ring[(state.dealer + k) % size] for k in range(1, size + 1)]
    return next(name for name in after if name not in out)


def first(state: State, action: First) -> Result:
    """The first card of the round: some send it back, some already do something."""
    if state.stage != FIRST_CARD:
        return refuse("not_now")
    rules = rules_of(state)
    card = rules.card(action.card)
    if card is None:
        return refuse("unknown_card", card=action.card, edition=rules.edition.name)
    if card.first == "back":
        return replace(state, notes=(note("first_card_back", card=card.name),))
    state = replace(
        state,
        stage=PLAY,
        top=card,
        colour=card.colour,
        pile=1,
        launcher=plus(state.launcher, -1),
        turn=(state.dealer + LEFT) % len(state.ring),
        direction=LEFT,
        notes=(),
    )
    return _with_first_effect(with_counts_settled(state), card)


def end(state: State, action: End) -> Result:
    if state.stage in (SETUP, ENDED):
        return refuse("not_started")
    return replace(state, stage=ENDED, owed=(), notes=())


def _with_first_effect(state: State, card: Card) -> State:
    rules, player = rules_of(state), state.turn
    hits = [player]
    if card.first == "everyone":
        hits = [(player + k) % len(state.ring) for k in range(len(state.ring))]
    if card.first in ("effect", "presses", "everyone") and card.presses:
        owed = tuple(_first_hit(rules, seat, card) for seat in hits)
        state = replace(state, owed=owed)
    if card.first == "effect":
        if card.reverse:  # the dealer begins, and play goes the other way
            state = replace(state, direction=-LEFT, turn=state.dealer)
        elif card.skips:
            turn, _ = next_turn(state, player, card.skips)
            state = replace(state, turn=turn)
    if card.wild and rules.edition.colours:
        state = replace(state, choosing=state.turn)
    return carried_on(state)


def _first_hit(rules: Rules, seat: int, card: Card) -> Owed:
    return Owed(
        by=seat,
        takes=seat,
        count=card.presses,
        reason=card.rank,
        cards=rules.owes_cards,
        until=card.until,
        fresh=True,
        answers=card.answers if rules.stacking else "",
    )


def _with_round(state: State, dealer: int, first_card: str | None) -> Result:
    rules = rules_of(state)
    size = len(state.ring)
    begun = replace(state, stage=FIRST_CARD, dealer=dealer, turn=(dealer + LEFT) % size, pile=0)
    if rules.deals_by_launcher:
        if first_card is not None:
            return refuse("deal_first")
        order = [(dealer + k) % size for k in range(1, size + 1)]
        owed = tuple(deal_owed(seat, rules.edition.hand) for seat in order)
        return replace(begun, stage=DEALING, hands=(0,) * size, owed=owed, launcher=rules.total)
    in_hands = rules.edition.hand * size
    dealt = replace(begun, hands=(rules.edition.hand,) * size, launcher=rules.total - in_hands)
    return dealt if first_card is None else first(dealt, First(first_card))


def _rules(edition: Edition, action: Start) -> Rules | Refusal:
    wrong = wrong_option(edition, action.options)
    if wrong is not None:
        name, allowed = wrong
        if not allowed:
            return refuse("unknown_option", option=name, edition=edition.name)
        return refuse("wrong_option", option=name, allowed=allowed, edition=edition.name)
    total = edition.total if action.cards is None else action.cards
    options = {name: value for name, value in action.options.items() if value is not None}
    rules = Rules(edition, options, action.deck, total)
    known = {card.rank for card in rules.kinds}
    for rank in action.deck:
        if rank not in known:
            return refuse("unknown_card", card=rank, edition=edition.name)
    counts = list(rules.deck.values())
    if action.deck and None not in counts and sum(filter(None, counts)) != total:
        return refuse("deck_does_not_add_up", count=sum(filter(None, counts)), total=total)
    return rules


def _wrong_players(rules: Rules, names: tuple[str, ...]) -> Refusal | None:
    low, high = rules.edition.players
    if len(names) < low:
        return refuse("too_few_players", count=len(names))
    if len(names) > high or rules.edition.hand * len(names) >= rules.total:
        return refuse("too_many_players", count=len(names), most=high)
    twice = [name for name in names if names.count(name) > 1 or not name]
    if twice:
        return refuse("name_taken", name=twice[0])
    if rules.scoring == "partners" and len(names) != 4:
        return refuse("partners_are_four", count=len(names))
    return None


def _dealer(rules: Rules, action: Start, names: tuple[str, ...]) -> int | Refusal:
    """The seat of the dealer: the one named, or whoever drew the highest number."""
    if action.dealer is not None:
        if action.dealer not in names:
            return refuse("no_such_player", name=action.dealer)
        return names.index(action.dealer)
    if not action.draws or rules.edition.dealer_draw == "none":
        return refuse("dealer_needed")
    drawn = _numbers_drawn(rules, action.draws, names)
    if isinstance(drawn, Refusal):
        return drawn
    best = max(drawn.values())
    highest = [name for name, numbers in drawn.items() if numbers == best]
    if len(highest) > 1:
        return refuse("draw_again", names=", ".join(highest))
    return names.index(highest[0])


def _numbers_drawn(
    rules: Rules, draws: Mapping[str, str | tuple[str, ...]], names: tuple[str, ...]
) -> dict[str, list[int]] | Refusal:
    """What each drew, in order. Symbols do not count and are drawn again, or count as zero."""
    zero = rules.edition.dealer_draw == "symbols_zero"
    drawn: dict[str, list[int]] = {}
    for name, cards in draws.items():
        if name not in names:
            return refuse("no_such_player", name=name)
        numbers = []
        for text in (cards,) if isinstance(cards, str) else cards:
            card = rules.card(text)
            if card is None:
                return refuse("unknown_card", card=text, edition=rules.edition.name)
            if card.number is not None or zero:
                numbers.append(card.number or 0)
        drawn[name] = numbers
    missing = [name for name in names if not drawn.get(name)]
    return refuse("draw_again", names=", ".join(missing)) if missing else drawn
