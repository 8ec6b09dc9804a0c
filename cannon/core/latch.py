"""What has stopped the launcher: latched with its cause until a person, a lid or a sensor says
that it is over. Each is put on record and sounded once. Times are monotonic seconds.

Neither time nor a restart is evidence that it is over. That holds for an empty hopper, too: people
switch off to refill, but also without refilling, and nobody watched. Out of it lead, after a
restart as ever, the lid that is opened and closed, a hopper sensor that sees cards, somebody who
says so, and the button when it is held. What the start itself sees counts: see `Controller`.
"""

from __future__ import annotations

from collections.abc import Callable

from cannon.core import causes, records, states
from cannon.core.causes import Latched
from cannon.core.commands import Command, Record, Sound
from cannon.core.inputs import Inputs

CLEARABLE = (states.EMPTY, states.JAMMED, states.FAULT)

HELD_IN = {causes.EMPTY: states.EMPTY} | dict.fromkeys(causes.JAMS, states.JAMMED)
"the state that a cause holds the launcher in; all others are faults"

STEPS_INTO: dict[str, Callable[[states.State], None]] = {
    states.EMPTY: lambda state: state.trigger("run_empty"),
    states.JAMMED: lambda state: state.trigger("jam"),
    states.FAULT: lambda state: state.trigger("fail"),
}
TUNES = {states.EMPTY: "empty", states.JAMMED: "jam", states.FAULT: "fault"}


def held_in(cause: str) -> str:
    """The state that `cause` holds the launcher in."""
    return HELD_IN.get(cause, states.FAULT)


class Latch:
    """The cause of the states empty, jammed and fault; "" in all others.

    `since` is when it came in this run of the program; `wall_time` when it first came, for one
    that is on record from an earlier run.
    """

    def __init__(self, state: states.State, say: Callable[[Command], None]) -> None:
        self._state = state
        self._say = say
        self.cause = ""
        self.since: float | None = None
        self.wall_time: float | None = None

    def resume(self, latched: Latched) -> None:
        """Takes up at the start what an earlier run has put on record, unless something has
        failed in this one already."""
        if self._state.state == states.STARTING:
            STEPS_INTO[held_in(latched.cause)](self._state)
            self.cause = latched.cause
        if self.cause == latched.cause:
            self.wall_time = latched.wall_time

    def sound(self) -> None:
        """Lets people hear what holds the launcher, if anything does."""
        if self._state.state in TUNES:
            self._say(Sound(TUNES[self._state.state]))

    def jam(self, cause: str, now: float) -> None:
        """Nothing goes on before somebody has looked at the slot."""
        self._set(cause, now)
        self._state.trigger("jam")
        self._say(Record(records.FAULT, {"cause": cause, "detail": ""}))
        self.sound()

    def run_empty(self, now: float) -> None:
        """There is no card to feed."""
        self._set(causes.EMPTY, now)
        self._state.trigger("run_empty")
        self._say(Record(records.NOTICE, {"code": "empty"}))
        self.sound()

    def fail(self, cause: str, now: float) -> bool:
        """Something is broken. Returns whether that is new; then `tell_fault` is due, after the
        motor was switched off."""
        if self._state.state in (states.FAULT, states.STOPPING):
            return False
        self._state.trigger("fail")
        self._set(cause, now)
        return True

    def tell_fault(self, detail: str) -> None:
        """Says what `fail` has latched."""
        self._say(Record(records.FAULT, {"cause": self.cause, "detail": detail}))
        self.sound()

    def acknowledge(self, source: str, inputs: Inputs, now: float) -> None:
        """It is over, says `source`; what is still to be seen keeps it from being ready."""
        if self._state.state not in CLEARABLE:
            return
        self._say(Record(records.CLEARED, {"cause": self.cause, "source": source}))
        self.forget()
        self._state.trigger("clear")
        if inputs.lid.level:
            self._state.trigger("open_lid")
        elif inputs.beam.level:
            self.jam("sensor_blocked", now)
        else:
            self.ready(inputs, now)

    def ready(self, inputs: Inputs, now: float) -> None:
        """Lid closed and on: the beep that says so, or the word that there is nothing to feed."""
        if inputs.hopper.level:
            self._say(Sound("beep"))
        else:
            self.run_empty(now)

    def forget(self) -> None:
        """There is no cause any more."""
        self.cause, self.since, self.wall_time = "", None, None

    def _set(self, cause: str, now: float) -> None:
        self.cause, self.since, self.wall_time = cause, now, None
