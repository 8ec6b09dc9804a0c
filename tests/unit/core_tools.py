"""What the tests of the core share: plain values, a feed and a controller in virtual time."""

from random import Random
from typing import NamedTuple

from cannon.core import states
from cannon.core.commands import Off, Record, Run, Sound
from cannon.core.controller import Controller
from cannon.core.counting import CardCounter
from cannon.core.events import (
    BUTTON,
    EXIT,
    LID,
    Edge,
    Failure,
    Levels,
    MotorOff,
    Start,
    Stop,
)
from cannon.core.feeding import DONE, FORWARD, OFF, Feed, FeedPlan
from cannon.core.values import Settings

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


class GivenOdds:
    """Odds that bring the given numbers of cards, then 2 for ever. Remembers what it was told."""

    def __init__(self, cards=()):
        self._cards = list(cards)
        self.wait = 0
        self.presses = 0
        self.lids = 0

    def press(self, rng, now_s):
        self.presses += 1
        cards = self._cards.pop(0) if self._cards else 2
        self.wait = 0 if cards else self.wait + 1
        return cards

    def lid_opened(self):
        self.lids += 1

    def state(self):
        return {"blanks": self.wait}


class Abilities(NamedTuple):
    counts: bool = True
    feeds_itself: bool = False


CLOSED = Levels(exit=False)


class Played:
    """A controller with plain values, in virtual time; what is at the slot is done by hand.

    `cards` is what the odds bring, press by press. `out` is every command as (time, command). The
    motor's runs end at their limit as the guard ends them.
    """

    def __init__(
        self,
        *cards,
        start=CLOSED,
        counts=True,
        feeds_itself=False,
        cards_owed=0,
        presses=0,
        latched=None,
        times=None,
        **settings,
    ):
        self.odds = GivenOdds(cards)
        self.settings = Settings(
            plan(**times or {}), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S, **settings
        )
        self.controller = Controller(
            self.settings,
            Abilities(counts, feeds_itself),
            self.odds,
            Random(1),
            presses,
            cards_owed,
            latched,
        )
        self.now = 100.0
        self.out = []
        self.motor = OFF
        self._limit_at = None
        if start is not None:
            self.handle(Start(start))

    @property
    def state(self):
        return self.controller.state

    def handle(self, event):
        """Gives one event; returns the commands."""
        return self._took(self.controller.handle(event, self.now))

    def wait(self, for_s=0.0, until=None):
        """Lets time pass, and everything happen that is due."""
        end = self.now + for_s
        while not (until and until()):
            due = min(t for t in (self.controller.deadline, self._limit_at, end) if t is not None)
            if due >= end and self.now >= end:
                break
            self.now = max(self.now, min(due, end))
            if self._limit_at is not None and self.now >= self._limit_at:
                self.motor, self._limit_at = OFF, None
                self.handle(MotorOff("time", self.now))
            self._took(self.controller.tick(self.now))
        return self

    def edge(self, name, active):
        self.handle(Edge(name, active, self.now))
        return self

    def press(self, hold_s=0.05):
        """A push of the button, from the first edge to well after its release."""
        self.edge(BUTTON, True).wait(hold_s)
        self.edge(BUTTON, False).wait(0.05)
        return self

    def lid(self, is_open):
        self.edge(LID, is_open).wait(0.1)
        return self

    def card(self, after_s=0.1, width_s=0.085):
        """A card passes the beam."""
        self.wait(after_s)
        self.edge(EXIT, True).wait(width_s)
        self.edge(EXIT, False).wait(0.005)
        return self

    def finish(self):
        """Lets a shot come to its end."""
        return self.wait(60, until=lambda: self.controller._shooter.shot is None)

    def records(self, kind):
        """(press, data) of each record of that kind."""
        return [
            (command.press, command.data)
            for _, command in self.out
            if isinstance(command, Record) and command.kind == kind
        ]

    def data(self, kind):
        return [data for _, data in self.records(kind)]

    def sounds(self):
        return [command.tune for _, command in self.out if isinstance(command, Sound)]

    def runs(self):
        """Every run that was asked for, as (direction, limit)."""
        return [(c.direction, c.for_s) for _, c in self.out if isinstance(c, Run)]

    def forget(self):
        """Forgets the commands so far."""
        self.out = []
        return self

    def _took(self, commands):
        for command in commands:
            self.out.append((self.now, command))
            if isinstance(command, Run):
                self.motor, self._limit_at = command.direction, self.now + command.for_s
            elif isinstance(command, Off):
                self.motor, self._limit_at = OFF, None
        return commands


def in_state(state, **settings):
    """A controller that has come into `state` in the way it does in life."""
    match state:
        case states.STARTING:
            played = Played(start=None, **settings)
        case states.LID_OPEN:
            played = Played(start=Levels(lid=True, exit=False), **settings)
        case states.READY:
            played = Played(**settings)
        case states.SUSPENSE:
            played = Played(3, suspense_s=2.0, **settings)
            played.press()
        case states.FEEDING:
            played = Played(3, **settings)
            played.press()
        case states.RETRACTING:
            played = Played(1, **settings)
            played.press().card()
        case states.SETTLING:
            played = Played(1, times=ONE_WAY, **settings)
            played.press().card()
        case states.EMPTY:
            played = Played(2, **settings)
            played.press().finish()
        case states.JAMMED:
            played = Played(2, start=Levels(exit=False, hopper=True), **settings)
            played.press().finish()
        case states.FAULT:
            played = Played(**settings)
            played.handle(Failure("motor", "it smells"))
        case states.STOPPING:
            played = Played(**settings)
            played.handle(Stop())
    assert played.state == state
    return played.forget()


def shot(played, cards):
    """A press and the cards it brings, to the end of the shot."""
    played.press()
    for _ in range(cards):
        played.card()
    return played.finish()
