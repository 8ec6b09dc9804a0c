"""Boards for the firmware lane; each test gets its own process, and leaves none behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hardware import Board, load_board
from tests.firmware.lane import QUICK, Game, Pico, RawHost, Rig

QUICK_TIMES = {
    "spin_up_ms": 8,
    "card_ms": 13,
    "gap_ms": 6,
    "settle_ms": 20,
    "retract_ms": 6,
    "min_blocked_ms": 3,
    "min_clear_ms": 2,
    "double_ms": 40,
}


def quick_board(name: str = "launcher-pico") -> Board:
    """A board whose mechanism is quick, so that many shots take little time."""
    board = load_board(name)
    motor = msgspec.structs.replace(board.motor, dead_time_ms=20)
    feed = msgspec.structs.replace(board.feed, **QUICK_TIMES)
    return msgspec.structs.replace(board, motor=motor, feed=feed)


@pytest.fixture
def pico(tmp_path: Path) -> Iterator[Callable[..., Pico]]:
    """Makes boards that are switched on."""
    made: list[Pico] = []

    def make(**how: Any) -> Pico:
        made.append(Pico(tmp_path, **how).start())
        return made[-1]

    yield make
    for each in made:
        each.kill()


@pytest.fixture
def raw(pico: Callable[..., Pico]) -> Iterator[Callable[..., RawHost]]:
    """Makes boards with a raw host, which has not said anything yet."""
    made: list[RawHost] = []

    def make(**how: Any) -> RawHost:
        made.append(RawHost(pico(**how)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def rig(pico: Callable[..., Pico]) -> Iterator[Callable[..., Rig]]:
    """Makes boards with a real host link, in stepped time; `up` is not awaited."""
    made: list[Rig] = []

    def make(**how: Any) -> Rig:
        made.append(Rig(pico(**how)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def game(rig: Callable[..., Rig]) -> Callable[..., Game]:
    """Makes boards with the whole program, which is ready for a press."""

    def make(decide: Callable[[int], int] | None = None, **how: Any) -> Game:
        return Game(rig(**how), decide)

    return make


@pytest.fixture
def quick() -> dict[str, Any]:
    """What makes a quick mechanism."""
    return {"board": quick_board(), "physics": QUICK}
