"""What will happen, in order of time: a small calendar for virtual time."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

Action = Callable[[], None]


class Agenda:
    """Actions at times. Those of one time happen in the order in which they were put in."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, Action]] = []
        self._numbers = count()

    def at(self, time: float, action: Action) -> None:
        """Puts in `action` for `time`."""
        heapq.heappush(self._entries, (time, next(self._numbers), action))

    @property
    def next_at(self) -> float | None:
        """The time of the next action."""
        return self._entries[0][0] if self._entries else None

    def do_next(self) -> None:
        """Does the next action."""
        heapq.heappop(self._entries)[2]()
