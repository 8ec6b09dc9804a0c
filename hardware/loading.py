"""Finds a board by name or path, reads it and refuses it when a check finds a fault."""

from __future__ import annotations

import difflib
from pathlib import Path

from hardware.board import Board
from hardware.checks import check_board
from hardware.reading import ConfigurationError, Problem, read

BOARDS = Path(__file__).parent / "boards"


def board_names() -> list[str]:
    """The names of the boards that come with the project, sorted."""
    return sorted(path.stem for path in BOARDS.glob("*.toml"))


def load_board(name_or_path: str) -> Board:
    """The board of that name, or in the file at that path (ends in .toml or holds a slash).

    Raises ConfigurationError: no such board, or everything that is wrong with its file.
    """
    path = board_path(name_or_path)
    board = read(path, Board)
    problems = check_board(board)
    if problems:
        raise ConfigurationError(
            [problem._replace(where=f"{path}: {problem.where}") for problem in problems]
        )
    return board


def board_path(name_or_path: str) -> Path:
    """The file of a board by name, or that path. Raises ConfigurationError for an unknown name."""
    if name_or_path.endswith(".toml") or "/" in name_or_path:
        return Path(name_or_path)
    known = board_names()
    if name_or_path in known:
        return BOARDS / f"{name_or_path}.toml"
    close = difflib.get_close_matches(name_or_path, known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    fix = f"{hint}known boards: {', '.join(known)}; or give the path of a .toml file"
    raise ConfigurationError([Problem(f"board {name_or_path!r}", "there is no such board", fix)])
