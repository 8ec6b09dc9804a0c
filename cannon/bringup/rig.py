"""A launcher without its controller: its events are kept, and orders are given one by one.

It stands in the loop's place: `step` is one turn. How time passes is given in, so that the same
steps run on the clock and in a twin's virtual time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from cannon.core import commands
from cannon.core.commands import FORWARD, REVERSE, Light, Off, Run, Sound
from cannon.core.counting import CardCounter
from cannon.core.events import EXIT, CardSeen, Edge, Event, Failure, FeedEnded, MotorOff
from cannon.core.feeding import DONE, Feed, FeedPlan
from cannon.devices.ports import Clock, DeviceFault, Launcher
from hardware.board import Board

TURN_S = 0.02
BEARABLE = ("sensor_selftest",)  # the step that looks at that part tells it
LetPass = Callable[[float, Callable[[], bool] | None], bool]


class Queue(Protocol):
    """What the launcher posts into."""

    def take(self) -> list[Event]:
        """All events that wait."""
        ...

    def wait(self, for_s: float) -> None:
        """Returns at an event, or after `for_s`."""
        ...


class Rig:
    """One launcher on the bench. `heard` are its events since `forget`.

    `failed` are the causes of failures with which the other parts can still be looked at.
    `between` is called in each turn while time passes on the clock; what it raises ends that.
    """

    def __init__(
        self, board: Board, launcher: Launcher, events: Queue, clock: Clock, plan: FeedPlan
    ) -> None:
        self.board = board
        self.plan = plan
        self.launcher = launcher
        self.clock = clock
        self.stopped = False
        self.heard: list[Event] = []
        self.failed: set[str] = set()
        self.between: Callable[[], None] = lambda: None
        self._events = events
        self._feed: Feed | None = None
        self.let_pass: LetPass = self._on_the_clock
        self.began = 0.0  # the last run, as exactly as can be known

    # --- in the loop's place ------------------------------------------------------------------

    def step(self, now: float) -> float | None:
        """One turn: keeps what was posted, lets sounds go on, and feeds. Raises DeviceFault if
        the launcher reports a failure that is not bearable."""
        for event in self._events.take():
            self.heard.append(event)
            if isinstance(event, Failure):
                if event.cause not in BEARABLE:
                    raise DeviceFault(event.cause, event.detail)
                self.failed.add(event.cause)
            if self._feed is not None:
                self._to_the_feed(self._feed, event, now)
        self.launcher.tick(now)
        due = self.launcher.deadline
        if self._feed is not None:
            self._order(self._feed.tick(now))
            fed = self._feed.deadline
            due = fed if due is None or (fed is not None and fed < due) else due
        return due

    def _to_the_feed(self, feed: Feed, event: Event, now: float) -> None:
        if isinstance(event, Edge) and event.input == EXIT:
            self._order(feed.beam(event.active, event.at, now))
        elif isinstance(event, MotorOff):
            ended = feed.ran_out(now) if event.reason == "time" else feed.stop("lid", now)
            self._order(ended)

    def _order(self, orders: list[tuple[int, float]]) -> None:
        for direction, limit_s in orders:
            self.launcher.do(Run(direction, 1.0, limit_s) if direction else Off())

    # --- orders -------------------------------------------------------------------------------

    def wait(self, for_s: float, until: Callable[[], bool] | None = None) -> bool:
        """Lets time pass, until `until` is true at most. Returns whether it became true."""
        return self.let_pass(for_s, until)

    def _on_the_clock(self, for_s: float, until: Callable[[], bool] | None) -> bool:
        end = time.monotonic() + for_s
        while until is None or not until():
            left_s = end - time.monotonic()
            if left_s <= 0:
                return False
            due = self.step(self.clock())
            self.between()
            wait_s = TURN_S if due is None else max(0.0, min(TURN_S, due - self.clock()))
            self._events.wait(min(left_s, wait_s))
        return True

    def forget(self) -> None:
        """What was heard before does not count."""
        self.step(self.clock())
        self.heard.clear()

    def edges(self, name: str) -> list[Edge]:
        """The raw edges of one input that were heard."""
        return [event for event in self.heard if isinstance(event, Edge) and event.input == name]

    def run(self, direction: int, for_s: float) -> list[MotorOff]:
        """Runs the motor for `for_s` seconds and waits until it is off again; how it ended."""
        self.forget()
        self.began = self.clock()
        self.launcher.do(Run(direction, 1.0, for_s))
        self.wait(for_s + 0.5, until=lambda: bool(self.ends()))
        ends = self.ends()
        if self.launcher.capabilities.feeds_itself and ends and ends[-1].reason == "time":
            self.began = ends[-1].at - for_s  # the order took a while to arrive
        return ends

    def ends(self) -> list[MotorOff]:
        """How the guard ended runs, of those that were heard."""
        return [event for event in self.heard if isinstance(event, MotorOff)]

    def forward(self, for_s: float) -> list[MotorOff]:
        """Runs the motor forward; see `run`."""
        return self.run(FORWARD, for_s)

    def reverse(self, for_s: float) -> list[MotorOff]:
        """Runs the motor backward; see `run`."""
        return self.run(REVERSE, for_s)

    @property
    def hears_raw(self) -> bool:
        """Whether edges come as they are; a microcontroller tells what its contacts settle to."""
        return not self.launcher.capabilities.feeds_itself

    def feed(self, cards: int) -> Fed:
        """Brings out `cards` cards as in play. A launcher that feeds by itself does it itself."""
        self.forget()
        if self.launcher.capabilities.feeds_itself:
            return self._feed_itself(cards)
        feed = self._feed = Feed(self.plan, cards, self._counter())
        try:
            self._order(feed.begin(self.clock()))
            self.step(self.clock())
            self.wait(self._longest_s(cards), lambda: feed.phase == DONE)
        finally:
            self._feed = None
            self.launcher.off()
        return Fed(feed.cards, feed.reason, feed.retries_used, feed.suspects, feed.blocked)

    def _feed_itself(self, cards: int) -> Fed:
        self.launcher.do(commands.Feed(cards))

        def ended() -> FeedEnded | None:
            return next((e for e in self.heard if isinstance(e, FeedEnded)), None)

        self.wait(self._longest_s(cards), lambda: ended() is not None)
        end = ended()
        if end is None:
            self.launcher.off()
            seen = [event.cards for event in self.heard if isinstance(event, CardSeen)]
            return Fed(max(seen, default=0), "timeout", 0, 0, blocked=False)
        return Fed(end.cards, end.reason, end.retries, end.suspects, end.blocked)

    def _longest_s(self, cards: int) -> float:
        return self.plan.max_shot + cards * self.plan.per_card + 5

    def _counter(self) -> CardCounter | None:
        times = self.board.feed
        if not self.launcher.capabilities.counts:
            return None
        return CardCounter(
            times.min_blocked_ms / 1000,
            times.min_clear_ms / 1000,
            times.double_ms / 1000,
            bool(self.launcher.levels().exit),
            self.clock(),
        )

    def sound(self, tune: str) -> None:
        """Plays a tune."""
        self.launcher.do(Sound(tune))
        self.wait(1.5)

    def light(self, pattern: str) -> None:
        """Shows a pattern for a while, then goes dark."""
        self.launcher.do(Light(pattern))
        self.wait(3.0)
        self.launcher.do(Light("off"))


class Fed:
    """How a feed on the bench went; `cards` is None where nothing counts."""

    def __init__(
        self, cards: int | None, reason: str, retries: int, suspects: int, blocked: bool
    ) -> None:
        self.cards = cards
        self.reason = reason
        self.retries = retries
        self.suspects = suspects
        self.blocked = blocked
