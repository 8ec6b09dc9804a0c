"""The serial port under a session: opened, read, written, lost and found again, in one thread.

Nobody else touches the port. Commands may come from any thread: they are queued, and the thread
that waits for bytes is woken. Every kind of loss (an unplugged cable, an error of any call, an end
of file, a write that does not get through, a board that is silent or was started anew) is one
`Down`; then the port is opened again, with growing pauses, also where the board has come back
under another name. Nothing that was asked for before a loss is asked for again after it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from firmware_bridge.errors import BridgeError
from firmware_bridge.events import Ended, Event, Greeted, Ready
from firmware_bridge.outbox import Counters
from firmware_bridge.ports import (
    READ_S,
    Port,
    PortInfo,
    close,
    list_ports,
    no_board,
    open_port,
    port_of,
)
from firmware_bridge.reports import Board, Status
from firmware_bridge.session import READY, Misuse, Session

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 4.0
SILENCE_S = 1.5  # without an answer to HELLO: that is a problem to tell of

T = TypeVar("T")

log = logging.getLogger(__name__)


class Up(NamedTuple):
    """The board is ours. `again`: it was before, and has not been started anew since."""

    board: Board
    status: Status
    again: bool


class Down(NamedTuple):
    """The link is lost. `reason`: "unplugged", "silent", "restarted", "not taken" or "broken"."""

    reason: str
    detail: str


class Link:
    """Keeps a session with the board on `device`. `on_event` is called in the link's thread."""

    def __init__(
        self,
        device: str,
        on_event: Callable[[Event | Up | Down], None],
        clock: Callable[[], float] = time.monotonic,
        opener: Callable[[str], Port] = open_port,
        ports: Callable[[], Iterable[PortInfo]] = list_ports,
        dtr: bool = True,
    ) -> None:
        self.device = device  # where the board is, as far as is known
        self.problem: BridgeError | None = None  # why there is no link
        self.board: Board | None = None  # the last one that was ours
        self.counters = Counters()
        self.opening_since: float | None = None  # while a port is being opened, which may hang
        self.downs = 0
        self.bytes_sent = 0
        self.bytes_received = 0
        self._wanted = device
        self._on_event = on_event
        self._clock = clock
        self._opener = opener
        self._ports = ports
        self._dtr = dtr
        self._port: Port | None = None
        self._session: Session | None = None
        self._lock = threading.Lock()  # of the session; held for moments only
        self._port_lock = threading.Lock()  # so that nobody wakes a port that is being closed
        self._told_up = False
        self._pause_s = FIRST_PAUSE_S
        self._open_at = clock()
        self._opened_at = 0.0
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    # --- from any thread -----------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """Whether the thread works that `start` has begun."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def connected(self) -> bool:
        """Whether a port is open, whatever is behind it."""
        return self._port is not None

    @property
    def up(self) -> bool:
        """Whether the board is ours."""
        session = self._session
        return session is not None and session.phase == READY

    def ask(self, command: Callable[[Session, float], T]) -> T:
        """Calls `command(session, now)` and sends what it asks for, without waiting for the wire.

        Raises Misuse if there is no link, or the session refuses.
        """
        with self._lock:
            if self._session is None:
                raise Misuse("there is no link to the board")
            result = command(self._session, self._clock())
        self._wake()
        return result

    def start(self) -> None:
        """Begins to work, in a thread."""
        self._thread = threading.Thread(target=self._work, name="bridge-link", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Sends what was asked for last, ends the thread, closes the port. May be called twice."""
        self._closing.set()
        self._wake()
        if self._thread is not None:
            self._thread.join(timeout=2)
        port = self._port
        if port is not None and not self.alive:
            try:
                self._send(port)
            except OSError as error:
                log.info("the port was lost while it was closed: %r", error)
        self._drop_port(forget=not self.up)

    # --- the link's thread ---------------------------------------------------------------------

    def _work(self) -> None:
        try:
            while not self._closing.is_set():
                if not self.pump():
                    self._closing.wait(READ_S)
        except Exception as error:
            log.exception("the link to the board has broken")
            self._lost(Down("broken", repr(error)))

    def pump(self) -> bool:
        """One turn: bytes in, time on, bytes out. False if there is no port to wait at."""
        now = self._clock()
        if self._closing.is_set():
            return False
        if self._port is None:
            return now >= self._open_at and self._open(now)
        try:
            self._exchange(self._port)
        except OSError as error:  # pyserial's errors and time-outs are OSErrors, too
            self._lost(Down("unplugged", repr(error)))
        return True

    def _exchange(self, port: Port) -> None:
        self._send(port)
        data = port.read(1)
        data += port.read(port.in_waiting) if data else b""
        self.bytes_received += len(data)
        with self._lock:
            session = self._session
            assert session is not None
            now = self._clock()
            events = session.receive(data, now) + session.tick(now)
        self._look(session, now)
        for event in events:
            self._happened(event)
        self._send(port)

    def _send(self, port: Port) -> None:
        with self._lock:
            out = self._session.outgoing() if self._session else b""
        if out:
            port.write(out)
            self.bytes_sent += len(out)

    def _look(self, session: Session, now: float) -> None:
        """A device that does not answer HELLO stays open and is asked on; it may wake up late."""
        if session.board is not None:
            self.problem = None
        elif now - self._opened_at > SILENCE_S or session.prompt_seen:
            self.problem = no_board(self.device, session, self._dtr)

    def _happened(self, event: Event) -> None:
        if isinstance(event, Ended):
            self._lost(Down(event.reason, event.detail))
        elif isinstance(event, Ready):
            self._came_up(event.status)
        elif not isinstance(event, Greeted):
            self._on_event(event)

    def _came_up(self, status: Status) -> None:
        assert self._session is not None and self._session.board is not None
        board, before = self._session.board, self.board
        self.board = board
        self._pause_s = FIRST_PAUSE_S
        self._told_up = True
        self._on_event(Up(board, status, before is not None and before.boot == board.boot))

    # --- losing and finding --------------------------------------------------------------------

    def _open(self, now: float) -> bool:
        device = self._where()
        self.opening_since = now
        try:
            self._port = self._opener(device)
        except BridgeError as error:
            self.problem = error
            self._open_later(now)
            return False
        finally:
            self.opening_since = None
        self.device = device
        self._opened_at = now
        with self._lock:
            self._session = Session(now, counters=self.counters)
        return True

    def _where(self) -> str:
        """The port to open: the one asked for, or where the board is plugged in by now."""
        if self.board is None:
            return self._wanted
        return port_of(self.board.serial, self._ports()) or self._wanted

    def _lost(self, down: Down) -> None:
        """Tells of a loss once, and sees to it that the port is opened again."""
        self._drop_port()
        self._open_later(self._clock())
        if self._told_up:
            self._told_up = False
            self.downs += 1
            self._on_event(down)

    def _open_later(self, now: float) -> None:
        self._open_at = now + self._pause_s
        self._pause_s = min(LONGEST_PAUSE_S, 2 * self._pause_s)

    def _drop_port(self, forget: bool = True) -> None:
        with self._lock:
            self._session = None
        with self._port_lock:
            port, self._port = self._port, None
            if port is not None:
                close(port, forget)

    def _wake(self) -> None:
        """Ends the wait for bytes, unless the port is being closed: then nothing waits."""
        if threading.current_thread() is not self._thread and self._port_lock.acquire(False):
            try:
                if self._port is not None:
                    self._port.cancel_read()
            finally:
                self._port_lock.release()
