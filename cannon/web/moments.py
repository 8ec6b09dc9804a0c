"""When a phone last heard of us, so that what was tapped long ago is not done now.

Every event of the stream has as its id a moment: this run of the server, and its clock. With what
is tapped a phone sends the last one that it had heard, also when it has to send that again. An old
moment, or one of another run, means that the tap was held up on its way: by a phone that slept, or
by a network. Only our own clock is asked, so a phone's may be wrong.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cannon.web.limits import TAP_S, Clock

Moment = Annotated[str, Meta(max_length=40)]


class Moments:
    """Gives moments of the run `run`, and judges those that come back."""

    def __init__(self, run: str, clock: Clock) -> None:
        self._run = run
        self._clock = clock

    def now(self) -> str:
        """The present moment."""
        return f"{self._run}.{self._now_ms()}"

    def is_recent(self, moment: str) -> bool:
        """Whether somebody still waits for what was tapped then."""
        run, _, at_ms = moment.partition(".")
        if run != self._run or not at_ms.isdecimal():
            return False
        return 0 <= self._now_ms() - int(at_ms) <= 1000 * TAP_S

    def _now_ms(self) -> int:
        return int(1000 * self._clock())
