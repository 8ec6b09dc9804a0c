"""What the board says, as values for the host: payloads in, named tuples out.

A function gives None for a payload that is not of its form; nothing raises.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from firmware_bridge import messages as m


class Board(NamedTuple):
    """Who answers: the board, its firmware, its abilities and limits. Times in milliseconds."""

    version: tuple[int, int, int]
    build: int  # of the firmware: equal builds are equal files
    boot: int  # another one after every start
    abilities: int
    most_lease_ms: int
    most_run_ms: int
    most_per_card_ms: int  # longest motor time without progress
    most_feed_ms: int  # cap of a feed, whatever the number of cards ...
    most_feed_each_ms: int  # ... and more for each card
    most_retract_ms: int
    most_cards: int
    serial: str  # the chip's number; a Pico's USB serial number is the same
    name: str

    @property
    def counts(self) -> bool:
        """Whether it counts cards."""
        return bool(self.abilities & m.COUNTING)

    @property
    def reverses(self) -> bool:
        """Whether its motor can turn backwards."""
        return bool(self.abilities & m.REVERSING)

    def has(self, input_: int) -> bool:
        """Whether it has that input, one of INPUTS."""
        needs = {m.EXIT: m.COUNTING, m.HOPPER: m.HOPPERED, m.BATTERY: m.BATTERIED}
        return input_ not in needs or bool(self.abilities & needs[input_])

    def feed_limit_ms(self, cards: int) -> int:
        """The longest cap that it takes for a feed of that many cards."""
        return min(0xFFFF, self.most_feed_ms + cards * self.most_feed_each_ms)


class LastFeed(NamedTuple):
    """The last feed since the board's start, running or over. `cards` None: it cannot count."""

    shot: int
    wanted: int
    cards: int | None
    suspects: int
    reason: str  # "" while it runs
    blocked: bool
    slow: bool
    retries: int


class Status(NamedTuple):
    """How things stand on the board. `levels` are active inputs, one bit each."""

    now_ms: int
    boot: int
    next_event: int
    mode: str
    motion: str
    fault: str
    levels: int
    feed: LastFeed | None


class Tally(NamedTuple):
    """What the board has counted since its start, for diagnosis."""

    now_ms: int
    frames: int
    dropped: int
    unsent: int
    exceptions: int
    heap_free: int
    heap_used: int
    reset_cause: int
    presses: int
    launches: int
    cards: int
    odds: str


class Edge(NamedTuple):
    """An input has changed at `at_ms`."""

    input: int
    active: bool
    at_ms: int


def board(payload: bytes) -> Board | None:
    """BOARD."""
    size = struct.calcsize(m.BOARD_FORM)
    if len(payload) < size:
        return None
    major, minor, patch, build, boot, *rest = struct.unpack_from(m.BOARD_FORM, payload)
    *limits, serial = rest
    name = payload[size:].decode("ascii", "replace")
    return Board._make(((major, minor, patch), build, boot, *limits, serial.hex(), name))


def status(payload: bytes) -> Status | None:
    """STATUS."""
    values = _unpacked(m.STATUS_FORM, payload)
    if values is None:
        return None
    now_ms, boot, next_event, mode, motion, fault, levels, *last = values
    shot, wanted, cards, suspects, reason, marks, retries = last
    feed = LastFeed(
        shot,
        wanted,
        _count(cards),
        suspects,
        _word(m.REASONS, reason),
        bool(marks & m.BLOCKED),
        bool(marks & m.SLOW),
        retries,
    )
    return Status(
        now_ms,
        boot,
        next_event,
        _word(m.MODES, mode),
        _word(m.MOTIONS, motion),
        _word(m.FAULTS, fault),
        levels,
        feed if wanted else None,
    )


def tally(payload: bytes) -> Tally | None:
    """TALLY."""
    size = struct.calcsize(m.TALLY_FORM)
    if len(payload) < size:
        return None
    odds = payload[size:].decode("ascii", "replace")
    return Tally._make((*struct.unpack_from(m.TALLY_FORM, payload), odds))


def done(payload: bytes) -> tuple[str, int] | None:
    """DONE: the result, and the board's time."""
    values = _unpacked(m.DONE_FORM, payload)
    return None if values is None else (_word(m.RESULTS, values[0]), values[1])


def edges(payload: bytes) -> list[Edge] | None:
    """EDGES, oldest first; an input that we do not know is left out."""
    head, each = struct.calcsize(m.EDGES_FORM), struct.calcsize(m.EDGE_FORM)
    if len(payload) < head or (len(payload) - head) % each:
        return None
    (at,) = struct.unpack_from(m.EDGES_FORM, payload)
    pairs = struct.iter_unpack(m.EDGE_FORM, payload[head:])
    return [
        Edge(code >> 1, bool(code & 1), (at + after) & 0xFFFFFFFF)
        for code, after in pairs
        if code >> 1 < len(m.INPUTS)
    ]


def card(payload: bytes) -> tuple[int, int, int, bool] | None:
    """CARD: at, shot, cards so far, and whether it may have been two."""
    values = _unpacked(m.CARD_FORM, payload)
    return None if values is None else (values[0], values[1], values[2], bool(values[3]))


def fed(payload: bytes) -> tuple[int, LastFeed] | None:
    """FED: at, and what became of the feed (`wanted` is not in it: 0)."""
    values = _unpacked(m.FED_FORM, payload)
    if values is None:
        return None
    at, shot, cards, suspects, reason, marks, retries = values
    word = _word(m.REASONS, reason)
    blocked, slow = bool(marks & m.BLOCKED), bool(marks & m.SLOW)
    return at, LastFeed(shot, 0, _count(cards), suspects, word, blocked, slow, retries)


def ran(payload: bytes) -> tuple[int, str] | None:
    """RAN: at, and why the run ended."""
    values = _unpacked(m.RAN_FORM, payload)
    return None if values is None else (values[0], _word(m.REASONS, values[1]))


def fault(payload: bytes) -> tuple[int, str] | None:
    """FAULT: at, and what was latched."""
    values = _unpacked(m.FAULT_FORM, payload)
    return None if values is None else (values[0], _word(m.FAULTS, values[1]))


def _unpacked(form: str, payload: bytes) -> tuple[int, ...] | None:
    return struct.unpack(form, payload) if len(payload) == struct.calcsize(form) else None


def _word(words: tuple[str, ...], code: int) -> str:
    """The word of a code; a newer firmware may know more of them."""
    return words[code] if code < len(words) else f"code {code}"


def _count(cards: int) -> int | None:
    return None if cards == m.UNKNOWN_COUNT else cards
