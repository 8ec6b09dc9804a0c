"""A launcher that runs now, in a thread of its own: on real pins, or simulated in real time.

Both are driven alike: `start`, `post` events, `stop`. Whatever ends the thread, the motor is off
first and `ended` is set.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from cannon.core.commands import Command
from cannon.core.events import Event, Failure, Stop
from cannon.loop import IDLE_S, ControlLoop
from cannon.priority import give_way

if TYPE_CHECKING:
    from cannon.twin.twin import Twin

STOP_S = 1.0  # a loop that has not ended by then is left behind, its motor off
LOOK_UP_S = 0.25

log = logging.getLogger(__name__)


class Ended:
    """Is set once, and then stays. Unlike `threading.Event` it may be set in a signal handler of
    the very thread that waits for it."""

    def __init__(self) -> None:
        self._set = False
        self._woken: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """From any thread, any number of times."""
        self._set = True
        self._woken.put(None)

    def is_set(self) -> bool:
        """Whether it has been set."""
        return self._set

    def wait(self) -> None:
        """Returns when it has been set. Looks up now and then: Python calls no handler for a
        signal that came just before the wait, or in another thread, until then."""
        while not self._set:
            try:
                self._woken.get(timeout=LOOK_UP_S)
            except Empty:
                continue


class Live(Protocol):
    """A running launcher. `crashed`: its thread has ended by an exception."""

    loop: ControlLoop
    ended: Ended
    crashed: bool

    @property
    def turns(self) -> int:
        """Grows several times a second as long as its thread is not stuck."""
        ...

    def start(self) -> None:
        """Lets it run."""
        ...

    def post(self, event: Event) -> None:
        """Takes an event, from any thread."""
        ...

    def stop(self) -> None:
        """Motor off first, then the end of the loop, then everything is released."""
        ...


class LivePins:
    """The loop of a launcher on pins, or on the bridge, on the monotonic clock."""

    def __init__(self, loop: ControlLoop, close: Callable[[], None]) -> None:
        self.loop = loop
        self.ended = Ended()
        self.crashed = False
        self._close = close
        self._thread = threading.Thread(target=self._work, name="control", daemon=True)

    @property
    def turns(self) -> int:
        """Those of the loop."""
        return self.loop.turns

    def start(self) -> None:
        """Lets it run."""
        self._thread.start()

    def post(self, event: Event) -> None:
        """Takes an event, from any thread."""
        self.loop.events.post(event)

    def stop(self) -> None:
        """Motor off first, then the end of the loop, then everything is released."""
        motor_off(self.loop)
        self.loop.events.post(Stop())
        if self._thread.is_alive():
            self._thread.join(STOP_S)
        self._close()

    def _work(self) -> None:
        give_way()
        try:
            self.loop.run()
        except BaseException:
            self.crashed = True
            raise
        finally:
            motor_off(self.loop)
            self.ended.set()


class LiveTwin:
    """A twin whose virtual time keeps pace with the clock. `hand` lets hands do something to it,
    in its own thread."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.loop = twin.loop
        self.ended = Ended()
        self.crashed = False
        self.turns = 0  # of this thread: virtual time leaves out the loop's idle ones
        self._hands: SimpleQueue[Callable[[Twin], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="control", daemon=True)

    def start(self) -> None:
        """Lets it run."""
        self._thread.start()

    def post(self, event: Event) -> None:
        """Takes an event, from any thread."""
        self.hand(lambda twin: twin.events.post(event))

    def hand(self, act: Callable[[Twin], None]) -> None:
        """Something is done to the launcher from outside."""
        self._hands.put(act)

    def stop(self) -> None:
        """Motor off first, then the end of the loop, then everything is released."""
        if self._thread.is_alive():
            self.hand(lambda twin: self.ended.set())
            self._thread.join(STOP_S)
        self.twin.stop()

    def _work(self) -> None:
        twin = self.twin
        try:
            began = time.monotonic()
            twin.start()
            while not self.ended.is_set():
                self.turns += 1
                twin.run(max(0.0, time.monotonic() - began - twin.clock.now))
                due = twin.next_due
                wait_s = IDLE_S if due is None else began + due - time.monotonic()
                self._take(min(IDLE_S, wait_s))
        except BaseException:
            self.crashed = True
            raise
        finally:
            motor_off(self.loop)
            self.ended.set()

    def _take(self, wait_s: float) -> None:
        """Lets the hands do what they are asked to, after a wait of at most `wait_s`."""
        try:
            act = self._hands.get(timeout=max(0.0, wait_s))
        except Empty:
            return
        act(self.twin)
        while self._hands.qsize():
            self._hands.get_nowait()(self.twin)


def listen(loop: ControlLoop, tell: Callable[[Command], None]) -> None:
    """`tell` is told every command too, beside whoever is told already. Not to be called later
    than `start`."""
    before = loop.tell

    def tell_both(command: Command) -> None:
        if before is not None:
            before(command)
        tell(command)

    loop.tell = tell_both


def watch_threads(live: Live) -> None:
    """From now on an exception that ends any thread switches the motor off and is a fault."""

    def ended(what: threading.ExceptHookArgs) -> None:
        motor_off(live.loop)
        name = what.thread.name if what.thread else "?"
        error = (what.exc_type, what.exc_value or what.exc_type(), what.exc_traceback)
        log.error("the thread %s has ended", name, exc_info=error)
        live.post(Failure("thread", f"{name}: {what.exc_value!r}"))

    threading.excepthook = ended


def motor_off(loop: ControlLoop) -> None:
    """Motor off, now, from any thread; what keeps it from that is logged."""
    try:
        loop.launcher.off()
    except Exception:
        log.exception("the motor could not be switched off")
