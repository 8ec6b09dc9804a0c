"""The rules of one game, ready to be played: an edition with its options put in.

Everything that a move looks up is worked out here once, so that a move is only a few look-ups.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cannon.table.edition import (
    GENERAL_OPTIONS,
    CardSpec,
    Edition,
    copies,
    ranks_of,
    wrong_value,
)

Option = bool | int | str


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One card, with its effect. The fields are those of `edition.CardSpec`, options put in.

    `name` is what it is called in actions: "red 7", "wild".
    """

    name: str
    colour: str | None
    rank: str
    wild: bool
    points: int
    number: int | None
    presses: int
    who: str
    by_layer: bool
    order: str
    until: str
    skips: int
    skips_with_two: int
    bars: bool
    reverse: bool
    hands: str
    discards: bool
    answers: str
    challenge: int
    first: str
    says: str

    @property
    def plain(self) -> bool:
        """Whether it only lies on the pile, without any effect."""
        effects = (self.presses, self.skips, self.reverse, self.hands, self.discards, self.says)
        return not any(effects)


class Rules:
    """An edition as one table plays it. Two of the same edition and options are equal.

    `cards` has every card by each of its names; `kinds` has each once, and `deck` how many there
    are of it by name, None where that is not known.
    """

    def __init__(
        self,
        edition: Edition,
        options: Mapping[str, Option],
        counts: Mapping[str, int] = {},
        total: int | None = None,
    ) -> None:
        self.edition = edition
        self.options = {name: spec.default for name, spec in edition.options.items()}
        self.options.update(options)
        self.total = edition.total if total is None else total
        self.deck: dict[str, int | None] = {}
        self.cards: dict[str, Card] = {}
        self._add_cards(counts)
        self.kinds = tuple(self.cards[name] for name in self.deck)
        coloured = bool(edition.colours)
        # Cards after which nothing is to be done: no effect, and no colour to choose.
        self.quick = frozenset(c.name for c in self.kinds if c.plain and not (c.wild and coloured))
        # Cards after which a large hand can be down to one: then UNO may be said with any hand.
        self.sudden_uno = any(card.discards or card.hands for card in self.kinds)
        self._set_options({**GENERAL_OPTIONS, **self.options})

    def _set_options(self, general: Mapping[str, Option]) -> None:
        self.scoring = str(general["scoring"])
        self.limit = int(general["limit"])
        self.lower_stays = general["both_out"] == "lower_stays"
        self.uno = int(general["uno"])
        self.false_uno = int(general["false_uno"])
        self.advice = int(general["advice"])
        self.wrong_card = int(general["wrong_card"])
        self.wrong_card_passes = general["wrong_card_turn"] == "passes"
        self.last_hit = bool(general["last_hit"])
        self.reverse_skips = general["reverse_two"] == "skip"
        self.stacking = bool(general["stacking"])
        self.jump_in = bool(general["jump_in"])
        self.draws_cards = self.edition.draws == "cards"
        self.owes_cards = self.draws_cards and general["draw"] != "presses"
        self.by_hand = self.draws_cards and general["draw"] == "hand"
        self.deals_by_launcher = general["deal"] == "launcher"
        self.refill_hint = int(general["refill_hint"])

    def _add_cards(self, counts: Mapping[str, int]) -> None:
        stand = {name: self._stands_for(name) for name in self.options}
        for key, spec in self.edition.cards.items():
            for rank in ranks_of(key, spec):
                count = counts.get(rank, copies(self.edition, spec))
                colours = (None,) if spec.wild else self.edition.colours
                for colour in colours:
                    card = _card(spec, rank, colour, stand)
                    self.deck[card.name] = count if count is None else count // len(colours)
                    for name in (rank, *spec.also):
                        self.cards[f"{colour} {name}" if colour else name] = card

    def _stands_for(self, name: str) -> Option:
        chosen, values = self.options[name], self.edition.options[name].values
        return values[str(chosen)] if isinstance(values, dict) else chosen

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.edition.name, tuple(self.options.items()), self.total))

    def __repr__(self) -> str:
        specs = self.edition.options
        chosen = {name: v for name, v in self.options.items() if v != specs[name].default}
        return f"Rules({self.edition.name!r}, {chosen})"

    def _key(self) -> tuple[object, ...]:
        return (self.edition, self.options, self.total, self.deck)

    def card(self, name: str) -> Card | None:
        """The card of that name, however it is spaced; None if this edition has none."""
        return self.cards.get(name) or self.cards.get(" ".join(name.lower().split()))


def wrong_option(edition: Edition, options: Mapping[str, object]) -> tuple[str, str] | None:
    """The first option that cannot be set so, and what it can be ("": there is no such option)."""
    for name, value in options.items():
        spec = edition.options.get(name)
        if spec is None:
            return name, ""
        wrong = wrong_value(spec, value)
        if wrong:
            return name, wrong
    return None


def _card(spec: CardSpec, rank: str, colour: str | None, stand: Mapping[str, Option]) -> Card:
    works = not spec.only_with or bool(stand[spec.only_with])

    def put_in(value: Option) -> Option:
        return stand[value[1:]] if isinstance(value, str) and value[:1] == "@" else value

    def effect(value: int | str) -> int:
        return int(put_in(value)) if works else 0

    skips = effect(spec.skips)
    return Card(
        name=f"{colour} {rank}" if colour else rank,
        colour=colour,
        rank=rank,
        wild=spec.wild,
        points=int(rank) if spec.points == "face" else int(put_in(spec.points)),
        number=int(rank) if rank.isdecimal() else None,
        presses=effect(spec.presses),
        who=spec.who,
        by_layer=put_in(spec.presser) == "layer",
        order=str(put_in(spec.order)),
        until=str(put_in(spec.until)),
        skips=skips,
        skips_with_two=skips if spec.skips_with_two is None else effect(spec.skips_with_two),
        bars=bool(put_in(spec.bars)),
        reverse=spec.reverse and works,
        hands=spec.hands if works else "",
        discards=spec.discards and works,
        answers=spec.answers,
        challenge=spec.challenge,
        first=str(put_in(spec.first)),
        says=str(stand[spec.says]) if spec.says else "",
    )
