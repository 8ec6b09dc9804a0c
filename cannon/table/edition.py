"""One printed game as data: its deck, what its cards are worth and do, its options.

An edition comes from TOML (`cannon.settings.editions` reads it; `cannon/table/README.md` tells how
one is written). Here are its form and everything that must hold between its values. A value
written as "@name" is that of the option `name`; `cannon.table.rules` puts it in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

Text = dict[str, str] | str  # by language, or one for all


class CardSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One kind of card. A coloured one exists once or more in each colour, a wild one in none."""

    ranks: tuple[str, ...] = ()  # several alike, as the numbers; else the key is the rank
    also: tuple[str, ...] = ()  # other names people give it
    label: Text = ""
    each: int | None = None  # copies in each colour
    count: int | Literal["unknown"] | None = None  # copies of a wild card
    wild: bool = False
    points: int | str  # "face" = its number
    presses: int | str = 0  # presses (or cards to draw) that it makes owed
    who: Literal["next", "named", "others"] = "next"  # who takes the cards
    presser: str = "taker"  # or "layer": the one who laid it presses for the taker
    order: str = "direction"  # of "others": from the left of the layer, or in play direction
    until: str = ""  # presses go on until "cards" come, or a card of the "colour" shows
    skips: int | str = 0  # players passed over
    skips_with_two: int | str | None = None
    bars: bool | str = False  # the named player also loses the next turn
    reverse: bool = False
    hands: Literal["", "swap", "rotate", "shuffle"] = ""
    discards: bool = False  # takes all cards of its colour with it
    answers: str = ""  # where stacking is on: the group of cards that answer one another
    challenge: int = 0  # cards more for a challenger who was wrong; 0 = cannot be challenged
    first: str = "none"  # what it does as the first card turned up
    only_with: str = ""  # the option without which it does nothing
    says: str = ""  # the option whose text is shown when it is laid


class OptionSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rule that tables or printings differ in. A yes or no, a number, a choice, or free text."""

    label: Text = ""
    default: bool | int | str
    values: list[str] | dict[str, int | str] = []  # a choice, or what each choice stands for
    min: int | None = None
    max: int | None = None
    why: Text


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A printed game. `total` is the number of cards; 2 to 10 players get `hand` cards each."""

    name: str
    title: Text
    total: int
    colours: tuple[str, ...]
    hand: int = 7
    players: tuple[int, int] = (2, 10)
    draws: Literal["presses", "cards"]  # who lays nothing presses once, or draws one card
    dealer_draw: Literal["numbers", "symbols_zero", "none"]  # what counts in drawing for dealer
    cards: dict[str, CardSpec]
    options: dict[str, OptionSpec]


class Flaw(NamedTuple):
    """Something wrong in an edition: `where`, `what`, and how to `fix` it (may be empty)."""

    where: str
    what: str
    fix: str = ""


# Rules that the engine knows by name. What an edition does not offer is off, or as given here.
GENERAL_OPTIONS: dict[str, bool | int | str] = {
    "scoring": "winner",
    "limit": 500,
    "both_out": "last_wins",
    "uno": 2,
    "false_uno": 0,
    "advice": 0,
    "wrong_card": 0,
    "wrong_card_turn": "passes",
    "last_hit": True,
    "reverse_two": "skip",
    "stacking": False,
    "jump_in": False,
    "draw": "exact",
    "deal": "hand",
    "refill_hint": 10,
}
GENERAL_CHOICES = {
    "scoring": ("winner", "own", "none", "challenge", "partners", "tournament"),
    "both_out": ("last_wins", "lower_stays"),
    "wrong_card_turn": ("passes", "stays"),
    "reverse_two": ("skip", "plain"),
    "draw": ("exact", "presses", "hand"),
    "deal": ("hand", "launcher"),
}
PLACES = {
    "presser": ("taker", "layer"),
    "order": ("left", "direction"),
    "until": ("", "cards", "colour"),
    "first": ("none", "effect", "presses", "colour", "everyone", "back"),
}
_NUMBERS = ("points", "presses", "skips", "skips_with_two")
_MOST_PRESSES = 20
_MOST_PLAYERS = 10
_MOST_POINTS = 10_000
_LONGEST_TEXT = 200


def text(value: Text, language: str) -> str:
    """`value` in `language`, else in English, else in whatever there is."""
    if isinstance(value, str):
        return value
    return value.get(language) or value.get("en") or next(iter(value.values()), "")


def ranks_of(key: str, card: CardSpec) -> tuple[str, ...]:
    return card.ranks or (key,)


def copies(edition: Edition, card: CardSpec) -> int | None:
    """Cards of each of this kind's ranks in the deck; None = not known for this printing."""
    if card.wild:
        return None if card.count == "unknown" or card.count is None else card.count
    return (card.each or 0) * len(edition.colours)


def flaws(edition: Edition) -> list[Flaw]:
    """Everything wrong between the values of `edition`."""
    found = [*_frame(edition), *_names(edition)]
    for key, card in edition.cards.items():
        found.extend(_card(edition, f"cards.{key}", key, card))
    for name, option in edition.options.items():
        found.extend(_option(edition, f"options.{name}", name, option))
    return found


def _frame(edition: Edition) -> Iterator[Flaw]:
    low, high = edition.players
    if not 2 <= low <= high <= _MOST_PLAYERS:
        yield Flaw("players", f"must be from 2 to {_MOST_PLAYERS}, found {low} to {high}")
    elif edition.hand < 1 or edition.hand * high >= edition.total:
        yield Flaw("hand", f"{edition.hand} cards to {high} players need more than the deck has")
    if len(set(edition.colours)) != len(edition.colours):
        yield Flaw("colours", "the same colour stands twice")
    counts = [copies(edition, c) for c in edition.cards.values() for _ in c.ranks or (0,)]
    known = sum(count for count in counts if count is not None)
    if None in counts:
        if known > edition.total:
            yield Flaw("total", f"{edition.total}, but the counted cards alone are {known}")
    elif known != edition.total:
        yield Flaw("total", f"{edition.total}, but the cards add up to {known}")


def _names(edition: Edition) -> Iterator[Flaw]:
    seen: dict[str, str] = {}
    for key, card in edition.cards.items():
        for name in (*ranks_of(key, card), *card.also):
            if name in seen:
                yield Flaw(f"cards.{key}", f"{name!r} is also a name of cards.{seen[name]}")
            seen[name] = key
            if not name or name != name.lower() or " " in name:
                yield Flaw(f"cards.{key}", f"{name!r}: names are in small letters, without blanks")
            if name in edition.colours:
                yield Flaw(f"cards.{key}", f"{name!r} is the name of a colour")


def _card(edition: Edition, where: str, key: str, card: CardSpec) -> Iterator[Flaw]:
    if card.wild:
        if card.each is not None:
            yield Flaw(f"{where}.each", "is for coloured cards", "give count")
        if card.count is None:
            yield Flaw(f"{where}.count", "is missing", 'give a number, or "unknown"')
        elif card.count != "unknown" and card.count < 1:
            yield Flaw(f"{where}.count", f"must be 1 or more, found {card.count}")
        if card.discards:
            yield Flaw(f"{where}.discards", "a wild card has no colour to discard")
    else:
        if card.count is not None:
            yield Flaw(f"{where}.count", "is for wild cards", "give each, the copies per colour")
        if card.each is None or card.each < 1:
            yield Flaw(f"{where}.each", "must be 1 or more", "the copies in each colour")
        if not edition.colours:
            yield Flaw(f"{where}.wild", "an edition without colours has only wild cards")
    if card.points == "face" and not all(rank.isdecimal() for rank in ranks_of(key, card)):
        yield Flaw(f"{where}.points", '"face" is for numbers', "give the points")
    yield from _values(edition, where, card)
    if (card.until or card.challenge or card.bars) and not card.presses:
        yield Flaw(f"{where}.presses", "is missing", "until, challenge and bars need presses")
    if card.bars and card.who != "named":
        yield Flaw(f"{where}.bars", "only a named player can be barred", 'give who = "named"')
    if not 0 <= card.challenge <= _MOST_PRESSES:
        yield Flaw(f"{where}.challenge", f"must be from 0 to {_MOST_PRESSES}")
    for field in ("only_with", "says"):
        name = getattr(card, field)
        if name and name not in edition.options:
            yield Flaw(f"{where}.{field}", f"there is no option {name!r}")
    switch = edition.options.get(card.only_with)
    if switch is not None and not isinstance(switch.default, bool):
        yield Flaw(f"{where}.only_with", f"option {card.only_with!r} must be true or false")


def _values(edition: Edition, where: str, card: CardSpec) -> Iterator[Flaw]:
    """Values that may come from an option: each, or each that the option can have, must fit."""
    for field in (*_NUMBERS, *PLACES, "bars"):
        value = getattr(card, field)
        if value is None or (field == "points" and value == "face"):
            continue
        place = f"{where}.{field}"
        if isinstance(value, str) and value.startswith("@"):
            option = edition.options.get(value[1:])
            if option is None:
                yield Flaw(place, f"there is no option {value[1:]!r}")
                continue
            possible, place = stands_for(option), f"{place} ({value})"
        else:
            possible = [value]
        for one in possible:
            if field in PLACES and one not in PLACES[field]:
                yield Flaw(place, f"{one!r} is none of {', '.join(filter(None, PLACES[field]))}")
            elif field == "bars" and not isinstance(one, bool):
                yield Flaw(place, f"must be true or false, found {one!r}")
            elif field in _NUMBERS and (isinstance(one, bool) or not isinstance(one, int)):
                yield Flaw(place, f"must be a number, found {one!r}")
            elif field in _NUMBERS and not 0 <= int(one) <= _most(field):
                yield Flaw(place, f"must be from 0 to {_most(field)}, found {one}")


def _most(field: str) -> int:
    return 500 if field == "points" else _MOST_PRESSES


def stands_for(option: OptionSpec) -> list[bool | int | str]:
    """All values that an option can put into a card; of a range of numbers, its ends."""
    if isinstance(option.values, dict):
        return list(option.values.values())
    if option.values:
        return list(option.values)
    if isinstance(option.default, bool):
        return [False, True]
    if isinstance(option.default, int):
        ends = (option.min, option.default, option.max)
        return [end for end in ends if end is not None]
    return [option.default]


def _option(edition: Edition, where: str, name: str, option: OptionSpec) -> Iterator[Flaw]:
    wrong = wrong_value(option, option.default)
    if wrong:
        yield Flaw(f"{where}.default", f"{option.default!r} is not possible", f"there is {wrong}")
    general = GENERAL_OPTIONS.get(name)
    if general is None:
        if not _is_used(edition, name):
            yield Flaw(where, "no card uses it", f'write "@{name}" where a card should')
        return
    if type(general) is not type(option.default):
        yield Flaw(f"{where}.default", f"must be {_kind(general)}, found {option.default!r}")
    for value in option.values:
        if value not in GENERAL_CHOICES.get(name, (value,)):
            known = ", ".join(GENERAL_CHOICES[name])
            yield Flaw(f"{where}.values", f"{value!r} is not known; there are {known}")
    if name in GENERAL_CHOICES and not option.values:
        yield Flaw(f"{where}.values", "is missing", f"of {', '.join(GENERAL_CHOICES[name])}")
    if isinstance(general, int) and not isinstance(general, bool) and option.min is None:
        yield Flaw(f"{where}.min", "is missing", "give min and max")


def _kind(value: bool | int | str) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int) else "a text"


def _is_used(edition: Edition, name: str) -> bool:
    return any(
        f"@{name}" in (getattr(card, field) for field in card.__struct_fields__)
        or name in (card.only_with, card.says)
        for card in edition.cards.values()
    )


def wrong_value(option: OptionSpec, value: object) -> str:
    """What `option` can be set to, if `value` is not of that; empty if it is."""
    if option.values:
        return "" if value in option.values else ", ".join(option.values)
    if isinstance(option.default, bool):
        return "" if isinstance(value, bool) else "true, false"
    if isinstance(option.default, int):
        low = 0 if option.min is None else option.min
        high = _MOST_POINTS if option.max is None else option.max
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if fits else f"{low}–{high}"
    return (
        "" if isinstance(value, str) and len(value) <= _LONGEST_TEXT else f"“…” (1–{_LONGEST_TEXT})"
    )
