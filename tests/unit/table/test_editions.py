"""Editions: the decks that come along add up, and a wrong file says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cannon.settings.editions import DEFAULT_EDITION, edition_names, load_edition
from cannon.table.actions import Lay, Start
from cannon.table.edition import stands_for
from cannon.table.history import Game, apply, new_game
from cannon.table.rules import Rules
from hardware.reading import ConfigurationError

# What the makers print on the box, counted by kind.
DECKS = {
    "extreme": {"numbers": 72, "hit-2": 8, "reverse": 8, "skip": 8, "discard-all": 8, "wild": 4,
                "extreme-hit": 4},
    "original": {"numbers": 72, "hit-2": 8, "reverse": 8, "skip": 8, "discard-all": 4,
                 "trade-hands": 4, "wild": 4, "all-hit": 2, "hit-fire": 2},
    "mega-hit": {"numbers": 72, "reverse": 4, "skip": 8, "discard-all": 8, "hit-1": 4, "hit-2": 8,
                 "wild": 4, "attack-attack": 4},
    "classic": {"numbers": 76, "draw-two": 8, "reverse": 8, "skip": 8, "wild": 4,
                "wild-draw-four": 4},
    "classic-2018": {"numbers": 76, "draw-two": 8, "reverse": 8, "skip": 8, "wild": 4,
                     "wild-draw-four": 4, "shuffle-hands": 1, "customizable": 3},
}  # fmt: skip
TOTALS = {"extreme": 112, "original": 112, "mega-hit": 112, "classic": 108, "classic-2018": 112}
POINTS = {
    "extreme": {"red 9": 9, "skip": 20, "reverse": 20, "hit-2": 20, "discard-all": 30, "wild": 50,
                "extreme-hit": 50},
    "original": {"trade-hands": 30, "all-hit": 50, "hit-fire": 50, "discard-all": 30},
    "classic": {"red 0": 0, "draw-two": 20, "wild": 50, "wild-draw-four": 50},
    "classic-2018": {"shuffle-hands": 40, "customizable": 40},
    "all-wild": {"wild": 20, "skip": 50, "double-skip": 50, "reverse": 50, "draw-2": 50,
                 "draw-4": 50, "targeted-draw-2": 50, "forced-swap": 50},
}  # fmt: skip


def test_the_six_editions_come_along() -> None:
    assert edition_names()[0] == DEFAULT_EDITION == "extreme"
    assert set(edition_names()) == {*DECKS, "all-wild"}


@pytest.mark.parametrize("name", DECKS)
def test_decks(name: str) -> None:
    rules = Rules(load_edition(name), {})
    kinds: dict[str, int] = {}
    for card in rules.kinds:
        kind = "numbers" if card.number is not None else card.rank
        kinds[kind] = kinds.get(kind, 0) + (rules.deck[card.name] or 0)
    assert kinds == DECKS[name]
    assert sum(kinds.values()) == rules.total == TOTALS[name]


def test_numbers_of_each_colour() -> None:
    classic, extreme = (Rules(load_edition(name), {}) for name in ("classic", "extreme"))
    assert classic.deck["red 0"] == 1
    assert classic.deck["red 7"] == classic.deck["blue 9"] == 2
    assert extreme.card("red 0") is None
    assert extreme.deck["green 1"] == 2


def test_the_split_of_all_wild_is_unknown_and_can_be_entered() -> None:
    edition = load_edition("all-wild")
    assert set(Rules(edition, {}).deck.values()) == {None}
    entered = Rules(edition, {}, {"wild": 30, "skip": 10})
    assert entered.deck["wild"] == 30
    assert entered.deck["skip"] == 10
    assert entered.deck["reverse"] is None


@pytest.mark.parametrize("name", POINTS)
def test_points(name: str) -> None:
    rules = Rules(load_edition(name), {})
    for card, points in POINTS[name].items():
        found = rules.card(card) or rules.card(f"red {card}")
        assert found is not None
        assert found.points == points, card


def test_hands_counted_by_edition() -> None:
    def count(name: str, *cards: str) -> int:
        rules = Rules(load_edition(name), {})
        return sum(card.points for card in map(rules.card, cards) if card)

    assert count("original", "red 9", "red reverse", "red discard-all", "hit-fire") == 109
    assert count("classic", "red 7", "red draw-two", "wild", "wild-draw-four") == 127


@pytest.mark.parametrize("name", [*DECKS, "all-wild"])
def test_every_option_has_a_reason_and_a_name_in_both_languages(name: str) -> None:
    edition = load_edition(name)
    said = [edition.title, *(card.label for card in edition.cards.values() if card.label)]
    for option in edition.options.values():
        said += [option.why, option.label]
        assert option.default in (option.values or [option.default])
    for text in said:
        assert isinstance(text, dict)
        assert set(text) == {"en", "da"}
        assert all(text.values())


@pytest.mark.parametrize("name", [*DECKS, "all-wild"])
def test_every_value_of_every_option_makes_rules(name: str) -> None:
    edition = load_edition(name)
    for key, option in edition.options.items():
        for value in list(option.values) or stands_for(option):
            assert Rules(edition, {key: value}).options[key] == value


OWN = """
based_on = "classic"
without = ["cards.wild-draw-four"]
title = "Our deck"
total = 112

[cards.wild-hit-4]
label = "Wild Hit 4"
wild = true
count = 8
points = 40
presses = 4
skips = 1

[options.uno]
default = 4
"""


def test_a_users_own_edition(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(OWN)
    edition = load_edition(path)
    rules = Rules(edition, {})
    assert edition.name == str(path)
    assert rules.card("wild-draw-four") is None
    assert rules.card("wild-hit-4").points == 40  # type: ignore[union-attr]
    assert rules.uno == 4
    assert edition.options["uno"].max == 10


HIT_4 = """
based_on = "extreme"
title = "With Hit 4"
total = 120

[cards.hit-4]
label = "Hit 4"
each = 1
points = 40
presses = 4
skips = 1

[cards.wild-hit-4]
label = "Wild Hit 4"
wild = true
count = 4
points = 40
presses = 4
skips = 1
"""


@pytest.mark.parametrize(("card", "colour"), [("red hit-4", None), ("wild-hit-4", "blue")])
def test_hit_4_and_wild_hit_4_of_older_printings(
    tmp_path: Path, card: str, colour: str | None
) -> None:
    path = tmp_path / "hit4.toml"
    path.write_text(HIT_4)
    edition = load_edition(path)
    game = apply(new_game({"hit4": edition}), Start("hit4", ("A", "B", "C"), "C", first="red 5"))
    assert isinstance(game, Game)
    hit = apply(game, Lay("A", card, colour))
    assert isinstance(hit, Game)
    (owed,) = hit.state.owed
    assert (owed.by, owed.count, owed.cards) == (1, 4, False)
    assert hit.state.turn == 2
    assert Rules(edition, {}).cards[card].points == 40


def test_an_edition_may_be_based_on_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(OWN)
    path = tmp_path / "other.toml"
    path.write_text('based_on = "ours.toml"\ntitle = "Other"\n[cards.wild-hit-4]\npoints = 50\n')
    assert Rules(load_edition(path), {}).card("wild-hit-4").points == 50  # type: ignore[union-attr]


WRONG = [
    ("total = 100", "total: 100, but the cards add up to 108"),
    ('[cards.wild]\ncount = "many"', "cards.wild: count"),
    ("[cards.wild]\ncount = 0", "cards.wild.count: must be 1 or more, found 0"),
    ("[cards.wild]\neach = 2", "cards.wild.each: is for coloured cards"),
    ("[cards.skip]\ncount = 2", "cards.skip.count: is for wild cards"),
    ("[cards.skip]\npints = 2", "did you mean 'points'?"),
    ('[cards.skip]\npoints = "face"', 'cards.skip.points: "face" is for numbers'),
    ('[cards.skip]\npoints = "@gone"', "there is no option 'gone'"),
    ("[cards.skip]\npoints = -5", "must be from 0 to 500, found -5"),
    ("[cards.skip]\npresses = 50", "must be from 0 to 20, found 50"),
    ('[cards.skip]\nwho = "all"', "cards.skip: who"),
    ('[cards.skip]\nfirst = "again"', "'again' is none of none, effect"),
    ('[cards.skip]\npresser = "dealer"', "'dealer' is none of taker, layer"),
    ('[cards.skip]\nuntil = "cards"', "cards.skip.presses: is missing"),
    ('[cards.skip]\nalso = ["wild"]', "is also a name of"),
    ('[cards.skip]\nalso = ["Big Skip"]', "names are in small letters"),
    ('[cards.skip]\nalso = ["red"]', "is the name of a colour"),
    ("[cards.wild]\ndiscards = true", "has no colour to discard"),
    ('[cards.7]\nonly_with = "uno"', "option 'uno' must be true or false"),
    ('[cards.7]\nonly_with = "gone"', "there is no option 'gone'"),
    ('colours = ["red", "red", "green", "blue"]', "the same colour stands twice"),
    ("colours = []", "has only wild cards"),
    ("players = [1, 10]", "players: must be from 2 to 10"),
    ("players = [2, 30]", "players: must be from 2 to 10"),
    ("hand = 12", "need more than the deck has"),
    ("[options.uno]\ndefault = 11", "11 is not possible; there is 0–10"),
    ("[options.uno]\ndefault = true", "must be a number, found True"),
    ('[options.scoring]\ndefault = "most"', "there is winner, own"),
    ('[options.scoring]\nvalues = ["winner", "luck"]', "'luck' is not known"),
    ("[options.hurry]\ndefault = true\nwhy = 'x'", "options.hurry: no card uses it"),
    ("[options.limit]\nwhy = 3", "options.limit: why"),
    ('draws = "nothing"', "draws"),
    ("[cards.wild]\nbars = true\npresses = 1", "only a named player can be barred"),
    ('without = ["cards.joker"]', "the base has no 'cards.joker'"),
    ("not toml", "is not valid TOML"),
]


@pytest.mark.parametrize(("lines", "said"), WRONG)
def test_what_is_wrong_is_said(tmp_path: Path, lines: str, said: str) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(f'based_on = "classic"\ntitle = "Ours"\n{lines}\n')
    with pytest.raises(ConfigurationError) as caught:
        load_edition(path)
    assert said in str(caught.value)
    assert "ours.toml" in str(caught.value)


def test_all_flaws_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(
        'based_on = "classic"\ntotal = 5\n[cards.skip]\npresses = 99\n[cards.wild]\npoints = 9999\n'
    )
    with pytest.raises(ConfigurationError) as caught:
        load_edition(path)
    assert len(caught.value.problems) >= 3


def test_names_that_are_no_editions(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not an edition; there are extreme"):
        load_edition("exstreme")
    with pytest.raises(ConfigurationError, match="no such file"):
        load_edition(tmp_path / "gone.toml")
    circle = tmp_path / "circle.toml"
    circle.write_text('based_on = "circle.toml"\n')
    with pytest.raises(ConfigurationError, match="goes round in a circle"):
        load_edition(circle)
