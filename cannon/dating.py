"""When a launcher was stopped, by the wall clock, for displays: the core has none."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cannon.core.values import Snapshot

if TYPE_CHECKING:
    from cannon.loop import ControlLoop


class Dated:
    """Gives the present state of a loop's controller with `cause_wall_time`, in any thread.

    That is worked out once for each cause, so that it stands still when somebody sets the clock.
    """

    def __init__(self, loop: ControlLoop, wall_clock: Callable[[], float] = time.time) -> None:
        self._loop = loop
        self._wall_clock = wall_clock
        self._dated: tuple[float | None, float] = (None, 0.0)  # the cause's time on both clocks

    def __call__(self) -> Snapshot:
        now = self._loop.controller.snapshot()
        since = now.cause_since
        if since is None or now.cause_wall_time is not None:
            return now
        dated = self._dated
        if dated[0] != since:
            dated = self._dated = since, self._wall_clock() - (self._loop.clock() - since)
        return now._replace(cause_wall_time=dated[1])
