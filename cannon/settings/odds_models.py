"""Reads odds models from TOML and compiles them for `cannon.core.odds`.

A model is one of those that come along (`cannon/data/odds`), or a user's file by its path. Such a
file says when cards come, in exactly one of three ways, and how many:

    waits = [58, 132, 78]        how often cards come on press 1, 2, 3 since the last cards
    chances = [0.2, 0.5, 0.6]    the chance of cards on press 1, 2, 3; the last one holds on
    sequence = [2, 6, 9]         the presses that give cards, out of `length`, over and over

    [[cards]]                    one table per wait, the last one holds on
    sum_of = [[1, 4], [0, 3]]    the number is a sum of equal chances, here 1 to 4 plus 0 to 3
    weights = { 2 = 32, 3 = 31 } or: 2 cards 32 times as often as a weight of 1
    up_to = 13                   larger numbers are left out
    mean = 4.66                  the law is tilted until its mean is this

Bounds: `max_blanks` and `max_launches` in a row, `max_cards` per launch (more become so many).
Options: `reset_on` for a sequence, `[rapid_presses]`, and `like = "measured"`, which takes all
that the file does not say from a model that comes along.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from cannon.settings.odds_checks import problems_of
from cannon.settings.odds_compiling import compile_model
from cannon.table.edition import Text
from hardware.reading import ConfigurationError, Problem, convert, load_toml

__all__ = ["DEFAULT_ODDS", "OddsModel", "compile_model", "load_odds", "odds_names"]

DEFAULT_ODDS = "measured"
_FOLDER = Path(__file__).parent.parent / "data" / "odds"
_TIMINGS = ("waits", "chances", "sequence")


class CardLaw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many cards a launch has: the keys of a [[cards]] table."""

    sum_of: list[tuple[int, int]] | None = None
    weights: dict[str, float] | None = None
    up_to: int | None = None
    mean: float | None = None


class RapidPresses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What hammering the button does: see `cannon.core.odds.Odds`."""

    within_s: float
    factors: list[float]


class OddsModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model as its file says it, checked. `name` is by default the file's, without .toml."""

    name: str
    title: Text = ""
    about: Text = ""
    waits: list[float] | None = None
    chances: list[float] | None = None
    sequence: list[int] | None = None
    length: int | None = None
    reset_on: list[Literal["lid", "power"]] = []
    max_blanks: int | None = None
    max_launches: int | None = None
    max_cards: int | None = None
    rapid_presses: RapidPresses | None = None
    cards: list[CardLaw] = []


def odds_names() -> list[str]:
    """The models that come along, the default first."""
    names = sorted(path.stem for path in _FOLDER.glob("*.toml"))
    return sorted(names, key=lambda name: name != DEFAULT_ODDS)


def load_odds(name_or_path: str | Path) -> OddsModel:
    """The model that comes along under this name, or the one in the user's file at this path.

    Raises ConfigurationError with everything that is wrong with it.
    """
    path = _place(str(name_or_path))
    return _checked(_with_parent(load_toml(path), str(path)), path)


def _place(text: str) -> Path:
    if text in odds_names():
        return _FOLDER / f"{text}.toml"
    if text.endswith(".toml") or "/" in text:
        return Path(text)
    fix = f"known: {', '.join(odds_names())}; or the path of a file of your own, ending in .toml"
    raise ConfigurationError([Problem("odds", f"there is no model {text!r}", fix)])


def _with_parent(data: dict[str, Any], where: str) -> dict[str, Any]:
    """`data` with what it does not say itself taken from the model it is `like`."""
    data = dict(data)
    parent = data.pop("like", None)
    if parent is None:
        return data
    if parent not in odds_names():
        what = f"there is no model {parent!r} among those that come along"
        fix = f"known: {', '.join(odds_names())}"
        raise ConfigurationError([Problem(f"{where}: like", what, fix)])
    inherited = _with_parent(load_toml(_FOLDER / f"{parent}.toml"), parent)
    for key in ("title", "about"):
        inherited.pop(key, None)
    if any(key in data for key in _TIMINGS):
        for key in (*_TIMINGS, "length", "reset_on"):
            inherited.pop(key, None)
    return inherited | data


def _checked(data: dict[str, Any], path: Path) -> OddsModel:
    """`data` as a model. What a value must be is checked before what the values mean together."""
    where = str(path)
    tables = data.get("cards")
    problems: list[Problem] = []
    laws: list[CardLaw] = []
    if isinstance(tables, list):
        data = {**data, "cards": []}
        for number, table in enumerate(tables, start=1):
            with _collecting(problems):
                laws.append(convert(table, CardLaw, f"{where}: cards {number}"))
    with _collecting(problems):
        model = convert({"name": path.stem, **data}, OddsModel, where)
    if not problems:
        model = msgspec.structs.replace(model, cards=laws)
        problems = problems_of(model, where)
    if problems:
        raise ConfigurationError(problems)
    return model


@contextmanager
def _collecting(problems: list[Problem]) -> Iterator[None]:
    try:
        yield
    except ConfigurationError as error:
        problems += error.problems
