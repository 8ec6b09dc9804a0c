"""What a session reports. Plain values; times are the host's monotonic seconds."""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.reports import Board, LastFeed, Status, Tally


class Greeted(NamedTuple):
    """A board has answered HELLO."""

    board: Board


class Ready(NamedTuple):
    """The board is ours, and this is how things stand."""

    status: Status


class Answered(NamedTuple):
    """The command behind `ticket` was answered; `result` is one of RESULTS, or "taken back"."""

    ticket: int
    kind: int
    result: str


class Told(NamedTuple):
    """The board's status, asked for. `in_step`: every event before it has been reported here."""

    status: Status
    in_step: bool


class Tallied(NamedTuple):
    """The board's counters, asked for."""

    tally: Tally


class EdgeSeen(NamedTuple):
    """An input has changed."""

    input: int
    active: bool
    at: float


class Counted(NamedTuple):
    """A card was counted: `cards` so far in this shot."""

    shot: int
    cards: int
    suspect: bool
    at: float


class Fed(NamedTuple):
    """A feed is over."""

    feed: LastFeed
    at: float


class Ran(NamedTuple):
    """A run is over."""

    reason: str
    at: float


class Faulted(NamedTuple):
    """The board has latched a fault."""

    fault: str
    at: float


class Ended(NamedTuple):
    """The session is over. `reason`: "silent", "restarted" or "not taken"."""

    reason: str
    detail: str


Event = (
    Greeted | Ready | Answered | Told | Tallied | EdgeSeen | Counted | Fed | Ran | Faulted | Ended
)
