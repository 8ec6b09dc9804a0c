"""Serves the host: takes its commands, answers each, and reports what happens on the board.

A command that comes again under the same number is answered again, not done again; a question is
answered anew. Events are kept and sent again until the host says GOT. The host may be slow, deaf or
gone; nothing here waits for it.
"""

import struct

import messages as m
import telling
from frames import crc_hqx, encode
from signals import LOUDEST

RESEND = 100
MOST_EVENTS = 40  # that wait for a GOT; edges beyond that are dropped, the status tells levels
ANSWERS = 8  # kept for commands that come again
MOST_MODEL = 6000  # bytes of an odds model


class Host:
    """The host's end, as the board sees it. `launcher` is what it commands."""

    def __init__(self, launcher, wire):
        self._launcher = launcher
        self._wire = wire
        self._answers = []
        self._events = []
        self._first = 0  # number of the oldest event that waits
        self._sent_at = 0
        self._model = None  # bytes of an odds model that is being sent
        self._model_crc = 0
        self.heard_at = 0
        self._commands = {
            m.TAKE: self._take,
            m.BYE: self._bye,
            m.STOP: self._stop,
            m.LEASE: self._lease,
            m.FEED: self._feed,
            m.RUN: self._run,
            m.CLEAR: self._clear,
            m.PLAY: self._play,
            m.LIGHT: self._light,
            m.ODDS: self._odds,
            m.PART: self._part,
            m.KEEP: self._keep,
            m.PROMPT: self._prompt,
        }

    # --- frames --------------------------------------------------------------------------------

    def frame(self, kind, sequence, payload, now):
        """Takes one frame."""
        if kind == m.HELLO:
            self._answers = []
            self.greet(sequence)
            return
        self.heard_at = now
        if kind == m.GOT:
            self._got(sequence)
        elif kind == m.ASK:
            self._wire.send(encode(m.STATUS, sequence, telling.status(self._launcher)))
        elif kind == m.COUNTS:
            self._wire.send(encode(m.TALLY, sequence, telling.tally(self._launcher)))
        else:
            for number, answer in self._answers:
                if number == sequence:
                    self._wire.send(answer)
                    return
            answer = self._answer(kind, sequence, payload, now)
            self._answers.append((sequence, answer))
            if len(self._answers) > ANSWERS:
                self._answers.pop(0)
            self._wire.send(answer)

    def greet(self, sequence):
        """BOARD: who we are."""
        self._wire.send(encode(m.BOARD, sequence, telling.board(self._launcher)))

    @property
    def next_event(self):
        """The number of the next event."""
        return self._first + len(self._events) & 0xFF

    def step(self, now):
        """Sends events again that have not come."""
        if self._events and now - self._sent_at >= RESEND:
            self._sent_at = now
            for event in self._events[:4]:
                self._wire.send(event)

    def happened(self, kind, form, *values):
        """An event, for a host that has the board."""
        self._event(kind, struct.pack(form, *values))

    def edges(self, changes):
        """Inputs have changed: at most 16 changes, oldest first."""
        if len(self._events) < MOST_EVENTS:
            start = changes[0][2]
            payload = struct.pack(m.EDGES_FORM, start & 0xFFFFFFFF)
            for index, active, at in changes:
                after = max(0, min(0xFFFF, at - start))
                payload += struct.pack(m.EDGE_FORM, index * 2 + active, after)
            self._event(m.EDGES, payload)

    def _event(self, kind, payload):
        if self._launcher.hosted:
            event = encode(kind, self.next_event, payload)
            if not self._events:
                self._sent_at = self._launcher.now
            self._events.append(event)
            self._wire.send(event)

    def _got(self, sequence):
        count = (sequence - self._first & 0xFF) + 1
        if count <= len(self._events):
            del self._events[:count]
            self._first = sequence + 1 & 0xFF

    # --- commands ------------------------------------------------------------------------------

    def _answer(self, kind, sequence, payload, now):
        command = self._commands.get(kind)
        if command is None:
            result = m.CANNOT
        elif not self._launcher.hosted and kind not in (m.TAKE, m.STOP, m.PROMPT):
            result = m.NOT_TAKEN
        else:
            result = command(payload, now)
        return encode(m.DONE, sequence, struct.pack(m.DONE_FORM, result, now & 0xFFFFFFFF))

    def _values(self, form, payload):
        """The numbers in a payload; None if it has not the right size."""
        return struct.unpack(form, payload) if len(payload) == struct.calcsize(form) else None

    def _take(self, payload, now):
        values = self._values(m.TAKE_FORM, payload)
        if values is None:
            return m.MALFORMED
        if values[0] != self._launcher.boot:
            return m.OTHER_BOOT
        if not self._launcher.take(now):
            return m.BUSY
        self._events = []
        self._first = 0
        return m.OK

    def _bye(self, payload, now):
        self._launcher.let_go(now)
        return m.OK

    def _stop(self, payload, now):
        self._launcher.stop("stop", now)
        return m.OK

    def _lease(self, payload, now):
        values = self._values(m.LEASE_FORM, payload)
        if values is None:
            return m.MALFORMED
        if not 1 <= values[0] <= m.MOST_LEASE_MS:
            return m.LIMITS
        if self._launcher.mover.moving:
            self._launcher.motor.lease(values[0])
        return m.OK

    def _motion(self, power, lease):
        """What stands against a motion at all."""
        launcher = self._launcher
        if launcher.mover.motion:
            return m.BUSY
        if launcher.fault:
            return m.FAULTED
        if launcher.inputs.lid.read() or launcher.lid.level:
            return m.LID_OPEN
        if not launcher.least_power <= power <= 100 or not 1 <= lease <= m.MOST_LEASE_MS:
            return m.LIMITS
        return m.OK

    def _feed(self, payload, now):
        launcher = self._launcher
        values = self._values(m.FEED_FORM, payload)
        if values is None:
            return m.MALFORMED
        shot, cards, power, stall, cap, retract, lease = values
        if launcher.mover.wanted and shot == launcher.mover.shot:
            return m.SAME_SHOT
        against = self._motion(power, lease)
        if against:
            return against
        if not launcher.within(cards, stall, cap, retract):
            return m.LIMITS
        launcher.motor.lease(lease)
        launcher.feed(shot, cards, power, stall, cap, retract, now)
        return m.OK

    def _run(self, payload, now):
        values = self._values(m.RUN_FORM, payload)
        if values is None:
            return m.MALFORMED
        direction, power, ms, lease = values
        if direction not in (1, -1):
            return m.MALFORMED
        against = self._motion(power, lease)
        if against:
            return against
        self._launcher.motor.lease(lease)
        refusal = self._launcher.mover.run(direction, power, ms)
        return {"": m.OK, "lid": m.LID_OPEN}.get(refusal, m.LIMITS)

    def _clear(self, payload, now):
        launcher = self._launcher
        if launcher.mover.motion:
            return m.BUSY
        if launcher.inputs.lid.read() or launcher.lid.level:
            return m.LID_OPEN
        return m.OK if launcher.clear() else m.FAULTED

    def _play(self, payload, now):
        beeper = self._launcher.beeper
        if not payload:
            return m.MALFORMED
        name = _name(payload[1:])
        if not name:
            beeper.silence()
            return m.OK
        after, duty = payload[0] & 1, payload[0] >> 1 or LOUDEST
        if duty > LOUDEST:
            return m.LIMITS
        return m.OK if beeper.there and beeper.play(name, after, now, duty) else m.CANNOT

    def _light(self, payload, now):
        light = self._launcher.light
        return m.OK if light.there and light.show(_name(payload), now) else m.CANNOT

    def _odds(self, payload, now):
        values = self._values(m.ODDS_FORM, payload)
        if values is None:
            return m.MALFORMED
        if not 1 <= values[0] <= MOST_MODEL:
            return m.LIMITS
        self._model = bytearray(values[0])
        self._model_crc = values[1]
        return m.OK

    def _part(self, payload, now):
        if self._model is None or len(payload) < 3:
            return m.MALFORMED
        (at,) = struct.unpack_from(m.PART_FORM, payload)
        part = payload[2:]
        if at + len(part) > len(self._model):
            return m.LIMITS
        self._model[at : at + len(part)] = part
        return m.OK

    def _keep(self, payload, now):
        model, self._model = self._model, None
        if model is None:
            return m.MALFORMED
        if self._launcher.mover.motion:
            return m.BUSY
        if crc_hqx(model, 0xFFFF) != self._model_crc:
            return m.NOT_KEPT
        return m.OK if self._launcher.alone.keep(model) else m.NOT_KEPT

    def _prompt(self, payload, now):
        if self._launcher.mover.motion:
            return m.BUSY
        self._launcher.restart_for_update(now)
        return m.OK


def _name(payload):
    """The name in a payload; "?" for bytes that are none."""
    try:
        return bytes(payload).decode()
    except UnicodeError:
        return "?"
