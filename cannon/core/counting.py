"""Counts cards by the edges of the exit sensor.

Pure, and written in the subset of Python that MicroPython runs too. Times are numbers in one unit
of the caller's choice, as in `debounce`.
"""

try:
    from cannon.core.debounce import Settled
except ImportError:  # on the microcontroller all modules lie side by side
    from debounce import Settled  # type: ignore[no-redef,import-not-found]


class CardCounter:
    """One card is one full cycle clear, blocked, clear of the beam, with minimum widths.

    A beam that is blocked when counting begins does not count when it clears: that card was there
    before; neither does one that clears while `reversing`: that card was drawn back in. A blockage
    longer than `double` may have been two cards that touched: it counts as one and is added to
    `suspects`, never silently.
    """

    def __init__(
        self, min_blocked: float, min_clear: float, double: float, blocked: bool, now: float
    ) -> None:
        self.beam = Settled(min_blocked, min_clear, 0, blocked, now)
        self.double = double
        self.residual = blocked
        self.reversing = False
        self.blocked_at = now
        self.cards = 0
        self.suspects = 0
        self.last_width = 0.0

    @property
    def blocked(self) -> bool:
        """Whether something is in the beam, by the settled level."""
        return self.beam.level

    @property
    def changed_at(self) -> float:
        """When the beam last changed, by the settled level."""
        return self.beam.changed_at

    @property
    def deadline(self) -> float | None:
        """When `tick` may have something to say."""
        return self.beam.deadline

    def edge(self, blocked: bool, at: float) -> bool:
        """Takes a raw edge of the sensor. True if a card was counted by it."""
        began = self.beam.since
        return self.beam.edge(blocked, at) and self._changed(began)

    def tick(self, now: float) -> bool:
        """Lets time pass to `now`. True if a card was counted."""
        began = self.beam.since
        return self.beam.tick(now) and self._changed(began)

    def _changed(self, at: float) -> bool:
        if self.beam.level:
            self.blocked_at = at
            return False
        self.last_width = at - self.blocked_at
        if self.residual or self.reversing:
            self.residual = False
            return False
        self.cards += 1
        if self.last_width > self.double:
            self.suspects += 1
        return True
