"""What a check of the doctor is given, and what it finds.

A finding is codes and values. Their words are in `cannon/data/texts/*/doctor.toml`; only commands
that can be pasted stand in the checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from cannon.service.machine import Machine
from hardware.board import Board


class Case(NamedTuple):
    """The patient: the computer, and what its settings say. `board` is None if they are wrong;
    then `wrong_settings` says how. `journal` is the path of the history."""

    machine: Machine
    board: Board | None
    wrong_settings: str
    journal: str

    @property
    def on_a_pi(self) -> bool:
        """Whether this is a Raspberry Pi."""
        return self.model.startswith("Raspberry Pi")

    @property
    def model(self) -> str:
        """What the firmware says this is; "" where it says nothing."""
        return self.machine.text("/proc/device-tree/model") or ""

    @property
    def kernel(self) -> tuple[int, int]:
        """(6, 12) of 6.12.25+rpt-rpi-v8; zeros if not known."""
        release = self.machine.text("/proc/sys/kernel/osrelease") or ""
        numbers = [*release.split("-")[0].split("+")[0].split("."), "0", "0"]
        return (_number(numbers[0]), _number(numbers[1]))

    @property
    def drives_pins(self) -> bool:
        """Whether the launcher hangs on this computer's own pins."""
        return self.board is None or self.board.computer == "pi"

    @property
    def config_txt(self) -> tuple[str, str | None]:
        """Path and content of the firmware's settings."""
        for path in ("/boot/firmware/config.txt", "/boot/config.txt"):
            content = self.machine.text(path)
            if content is not None:
                return path, content
        return "/boot/firmware/config.txt", None


class Said(NamedTuple):
    """A text by its code, with what is filled in: bare values, other texts, or lists of them."""

    code: str
    values: Mapping[str, Value] = MappingProxyType({})


Value = str | int | Said | Sequence["str | Said"]


class Say(Protocol):
    """The texts of a language: the one under a key, filled in."""

    def __call__(self, key: str, /, **values: object) -> str:
        """Raises KeyError where there is none."""


class Finding(NamedTuple):
    """What was found, and what to do: a command that can be pasted, or a text about it. `here`:
    whether this computer has what was to be looked at."""

    ok: bool
    found: Said
    fix: str | Said = ""
    here: bool = True


def said(code: str, /, **values: Value) -> Said:
    """A text, or a part of one."""
    return Said(code, values)


def well(code: str, /, **values: Value) -> Finding:
    """All is as it should be."""
    return Finding(True, Said(code, values))


def bad(code: str, fix: str | Said, /, **values: Value) -> Finding:
    """Something is wrong."""
    return Finding(False, Said(code, values), fix)


def not_here(code: str, /, **values: Value) -> Finding:
    """There is nothing to check on this computer."""
    return Finding(True, Said(code, values), here=False)


def in_words(part: Value, say: Say, kind: str = "said") -> str:
    """A finding, or a part of it, as people read it. `kind` is said or fix."""
    if isinstance(part, Said):
        filled = {name: in_words(value, say) for name, value in part.values.items()}
        return say(f"doctor.{kind}.{part.code}", **filled)
    if isinstance(part, (str, int)):
        return str(part)
    return ", ".join(in_words(one, say) for one in part)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
