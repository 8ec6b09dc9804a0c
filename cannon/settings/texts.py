"""The sentences for people, in their language: `cannon/data/texts/LANGUAGE/TOPIC.toml`.

A key is the topic and the names of the tables down to the text, joined by dots:
`texts("table.refused.not_started")`. Places in braces are filled with the values given. A text
that is a table of `one` and `other` is chosen by the value `count`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hardware.reading import ConfigurationError, Problem, load_toml

ENGLISH = "en"
_FOLDER = Path(__file__).parent.parent / "data" / "texts"
_PLURAL = {"one", "other"}

Entry = str | dict[str, str]


class Texts:
    """The texts of one language. What a language lacks is said in English."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._parts: dict[str, Mapping[str, Entry]] = {}

    def __call__(self, key: str, /, **values: object) -> str:
        """The text under `key`, filled in. Raises KeyError if there is none."""
        entry = self._part(key)[key]
        if isinstance(entry, dict):
            entry = entry["one" if values.get("count") == 1 else "other"]
        return entry.format_map(values)

    def keys(self, prefix: str) -> list[str]:
        """The keys that begin with `prefix`."""
        return [key for key in self._part(prefix) if key.startswith(prefix)]

    def __contains__(self, key: str) -> bool:
        return key in self._part(key)

    def _part(self, key: str) -> Mapping[str, Entry]:
        """The texts of the file that `key` begins with; read when it is first needed."""
        name = key.partition(".")[0]
        if name not in self._parts:
            self._parts[name] = {**_file(ENGLISH, name), **_file(self.language, name)}
        return self._parts[name]


def texts_for(setting: str | None = None, environment: Mapping[str, str] = os.environ) -> Texts:
    """The texts in the language that is wished for, see `chosen_language`."""
    return Texts(chosen_language(setting, environment))


def languages() -> list[str]:
    return sorted(path.name for path in _FOLDER.iterdir() if path.is_dir())


def chosen_language(setting: str | None = None, environment: Mapping[str, str] = os.environ) -> str:
    """The first wish that is there: CANNON_LANG, the setting, LC_ALL, LANG; else English.

    Raises ConfigurationError if CANNON_LANG or the setting wants a language that there is not.
    """
    known = languages()
    for where, wish in (("CANNON_LANG", environment.get("CANNON_LANG")), ("language", setting)):
        if wish:
            if _code(wish) not in known:
                fix = f"there are {', '.join(known)}"
                raise ConfigurationError([Problem(where, f"no language {wish!r}", fix)])
            return _code(wish)
    # LC_ALL overrides LANG: if it is set, LANG does not count, as everywhere on the system.
    system = environment.get("LC_ALL") or environment.get("LANG") or ""
    return _code(system) if _code(system) in known else ENGLISH


def _code(locale: str) -> str:
    """da of da_DK.UTF-8."""
    return locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()


@cache
def entries(language: str) -> Mapping[str, Entry]:
    """All texts of a language by key; a plural one as a dict."""
    names = sorted(path.stem for path in (_FOLDER / language).glob("*.toml"))
    return {key: entry for name in names for key, entry in _file(language, name).items()}


@cache
def _file(language: str, name: str) -> Mapping[str, Entry]:
    """The texts of one file; none if there is no such file."""
    path = _FOLDER / language / f"{name}.toml"
    return dict(_flattened(load_toml(path), name)) if path.is_file() else {}


def _flattened(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Entry]]:
    for name, value in table.items():
        key = f"{prefix}.{name}"
        if isinstance(value, dict) and set(value) != _PLURAL:
            yield from _flattened(value, key)
        else:
            yield key, value
