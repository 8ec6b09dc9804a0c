"""A fake microcontroller for tests of the host's side, with faults on demand.

It is written from the protocol's page, not from the firmware: bytes in, bytes out, in the time
that it is given. It has no mechanism; a test says what it counts. What it was made to do stands
in `acts`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import serial

from firmware_bridge import messages as m
from firmware_bridge.frames import Decoder, encode

RESEND_S = 0.1


@dataclass
class Faults:
    """What goes wrong. Counters count down to zero as they are used up."""

    drop_answers: int = 0
    drop_events: int = 0
    corrupt_answers: int = 0
    answer_twice: int = 0
    stalled: bool = False  # takes bytes, does and says nothing
    deaf: bool = False  # does not even take bytes
    lie: int = 0  # added to every count of cards
    refuse: dict[int, int] = field(default_factory=dict)  # kind: result


class FakeBoard:
    """The board's end of the wire. `now` is virtual or real, as the caller likes."""

    def __init__(self, name: str = "fake", boot: int = 0x1234, abilities: int = 127) -> None:
        self.name = name
        self.boot = boot
        self.abilities = abilities
        self.faults = Faults()
        self.mode = 1
        self.fault = 0
        self.levels = 0
        self.acts: list[tuple] = []
        self.moving: int | None = None  # the shot that is fed, or -1 in a run
        self.last = (0, 0, 0, 0, 0, 0, 0)  # shot, wanted, cards, suspects, reason, marks, retries
        self.lease_until = 0.0
        self._started = 0.0
        self._decoder = Decoder()
        self._answers: dict[int, bytes] = {}
        self._events: list[bytes] = []
        self._event = 0
        self._event_sent = -1e9
        self._out = bytearray()

    # --- what a test makes it do -----------------------------------------------------------------

    def restart(self, boot: int, now: float) -> None:
        """As after a reset: another boot id, nothing remembered, the banner."""
        faults = self.faults
        self.__init__(self.name, boot, self.abilities)  # type: ignore[misc]
        self.faults = faults
        self._started = now
        self._put(encode(m.BOARD, 0, self._board()))

    def edge(self, input_: int, active: bool, now: float) -> None:
        self.levels = self.levels & ~(1 << input_) | active << input_
        self._happens(
            m.EDGES,
            struct.pack(m.EDGES_FORM, self.ms(now))
            + struct.pack(m.EDGE_FORM, input_ * 2 + active, 0),
        )

    def count(self, cards: int, now: float, suspect: bool = False) -> None:
        """So many cards have been counted in this feed."""
        shot, wanted, *_ = self.last
        self.last = (shot, wanted, cards + self.faults.lie, 0, 0, 0, 0)
        values = (self.ms(now), shot, cards + self.faults.lie, suspect)
        self._happens(m.CARD, struct.pack(m.CARD_FORM, *values))

    def end(self, reason: str, now: float, marks: int = 0, retries: int = 0) -> None:
        """The feed or run is over."""
        code = m.REASONS.index(reason)
        if self.moving == -1:
            self._happens(m.RAN, struct.pack(m.RAN_FORM, self.ms(now), code))
        elif self.moving is not None:
            shot, wanted, cards, suspects, *_ = self.last
            self.last = (shot, wanted, cards, suspects, code, marks, retries)
            values = (self.ms(now), shot, cards, suspects, code, marks, retries)
            self._happens(m.FED, struct.pack(m.FED_FORM, *values))
        self.moving = None

    def latch(self, fault: str, now: float) -> None:
        self.fault = m.FAULTS.index(fault)
        self._happens(m.FAULT, struct.pack(m.FAULT_FORM, self.ms(now), self.fault))

    # --- the wire --------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        if self.faults.stalled:
            return
        for kind, sequence, payload in self._decoder.feed(data):
            self._take(kind, sequence, payload, now)

    def tick(self, now: float) -> None:
        if self.moving is not None and now > self.lease_until:
            self.end("lease", now)
            self.latch("lease", now)
        if self._events and now >= self._event_sent + RESEND_S:
            self._event_sent = now
            if self.faults.drop_events:
                self.faults.drop_events -= 1
            else:
                self._put(b"".join(self._events))

    def outgoing(self) -> bytes:
        out = bytes(self._out)
        self._out.clear()
        return out

    def ms(self, now: float) -> int:
        return round((now - self._started) * 1000) & 0xFFFFFFFF

    def _put(self, wire: bytes) -> None:
        if not self.faults.stalled:
            self._out += wire

    def _happens(self, kind: int, payload: bytes) -> None:
        if self.mode == 2:
            self._events.append(encode(kind, self._event, payload))
            self._event = (self._event + 1) & 0xFF
            self._event_sent = -1e9

    def _take(self, kind: int, sequence: int, payload: bytes, now: float) -> None:
        if kind == m.HELLO:
            self._answers.clear()
            self._put(encode(m.BOARD, sequence, self._board()))
        elif kind == m.GOT:
            while self._events and (sequence - self._events_first()) & 0xFF < 128:
                self._events.pop(0)
        else:
            if sequence not in self._answers or kind in (m.ASK, m.COUNTS):
                self._answers[sequence] = self._act(kind, sequence, payload, now)
                while len(self._answers) > 8:
                    del self._answers[next(iter(self._answers))]
            self._answer(self._answers[sequence])

    def _events_first(self) -> int:
        return Decoder().feed(self._events[0])[0][1]

    def _answer(self, wire: bytes) -> None:
        faults = self.faults
        if faults.drop_answers:
            faults.drop_answers -= 1
        elif faults.corrupt_answers:
            faults.corrupt_answers -= 1
            self._put(bytes([wire[0], wire[1] ^ 1]) + wire[2:])
        else:
            self._put(wire)
            if faults.answer_twice:
                faults.answer_twice -= 1
                self._put(wire)

    def _act(self, kind: int, sequence: int, payload: bytes, now: float) -> bytes:
        if kind == m.ASK:
            who = (self.ms(now), self.boot, self._event, self.mode)
            stand = (self._motion(), self.fault, self.levels)
            form = m.STATUS_FORM
            return encode(m.STATUS, sequence, struct.pack(form, *who, *stand, *self.last))
        if kind == m.COUNTS:
            values = (self.ms(now), 1, 2, 3, 0, 100_000, 50_000, 1, 4, 5, 6)
            return encode(m.TALLY, sequence, struct.pack(m.TALLY_FORM, *values) + b"measured")
        result = self.faults.refuse.get(kind, m.OK)
        if result == m.OK:
            result = self._do(kind, payload, now)
        return encode(m.DONE, sequence, struct.pack(m.DONE_FORM, result, self.ms(now)))

    def _do(self, kind: int, payload: bytes, now: float) -> int:
        self.acts.append((chr(kind), payload))
        if kind == m.TAKE:
            (boot,) = struct.unpack(m.TAKE_FORM, payload)
            if boot != self.boot:
                return m.OTHER_BOOT
            self.mode = 2
            self._events.clear()
            self._event = 0
            return m.OK
        if self.mode != 2 and kind not in (m.STOP, m.PROMPT):
            return m.NOT_TAKEN
        if kind == m.FEED:
            shot, cards, *_, lease = struct.unpack(m.FEED_FORM, payload)
            if self.fault:
                return m.FAULTED
            if shot == self.last[0] and self.last[1]:
                return m.SAME_SHOT
            self.moving = shot
            self.last = (shot, cards, self.faults.lie, 0, 0, 0, 0)
            self.lease_until = now + lease / 1000
        elif kind == m.RUN:
            *_, lease = struct.unpack(m.RUN_FORM, payload)
            self.moving = -1
            self.lease_until = now + lease / 1000
        elif kind == m.LEASE:
            self.lease_until = now + struct.unpack(m.LEASE_FORM, payload)[0] / 1000
        elif kind == m.STOP:
            self.end("stop", now)
        elif kind == m.CLEAR:
            self.fault = 0
        elif kind == m.BYE:
            self.mode = 1
        return m.OK

    def _motion(self) -> int:
        return 0 if self.moving is None else 2 if self.moving == -1 else 1

    def _board(self) -> bytes:
        limits = (500, 1500, 400, 2500, 1000, 300, 112)
        serial = bytes.fromhex("e6614103e7452b2f")
        values = (0, 1, 0, 0xBEEF, self.boot, self.abilities, *limits, serial)
        return struct.pack(m.BOARD_FORM, *values) + self.name.encode()


class FakePort:
    """A serial port with a fake board behind it, in virtual time.

    `break_on` names the operations that fail from now on, with the errors that pyserial raises
    for a lost USB device. With `dtr` off, a Pico says nothing.
    """

    def __init__(self, board: FakeBoard, clock: Callable[[], float], dtr: bool = True) -> None:
        self.board = board
        self.dtr = dtr
        self.break_on: set[str] = set()
        self.closed = False
        self.raw = bytearray()  # bytes that come before those of the board
        self._clock = clock

    @property
    def in_waiting(self) -> int:
        if "in_waiting" in self.break_on:
            raise OSError(5, "Input/output error")
        return 4096

    def read(self, size: int) -> bytes:
        if "read" in self.break_on:
            text = "device reports readiness to read but returned no data"
            raise serial.SerialException(text)
        self.board.tick(self._clock())
        if not self.raw:
            self.raw += self.board.outgoing() if self.dtr else b""
        data = bytes(self.raw[:size])
        del self.raw[:size]
        return data

    def write(self, data: bytes) -> int:
        if "write" in self.break_on:
            raise serial.SerialException("write failed: [Errno 5] Input/output error")
        if self.board.faults.deaf:
            raise serial.SerialTimeoutException("Write timeout")
        self.board.receive(data, self._clock())
        return len(data)

    def cancel_read(self) -> None: ...

    def reset_output_buffer(self) -> None: ...

    def close(self) -> None:
        self.closed = True
