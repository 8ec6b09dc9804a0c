"""Bounds on what phones may ask: how often, how much, how many at once. Times in seconds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

Clock = Callable[[], float]

BODY_BYTES = 16_384  # a new game with ten players and all options is a quarter of that
BODY_S = 5.0  # a body that takes longer is given up
REQUEST_S = 10.0  # ... and so is a connection without a whole request
SLOW_S = 20.0  # a phone that takes nothing in for so long is cut off
WAITING_BYTES = 32_768  # sent, and not taken in yet
TAP_S = 15.0  # older taps are not done: a phone is up to date by 5 s, and tries for 10 more
CONNECTIONS = 400
STREAMS = 256
REMEMBERED = 2_000  # ids of actions, addresses, phones

READS = (100.0, 400)  # a second, and at once, from one address
WRITES = (15.0, 40)  # a second, and at once, from one phone
ALL_REQUESTS = (600.0, 1_000)  # a second, and at once, from everybody
PIN_TRIES = (1 / 20, 5)  # one in 20 s, five at once, from one phone
ALL_PIN_TRIES = (1 / 10, 10)  # from all phones: a new name is quickly made
REMOTE_PRESSES = (1.0, 1)  # one a second, so that a double tap is one shot


class Bucket:
    """Lets `rate` a second pass, and `burst` at once."""

    __slots__ = ("_at", "_left")

    def __init__(self, burst: float, now: float) -> None:
        self._left = burst
        self._at = now

    def take(self, rate: float, burst: float, now: float) -> bool:
        """Whether one more may pass now."""
        self._left = min(burst, self._left + (now - self._at) * rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Rate:
    """A bucket for each of the last `REMEMBERED` who asked."""

    def __init__(self, limit: tuple[float, float], clock: Clock) -> None:
        self._rate, self._burst = limit
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def allows(self, who: str) -> bool:
        """Whether `who` may pass once more now."""
        now = self._clock()
        bucket = self._buckets.get(who)
        if bucket is None:
            bucket = self._buckets[who] = Bucket(self._burst, now)
            if len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(who)
        return bucket.take(self._rate, self._burst, now)


class Once:
    """Remembers what was answered to the last actions, by their ids."""

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str], tuple[int, bytes]] = OrderedDict()

    def answer(self, phone: str, number: str) -> tuple[int, bytes] | None:
        """The answer that this action of this phone got, if it was here before."""
        return self._answers.get((phone, number))

    def remember(self, phone: str, number: str, answer: tuple[int, bytes]) -> None:
        """Keeps `answer` for the same action coming again."""
        self._answers[phone, number] = answer
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
