"""When a noisy two-level input has really changed: one rule for button, lid and exit sensor.

Pure, and written in the subset of Python that MicroPython runs too, so that the Raspberry Pi and
the microcontroller judge an edge alike. Times and durations are numbers in one unit of the
caller's choice (the Pi uses seconds, the microcontroller milliseconds) on a clock that never goes
back.
"""


class Settled:
    """The settled level of an input, derived from its raw edges.

    A level is taken once it has stood for `rise` (to active) or `fall` (to inactive) without an
    edge; after a change was taken, none is taken for `lock`. So a spike shorter than `rise` is
    nothing, and a contact that chatters for less than `lock` changes once.

    `level` is the settled level, `changed_at` the time from which it counts, `raw` and `since`
    the last raw level and the time of its edge.
    """

    def __init__(self, rise: float, fall: float, lock: float, level: bool, now: float) -> None:
        self.rise = rise
        self.fall = fall
        self.lock = lock
        self.level = level
        self.changed_at = now
        self.raw = level
        self.since = now
        self.locked_until = now

    def edge(self, raw: bool, at: float) -> bool:
        """Takes a raw edge that happened at `at`. True if `level` changed before it did."""
        if raw == self.raw:
            return False
        if at < self.since:
            at = self.since
        changed = self.tick(at)
        self.raw = raw
        self.since = at
        return changed

    def tick(self, now: float) -> bool:
        """Lets time pass to `now`. True if `level` changed."""
        if self.raw == self.level:
            return False
        due = self.deadline
        if due is None or now < due:
            return False
        self.changed_at = due
        self.level = self.raw
        self.locked_until = self.changed_at + self.lock
        return True

    @property
    def deadline(self) -> float | None:
        """The time at which the raw level will be taken, if no edge comes; None if it has been."""
        if self.raw == self.level:
            return None
        due = self.since + (self.rise if self.raw else self.fall)
        return due if due > self.locked_until else self.locked_until
