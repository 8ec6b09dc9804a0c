"""The plain values that go into the controller and come out of it for a display."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from cannon.core.feeding import FeedPlan
from cannon.core.inputs import InputTimes


class Settings(NamedTuple):
    """How the controller behaves. Durations in seconds, `power` above 0 and at most 1.

    `owed`: who brings cards that are still owed: "press" the next press does, "command" only a
    press after DeliverRest, "forget" nobody, they are waived at once.
    """

    plan: FeedPlan
    min_blocked_s: float
    min_clear_s: float
    double_s: float
    inputs: InputTimes = InputTimes()
    power: float = 1.0
    suspense_s: float = 0.0
    hold_s: float = 2.0  # button held that long acknowledges a fault
    stuck_s: float = 30.0  # button held that long is reported
    owed: str = "press"


class Snapshot(NamedTuple):
    """What a display needs to know. `cause` tells why the state is empty, jammed or fault;
    `button_down` is the button's contact as it is, also before that counts as a press.

    `cause_since` is when the cause came, if it came in this run of the program. `cause_wall_time`
    is when it first came by the wall clock: known here of a cause from an earlier run, and to
    displays of each (see `cannon.dating`).
    """

    state: str
    cause: str
    cause_since: float | None
    refusal: str
    lid_open: bool
    button_down: bool
    battery_low: bool
    protruding: bool
    presses: int
    wait: int
    press: int | None
    wanted: int | None
    cards: int | None
    owed: int
    hints: tuple[str, ...]
    cause_wall_time: float | None = None


class LauncherAbilities(Protocol):
    """What the controller must know of its launcher."""

    @property
    def counts(self) -> bool:
        """Whether cards are counted by an exit sensor."""
        ...

    @property
    def feeds_itself(self) -> bool:
        """Whether it takes `Feed`, and not `Run`."""
        ...
