"""One conversation with a board, without a port or a clock: bytes in, events out, bytes to send.

The rules of it:

1. A session begins with HELLO, repeated until a board answers. Nothing else is sent before. With
   `take`, TAKE follows, and the board belongs to this host.
2. Commands are answered. One is under way at a time; the next one waits. An answer that does not
   come is asked for again under the same number, a few times; then the session ends ("silent").
   The board does not act twice on one number.
3. STOP and LEASE wait for nothing. STOP goes out first and takes back every FEED and RUN that was
   not answered yet.
4. The board is asked for its status every ASK_S. Another boot id ends the session ("restarted"),
   as does the word that the board is no longer ours ("not taken").
5. The board's events carry numbers of their own and are taken in order, each once; GOT says so.
6. An ended session stays ended. Nothing that the board says raises.

Times are monotonic seconds, given in.
"""

from __future__ import annotations

import struct
from typing import Any

from firmware_bridge import messages as m
from firmware_bridge import reports
from firmware_bridge.boardclock import BoardClock
from firmware_bridge.events import (
    Answered,
    Counted,
    EdgeSeen,
    Ended,
    Event,
    Faulted,
    Fed,
    Greeted,
    Ran,
    Ready,
    Tallied,
    Told,
)
from firmware_bridge.frames import Decoder, encode
from firmware_bridge.outbox import TRIES, Command, Counters, Outbox

HELLO_S = 0.25
ASK_S = 0.25
BUSY_S = 0.1  # the board is in a shot of its own; TAKE is tried again after that

GREETING, GREETED, READY, ENDED = "greeting", "greeted", "ready", "ended"

# Zero bytes end whatever was on the line before; the carriage return makes a prompt show itself.
PROBE = b"\0" + encode(m.HELLO, ord("?"), m.HELLO_TEXT) + b"\r\0"
PROMPT = b">>> "


class Misuse(Exception):
    """This end asked for what the session or the board does not allow."""


class Session:
    """One conversation. `receive`, `tick` and `stop` return what happened, oldest first."""

    def __init__(self, now: float, take: bool = True, counters: Counters | None = None) -> None:
        self.phase = GREETING
        self.board: reports.Board | None = None
        self.counters = counters or Counters()
        self.clock = BoardClock()
        self.prompt_seen = False  # MicroPython without a running firmware
        self._take = take
        self._decoder = Decoder()
        self._tail = b""  # the last raw bytes, to find the prompt in them
        self._outbox = Outbox(self.counters)
        self._events: list[Event] = []
        self._next_event = 0
        self._hello_at = now
        self._take_at: float | None = None
        self._ask_at = now

    @property
    def other_version(self) -> int | None:
        """The version of the protocol that the other end speaks, if it is not ours."""
        return self._decoder.other_version

    # --- what the host asks for ----------------------------------------------------------------

    def command(self, kind: int, now: float, payload: bytes = b"") -> int:
        """Asks for one command; the ticket comes back in its `Answered`.

        Raises Misuse if no board has answered HELLO or, but for harmless commands, it is not ours.
        """
        harmless = kind in (m.ASK, m.COUNTS, m.PROMPT)
        if self.phase != READY and not (harmless and self.phase == GREETED):
            raise Misuse(f"command {chr(kind)!r} in a session that is {self.phase}")
        return self._outbox.queue(kind, payload, now)

    def feed(
        self,
        shot: int,
        cards: int,
        power: int,
        per_card_ms: int,
        feed_ms: int,
        retract_ms: int,
        lease_ms: int,
        now: float,
    ) -> int:
        """FEED; `power` in percent. Raises Misuse for what this board cannot do."""
        board = self._ours()
        _within("cards", cards, 1, board.most_cards)
        _within("time without progress in ms", per_card_ms, 1, board.most_per_card_ms)
        _within("cap of the feed in ms", feed_ms, 1, board.feed_limit_ms(cards))
        _within("retract in ms", retract_ms, 0, board.most_retract_ms)
        _motion_within(board, power, lease_ms)
        values = (shot & 0xFFFF, cards, power, per_card_ms, feed_ms, retract_ms, lease_ms)
        return self.command(m.FEED, now, struct.pack(m.FEED_FORM, *values))

    def run(self, direction: int, power: int, run_ms: int, lease_ms: int, now: float) -> int:
        """RUN, `direction` 1 or -1. Raises Misuse for what this board cannot do."""
        board = self._ours()
        if direction != 1 and not (direction == -1 and board.reverses):
            raise Misuse(f"direction {direction}: the motor of {board.name} turns forward only")
        _within("run in ms", run_ms, 1, board.most_run_ms)
        _motion_within(board, power, lease_ms)
        return self.command(m.RUN, now, struct.pack(m.RUN_FORM, direction, power, run_ms, lease_ms))

    def renew(self, lease_ms: int, now: float) -> None:
        """LEASE: the motor may go on for so long from now."""
        _within("lease in ms", lease_ms, 1, self._ours().most_lease_ms)
        self._outbox.urgent(m.LEASE, struct.pack(m.LEASE_FORM, lease_ms), now)

    def stop(self, now: float) -> list[Event]:
        """STOP, before everything else. Does nothing where there is no board to stop."""
        if self.phase in (GREETED, READY):
            for command in self._outbox.take_back((m.FEED, m.RUN)):
                self._events.append(Answered(command.ticket, command.kind, "taken back"))
            self._outbox.urgent(m.STOP, b"", now, first=True)
            self._outbox.flow(now)
        return self._take_events()

    def bye(self, now: float) -> list[Event]:
        """STOP and BYE: the board is free again. The answers need not be waited for."""
        events = self.stop(now)
        if self.phase == READY:
            self._outbox.urgent(m.BYE, b"", now)
        return events

    # --- bytes and time ------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Takes bytes from the board."""
        if self.phase == GREETING:
            self._tail = (self._tail + data)[-64:]
            self.prompt_seen = self.prompt_seen or PROMPT in self._tail
        dropped = self._decoder.dropped
        for kind, sequence, payload in self._decoder.feed(data):
            if self.phase != ENDED:
                self._take_frame(kind, sequence, payload, now)
        self.counters.dropped += self._decoder.dropped - dropped
        return self._take_events()

    def tick(self, now: float) -> list[Event]:
        """Lets time pass to `now`."""
        if self.phase == GREETING and now >= self._hello_at:
            self._hello_at = now + HELLO_S
            self._outbox.unnumbered(PROBE)
        if self._take_at is not None and now >= self._take_at:
            self._take_over(now)
        if self.phase == READY and now >= self._ask_at:
            self._ask(now)
        unanswered = self._outbox.tick(now)
        if unanswered is not None:
            self._end("silent", f"no answer to {chr(unanswered.kind)!r} in {TRIES} tries")
        return self._take_events()

    @property
    def deadline(self) -> float | None:
        """When `tick` is due; None once the session has ended."""
        if self.phase == ENDED:
            return None
        ask_at = self._ask_at if self.phase == READY else None
        hello_at = self._hello_at if self.phase == GREETING else None
        due = (self._outbox.deadline, self._take_at, ask_at, hello_at)
        return min((time for time in due if time is not None), default=None)

    def outgoing(self) -> bytes:
        """Takes the bytes that are to be sent."""
        return self._outbox.outgoing()

    # --- frames --------------------------------------------------------------------------------

    def _take_frame(self, kind: int, sequence: int, payload: bytes, now: float) -> None:
        self.counters.received += 1
        parse = _PARSERS.get(kind)
        parsed = parse(payload) if parse else None
        if parsed is None:
            self.counters.malformed += 1
        elif kind == m.BOARD:
            self._greeted(parsed, now)
        elif kind in m.EVENTS:
            self._numbered(kind, sequence, parsed, now)
        else:
            command = self._outbox.answered(sequence, kind)
            if command is not None:
                self._answered(command, kind, parsed, now)
                self._outbox.flow(now)

    def _greeted(self, board: reports.Board, now: float) -> None:
        if self.phase == GREETING:
            self.board = board
            self.phase = GREETED
            self._events.append(Greeted(board))
            if self._take:
                self._take_over(now)
        else:
            self._same_boot(board.boot)

    def _answered(self, command: Command, kind: int, parsed: Any, now: float) -> None:
        if command.tries == 1:
            self.counters.round_trips_s.append(now - command.sent_at)
        if kind == m.STATUS:
            self.clock.sample(parsed.now_ms, command.first_at, now)
            self._told(parsed)
        elif kind == m.TALLY:
            self._events.append(Tallied(parsed))
        else:
            result, board_ms = parsed
            self.clock.sample(board_ms, command.first_at, now)
            self._done(command, result, now)

    def _done(self, command: Command, result: str, now: float) -> None:
        if command.kind == m.TAKE:
            self._taken(result, now)
        elif result == "not taken" and self.phase == READY:
            self._end("not taken", "another host has it, or it heard nothing for long")
        else:
            self._events.append(Answered(command.ticket, command.kind, result))

    def _take_over(self, now: float) -> None:
        assert self.board is not None
        self._take_at = None
        self._next_event = 0
        self._outbox.queue(m.TAKE, struct.pack(m.TAKE_FORM, self.board.boot), now)

    def _taken(self, result: str, now: float) -> None:
        if result == "ok":
            self._ask(now)
        elif result == "busy":
            self._take_at = now + BUSY_S
        else:
            self._end("restarted", f"TAKE was answered with {result!r}")

    def _told(self, status: reports.Status) -> None:
        if not self._same_boot(status.boot):
            return
        if self.phase == GREETED and self._take and status.mode == "hosted":
            self.phase = READY
            self._events.append(Ready(status))
        elif self.phase == READY and status.mode != "hosted":
            self._end("not taken", f"the board is {status.mode}")
        else:
            self._events.append(Told(status, status.next_event == self._next_event))

    def _same_boot(self, boot: int) -> bool:
        assert self.board is not None
        if boot != self.board.boot:
            self._end("restarted", f"boot id {boot:#x} after {self.board.boot:#x}")
        return boot == self.board.boot

    def _numbered(self, kind: int, sequence: int, parsed: Any, now: float) -> None:
        """An event: the next one, an old one again, or one after a gap, which the board fills."""
        if self.phase != READY:
            return
        behind = (self._next_event - sequence) & 0xFF
        if behind == 0:
            self._next_event = (sequence + 1) & 0xFF
            self._happened(kind, parsed, now)
        if behind < 128:
            self._outbox.unnumbered(encode(m.GOT, (self._next_event - 1) & 0xFF))

    def _happened(self, kind: int, parsed: Any, now: float) -> None:
        if kind == m.EDGES:
            for edge in parsed:
                at = self.clock.host(edge.at_ms, now)
                self._events.append(EdgeSeen(edge.input, edge.active, at))
            return
        at_ms, *what = parsed
        at = self.clock.host(at_ms, now)
        if kind == m.CARD:
            shot, cards, suspect = what
            self._events.append(Counted(shot, cards, suspect, at))
        else:
            happening = {m.FED: Fed, m.RAN: Ran, m.FAULT: Faulted}[kind]
            self._events.append(happening(what[0], at))

    # --- small things --------------------------------------------------------------------------

    def _ours(self) -> reports.Board:
        if self.phase != READY or self.board is None:
            raise Misuse(f"a motion in a session that is {self.phase}")
        return self.board

    def _ask(self, now: float) -> None:
        self._ask_at = now + ASK_S
        if not self._outbox.asked(m.ASK):
            self._outbox.queue(m.ASK, b"", now)

    def _end(self, reason: str, detail: str) -> None:
        if self.phase != ENDED:
            self.phase = ENDED
            self._take_at = None
            self._outbox.clear()
            self._events.append(Ended(reason, detail))

    def _take_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events


def _motion_within(board: reports.Board, power: int, lease_ms: int) -> None:
    least = 1 if board.abilities & m.POWER else 100
    _within("power in %", power, least, 100)
    _within("lease in ms", lease_ms, 1, board.most_lease_ms)


def _within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise Misuse(
            f"{what}: {value} is outside of {least} to {most}, which is what the board can"
        )


_PARSERS: dict[int, Any] = {
    m.BOARD: reports.board,
    m.DONE: reports.done,
    m.STATUS: reports.status,
    m.TALLY: reports.tally,
    m.EDGES: reports.edges,
    m.CARD: reports.card,
    m.FED: reports.fed,
    m.RAN: reports.ran,
    m.FAULT: reports.fault,
}
