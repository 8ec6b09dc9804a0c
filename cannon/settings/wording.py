"""Puts the table into words: cards, refusals, notes, what is owed, in the reader's language.

The table speaks in codes and values (`cannon.table`); the sentences are in the topic `table` of
the texts, the names of the cards in their edition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cannon.settings.texts import Texts
from cannon.table.edition import Edition, ranks_of, text
from cannon.table.opening import next_dealer
from cannon.table.rules import Card
from cannon.table.scoring import must_be_counted, scores, winners
from cannon.table.state import (
    COUNTING,
    DEALING,
    ENDED,
    FIRST_CARD,
    GAME_OVER,
    LEFT,
    NOBODY,
    ROUND_OVER,
    SETUP,
    Note,
    Owed,
    Refusal,
    State,
    phase,
    rules_of,
)
from cannon.table.view import refill_soon


def card_words(texts: Texts, edition: Edition, card: Card) -> str:
    """ "red 7", "rød Spring over", "Joker"."""
    rank = rank_words(texts, edition, card.rank)
    if card.colour is None:
        return rank
    return texts("table.show.card", colour=colour_words(texts, card.colour), rank=rank)


def rank_words(texts: Texts, edition: Edition, rank: str) -> str:
    for key, spec in edition.cards.items():
        if rank in ranks_of(key, spec):
            return text(spec.label, texts.language) or rank
    return rank


def colour_words(texts: Texts, colour: str) -> str:
    """A colour in words; the colours of somebody's own edition are called as they call them."""
    key = f"table.colour.{colour}"
    return texts(key) if key in texts else colour


def choice_words(texts: Texts, value: object) -> str:
    """A value of an option, as far as it has a name."""
    key = f"table.choice.{str(value).lower()}"
    return texts(key) if key in texts else str(value)


def refusal_words(texts: Texts, state: State, refusal: Refusal) -> str:
    """Why something cannot be, as a sentence."""
    values = dict(_in_words(texts, state, refusal.values))
    if refusal.code == "correction_breaks":  # why not, is a refusal of its own
        inner = Refusal(str(values["reason"]), refusal.values)
        values["reason"] = refusal_words(texts, state, inner)
    return texts(f"table.refused.{refusal.code}", **values)


def note_words(texts: Texts, state: State, note: Note) -> str:
    return texts(f"table.note.{note.code}", **dict(_in_words(texts, state, note.values)))


def owed_words(texts: Texts, state: State, owed: Owed) -> str:
    """ "B presses 2 more times (Hit 2)."""
    key = "table.show.owes_cards" if owed.cards else "table.show.owes_presses"
    if owed.until:
        key = f"table.show.owes_until_{owed.until}"
    elif owed.by != owed.takes:
        key = "table.show.owes_presses_for"
    by, takes = state.ring[owed.by], state.ring[owed.takes]
    reason = f"table.reason.{owed.reason}"
    known = reason in texts
    why = texts(reason) if known else rank_words(texts, rules_of(state).edition, owed.reason)
    return texts(key, by=by, takes=takes, count=owed.count, reason=why)


def state_words(texts: Texts, state: State) -> Iterator[str]:
    """The state in a few lines, the most important first."""
    for told in state.notes:
        yield note_words(texts, state, told)
    if state.stage in (SETUP, ENDED):
        yield texts(f"table.show.{state.stage}")
        return
    yield from _what_is_next(texts, state)
    if state.top is not None and phase(state) in ("turn", "drawn", "owed", "refill"):
        yield _pile_words(texts, state)
    if state.open:
        yield texts("table.show.uno_window", names=_names(state, state.open))
    if state.stage not in (COUNTING, ROUND_OVER, GAME_OVER):
        yield _cards_words(texts, state)
    if state.rounds:
        yield _scores_words(texts, state)


def _what_is_next(texts: Texts, state: State) -> Iterator[str]:
    if state.stage == FIRST_CARD:
        yield texts("table.show.first_card", dealer=state.ring[state.dealer])
    elif state.stage == COUNTING:
        names = _names(state, tuple(must_be_counted(state)))
        yield texts("table.show.round_end", winner=state.ring[state.winner], names=names)
    elif state.stage == ROUND_OVER:
        dealer = next_dealer(state)
        if state.winner == NOBODY:
            yield texts("table.show.no_winner", dealer=dealer)
        else:
            winner = state.rounds[-1].winner
            yield texts("table.show.next_round", winner=winner, dealer=dealer)
    elif state.stage == GAME_OVER:
        won = winners(state)
        key = "table.show.game_over" if len(won) == 1 else "table.show.game_over_shared"
        yield texts(key, names=", ".join(won))
    else:
        yield from _play_words(texts, state)


def _play_words(texts: Texts, state: State) -> Iterator[str]:
    for owed in state.owed:
        yield owed_words(texts, state, owed)
    if phase(state) == "refill":
        yield texts("table.show.refill")
    elif state.owed or state.stage == DEALING:
        return
    elif state.choosing != NOBODY:
        yield texts("table.show.colour_due", by=state.ring[state.choosing])
    elif state.drawn:
        yield texts("table.show.drawn", by=state.ring[state.turn])
    else:
        yield texts("table.show.turn", turn=state.ring[state.turn])


def _pile_words(texts: Texts, state: State) -> str:
    assert state.top is not None
    card = card_words(texts, rules_of(state).edition, state.top)
    way = texts("table.direction.left" if state.direction == LEFT else "table.direction.right")
    lies = texts("table.show.top", card=card)
    if state.top.colour is None and state.colour is not None:
        colour = colour_words(texts, state.colour)
        lies = texts("table.show.top_colour", card=card, colour=colour)
    return f"{lies} {texts('table.show.direction', direction=way)}"


def _cards_words(texts: Texts, state: State) -> str:
    unknown = texts("table.show.cards_unknown")
    numbers = (unknown if n is None else str(n) for n in state.hands)
    pairs = zip(state.ring, numbers, strict=True)
    hands = texts("table.show.hands", hands=", ".join(f"{name} {n}" for name, n in pairs))
    left = unknown if state.launcher is None else f"{state.launcher}"
    words = f"{hands} {texts('table.show.launcher', cards=left)}"
    return f"{words} {texts('table.show.refill_soon')}" if refill_soon(state) else words


def _scores_words(texts: Texts, state: State) -> str:
    pairs = ", ".join(f"{name} {points}" for name, points in scores(state).items())
    return texts("table.show.scores", scores=pairs)


def _names(state: State, seats: tuple[int, ...]) -> str:
    return ", ".join(state.ring[seat] for seat in seats)


def _in_words(
    texts: Texts, state: State, values: dict[str, str | int]
) -> Iterator[tuple[str, str | int]]:
    """The values of a refusal or note: cards, colours, editions and options by their names."""
    edition = _edition(state, values.get("edition"))
    for name, value in values.items():
        say = _VALUES.get(name)
        yield name, say(texts, state, edition, value) if say and isinstance(value, str) else value


def _edition(state: State, name: object) -> Edition | None:
    """The edition that is called so; without a name that of the game, if one has begun."""
    if name is None:
        return state.rules.edition if state.rules else None
    known = (one for key, one in state.editions.items() if name in (key, one.name))
    return next(known, None)


def _card(texts: Texts, state: State, edition: Edition | None, value: str) -> str:
    card = state.rules.card(value) if state.rules else None
    return card_words(texts, rules_of(state).edition, card) if card else value


def _colours(texts: Texts, state: State, edition: Edition | None, value: str) -> str:
    return ", ".join(colour_words(texts, one) for one in value.split(", "))


def _title(texts: Texts, state: State, edition: Edition | None, value: str) -> str:
    return text(edition.title, texts.language) if edition else value


def _titles(texts: Texts, state: State, edition: Edition | None, value: str) -> str:
    names = value.split(", ")
    return ", ".join(_named(_title(texts, state, _edition(state, one), one), one) for one in names)


def _option(texts: Texts, state: State, edition: Edition | None, value: str) -> str:
    spec = edition.options.get(value) if edition else None
    return _named(text(spec.label, texts.language) or value, value) if spec else value


def _allowed(texts: Texts, state: State, edition: Edition | None, value: str) -> str:
    return ", ".join(_named(choice_words(texts, one), one) for one in value.split(", "))


def _named(words: str, name: str) -> str:
    """What something is called, and the name by which it is typed at a terminal."""
    return words if words == name else f"{words} ({name})"


_VALUES: dict[str, Callable[[Texts, State, Edition | None, str], str]] = {
    "card": _card,
    "top": _card,
    "colour": _colours,
    "colours": _colours,
    "edition": _title,
    "known": _titles,
    "option": _option,
    "allowed": _allowed,
}
"""How the values of that name are said; all others as they are."""
