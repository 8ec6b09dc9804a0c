"""Where the control loop leaves what the page shows. It never waits and never raises.

Of the launcher's state only the newest is kept: what nobody has taken in time is replaced.
Records are numbered and kept in order, the last `KEPT` of them; who was away for longer sees from
the numbers that some are missing.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from cannon.core.commands import Command, Feed, Light, Off, Record, Run, Sound
from cannon.core.values import Snapshot

KEPT = 300  # records; a long evening's last hour
BUTTON_S = 0.05  # where nothing but the button's contact moves, that is told no more often


class Told(msgspec.Struct, frozen=True, array_like=True):
    """A record with its number in this run of the program."""

    number: int
    kind: str
    data: dict[str, Any]
    press: int | None


Trouble = tuple[tuple[str, dict[str, str]], ...]


class News(msgspec.Struct, frozen=True):
    """What the page's side is told. `motor` is -1, 0 or 1; `tune` is the last one and its number.

    `stack` is known in a simulation only, `faults` are those planted there. `trouble` is what
    keeps the history from being written, as codes of notices with what fills their places.
    """

    records: list[Told] = []
    snapshot: Snapshot | None = None
    motor: int = 0
    light: str = "off"
    tune: tuple[str, int] = ("", 0)
    stack: int | None = None
    faults: list[str] = []
    trouble: Trouble = ()


class Hub:
    """Takes from the control loop's thread what happens, and gives it to one reader's thread.

    `look` tells the launcher's present state; it is called in the control loop's thread only.
    `beside` tells what a simulation knows beyond that. `trouble` is asked in the reader's thread;
    who knows of new trouble calls `wake`, in any thread. `clock` gives seconds.
    """

    def __init__(
        self,
        look: Callable[[], Snapshot],
        beside: Callable[[], dict[str, Any]] = dict,
        first_number: int = 1,
        clock: Callable[[], float] = time.monotonic,
        trouble: Callable[[], Trouble] = tuple,
    ) -> None:
        self._look = look
        self._trouble = trouble
        self._beside = beside
        self._clock = clock
        self._button_told_at = -BUTTON_S
        self._next = first_number
        self._records: deque[Told] = deque(maxlen=KEPT)
        self._motor = 0
        self._light = "off"
        self._tune = ("", 0)
        self._newest = News()
        self._published = 0  # the number of the next record when something was last published
        self._news = threading.Event()

    # --- the control loop's side -------------------------------------------------------------

    def tell(self, command: Command) -> None:
        """Takes a command that was carried out."""
        kind = type(command)
        if kind is Record:
            self.record(command)  # type: ignore[arg-type]
        elif kind is Run:
            self._motor = command.direction  # type: ignore[union-attr]
        elif kind is Off:
            self._motor = 0
        elif kind is Feed:
            self._motor = 1
        elif kind is Light:
            self._light = command.pattern  # type: ignore[union-attr]
        elif kind is Sound:
            self._tune = (command.tune, self._tune[1] + 1)  # type: ignore[union-attr]

    def record(self, record: Record) -> None:
        """Takes a record, also from before the loop began."""
        self._records.append(Told(self._next, *record))
        self._next += 1

    def watch(self) -> None:
        """Called after every turn of the loop: publishes what is new, if anything is."""
        newest = News(
            snapshot=self._look(),
            motor=self._motor,
            light=self._light,
            tune=self._tune,
            **self._beside(),
        )
        if newest == self._newest and self._next == self._published:
            return
        if self._only_the_button(newest):
            now = self._clock()
            if now < self._button_told_at + BUTTON_S:
                return  # a contact full of noise; what it says in the end is told in a later turn
            self._button_told_at = now
        self._newest = newest
        self._published = self._next
        self._news.set()

    def _only_the_button(self, newest: News) -> bool:
        """Whether nothing else is new."""
        before, now = self._newest.snapshot, newest.snapshot
        if before is None or now is None or self._next != self._published:
            return False
        as_before = now._replace(button_down=before.button_down)
        return msgspec.structs.replace(newest, snapshot=as_before) == self._newest

    # --- from anywhere -----------------------------------------------------------------------

    def wake(self) -> None:
        """Lets the reader look again."""
        self._news.set()

    # --- the reader's side -------------------------------------------------------------------

    @property
    def next_number(self) -> int:
        """The number that the next record will have."""
        return self._next

    def wait(self, for_s: float) -> bool:
        """Waits until something was published since the last call; tells whether it was."""
        if not self._news.wait(for_s):
            return False
        self._news.clear()
        return True

    def since(self, number: int) -> News:
        """The newest state, and the records from `number` on that are still kept."""
        records = [told for told in self._records.copy() if told.number >= number]
        return msgspec.structs.replace(self._newest, records=records, trouble=self._trouble())
