"""Reads lines of plain words, such as `wait 1 s`, against patterns, such as `wait {time}`.

A pattern is words and slots; a slot takes one or more words of the line and makes a value of them.
A line that fits no pattern raises `Misread`, which says how far it was understood, what may stand
there, and what was perhaps meant.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0}
REST = 0  # the width of a slot that takes all words that are left, at least one


class Misread(ValueError):
    """`what` is wrong with a line, and how to `fix` it (may be empty)."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


class Slot(NamedTuple):
    """Takes `width` words and makes a value of them; `read` raises ValueError or Misread."""

    width: int
    read: Callable[[list[str]], Any]
    example: str


def one_of(known: Mapping[str, Any] | Iterable[str], example: str) -> Slot:
    """A slot for one word out of `known`; a mapping says what each word stands for."""
    values = known if isinstance(known, Mapping) else {word: word for word in known}

    def read(words: list[str]) -> Any:
        if words[0] in values:
            return values[words[0]]
        raise Misread(f"{words[0]!r} is not known here", _hint(words[0], values))

    return Slot(1, read, example)


def _count(words: list[str]) -> int:
    if not re.fullmatch(r"\d{1,9}", words[0]):
        raise ValueError
    return int(words[0])


def _number(words: list[str]) -> float:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", words[0]):
        raise ValueError
    return float(words[0])


def _time(words: list[str]) -> float:
    return _number(words) * UNITS[words[1]]


def _signed_time(words: list[str]) -> float:
    sign = {"+": 1, "-": -1}[words[0][0]]
    return sign * _time([words[0][1:], words[1]])


def _percent(words: list[str]) -> float:
    if words[1] != "%":
        raise ValueError
    return _number(words) / 100


def _fields(words: list[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    if not all(name and sign for name, sign, _ in pairs):
        raise ValueError
    return {name: value for name, _, value in pairs}


SLOTS = {
    "count": Slot(1, _count, "3"),
    "number": Slot(1, _number, "2.5"),
    "time": Slot(2, _time, "1.5 s"),
    "signed time": Slot(2, _signed_time, "+86400 s"),
    "percent": Slot(2, _percent, "2.2 %"),
    "name": Slot(1, lambda words: words[0], "NAME"),
    "words": Slot(REST, tuple, "WORD ..."),
    "counts": Slot(REST, lambda words: tuple(_count([word]) for word in words), "3 0 5"),
    "fields": Slot(REST, _fields, "key=value ..."),
}


class Pattern:
    """One pattern: its text, and its words and slots."""

    def __init__(self, text: str, slots: Mapping[str, Slot]) -> None:
        self.text = text
        parts = re.findall(r"\{[^}]*\}|\S+", text)
        self.parts = [slots[part[1:-1]] if part[0] == "{" else part for part in parts]

    @property
    def example(self) -> str:
        """The pattern with an example in each slot."""
        return " ".join(part if isinstance(part, str) else part.example for part in self.parts)

    def match(self, words: list[str]) -> tuple[list[Any] | None, int, Slot | str | None]:
        """The values of the slots, or None; how many words fit; what was expected there."""
        at = 0
        values: list[Any] = []
        for part in self.parts:
            if isinstance(part, str):
                if at >= len(words) or words[at] != part:
                    return None, at, part
                at += 1
                continue
            taken = words[at : at + part.width] if part.width else words[at:]
            if not taken or len(taken) < part.width:
                return None, at, part
            try:
                values.append(part.read(taken))
            except (ValueError, KeyError):
                return None, at, part
            at += len(taken)
        return values, at, None


class Language(Generic[T]):
    """Patterns, and what each of them stands for."""

    def __init__(self, meanings: Mapping[str, T], slots: Mapping[str, Slot]) -> None:
        known = {**SLOTS, **slots}
        self._patterns = [(Pattern(text, known), meaning) for text, meaning in meanings.items()]

    def read(self, words: list[str]) -> tuple[T, list[Any]]:
        """What the line stands for, and the values of its slots. Raises Misread."""
        furthest = -1
        expected: list[Slot | str | None] = []
        for pattern, meaning in self._patterns:
            values, at, part = pattern.match(words)
            if values is not None and at == len(words):
                return meaning, values
            if at >= furthest:
                expected = expected if at == furthest else []
                furthest = at
                expected.append(part)
        raise self._misread(words, furthest, expected)

    def read_head(self, words: list[str]) -> tuple[T, list[Any], list[str]]:
        """The same for the beginning of a line; also returns its rest. Raises Misread."""
        for pattern, meaning in self._patterns:
            values, at, _ = pattern.match(words)
            if values is not None:
                return meaning, values, words[at:]
        meaning, values = self.read(words)
        return meaning, values, []

    def _misread(self, words: list[str], at: int, expected: list[Slot | str | None]) -> Misread:
        slots = list(dict.fromkeys(part for part in expected if isinstance(part, Slot)))
        literals = sorted({part for part in expected if isinstance(part, str)})
        nexts = ", ".join([*(slot.example for slot in slots), *literals]) or "nothing more"
        known = f"known after {' '.join(words[:at])!r}: {nexts}" if at else f"known here: {nexts}"
        if at == len(words):
            return Misread(f"{' '.join(words)!r} is cut short", known)
        meant = self._meant(words, at, literals)
        if len(slots) == 1 and not meant:
            return _wrong_value(slots[0], words[at:], nexts)
        hint = f"did you mean {meant!r}? " if meant else ""
        return Misread(f"{words[at]!r} is not known here", hint + known)

    def _meant(self, words: list[str], at: int, literals: list[str]) -> str:
        """The line as it was perhaps meant; empty if nobody knows."""
        close = difflib.get_close_matches(words[at], literals, n=1, cutoff=0.7)
        if close:
            return " ".join([*words[:at], close[0], *words[at + 1 :]])
        if at:
            return ""
        examples = [pattern.example for pattern, _ in self._patterns]
        close = difflib.get_close_matches(" ".join(words), examples, n=1, cutoff=0.7)
        return close[0] if close else ""


def _wrong_value(slot: Slot, words: list[str], known: str) -> Misread:
    taken = words[: slot.width] if slot.width else words
    try:
        slot.read(taken)
    except Misread as error:
        return error
    except (ValueError, KeyError, IndexError):
        pass  # said below
    what = f"{' '.join(taken)!r} cannot stand here"
    return Misread(what, f"right is, for example: {known}")


def _hint(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"known: {', '.join(known)}"
