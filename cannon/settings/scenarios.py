"""Finds and reads the files of scenarios: those that come along, and a user's own by its path.

What stands in them is understood by `cannon.twin.scenario`.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import NamedTuple

from hardware.reading import ConfigurationError, Problem

_FOLDER = Path(__file__).parent.parent / "data" / "scenarios"
_ENDING = ".txt"


class ScenarioFile(NamedTuple):
    """The text of a scenario, and where it stands."""

    path: Path
    text: str


def scenario_names() -> list[str]:
    """The scenarios that come along, sorted."""
    return sorted(path.stem for path in _FOLDER.glob(f"*{_ENDING}"))


def scenario_file(name_or_path: str) -> ScenarioFile:
    """The scenario of that name, or in the file at that path (ends in .txt or holds a slash).

    Raises ConfigurationError: no such scenario, or a file that cannot be read.
    """
    path = _find(name_or_path)
    try:
        return ScenarioFile(path, path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError([Problem(str(path), "no such file")]) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise ConfigurationError([Problem(str(path), f"cannot be read: {reason}")]) from error


def _find(name_or_path: str) -> Path:
    if name_or_path.endswith(_ENDING) or "/" in name_or_path:
        return Path(name_or_path)
    known = scenario_names()
    if name_or_path in known:
        return _FOLDER / f"{name_or_path}{_ENDING}"
    close = difflib.get_close_matches(name_or_path, known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    fix = f"{hint}known: {', '.join(known)}; or the path of a {_ENDING} file"
    raise ConfigurationError([Problem(f"scenario {name_or_path!r}", "there is none", fix)])
