"""The control loop: one thread owns the controller; everyone else only posts events.

`step` is one turn: take what was posted, read the levels, let time pass, carry out the commands.
`run` does it on the monotonic clock until it is stopped; the twin calls `step` in virtual time.

An exception in any part ends with the motor off and the controller in `fault`; it never ends the
loop. A part that only sounds, shows or writes is then left out until the next start, so that one
acknowledgement brings the launcher back.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from cannon.core.commands import Command, Light, Record, Sound
from cannon.core.controller import Controller
from cannon.core.events import Edge, Event, Failure, Levels, Stop
from cannon.devices.ports import Clock, DeviceFault, Launcher

IDLE_S = 0.25  # the levels are read at least this often, also when nothing happens
AWAKE_S = 0.001  # to be woken takes that long at worst, which is much of the time of an answer
EDGES_KEPT = 1000  # more edges waiting than that are noise; the levels are read anyway

MOTOR, SIGNALS, JOURNAL, DISPLAY = "motor", "signals", "journal", "display"
DISPENSABLE = (SIGNALS, JOURNAL, DISPLAY)
PARTS: dict[type, str] = {Record: JOURNAL, Sound: SIGNALS, Light: SIGNALS}  # else the motor

log = logging.getLogger(__name__)


class EventQueue:
    """Events from any thread, also from a signal handler. Edges are dropped in a flood."""

    def __init__(self) -> None:
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._first: Event | None = None
        self.dropped_edges = 0

    def post(self, event: Event) -> None:
        """Takes an event, without waiting."""
        if isinstance(event, Edge) and self._events.qsize() >= EDGES_KEPT:
            self.dropped_edges += 1
            return
        self._events.put(event)

    @property
    def waiting(self) -> bool:
        """Whether there is something to take."""
        return self._first is not None or self._events.qsize() > 0

    def take(self) -> list[Event]:
        """All events that wait, oldest first."""
        taken = [] if self._first is None else [self._first]
        self._first = None
        while self._events.qsize():
            taken.append(self._events.get_nowait())
        return taken

    def wait(self, for_s: float, awake_s: float = 0.0) -> None:
        """Returns when an event is there, or after `for_s` seconds. The last `awake_s` of them are
        not slept through: to be woken takes its time."""
        if self._first is not None or for_s <= 0:
            return
        end = time.monotonic() + for_s
        if for_s > awake_s:
            try:
                self._first = self._events.get(timeout=for_s - awake_s)
                return
            except Empty:
                pass
        while not self._events.qsize() and time.monotonic() < end:
            time.sleep(0)  # others may work meanwhile


class ControlLoop:
    """Brings events to the controller and its commands to the launcher and the journal.

    `write` puts a record on file without waiting. `tell` gets every command after it was carried
    out, and `watch` is called after every turn: both are for displays, and may not wait. Commands
    are carried out in the controller's order: the motor comes first.
    """

    def __init__(
        self,
        controller: Controller,
        launcher: Launcher,
        events: EventQueue,
        clock: Clock,
        write: Callable[[Record], None],
    ) -> None:
        self.controller = controller
        self.launcher = launcher
        self.events = events
        self.clock = clock
        self._write = write
        self.tell: Callable[[Command], None] | None = None
        self.watch: Callable[[], None] | None = None
        self.left_out: set[str] = set()
        self.turns = 0
        self.stopped = False
        self._levels: Levels | None = None  # as last read
        self._given = True  # the controller was given something since `_due` was asked
        self._due: float | None = None  # when its tick is
        self._signals_due: float | None = None

    def step(self, now: float) -> float | None:
        """One turn at the time `now`. Returns when the next one is due; None: at an event.

        The controller is asked only if there is something new or its time has come: many turns
        are for the next note of a tune, and nothing else.
        """
        self.turns += 1
        events = self.events.take()
        for event in events:
            self._handle(event, now)
        if not events and self._is_due(now):
            self._tick(now)  # the answer to a press need not wait until all levels are read again
        levels = None
        try:
            levels = self.launcher.levels()
        except Exception as error:
            self._failed("inputs", error, now)
        if levels is not None and (events or levels != self._levels):
            self._handle(levels, now)
        self._levels = levels
        if self._given:
            self._ask(now)
        if self._is_due(now):
            self._tick(now)
        if self._signals_due is not None and now >= self._signals_due:
            self._attempt(SIGNALS, self.launcher.tick, now, now)
        if self.watch is not None:
            self._attempt(DISPLAY, self.watch, now)
        return self._next_due(now)

    def run(self) -> None:
        """Turns on the clock until Stop was posted and done."""
        while not self.stopped:
            due = self.step(self.clock())
            if not self.stopped:
                wait_s = IDLE_S if due is None else min(IDLE_S, due - self.clock())
                # A sound may come a little late, the answer to a press may not.
                answers = due == self._due and wait_s < IDLE_S
                self.events.wait(wait_s, AWAKE_S if answers else 0.0)

    def _handle(self, event: Event, now: float) -> None:
        self._given = True
        try:
            wanted = self.controller.handle(event, now)
            if wanted:
                self._do(wanted, now)
        except Exception as error:
            self._failed("program", error, now)
        if type(event) is Stop:
            self.stopped = True

    def _tick(self, now: float) -> None:
        self._given = True
        try:
            wanted = self.controller.tick(now)
            if wanted:
                self._do(wanted, now)
        except Exception as error:
            self._failed("program", error, now)

    def _is_due(self, now: float) -> bool:
        return self._due is not None and now >= self._due

    def _ask(self, now: float) -> None:
        """Asks the controller when it is due."""
        self._given = False
        try:
            self._due = self.controller.deadline
        except Exception as error:
            self._due = None
            self._failed("program", error, now)

    def _next_due(self, now: float) -> float | None:
        try:
            self._signals_due = None if SIGNALS in self.left_out else self.launcher.deadline
        except Exception as error:
            self._signals_due = None
            self._failed("program", error, now)
        if self._given:
            self._ask(now)
        due, signals = self._due, self._signals_due
        return signals if due is None or (signals is not None and signals < due) else due

    def _do(self, wanted: list[Command], now: float) -> None:
        """Carries out commands. After a failure the motor is off, and what is left only goes on
        record: it belonged to a shot that is over, but it did happen."""
        failure = None
        for command in wanted:
            if failure is None or isinstance(command, Record):
                failed = self._carry_out(command)
                if failed is not None and failure is None:
                    failure = failed
                    self._motor_off()
        if failure is not None:
            self._failed(*failure, now)

    def _carry_out(self, command: Command) -> tuple[str, Exception] | None:
        """Does and tells a command. Returns the part that failed, if one did, and its error."""
        part = PARTS.get(type(command), MOTOR)
        failure = None
        if part not in self.left_out:
            try:
                if part is JOURNAL:
                    self._write(command)  # type: ignore[arg-type]
                else:
                    self.launcher.do(command)
            except Exception as error:
                failure = self._leave_out(part, error)
        if self.tell is not None and DISPLAY not in self.left_out:
            try:
                self.tell(command)
            except Exception as error:
                failure = failure or self._leave_out(DISPLAY, error)
        return failure

    def _leave_out(self, part: str, error: Exception) -> tuple[str, Exception]:
        if part in DISPENSABLE:
            self.left_out.add(part)
        if part == SIGNALS:
            self._mute()
        return part, error

    def _attempt(self, part: str, act: Callable[..., None], now: float, *values: Any) -> None:
        """Does what the launcher can do without."""
        if part in self.left_out:
            return
        try:
            act(*values)
        except Exception as error:
            self._leave_out(part, error)
            self._failed(part, error, now)

    def _failed(self, part: str, error: Exception, now: float) -> None:
        """Motor off, whatever else is broken; then the fault is latched and put on record."""
        self._motor_off()
        self._given = True
        first = self.controller.state != "fault"
        if first:
            told = isinstance(error, OSError | DeviceFault)  # where in the program is no matter
            log.error("%s: %r", part, error, exc_info=None if told else error)
        cause = error.cause if isinstance(error, DeviceFault) else part
        try:
            wanted = self.controller.handle(Failure(cause, repr(error)), now)
        except Exception:
            log.exception("the controller could not take a failure")
            return
        for command in wanted:
            failed = self._carry_out(command)
            if failed is not None:
                log.error("after a failure: %s", command, exc_info=failed[1])

    def _motor_off(self) -> None:
        try:
            self.launcher.off()
        except Exception:
            log.exception("the motor could not be switched off")

    def _mute(self) -> None:
        try:
            self.launcher.mute()
        except Exception:
            log.exception("the beeper and the light could not be switched off")
