"""For tests of the checks: a board that comes with the project, with something changed."""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec

from hardware import Board, check_board
from hardware.loading import BOARDS

Change = dict[str, Any]
"""Dotted place in the board's file -> new value; None takes it away."""


def raw(name: str) -> dict[str, Any]:
    return tomllib.loads((BOARDS / f"{name}.toml").read_text(encoding="utf-8"))


def changed(name: str, change: Change) -> Board:
    data = raw(name)
    for place, value in change.items():
        table = data
        *way, last = place.split(".")
        for step in way:
            table = table.setdefault(step, {})
        if value is None:
            del table[last]
        else:
            table[last] = value
    return msgspec.convert(data, Board)


def rewired(name: str, section: str, old: str, *new: str) -> Change:
    """The change that replaces the wire "A B" by others ("C D") of that section."""
    wires = raw(name)["wiring"][section]["wires"]
    kept = [wire for wire in wires if wire[:2] != old.split()]
    assert len(kept) == len(wires) - 1, f"no wire {old!r} in section {section} of {name}"
    return {f"wiring.{section}.wires": kept + [[*wire.split(), "red"] for wire in new]}


def sentences(board: Board) -> list[str]:
    return [str(problem) for problem in check_board(board)]
