"""Every action can be put into words, whatever of it was left out, in every language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from cannon.settings.texts import Texts, languages
from cannon.table import actions
from cannon.table.actions import Move, NotAnAction, from_object
from cannon.table.history import Game, apply, new_game
from cannon.table.state import State
from cannon.web.did import action_words
from tests.web.tools import EDITIONS

VALUES: dict[str, tuple[Any, ...]] = {
    "by": ("A",),
    "player": ("B",),
    "name": ("C",),
    "after": ("A",),
    "dealer": ("A",),
    "card": ("red 7", "no such card"),
    "first": ("red 7",),
    "colour": ("red",),
    "last": (True,),
    "with": (2, ("red 3",)),
    "cards": (0, 1, 5, "unknown", None, ("red 7", "wild")),
    "from": ("hand", "launcher"),
    "presses": (1, 3),
    "verdict": ("guilty", "innocent"),
    "hand": (("red 7",), ()),
    "points": (0, 40),
    "owed": ("waive", "hand-on"),
    "edition": ("extreme",),
    "players": (("A", "B"),),
    "draws": ({"A": "red 7"},),
    "options": ({"limit": 300},),
    "deck": ({"7": 2},),
}
LEFT_OUT = object()
RAW = ("unknown cards", "guilty", "innocent", "None", "{", "}", "hand-on", "()")


def all_of(kind: type[Any]) -> Iterator[actions.Action]:
    """An action of that kind with each of its fields there and left out."""
    fields = msgspec.structs.fields(kind)
    choices = [VALUES[f.encode_name] + (() if f.required else (LEFT_OUT,)) for f in fields]
    for values in product(*choices):
        given = {
            f.encode_name: value
            for f, value in zip(fields, values, strict=True)
            if value is not LEFT_OUT
        }
        try:
            yield from_object({"do": kind.__struct_config__.tag, **given})
        except NotAnAction:
            continue  # a value of another kind's field


def played(*done: dict[str, Any]) -> State:
    game = new_game(EDITIONS)
    for action in done:
        after = apply(game, from_object(action))
        assert isinstance(after, Game), after
        game = after
    return game.state


def states() -> list[State]:
    """Before a game, in play, with UNO open, with a hit."""
    start = {"do": "start", "edition": "extreme", "players": ["A", "B", "C"], "dealer": "C"}
    playing = played(start, {"do": "first", "card": "red 5"})
    hit = played(
        start, {"do": "first", "card": "red 5"}, {"do": "lay", "by": "A", "card": "red hit-2"}
    )
    return [played(), playing, replace(playing, open=(1,)), hit]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("kind", get_args(Move), ids=lambda kind: kind.__struct_config__.tag)
def test_every_action_has_words(kind: type[Any], language: str) -> None:
    found = list(all_of(kind))
    assert found
    for action in found:
        for state in states():
            words = action_words(action, state, Texts(language))
            assert words == " ".join(words.split())
            assert words
            assert not [raw for raw in RAW if raw in words], (action, words)
