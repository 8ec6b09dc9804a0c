"""The button that is held down: long enough to acknowledge a fault, or so long that it is stuck."""

from __future__ import annotations


class HeldButton:
    """Measures how long the button is down. Durations in seconds.

    `tick` says "hold" once after `hold_s`, if `press` was told that a hold means something, and
    "stuck" once after `stuck_s`.
    """

    def __init__(self, hold_s: float, stuck_s: float) -> None:
        self._hold_s = hold_s
        self._stuck_s = stuck_s
        self._down_at = 0.0
        self._due: list[tuple[float, str]] = []

    def press(self, now: float, holdable: bool) -> None:
        """The button went down."""
        self._due = [(now + self._stuck_s, "stuck")]
        if holdable:
            self._due.insert(0, (now + self._hold_s, "hold"))

    def release(self) -> None:
        """The button came up."""
        self._due = []

    def tick(self, now: float) -> str | None:
        """What has become due by `now`."""
        if self._due and now >= self._due[0][0]:
            return self._due.pop(0)[1]
        return None

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        return self._due[0][0] if self._due else None
