"""Commands on their way to the board: one at a time, repeated until answered, a few past the queue.

Times are monotonic seconds, given in.
"""

from __future__ import annotations

from collections import deque

from firmware_bridge import messages as m
from firmware_bridge.frames import encode

RETRY_S = 0.1
TRIES = 10
BESIDE_THE_QUEUE = (m.STOP, m.LEASE, m.BYE)


class Counters:
    """What went over the wire. Round trips in seconds, the last 100 of them."""

    def __init__(self) -> None:
        self.sent = 0
        self.repeated = 0
        self.received = 0
        self.dropped = 0  # pieces that were no frame, or damaged
        self.malformed = 0  # good frames with a wrong payload
        self.round_trips_s: deque[float] = deque(maxlen=100)


class Command:
    """A command that waits, or is under way under its sequence number."""

    def __init__(self, ticket: int, kind: int, payload: bytes) -> None:
        self.ticket = ticket
        self.kind = kind
        self.payload = payload
        self.sequence = 0
        self.frame = b""
        self.first_at = 0.0
        self.sent_at = 0.0
        self.tries = 0


class Outbox:
    """Numbers commands, sends them, asks again, and gives up after TRIES."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._out: list[bytes] = []
        self._waiting: deque[Command] = deque()
        self._under_way: dict[int, Command] = {}
        self._ticket = 0
        self._sequence = 0

    def queue(self, kind: int, payload: bytes, now: float) -> int:
        """Sends a command when those before it are answered. Returns its ticket."""
        command = self._new(kind, payload)
        self._waiting.append(command)
        self.flow(now)
        return command.ticket

    def urgent(self, kind: int, payload: bytes, now: float, first: bool = False) -> None:
        """Sends a command now, `first` even before what waits to be sent.

        Earlier ones of that kind are no longer asked for again.
        """
        for earlier in [c for c in self._under_way.values() if c.kind == kind]:
            del self._under_way[earlier.sequence]
        self._send(self._new(kind, payload), now, first)

    def unnumbered(self, wire: bytes) -> None:
        """Sends bytes that get no answer of their own."""
        self._out.append(wire)
        self._counters.sent += 1

    def take_back(self, kinds: tuple[int, ...]) -> list[Command]:
        """Forgets all commands of those kinds that were not answered."""
        taken = [c for c in [*self._under_way.values(), *self._waiting] if c.kind in kinds]
        for command in taken:
            if self._under_way.pop(command.sequence, None) is None:
                self._waiting.remove(command)
            elif command.frame in self._out:
                self._out.remove(command.frame)
        return taken

    def answered(self, sequence: int, kind: int) -> Command | None:
        """The command that was answered by `kind`; None for an answer that comes late or twice."""
        command = self._under_way.get(sequence)
        if command is None or kind != ANSWERS.get(command.kind, m.DONE):
            return None
        return self._under_way.pop(sequence)

    def asked(self, kind: int) -> bool:
        """Whether a command of that kind waits or is under way."""
        return any(c.kind == kind for c in [*self._under_way.values(), *self._waiting])

    def flow(self, now: float) -> None:
        """Sends the next command, if none is under way but those beside the queue."""
        if self._waiting and all(c.kind in BESIDE_THE_QUEUE for c in self._under_way.values()):
            self._send(self._waiting.popleft(), now)

    def tick(self, now: float) -> Command | None:
        """Asks again what is due. Returns a command that got no answer in TRIES tries."""
        for command in self._under_way.values():
            if now >= command.sent_at + RETRY_S:
                if command.tries >= TRIES:
                    return command
                command.tries += 1
                command.sent_at = now
                self._out.append(command.frame)
                self._counters.repeated += 1
        return None

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        return min((c.sent_at + RETRY_S for c in self._under_way.values()), default=None)

    def outgoing(self) -> bytes:
        """Takes the bytes that are to be sent."""
        out, self._out = self._out, []
        return b"".join(out)

    def clear(self) -> None:
        """Forgets everything."""
        self._out.clear()
        self._waiting.clear()
        self._under_way.clear()

    def _new(self, kind: int, payload: bytes) -> Command:
        self._ticket += 1
        return Command(self._ticket, kind, payload)

    def _send(self, command: Command, now: float, first: bool = False) -> None:
        self._sequence = self._sequence % 255 + 1
        command.sequence = self._sequence
        command.frame = encode(command.kind, command.sequence, command.payload)
        command.first_at = command.sent_at = now
        command.tries = 1
        self._under_way[command.sequence] = command
        self._out.insert(0 if first else len(self._out), command.frame)
        self._counters.sent += 1


ANSWERS = {m.ASK: m.STATUS, m.COUNTS: m.TALLY}
