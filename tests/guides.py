"""What the guides tell people to type, and how it is typed where there is no launcher.

A line that needs a launcher, root or the whole computer is changed as `ADAPTED` says, and in no
other way; everything else is run as it stands.
"""

from __future__ import annotations

import re
from pathlib import Path

from hardware import board_names
from hardware.making import BUILDS

PAGES = [BUILDS.parent / "README.md", *(BUILDS / name / "README.md" for name in board_names())]
ADAPTED: dict[str, tuple[str, ...]] = {
    "check": ("--simulate",),
    "calibrate": ("--simulate",),
    "play": ("--simulate",),
    "flash": ("--into", "onto-the-pico"),
    "install": ("--dry-run", "--user", "root"),
}
"""What is added to our commands: the simulated launcher, a folder in place of a Pico, and a user
who can read the program wherever it lies here."""
FREE_PORT = "127.0.0.1:0"
"""In place of the page's usual port, which another program may have."""


def blocks(page: Path) -> list[str]:
    """All that stands in the page's blocks of commands, line by line."""
    text = re.sub(r"```\w+\n.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    return [line for block in found for line in block.splitlines() if line]


def ours(line: str) -> list[str] | None:
    """The words after `cannon` of a line that calls it, or None."""
    words = line.removeprefix("sudo ").removeprefix(".venv/bin/").split()
    return words[1:] if words and words[0] == "cannon" else None


def adapted(words: list[str]) -> list[str]:
    """The words as they can be run here."""
    here = [FREE_PORT if word == ":8080" else word for word in words]
    return [*here, *ADAPTED.get(words[0], ())]
