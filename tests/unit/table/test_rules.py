"""The rules as data: each case in `rules/*.toml` is some actions and what must hold after them.

A file names its `edition`. Each rule has its name and its `cases`. A case has
    n        players A, B, C … (3 by default); the last one deals, so A begins
    right    play goes to the right, and A begins (after a Reverse)
    first    the first card ("red 5" by default, "wild" in all-wild; "none" = not turned up yet)
    options  options of the game, over those of the rule
    start    a whole start instead of the above, or "none"
    do       what happens, separated by semicolons, see `actions_of`; or a list of that and JSON
and what must hold in the end: any of
    refused  the code with which the last action was refused (all others must not be)
    turn, phase, colour, direction, launcher, pile, uno ("" = none, "?" = unknown)
    owed     ["B 2", "A 2 for B", "B 4 cards", "B 1 until cards"]
    hands    "A6 B7 C?"; scores likewise
    players, winners, notes
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cannon.settings.editions import all_editions
from cannon.table.actions import from_object
from cannon.table.history import Game, apply, new_game
from cannon.table.scoring import winners
from cannon.table.state import Refusal
from cannon.table.view import as_object

FOLDER = Path(__file__).parent / "rules"
EDITIONS = all_editions()
FIELDS = {
    "first": ["card"], "press": ["by"], "keep": ["by"], "colour": ["by", "colour"],
    "draw": ["by", "cards"], "jam": ["cards"], "empty": [], "refill": ["cards"],
    "taken": ["cards"], "appeared": [], "waive": ["by"], "uno": ["by"], "catch": ["by", "player"],
    "advice": ["by"], "wrong": ["by"], "penalty": ["by", "presses"],
    "challenge": ["by", "verdict"], "hand": ["by", "cards"], "won": ["by"], "next": ["dealer"],
    "leave": ["by", "owed"], "take-over": ["by", "name"], "end": [], "undo": [], "redo": [],
}  # fmt: skip


def cases() -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text())
        for rule in data["rules"]:
            for number, case in enumerate(rule["cases"], 1):
                options = {**rule.get("options", {}), **case.get("options", {})}
                whole = {**case, "edition": data["edition"], "options": options}
                name = f"{data['edition']}: {rule['rule']} ({number})"
                yield pytest.param(whole, id=name)


def test_there_are_enough_cases_and_each_expects_something() -> None:
    found = list(cases())
    assert len(found) >= 150
    assert len({case.id for case in found}) == len(found)
    set_up = {"n", "right", "first", "options", "start", "do", "edition"}
    for case in found:
        assert set(case.values[0]) - set_up, case.id


@pytest.mark.parametrize("case", list(cases()))
def test_rule(case: dict[str, Any]) -> None:
    game, refusal = played(case)
    if "refused" in case:
        assert refusal is not None, as_object(game.state)
        assert refusal.code == case["refused"]
    else:
        assert refusal is None
    shown = {key: value for key, value in seen(game).items() if key in case}
    wanted = {key: case[key] for key in shown}
    assert shown == wanted


def played(case: dict[str, Any]) -> tuple[Game, Refusal | None]:
    game, refusal = new_game(EDITIONS), None
    for action in [*beginning(case), *actions_of(case.get("do", []))]:
        assert refusal is None, (refusal, "before", action)
        result = apply(game, from_object(action))
        if isinstance(result, Refusal):
            refusal = result
        else:
            game = result
    return game, refusal


def beginning(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = list("ABCDEFGHIJ"[: case.get("n", 3)])
    edition, start = case["edition"], case.get("start")
    if start == "none":
        return
    if start is not None:
        yield {"do": "start", "edition": edition, "players": names, **start}
        return
    symbols = edition != "all-wild"
    first = case.get("first", "red 5" if symbols else "wild")
    if case.get("right") and symbols:
        first = "red reverse"
    dealer = "A" if case.get("right") else names[-1]
    begun = {"do": "start", "edition": edition, "players": names, "dealer": dealer}
    yield {**begun, "options": case["options"], **({} if first == "none" else {"first": first})}
    if case.get("right") and not symbols:
        yield {"do": "lay", "by": "B", "card": "reverse"}


def actions_of(do: str | list[Any]) -> Iterator[dict[str, Any]]:
    """`A red 7`: A lays it, with `=blue` `>B` `&2` (cards along) `!` (last) `~` (not the last).

    `A play …` lays the card just drawn, `A jump …` jumps in. Else the name of an action and its
    fields in the order of `FIELDS`.
    """
    for part in [do] if isinstance(do, str) else do:
        if isinstance(part, dict):
            yield part
        else:
            yield from (action_of(text.strip()) for text in part.split(";"))


def action_of(text: str) -> dict[str, Any]:
    first, *rest = text.split(" ")
    if first == "pressed":
        cards = "unknown" if rest[0] == "?" else int(rest[0])
        return {"do": "pressed", "cards": cards, **({"by": rest[2]} if len(rest) > 1 else {})}
    if first == "count":
        by, what = rest[0], " ".join(rest[1:])
        field = {"points": int(what)} if what.isdecimal() else {"cards": what.split(", ")}
        return {"do": "count", "by": by, **field}
    if first == "join":
        return {"do": "join", "name": rest[0], **({"after": rest[2]} if len(rest) > 1 else {})}
    if first in FIELDS:
        if first == "first":
            rest = [" ".join(rest)]
        values = [int(word) if word.isdecimal() else word for word in rest]
        return {"do": first, **dict(zip(FIELDS[first], values, strict=False))}
    return laid(first, rest)


def laid(by: str, words: list[str]) -> dict[str, Any]:
    does = {"play": "play", "jump": "jump-in"}.get(words[0], "lay")
    action: dict[str, Any] = {"do": does, "by": by}
    card = []
    for word in words[does != "lay" :]:
        if word[:1] == "=":
            action["colour"] = word[1:]
        elif word[:1] == ">":
            action["player"] = word[1:]
        elif word[:1] == "&":
            action["with"] = int(word[1:])
        elif word in ("!", "~"):
            action["last"] = word == "!"
        else:
            card.append(word)
    return {**action, "card": " ".join(card)}


def seen(game: Game) -> dict[str, Any]:
    state, shown = game.state, as_object(game.state)
    return {
        "turn": shown["turn"] or "",
        "phase": shown["phase"],
        "colour": shown["colour"] or "",
        "direction": shown["direction"],
        "launcher": unknown(shown["launcher_cards"]),
        "pile": unknown(state.pile),
        "uno": json.dumps(shown["uno_window"]).strip('"').replace("null", ""),
        "owed": [owed_text(owed) for owed in shown["owed"]],
        "hands": pairs(shown["hands_known"]),
        "scores": pairs(shown["scores"]),
        "players": list(state.ring),
        "winners": list(winners(state)),
        "notes": [note.code for note in state.notes],
    }


def owed_text(owed: dict[str, Any]) -> str:
    text = f"{owed['by']} {owed['presses']}"
    if owed["takes"] != owed["by"]:
        text += f" for {owed['takes']}"
    if "cards" in owed:
        assert owed["cards"] == owed["presses"]
        text += " cards"
    return text + (f" until {owed['until']}" if "until" in owed else "")


def pairs(numbers: dict[str, int | None]) -> str:
    return " ".join(f"{name}{unknown(number)}" for name, number in numbers.items())


def unknown(number: int | None) -> int | str:
    return "?" if number is None else number
