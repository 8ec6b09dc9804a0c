"""How a shot's cards are fed: when the motor runs, which way, and when it is enough.

Pure, and written in the subset of Python that MicroPython runs too: the Raspberry Pi and the
microcontroller feed by this one file. Times and durations are numbers in one unit of the caller's
choice. Nothing here can run the motor; it only returns orders, each with its own limit.

With an exit sensor the motor runs until the wanted cards are counted and stops shortly after each;
time is only a cap. Without one it runs for the calibrated time, and the count stays unknown.

An order is a tuple (direction, limit): direction FORWARD, OFF or REVERSE, and the longest time the
motor may run for it (0 with OFF).
"""

TYPE_CHECKING = False  # checkers of types take it for true; MicroPython has no typing module
if TYPE_CHECKING:
    from cannon.core.counting import CardCounter

    Order = tuple[int, float]
    Step = tuple[str, int, float]  # phase, direction, time

FORWARD = 1
OFF = 0
REVERSE = -1

# The phases of a feed, in the words of the controller's states.
PUSH = "push"  # motor forward, a card is expected
GAP = "gap"  # short stop between two cards
RECOVER = "recover"  # off, reverse, off, before another try
HELD = "held"  # the motor was cut from outside; waiting for `resume` or `stop`
RETRACT = "retract"  # dead time and short reverse after the last card
SETTLE = "settle"  # motor off, late edges are still counted
DONE = "done"

# Why a feed ended.
ENOUGH = "enough"  # all that was wanted was counted, or the time for it has run
STALLED = "stalled"  # no progress, and the retries are used up
TIMEOUT = "timeout"  # the cap on the whole shot was reached
# Other reasons come in by `stop(reason, now)`: "lid", "fault", "stop", "link" ...


class FeedPlan:
    """The times of a feed, all in one unit. The defaults of a board come from its board file.

    `spin_up` motor start; `card` one card at the sensor; `burst` motor time for one card where
    nothing counts; `gap` stop after each card; `stall` longest time without progress; `retries`
    tries after a stall (at most 2); `reverse` anti-jam reverse and `retract` reverse after the
    last card (both 0 where the motor turns one way only); `dead` motor off between directions;
    `settle` wait for late edges; `max_run` cap of one run; `max_shot` cap of the whole feed, and
    `per_card` what each wanted card adds to it.
    """

    def __init__(
        self,
        spin_up: float,
        card: float,
        burst: float,
        gap: float,
        stall: float,
        retries: int,
        reverse: float,
        retract: float,
        dead: float,
        settle: float,
        max_run: float,
        max_shot: float,
        per_card: float,
    ) -> None:
        self.spin_up = spin_up
        self.card = card
        self.burst = burst
        self.gap = gap
        self.stall = stall
        self.retries = retries
        self.reverse = reverse
        self.retract = retract
        self.dead = dead
        self.settle = settle
        self.max_run = max_run
        self.max_shot = max_shot
        self.per_card = per_card


class Feed:
    """One feed of `wanted` cards (at least 1), counted by `counter`, or by time if it is None.

    `begin`, `beam`, `tick`, `hold`, `resume` and `stop` return the orders for the motor, oldest
    first. `deadline` is when `tick` is due. When `phase` is DONE, `reason` says why it ended.
    """

    def __init__(self, plan: FeedPlan, wanted: int, counter: "CardCounter | None") -> None:
        if wanted < 1:
            raise ValueError("a feed is of at least one card")
        self.plan = plan
        self.wanted = wanted
        self.counter = counter
        self.phase = HELD
        self.reason = ""
        self.retries_used = 0
        self._pushed = 0.0  # motor time forward since the last card or stall
        self._slowest = 0.0  # the longest that one counted card needed of it
        self._tries = 0
        self._steps: list[Step] = []
        self._orders: list[Order] = []
        self._direction = OFF
        self._until: float | None = None  # when the present step is over
        self._ends = 0.0  # when the whole feed is
        self._pushed_at = 0.0
        self._left = 0.0  # motor time left in the push that was held
        self._reversed = False  # it was held near a reverse run, so it must rest first

    @property
    def cards(self) -> int | None:
        """Cards counted so far; None where nothing counts."""
        return self.counter.cards if self.counter else None

    @property
    def suspects(self) -> int:
        """Counted cards that may have been two."""
        return self.counter.suspects if self.counter else 0

    @property
    def blocked(self) -> bool:
        """Whether something is in the beam."""
        return bool(self.counter and self.counter.blocked)

    @property
    def slow(self) -> bool:
        """Whether a card took more than twice the planned motor time: a hint at weak batteries or
        a stiff feed. A card that came after a stall is measured from there."""
        return self._slowest > 2 * (self.plan.spin_up + self.plan.card)

    @property
    def deadline(self) -> float | None:
        """When `tick` is due; None if only an edge can change anything."""
        sensed = self.counter.beam.deadline if self.counter else None
        if self._until is None or (sensed is not None and sensed < self._until):
            return sensed
        return self._until

    def begin(self, now: float) -> "list[Order]":
        """Starts the feed."""
        self._ends = now + self.plan.max_shot + self.wanted * self.plan.per_card
        if self.counter:
            self._go([self._push()], now)
        else:
            self._go(self._bursts(self.plan.spin_up + self.wanted * self.plan.burst), now)
        return self._take()

    def beam(self, blocked: bool, at: float, now: float) -> "list[Order]":
        """Takes a raw edge of the exit sensor that happened at `at`."""
        if self.counter and self.phase != DONE:
            before = self.counter.blocked
            self._sensed(before, self.counter.edge(blocked, at), now)
        return self._take()

    def tick(self, now: float) -> "list[Order]":
        """Lets time pass to `now`."""
        if self.phase == DONE:
            return []
        if self.counter:
            before = self.counter.blocked
            self._sensed(before, self.counter.tick(now), now)
        while self._until is not None and now >= self._until:
            self._over(now)
        return self._take()

    def hold(self, now: float) -> "list[Order]":
        """The motor was cut from outside and it is not yet known why: wait."""
        if self.phase in (PUSH, GAP, RECOVER):
            self._left = 0
            self._reversed = self.phase == RECOVER
            if self.counter:
                self._steps = []
            if self.phase == PUSH and self._until is not None:
                # The difference may be a rounding error beyond what the run was allowed.
                self._left = min(max(0, self._until - now), self.plan.max_run)
            self._turn(OFF, 0, now)
            self.phase = HELD
            self._until = None
        elif self.phase == RETRACT:
            self._go([self._settle()], now)
        return self._take()

    def resume(self, now: float) -> "list[Order]":
        """The reason of `hold` was nothing: push on, within the same caps. A spike is no progress,
        so a push that was held goes on with the time that it had left."""
        if self.phase == HELD:
            steps = [(RECOVER, OFF, self.plan.dead)] if self._reversed else []
            if self._left > 0:
                steps = steps + [(PUSH, FORWARD, self._left)]
            elif self.counter:
                steps = steps + [self._push()]
            self._continue(steps + self._steps, now)
        return self._take()

    def ran_out(self, now: float) -> "list[Order]":
        """The motor guard ended a run at its limit: with a sensor that is no progress."""
        if self.counter and self.phase == PUSH:
            self._stalled(now)
        return self._take()

    def stop(self, reason: str, now: float) -> "list[Order]":
        """Ends the feed now, motor off; late edges are still counted while it settles."""
        if self.phase not in (SETTLE, DONE):
            self.reason = reason
            self._go([self._settle()], now)
        return self._take()

    def _push(self) -> "Step":
        return (PUSH, FORWARD, self.plan.stall)

    def _settle(self) -> "Step":
        """The next feed may push forward right after it, so it covers the dead time, too."""
        return (SETTLE, OFF, max(self.plan.settle, self.plan.dead))

    def _bursts(self, time: float) -> "list[Step]":
        """Motor time `time` as runs of at most `max_run`."""
        steps: list[Step] = []
        while time > self.plan.max_run:
            steps += [(PUSH, FORWARD, self.plan.max_run), (GAP, OFF, self.plan.gap)]
            time -= self.plan.max_run
        return steps + [(PUSH, FORWARD, time)]

    def _sensed(self, before: bool, counted: bool, now: float) -> None:
        """What the sensor has shown: a card, or at least progress."""
        if counted:
            self._counted(now)
        elif self.blocked != before and self.phase == PUSH:
            self._until = min(now + self.plan.stall, self._ends)

    def _counted(self, now: float) -> None:
        self._tries = 0
        running = now - self._pushed_at if self._direction == FORWARD else 0
        self._slowest = max(self._slowest, self._pushed + running)
        self._pushed = -running
        if self.phase in (PUSH, GAP, RECOVER, HELD):
            if self.cards is not None and self.cards >= self.wanted:
                self._finish(ENOUGH, now)
            elif self.phase == PUSH:
                self._go([(GAP, OFF, self.plan.gap), self._push()], now)

    def _over(self, now: float) -> None:
        """The time of the present step is over."""
        if self.phase == PUSH and now >= self._ends:
            self._finish(TIMEOUT, now)
        elif self.phase == PUSH and self.counter:
            self._stalled(now)
        elif self.phase == SETTLE:
            self.phase = DONE
            self._until = None
        else:
            self._continue(self._steps, now)

    def _continue(self, steps: "list[Step]", now: float) -> None:
        """Goes on with `steps`; where none are left, the time for all cards has run."""
        if steps:
            self._go(steps, now)
        else:
            self._finish(ENOUGH, now)

    def _stalled(self, now: float) -> None:
        self._tries += 1
        if self._tries > self.plan.retries:
            self._finish(STALLED, now)
            return
        self.retries_used += 1
        self._pushed = self._pushed_at - now
        steps = [(RECOVER, OFF, self.plan.dead)]
        if self.plan.reverse:
            steps += [(RECOVER, REVERSE, self.plan.reverse), (RECOVER, OFF, self.plan.dead)]
        self._go(steps + [self._push()], now)

    def _finish(self, reason: str, now: float) -> None:
        self.reason = reason
        steps: list[Step] = []
        if reason == ENOUGH and self.plan.retract:
            steps = [(RETRACT, OFF, self.plan.dead), (RETRACT, REVERSE, self.plan.retract)]
        self._go(steps + [self._settle()], now)

    def _go(self, steps: "list[Step]", now: float) -> None:
        """Begins the first of `steps`; the others follow it."""
        phase, direction, time = steps[0]
        self._steps = steps[1:]
        self.phase = phase
        self._until = now + time
        limit = time
        if direction == FORWARD:
            self._until = min(self._until, self._ends)
            if self.counter:
                limit = self.plan.max_run
        self._turn(direction, limit, now)

    def _turn(self, direction: int, limit: float, now: float) -> None:
        if direction == self._direction == OFF:
            return
        if self._direction == FORWARD:
            self._pushed += now - self._pushed_at
        if direction == FORWARD:
            self._pushed_at = now
        if self.counter and direction != OFF:
            self.counter.reversing = direction == REVERSE
        self._direction = direction
        self._orders.append((direction, limit if direction != OFF else 0))

    def _take(self) -> "list[Order]":
        orders, self._orders = self._orders, []
        return orders
