"""Reads editions of the game from TOML: those that come along, or a user's own by its path.

A file may begin with `based_on = "classic"` (a name, or a path beside it): it then takes over
everything that it does not say itself, table by table. `without = ["cards.wild"]` leaves out
cards or options of the base. What is in an edition is told in `cannon/table/README.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cannon.table.edition import Edition, flaws
from hardware.reading import ConfigurationError, Problem, convert, load_toml

DEFAULT_EDITION = "extreme"
_FOLDER = Path(__file__).parent.parent / "data" / "editions"
_DEEPEST = 5  # bases of bases; more is a circle


def edition_names() -> list[str]:
    """The editions that come along, the default first."""
    names = sorted(path.stem for path in _FOLDER.glob("*.toml"))
    return sorted(names, key=lambda name: name != DEFAULT_EDITION)


def load_edition(name_or_path: str | Path) -> Edition:
    """The edition, checked. Raises ConfigurationError with everything that is wrong with it."""
    return _load(_found(name_or_path, Path()), str(name_or_path))


def all_editions() -> dict[str, Edition]:
    """The editions that come along, by name."""
    return {name: load_edition(name) for name in edition_names()}


def _load(path: Path, name: str) -> Edition:
    data = _merged(path, _DEEPEST)
    data.setdefault("name", name)
    edition = convert(data, Edition, str(path))
    found = [Problem(f"{path}: {flaw.where}", flaw.what, flaw.fix) for flaw in flaws(edition)]
    if found:
        raise ConfigurationError(found)
    return edition


def _found(name_or_path: str | Path, beside: Path) -> Path:
    shipped = _FOLDER / f"{name_or_path}.toml"
    path = Path(name_or_path)
    if path.suffix != ".toml":
        if path.name == str(name_or_path) and shipped.exists():
            return shipped
        known = ", ".join(edition_names())
        fix = f"there are {known}; a file of your own ends in .toml"
        raise ConfigurationError([Problem(str(name_or_path), "is not an edition", fix)])
    return beside / path


def _merged(path: Path, deepest: int) -> dict[str, Any]:
    data = load_toml(path)
    base, without = data.pop("based_on", None), data.pop("without", [])
    if base is None:
        return data
    if not isinstance(base, str) or not deepest:
        what = "goes round in a circle" if isinstance(base, str) else "must be a name or a path"
        raise ConfigurationError([Problem(f"{path}: based_on", what)])
    under = _merged(_found(base, path.parent), deepest - 1)
    under.pop("name", None)
    for place in without if isinstance(without, list) else [without]:
        table, _, key = str(place).partition(".")
        if under.get(table, {}).pop(key, None) is None:
            what = f"the base has no {place!r}"
            raise ConfigurationError([Problem(f"{path}: without", what)])
    return _over(under, data)


def _over(under: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """`data` laid over `under`: of an entry in a table, only what is said anew is replaced."""
    merged = dict(under)
    for key, value in data.items():
        below = under.get(key)
        tables = isinstance(below, dict) and isinstance(value, dict) and not _is_whole(key)
        merged[key] = _over(dict(below or {}), value) if tables else value
    return merged


def _is_whole(key: str) -> bool:
    """Tables that are one value, so that half of a base's cannot shine through."""
    return key in ("values", "label", "why", "title")
