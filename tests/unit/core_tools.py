"""What the tests of the core share: plain values for a plan, and a feed driven in virtual time."""

from cannon.core.counting import CardCounter
from cannon.core.feeding import DONE, FORWARD, OFF, Feed, FeedPlan

TIMES = {
    "spin_up": 0.075,
    "card": 0.085,
    "burst": 0.130,
    "gap": 0.040,
    "stall": 0.400,
    "retries": 2,
    "reverse": 0.150,
    "retract": 0.040,
    "dead": 0.060,
    "settle": 0.120,
    "max_run": 1.5,
    "max_shot": 2.0,
    "per_card": 1.5,
}
ONE_WAY = {"reverse": 0, "retract": 0}
MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S = 0.008, 0.004, 0.150


def plan(**changes):
    return FeedPlan(**TIMES | changes)


class FeedBench:
    """Drives one feed: keeps its motor, ends its runs at their limit, moves cards past the beam.

    `cards` are [(motor time forward until it reaches the beam, until it has passed)], one after
    the other; None for "never". `orders` are all orders as (time, direction, limit).
    """

    def __init__(self, wanted=3, counts=True, cards=(), blocked=False, **times):
        self.plan = plan(**times)
        counter = CardCounter(MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S, blocked, 0.0)
        self.feed = Feed(self.plan, wanted, counter if counts else None)
        self.counts = counts
        self.now = 0.0
        self.orders = []
        self.direction = OFF
        self.forward_s = 0.0
        self.on_s = 0.0
        self._limit_at = None
        self._marks = [(mark, n % 2 == 0) for n, mark in enumerate(sum(cards, ()))]
        self._moved = 0.0

    def begin(self):
        self._take(self.feed.begin(self.now))
        return self

    def beam(self, blocked):
        self._take(self.feed.beam(blocked, self.now, self.now))

    def cut(self):
        """The guard cuts the motor for the lid, and says so."""
        self._turn(OFF, 0)
        self._take(self.feed.hold(self.now))

    def resume(self):
        self._take(self.feed.resume(self.now))

    def ran_out(self):
        self._take(self.feed.ran_out(self.now))

    def stop(self, reason="stop"):
        self._take(self.feed.stop(reason, self.now))

    def tick(self):
        self._take(self.feed.tick(self.now))

    def run(self, for_s=60.0, until=None):
        """Lets time pass, until the feed is done, or `until` is true."""
        end = self.now + for_s
        while self.feed.phase != DONE and not (until and until()):
            due = self._next_due()
            if due is None or due > end:
                self._pass(end - self.now)
                return self
            self._pass(due - self.now)
            self.now = max(self.now, due)
            self._happen()
        return self

    def runs(self):
        """The orders without their times: (direction, limit)."""
        return [(direction, limit) for _, direction, limit in self.orders]

    def check(self):
        """What must be true of every trace of orders."""
        turned, last, off_at = OFF, OFF, 0.0
        for at, direction, limit in self.orders:
            if direction == OFF:
                assert limit == 0
                off_at = at if turned else off_at
                turned, last = OFF, turned or last
                continue
            assert 0 < limit <= self.plan.max_run, (at, direction, limit)
            if last == -direction:
                assert at - off_at >= self.plan.dead - 1e-9, "dead time between directions"
            assert turned in (OFF, direction), "never from one direction into the other"
            turned = last = direction
        if self.feed.phase == DONE:
            assert turned == OFF
            assert self.feed.reason

    def _next_due(self):
        due = [self.feed.deadline, self._limit_at]
        if self._marks and self._marks[0][0] is not None and self.direction == FORWARD:
            due.append(self.now + self._marks[0][0] - self._moved)
        return min((time for time in due if time is not None), default=None)

    def _happen(self):
        if (
            self._marks
            and self._marks[0][0] is not None
            and self._moved >= self._marks[0][0] - 1e-9
        ):
            _, blocked = self._marks.pop(0)
            self.beam(blocked)
            if not blocked:
                self._moved = 0.0
        elif self._limit_at is not None and self.now >= self._limit_at:
            self._turn(OFF, 0)
            self.ran_out()
        else:
            self.tick()

    def _pass(self, for_s):
        for_s = max(0.0, for_s)
        self.now += for_s
        if self.direction:
            self.on_s += for_s
        if self.direction == FORWARD:
            self.forward_s += for_s
            self._moved += for_s

    def _take(self, orders):
        for direction, limit in orders:
            self.orders.append((self.now, direction, limit))
            self._turn(direction, limit)

    def _turn(self, direction, limit):
        self.direction = direction
        self._limit_at = self.now + limit if direction else None
