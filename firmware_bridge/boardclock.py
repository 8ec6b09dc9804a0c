"""Where an instant of the board's clock lies on the host's clock."""

from __future__ import annotations

WRAP_MS = 1 << 32
KEEP_S = 10.0  # a good sample serves that long: crystals drift apart by less than 1 ms in it


class BoardClock:
    """Compares the clocks by round trips: the board's answer fell between sending and receiving.

    The quickest round trip of the last seconds decides, as it leaves the least doubt. Host times
    are monotonic seconds; the board's are milliseconds that wrap at 2**32.
    """

    def __init__(self) -> None:
        self.round_trip_s: float | None = None  # of the sample in use
        self._sampled_at = 0.0
        self._board_ms = 0  # in the sample, and the host's time for it
        self._host_s = 0.0

    def sample(self, board_ms: int, sent: float, received: float) -> None:
        """A round trip: the board's clock read `board_ms` between `sent` and `received`."""
        took = received - sent
        best = self.round_trip_s
        if best is None or took <= best or received - self._sampled_at > KEEP_S:
            self.round_trip_s = took
            self._sampled_at = received
            self._board_ms = board_ms
            self._host_s = (sent + received) / 2

    def host(self, board_ms: int, now: float) -> float:
        """The host's time for the board's `board_ms`; never later than `now`."""
        if self.round_trip_s is None:
            return now
        apart = (board_ms - self._board_ms + WRAP_MS // 2) % WRAP_MS - WRAP_MS // 2
        return min(now, self._host_s + apart / 1000)
