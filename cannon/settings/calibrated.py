"""What `cannon calibrate` has measured, kept beside the journal: one file for each board.

It lies over the [feed] times of the board's file, which stays as it is. The values that were in
force before are kept in it. It is written by the program alone.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import msgspec

from cannon.settings import storage
from hardware.board import Board, FeedTimes
from hardware.checks import check_board
from hardware.reading import ConfigurationError, Problem, convert


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: [feed] holds what is in force, [spread] how it scattered, [before] what was."""

    measured: str
    cards: int
    retries: int
    feed: dict[str, int]
    spread: dict[str, int] = {}
    before: dict[str, int] = {}


def place(folder: Path, board: Board) -> Path:
    """Where the calibration of `board` is."""
    return folder / f"calibration-{board.name}.toml"


def calibrated(board: Board, path: Path) -> Board:
    """`board` with the measured times, if there are any. Raises ConfigurationError."""
    try:
        text = storage.load(path).text
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise ConfigurationError([Problem(str(path), what, f"sudo rm {path}")]) from error
    if text is None:
        return board
    fix = "run cannon calibrate again, or delete the file"
    try:
        data = convert(tomllib.loads(text), Calibration, str(path))
        return with_times(board, data.feed, str(path))
    except ConfigurationError as error:
        raise ConfigurationError([p._replace(fix=p.fix or fix) for p in error.problems]) from None


def with_times(board: Board, feed: dict[str, int], where: str) -> Board:
    """`board` with other times, in ms. Raises ConfigurationError for times that cannot be, or
    that contradict each other or the board."""
    times = {**msgspec.to_builtins(board.feed), **feed}
    changed = msgspec.structs.replace(board, feed=convert(times, FeedTimes, f"{where}: feed"))
    problems = check_board(changed)
    if problems:
        raise ConfigurationError([p._replace(where=f"{where}: {p.where}") for p in problems])
    return changed


def keep(path: Path, calibration: Calibration) -> None:
    """Puts `calibration` in force from the next start on. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    storage.save(path, _text_of(calibration))


def _text_of(calibration: Calibration) -> str:
    lines = ["# Written by cannon calibrate. Times in milliseconds."]
    for name, value in msgspec.to_builtins(calibration).items():
        if isinstance(value, dict):
            lines += ["", f"[{name}]", *(f"{key} = {ms}" for key, ms in value.items())]
        else:
            lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"
