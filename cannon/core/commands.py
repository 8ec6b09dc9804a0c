"""What the controller asks for. Plain values, carried out in order by the loop.

There is no "motor on": a run always carries its own limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

FORWARD = 1
REVERSE = -1


class Run(NamedTuple):
    """Motor in `direction` (FORWARD or REVERSE) at `power` (0..1], for at most `for_s` seconds."""

    direction: int
    power: float
    for_s: float


class Off(NamedTuple):
    """Motor off, now."""


class Feed(NamedTuple):
    """To a launcher that feeds by itself: bring out `cards` cards, by its own plan and limits."""

    cards: int


class Sound(NamedTuple):
    """Play the tune of that name: instead of the one that plays, or `after` it."""

    tune: str
    after: bool = False


class Light(NamedTuple):
    """Show the light pattern of that name until another one is asked for."""

    pattern: str


class Record(NamedTuple):
    """Put this on record. `press` is the number of the press it belongs to, if it does.

    The kinds and their data are listed in `cannon.core.records`.
    """

    kind: str
    data: dict[str, Any]
    press: int | None = None


Command = Run | Off | Feed | Sound | Light | Record
