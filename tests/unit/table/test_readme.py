"""The README of the table names every card, action and phase, and its example is an edition."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import cannon.table
from cannon.settings.editions import all_editions, load_edition
from cannon.table import state
from cannon.table.actions import Action
from cannon.table.edition import CardSpec
from cannon.table.rules import Rules
from cannon.table.view import as_object

README = (Path(cannon.table.__file__).parent / "README.md").read_text()
PROSE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
NAMED = set(re.findall(r"`([^`]+)`", PROSE))


def test_every_card_is_named() -> None:
    for edition in all_editions().values():
        for card in Rules(edition, {}).kinds:
            if card.number is None:
                assert card.rank in NAMED, (edition.name, card.rank)


def test_every_action_is_named_with_its_fields() -> None:
    section = README.partition("## Actions")[2].partition("\n## ")[0].splitlines()
    rows = {row.split("|")[1].strip(): row for row in section if row.startswith("| `")}
    for action in get_args(Action):
        tag = action.__struct_config__.tag
        row = next(text for key, text in rows.items() if f"`{tag}`" in key)
        if tag != "play":  # "as `lay`"
            for name in action.__struct_encode_fields__:
                assert f"`{name}`" in row, (tag, name)


def test_every_phase_and_key_is_named() -> None:
    phases = [
        *("turn", "drawn", "colour", "owed", "refill", "final_penalty"),
        *(state.SETUP, state.DEALING, state.FIRST_CARD, state.COUNTING, state.ROUND_OVER),
        *(state.GAME_OVER, state.ENDED),
    ]
    assert set(phases) <= NAMED
    assert set(as_object(state.State(editions={}))) <= NAMED
    assert {*state.PENALTIES, state.CHOICE, state.DEAL} <= NAMED


def test_everything_that_a_card_can_do_is_told() -> None:
    told_above = {"ranks", "also", "label", "each", "count", "wild"}
    assert set(CardSpec.__struct_fields__) - told_above <= NAMED


def test_the_example_is_an_edition(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "ours.toml"
    path.write_text(example)
    rules = Rules(load_edition(path), {})
    assert sum(count or 0 for count in rules.deck.values()) == 108
    assert rules.uno == 4
