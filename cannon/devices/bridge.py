"""The launcher on a microcontroller, over a serial link: it feeds by itself, we say how much.

The control loop never waits for the wire. What it asks for is handed to the link's thread; what
the board reports is posted as events, in that thread. The motor runs within leases that `tick`
renews, so it stops when the control loop, this process or this computer does.

Lid and button are debounced on the board, by the same file that the controller uses; they arrive
as edges, with the time at which they began. After a lost link nothing is asked for again; if the
board was not started anew meanwhile, it is asked how far it got with the shot that was cut short.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from cannon.core.commands import Command, Feed, Light, Off, Run, Sound
from cannon.core.events import (
    BATTERY,
    BUTTON,
    EXIT,
    HOPPER,
    LID,
    CardSeen,
    Edge,
    Failure,
    FeedEnded,
    Levels,
    MotorOff,
)
from cannon.core.feeding import FeedPlan
from cannon.devices.ports import Capabilities, Clock, DeviceFault, Post
from firmware_bridge import messages as m
from firmware_bridge.events import Answered, Counted, EdgeSeen, Faulted, Fed, Ran, Told
from firmware_bridge.link import Down, Link, Up
from firmware_bridge.reports import Board, LastFeed, Status
from firmware_bridge.session import Misuse, Session

LEASE_MS = 500
RENEW_S = 0.12  # four renewals in a lease: some may be lost, or late
AGAIN_S = 0.05  # a board that is still settling is asked once more after that ...
PATIENCE_S = 1.0  # ... for so long

NAMES = (BUTTON, LID, EXIT, HOPPER, BATTERY)  # in the order of the protocol's inputs
OWN_FAULTS = {"sensor_selftest": "sensor_selftest"}  # those with a cause of their own for people
ENDINGS = ("stalled", "timeout")  # faults on the board that are only ends of a feed to us

log = logging.getLogger(__name__)


class _Shot:
    """A feed that was asked for. `ticket` is None while it is to be asked for once more."""

    def __init__(self, number: int, feed: Callable[[Session, float], int], now: float) -> None:
        self.number = number
        self.feed = feed
        self.asked_at = now
        self.ticket: int | None = None
        self.again_at: float | None = None


class BridgeLauncher:
    """A launcher behind a link, which `make_link` makes from the function that takes its events.

    `plan` has the caps of a feed, `power` is that of the motor (0..1]; the board's own limits
    stand above both. `duty` is how loud a passive beeper is (see `Signals`), 0 silent. What it is
    capable of is known once `came_up` is set.
    """

    def __init__(
        self,
        make_link: Callable[[Callable[[Any], None]], Link],
        post: Post,
        clock: Clock,
        plan: FeedPlan,
        power: float = 1.0,
        duty: float = 0.5,
    ) -> None:
        self.capabilities = Capabilities(counts=False, retracts=False, feeds_itself=True)
        self.came_up = threading.Event()
        self._post = post
        self._clock = clock
        self._plan = plan
        self._power = round(100 * power)
        self._duty = round(100 * duty)
        self._lock = threading.RLock()  # of what follows
        self._board: Board | None = None  # the last one that was ours
        self._levels = 0
        self._fault = ""
        self._last_shot = 0
        self._shot: _Shot | None = None
        self._run_ticket: int | None = None
        self._renew_at: float | None = None  # while the motor may turn
        self._light = ""
        self._muted = False
        self._closed = False
        self.link = make_link(self.on_event)

    # --- the launcher's port -------------------------------------------------------------------

    def levels(self) -> Levels:
        """The inputs as last reported: at once when they change, else every quarter of a second."""
        bits, board = self._levels, self._board
        there = [i for i in range(len(NAMES)) if board is not None and board.has(i)]
        return Levels(**{NAMES[i]: bool(bits >> i & 1) for i in there})

    def do(self, command: Command) -> None:
        """Carries out one command. Raises DeviceFault if there is no link, or it is beyond us."""
        match command:
            case Off():
                self.off()
            case Feed(cards):
                self._feed(cards)
            case Run(direction, power, for_s):
                self._run(direction, power, for_s)
            case Sound(tune, after):
                if self._duty:
                    self._show(m.PLAY, bytes([after | self._duty << 1]) + tune.encode())
            case Light(pattern):
                self._light = pattern
                self._show(m.LIGHT, pattern.encode())
            case _:
                raise DeviceFault("program", f"a launcher on the bridge cannot do {command}")

    def tick(self, now: float) -> None:
        """Renews the lease while the motor may turn; the loop that calls this is alive."""
        with self._lock:
            if self._renew_at is not None and now >= self._renew_at:
                self._renew_at = now + RENEW_S
                self._ask_quietly(lambda session, at: session.renew(LEASE_MS, at))
            shot = self._shot
            if shot is not None and shot.again_at is not None and now >= shot.again_at:
                self._ask_for(shot)

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        with self._lock:
            again_at = self._shot.again_at if self._shot else None
            due = [at for at in (self._renew_at, again_at) if at is not None]
        return min(due, default=None)

    def off(self) -> None:
        """Motor off, now, from any thread. Without a link the board has seen to it by itself."""
        for event in self._ask_quietly(lambda session, at: session.stop(at)) or ():
            self.on_event(event)

    def mute(self) -> None:
        """Silent and dark; from now on Sound and Light do nothing."""
        self._show(m.PLAY, b"\0")
        self._show(m.LIGHT, b"off")
        self._muted = True

    def close(self) -> None:
        """Motor off, the board is let go, the port closed. May be called twice."""
        if not self._closed:
            self._closed = True
            self._ask_quietly(lambda session, at: session.bye(at))
            self.link.close()

    # --- what is asked for ---------------------------------------------------------------------

    def _feed(self, cards: int) -> None:
        with self._lock:
            board, plan = self._board, self._plan
            if board is None:
                raise DeviceFault("bridge_lost", "there was no link yet")
            self._last_shot = number = self._last_shot % 0xFFFF + 1
            stall_ms = min(_ms(plan.stall), board.most_per_card_ms)
            cap_ms = min(_ms(plan.max_shot + cards * plan.per_card), board.feed_limit_ms(cards))
            retract_ms = min(_ms(plan.retract), board.most_retract_ms)

            def feed(session: Session, now: float) -> int:
                self._clear(session, now)
                return session.feed(
                    number, cards, self._power, stall_ms, cap_ms, retract_ms, LEASE_MS, now
                )

            self._shot = _Shot(number, feed, self._clock())
            self._ask_for(self._shot)

    def _ask_for(self, shot: _Shot) -> None:
        shot.again_at = None
        try:
            shot.ticket = self._ask(shot.feed)
        except DeviceFault:
            self._shot = None
            raise
        self._renew_at = self._clock() + RENEW_S

    def _run(self, direction: int, power: float, for_s: float) -> None:
        def run(session: Session, now: float) -> int:
            self._clear(session, now)
            return session.run(direction, round(100 * power), _ms(for_s), LEASE_MS, now)

        with self._lock:
            self._run_ticket = self._ask(run)
            self._renew_at = self._clock() + RENEW_S

    def _clear(self, session: Session, now: float) -> None:
        """A fault of the board's was reported when it came, and someone has decided to go on."""
        if self._fault:
            self._fault = ""
            session.command(m.CLEAR, now)

    def _show(self, kind: int, payload: bytes) -> None:
        """A sound or a light: dispensable, so without a link nothing is said."""
        if not self._muted:
            self._ask_quietly(lambda session, now: session.command(kind, now, payload))

    def _ask(self, command: Callable[[Session, float], Any]) -> Any:
        try:
            return self.link.ask(command)
        except Misuse as error:
            raise DeviceFault(
                "bridge_fault" if self.link.up else "bridge_lost", str(error)
            ) from error

    def _ask_quietly(self, command: Callable[[Session, float], Any]) -> Any:
        """Asks for something that is of no use without a link."""
        try:
            return self.link.ask(command)
        except Misuse:
            return None

    # --- what the board reports, in the link's thread -------------------------------------------

    def on_event(self, event: Any) -> None:
        """Takes an event of the link."""
        with self._lock:
            match event:
                case EdgeSeen(index, active, at):
                    self._levels = self._levels & ~(1 << index) | active << index
                    self._post(Edge(NAMES[index], active, at))
                case Told(status, True):  # else edges are on their way that come before it
                    self._levels = status.levels
                case Counted(shot, cards, suspect, at):
                    if self._shot is not None and shot == self._shot.number:
                        self._post(CardSeen(cards, suspect, at))
                case Fed(feed):
                    self._fed(feed)
                case Ran(reason, at):
                    self._still()
                    self._post(MotorOff(reason, at))
                case Faulted(fault):
                    self._faulted(fault)
                case Answered():
                    self._answered(event)
                case Up(board, status):
                    self._came_up(board, status)
                case Down(reason, detail):
                    self._went_down(reason, detail)

    def _fed(self, feed: LastFeed) -> None:
        if self._shot is None or feed.shot != self._shot.number:
            return  # of a shot that was given up
        self._still()
        self._post(
            FeedEnded(feed.reason, feed.cards, feed.suspects, feed.blocked, feed.slow, feed.retries)
        )

    def _faulted(self, fault: str) -> None:
        self._fault = fault
        if fault not in ENDINGS:
            cause = OWN_FAULTS.get(fault, "bridge_fault")
            self._post(Failure(cause, f"the board reports: {fault}"))

    def _answered(self, answer: Answered) -> None:
        if answer.kind == m.RUN and answer.ticket == self._run_ticket and answer.result != "ok":
            self._still()
            self._post(MotorOff("lid" if answer.result == "lid open" else "refused", self._clock()))
        elif self._shot is not None and answer.ticket == self._shot.ticket:
            self._feed_answered(self._shot, answer.result)
        elif answer.result not in ("ok", "cannot", "taken back"):
            log.warning("the board refused %s: %s", chr(answer.kind), answer.result)

    def _feed_answered(self, shot: _Shot, result: str) -> None:
        now = self._clock()
        if result == "ok":
            return
        if result == "busy" and now < shot.asked_at + PATIENCE_S:
            shot.ticket, shot.again_at = None, now + AGAIN_S
            return
        self._still()
        reason = {"lid open": "lid", "taken back": "stop"}.get(result, "fault")
        if reason == "fault":
            self._post(Failure("bridge_fault", f"the board refused a feed: {result}"))
        nothing = 0 if self.capabilities.counts else None
        self._post(FeedEnded(reason, nothing, 0, blocked=False, slow=False, retries=0))

    def _came_up(self, board: Board, status: Status) -> None:
        """The link is there. What was cut short gets its end; nothing is asked for."""
        first, same = (
            self._board is None,
            self._board is not None and board.boot == self._board.boot,
        )
        shot, feed = self._shot, status.feed
        self._board, self._levels, self._fault = board, status.levels, status.fault
        self._last_shot = feed.shot if feed else self._last_shot
        if shot is not None and same and feed is not None and feed.shot == shot.number:
            if feed.reason:
                self._fed(feed)  # else it is settling, and will be reported
        else:
            self._shot = None
        if status.fault in OWN_FAULTS:
            self._faulted(status.fault)
        if first:
            self.capabilities = Capabilities(board.counts, board.reverses, feeds_itself=True)
            self.came_up.set()
            return
        if self._light:
            self._show(m.LIGHT, self._light.encode())
        self._post(self.levels())

    def _went_down(self, reason: str, detail: str) -> None:
        self._renew_at = None
        self._run_ticket = None
        if self._shot is not None:
            self._shot.ticket = self._shot.again_at = None
        cause = "bridge_restarted" if reason == "restarted" else "bridge_lost"
        self._post(Failure(cause, f"{reason}: {detail}"))

    def _still(self) -> None:
        """The motor is off, and nothing is under way."""
        self._shot = None
        self._run_ticket = None
        self._renew_at = None


def _ms(seconds: float) -> int:
    return round(1000 * seconds)
