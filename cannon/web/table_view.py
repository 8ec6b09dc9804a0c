"""The table as the page shows it: who is where, what is to be done, and what can be done now.

Words are made here, in the reader's language; what can be done is worked out here, so that the
page offers it and knows no rules.
"""

from __future__ import annotations

from typing import Any

from cannon.settings.texts import Texts
from cannon.settings.troubles import trouble_words
from cannon.settings.wording import (
    card_words,
    colour_words,
    note_words,
    owed_words,
    rank_words,
    refusal_words,
    state_words,
)
from cannon.table.edition import Edition, text
from cannon.table.history import Game
from cannon.table.offers import playable
from cannon.table.opening import next_dealer
from cannon.table.rules import Card, Rules
from cannon.table.scoring import must_be_counted, partner_of, scores, tallies, winners
from cannon.table.state import (
    COUNTING,
    ENDED,
    LEFT,
    NOBODY,
    PLAY,
    ROUND_OVER,
    SETUP,
    State,
    phase,
    rules_of,
)
from cannon.table.view import refill_soon
from cannon.web.game import Keeper
from cannon.web.settled import entry, settled

PAST = 30  # actions listed


def table_object(keeper: Keeper, texts: Texts) -> dict[str, Any]:
    """The present state of the table."""
    game, state = keeper.game, keeper.game.state
    begun = state.rules is not None
    shown: dict[str, Any] = {
        "version": keeper.version,
        "unkept": _trouble(keeper, texts),
        "stage": state.stage,
        "phase": phase(state),
        "can_undo": game.undone is not None,
        "can_redo": game.redone is not None,
        "unclaimed": _unclaimed(keeper, texts),
        "lines": list(state_words(texts, state)),
        "notes": [note_words(texts, state, told) for told in state.notes],
        "past": _past(game, texts),
    }
    if begun and state.stage not in (SETUP, ENDED):
        shown |= _round(state, texts)
    if begun:
        shown |= _scores(game, texts)
    return shown


def deck_object(state: State, texts: Texts) -> dict[str, Any]:
    """What is the same for a whole game: the edition's cards and colours, and its rules."""
    if state.rules is None:
        return {}
    rules = state.rules
    edition = rules.edition
    return {
        "edition": edition.name,
        "title": text(edition.title, texts.language),
        "colours": _colours(edition, texts),
        "cards": [_card(card, edition, texts) for card in rules.kinds],
        "draws": rules.draws_cards,
        "by_hand": rules.by_hand,
        "scoring": rules.scoring,
        "limit": rules.limit,
        "advice": rules.advice,
        "jump_in": rules.jump_in,
        "wrong": "wrong_card" in rules.options,
        "players": list(edition.players),
        "changed": _changed_options(rules, texts),
    }


def _colours(edition: Edition, texts: Texts) -> list[dict[str, str]]:
    return [{"name": name, "words": colour_words(texts, name)} for name in edition.colours]


def _card(card: Card, edition: Edition, texts: Texts) -> dict[str, Any]:
    names_player = card.who == "named" and bool(card.presses)
    return {
        "name": card.name,
        "colour": card.colour,
        "rank": card.rank,
        "label": rank_words(texts, edition, card.rank),
        "points": card.points,
        "wild": card.wild,
        "chooses": card.wild and bool(edition.colours),
        "names": names_player or card.hands == "swap",
        "discards": card.discards,
    }


def _changed_options(rules: Rules, texts: Texts) -> list[str]:
    """The options that are not as the edition has them, in words."""
    said = []
    for name, spec in rules.edition.options.items():
        if rules.options[name] != spec.default:
            value = _choice(texts, rules.options[name])
            said.append(f"{text(spec.label, texts.language)}: {value}")
    return said


def _choice(texts: Texts, value: object) -> str:
    key = f"table.choice.{str(value).lower()}"
    return texts(key) if key in texts else str(value)


def _round(state: State, texts: Texts) -> dict[str, Any]:
    rules = rules_of(state)
    top = state.top
    playing = state.stage == PLAY and state.winner == NOBODY
    shown: dict[str, Any] = {
        "players": [_player(state, seat) for seat in range(len(state.ring))],
        "direction": "left" if state.direction == LEFT else "right",
        "turn": state.ring[state.turn] if state.stage == PLAY and playing else None,
        "dealer": state.ring[state.dealer] if state.dealer != NOBODY else None,
        "colour": state.colour,
        "colour_words": colour_words(texts, state.colour) if state.colour else "",
        "top": _top(top, rules.edition, texts) if top else None,
        "owed": [_owed(state, number, texts) for number in range(len(state.owed))],
        "choosing": state.ring[state.choosing] if state.choosing != NOBODY else None,
        "launcher": state.launcher,
        "pile": state.pile,
        "refill_soon": refill_soon(state),
        "winner": state.ring[state.winner] if state.winner != NOBODY else None,
        "next_dealer": next_dealer(state) if state.stage == ROUND_OVER else None,
        "fitting": _fitting(state, rules),
        "challenge": _challenge(state, texts),
        "answer": _answer(state),
    }
    if state.stage == COUNTING:
        shown["to_count"] = [state.ring[seat] for seat in must_be_counted(state)]
        partner = partner_of(state, state.winner)
        shown["partner"] = state.ring[partner] if partner != NOBODY else None
    return shown


def _player(state: State, seat: int) -> dict[str, Any]:
    return {
        "name": state.ring[seat],
        "hand": state.hands[seat] if state.hands else None,
        "open": seat in state.open,
        "called": seat == state.called,
        "barred": seat in state.barred,
        "counted": state.counts[seat] if state.counts else None,
    }


def _top(card: Card, edition: Edition, texts: Texts) -> dict[str, Any]:
    label = rank_words(texts, edition, card.rank)
    words = card_words(texts, edition, card)
    return {"name": card.name, "colour": card.colour, "label": label, "words": words}


def _owed(state: State, number: int, texts: Texts) -> dict[str, Any]:
    owed = state.owed[number]
    return {
        "by": state.ring[owed.by],
        "takes": state.ring[owed.takes],
        "count": owed.count,
        "cards": owed.cards,
        "until": owed.until,
        "words": owed_words(texts, state, owed),
    }


def _fitting(state: State, rules: Rules) -> list[str] | None:
    """The cards that may be laid now; None where every one may, or none can be laid at all."""
    if phase(state) == "drawn":
        cards = playable(state, state.ring[state.turn], "play")
    elif phase(state) == "turn":
        cards = playable(state, state.ring[state.turn])
    else:
        by = _answer(state)
        if by is None:
            return None
        cards = playable(state, by)
    return None if len(cards) == len(rules.kinds) else [card.name for card in cards]


def _challenge(state: State, texts: Texts) -> dict[str, Any] | None:
    """The card that the one hit may doubt, and the colour that they would ask for."""
    owed = state.owed[0] if state.stage == PLAY and state.owed else None
    if owed is None or not owed.challenge or not owed.fresh:
        return None
    colour = colour_words(texts, owed.colour) if owed.colour else ""
    return {"by": state.ring[owed.takes], "layer": state.ring[owed.layer], "colour": colour}


def _answer(state: State) -> str | None:
    """Who may answer a hit with a card instead of pressing."""
    owed = state.owed[0] if state.stage == PLAY and state.owed else None
    return state.ring[owed.takes] if owed is not None and owed.fresh and owed.answers else None


def _trouble(keeper: Keeper, texts: Texts) -> str:
    """What is wrong with the keeping of the game; empty if nothing is."""
    if keeper.unkept:
        return texts("page.table.unkept", reason=trouble_words(texts, keeper.unkept))
    return texts("page.table.rescued", copy=keeper.rescued) if keeper.rescued else ""


def _unclaimed(keeper: Keeper, texts: Texts) -> dict[str, Any] | None:
    found = keeper.unclaimed
    if found is None:
        return None
    why = refusal_words(texts, keeper.game.state, found.refusal)
    known = isinstance(found.cards, int)
    cards = found.cards if known else texts("table.show.cards_unknown")
    return {"press": found.press, "cards": cards, "words": why}


def _scores(game: Game, texts: Texts) -> dict[str, Any]:
    state = game.state
    rules = rules_of(state)
    total = scores(state)
    how = settled(game, texts)
    rounds = [
        {
            "winner": played.winner,
            "partner": played.partner,
            "points": dict(played.points),
            "totals": tallies(rules, state.rounds[: number + 1]),
            "out": list(played.out),
            "settled": how[number],
        }
        for number, played in enumerate(state.rounds)
    ]
    return {"scores": total, "rounds": rounds, "winners": list(winners(state))}


def _past(game: Game, texts: Texts) -> list[dict[str, Any]]:
    """The last actions, the newest first, with what is needed to correct them."""
    listed: list[dict[str, Any]] = []
    after: Game = game
    while after.action is not None and after.before is not None and len(listed) < PAST:
        listed.append(entry(after, after.before.state, texts))
        after = after.before
    return listed
