"""Builds that must not be built: refused by the checks, shown failing by the simulation."""

from __future__ import annotations

from pathlib import Path

from hardware.board import Board
from hardware.reading import read

WRONG = ("motor-on-pi-5v",)


def wrong_board(name: str) -> Board:
    """A wrong build, read without the checks that would refuse it."""
    return read(Path(__file__).parent / f"{name}.toml", Board)
