"""What a check of the doctor is given, and what it finds."""

from __future__ import annotations

from typing import NamedTuple

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


class Finding(NamedTuple):
    """`detail` says what was found; `fix` what to do, as commands that can be pasted."""

    ok: bool
    detail: str
    fix: str = ""


def well(detail: str) -> Finding:
    """All is as it should be."""
    return Finding(True, detail)


def bad(detail: str, fix: str) -> Finding:
    """Something is wrong."""
    return Finding(False, detail, fix)


def not_here(why: str) -> Finding:
    """There is nothing to check on this computer."""
    return Finding(True, f"not here: {why}")


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
