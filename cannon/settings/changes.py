"""The few settings that can be changed on the page. They are kept in a file beside the journal.

That file lies over cannon.toml and under the options of the command line. It is written by the
program alone, so that cannon.toml stays as its owner wrote it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from cannon.settings import storage
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.odds_models import load_odds, odds_names
from hardware.reading import ConfigurationError, Problem, convert

NAME = "changes.toml"
PLACES = {
    "odds": ("odds",),
    "suspense_s": ("play", "suspense_s"),
    "owed": ("play", "owed"),
    "volume": ("sound", "volume"),
}
"""What can be changed, and where it stands in cannon.toml."""


def present(settings: CannonToml) -> dict[str, Any]:
    """The values of what can be changed."""
    values: dict[str, Any] = {}
    for name, place in PLACES.items():
        value: Any = settings
        for step in place:
            value = getattr(value, step)
        values[name] = value
    return values


def changed(settings: CannonToml, values: dict[str, Any], where: str = "page") -> CannonToml:
    """`settings` with `values` put in. Raises ConfigurationError with all that is wrong."""
    data = msgspec.to_builtins(settings)
    for name, value in values.items():
        place = PLACES.get(name)
        if place is None:
            known = ", ".join(PLACES)
            raise _wrong(f"{where}: {name}", "cannot be changed here", f"known: {known}")
        table = data
        for step in place[:-1]:
            table = table[step]
        table[place[-1]] = value
    result = convert(data, CannonToml, where)
    if "odds" in values and result.odds not in odds_names():
        raise _wrong(f"{where}: odds", f"there is no model {result.odds!r}")
    load_odds(result.odds)
    return result


def load_changes(
    settings: CannonToml, path: Path, tell: Callable[[str], None] = lambda code: None
) -> CannonToml:
    """`settings` with what was changed on the page, if anything was.

    `tell` hears "settings_damaged" where the last change was lost, as by a power cut, and the one
    before it, or none, is taken; and "settings_unreadable" where they cannot be read at all.
    """
    try:
        kept = storage.load(path)
    except OSError:
        tell("settings_unreadable")
        return settings
    if kept.damaged:
        tell("settings_damaged")
    if kept.text is None:
        return settings
    try:
        return changed(settings, tomllib.loads(kept.text), str(path))
    except (ConfigurationError, tomllib.TOMLDecodeError) as error:
        problems = error.problems if isinstance(error, ConfigurationError) else []
        fix = "delete the file: what was changed on the page is then undone"
        raise ConfigurationError([*problems, Problem(str(path), "is wrong", fix)]) from None


def save_changes(path: Path, values: dict[str, Any]) -> None:
    """Adds `values` to what was changed before. Raises OSError."""
    kept = tomllib.loads(storage.load(path).text or "")
    kept.update(values)
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in kept.items()]
    storage.save(path, "".join(lines))


def _wrong(where: str, what: str, fix: str = "") -> ConfigurationError:
    return ConfigurationError([Problem(where, what, fix)])
