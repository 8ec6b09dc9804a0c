"""What can happen to the controller. Plain values; times are monotonic seconds.

`handle` of the controller takes each of these in every state (see `cannon.core.states`).
"""

from __future__ import annotations

from typing import NamedTuple

# The inputs of a launcher, and what "active" means for each.
BUTTON = "button"  # pressed
LID = "lid"  # open
EXIT = "exit"  # the exit sensor's beam is blocked
HOPPER = "hopper"  # there are cards
BATTERY = "battery"  # low


class Edge(NamedTuple):
    """A raw, undebounced change of an input at the time `at`."""

    input: str
    active: bool
    at: float


class Levels(NamedTuple):
    """The levels of all inputs as read just now; None where the board has no such input.

    Edges only wake us: what was missed or never sent is found by reading.
    """

    button: bool = False
    lid: bool = False
    exit: bool | None = None
    hopper: bool | None = None
    battery: bool | None = None


class Start(NamedTuple):
    """The launcher is there and its inputs have been read."""

    levels: Levels


class Press(NamedTuple):
    """A press that did not come from the button: from the page or a command named `source`."""

    source: str


class Request(NamedTuple):
    """What the next press is for.

    `cards` asks for exactly that many (1 or more), None leaves it to the odds; `purpose` goes on
    record with the press. Holds for one accepted press; a new request replaces the old one, and
    one without cards and purpose takes it back.
    """

    cards: int | None = None
    purpose: str = ""


class MotorOff(NamedTuple):
    """The motor guard ended a run by itself. `reason`: "time", "lid", "refused" or "fault"."""

    reason: str
    at: float


class CardSeen(NamedTuple):
    """A launcher that feeds by itself has counted a card; `cards` is its count in this feed."""

    cards: int
    suspect: bool
    at: float


class FeedEnded(NamedTuple):
    """A launcher that feeds by itself is done, settled, motor off.

    `reason` as in `feeding`; `cards` is None where nothing counts; `blocked`: a card sticks in
    the beam.
    """

    reason: str
    cards: int | None
    suspects: int
    blocked: bool
    slow: bool
    retries: int


class Failure(NamedTuple):
    """Something broke. `cause` is a code with a text for people, `detail` is for the log."""

    cause: str
    detail: str = ""


class Acknowledge(NamedTuple):
    """A person has seen the fault, jam or empty hopper and says: go on."""

    source: str


class DeliverRest(NamedTuple):
    """The next press delivers the cards still owed."""

    source: str


class CancelRest(NamedTuple):
    """The cards still owed are given up."""

    source: str


class Refilled(NamedTuple):
    """A person says that cards were put in."""

    source: str


class Stop(NamedTuple):
    """The program ends."""


Event = (
    Edge
    | Levels
    | Start
    | Press
    | Request
    | MotorOff
    | CardSeen
    | FeedEnded
    | Failure
    | Acknowledge
    | DeliverRest
    | CancelRest
    | Refilled
    | Stop
)
