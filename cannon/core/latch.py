"""What has stopped the launcher: latched with its cause until a person, a lid or a sensor says
that it is over. Each is put on record and sounded once. Times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Callable

from cannon.core import records, states
from cannon.core.commands import Command, Record, Sound
from cannon.core.inputs import Inputs

CLEARABLE = (states.EMPTY, states.JAMMED, states.FAULT)


class Latch:
    """The cause of the states empty, jammed and fault; "" in all others. `since`: when it came."""

    def __init__(self, state: states.State, say: Callable[[Command], None]) -> None:
        self._state = state
        self._say = say
        self.cause = ""
        self.since: float | None = None

    def jam(self, cause: str, now: float) -> None:
        """Nothing goes on before somebody has looked at the slot."""
        self._set(cause, now)
        self._state.trigger("jam")
        self._say(Record(records.FAULT, {"cause": cause, "detail": ""}))
        self._say(Sound("jam"))

    def run_empty(self, now: float) -> None:
        """There is no card to feed."""
        self._set("empty", now)
        self._state.trigger("run_empty")
        self._say(Record(records.NOTICE, {"code": "empty"}))
        self._say(Sound("empty"))

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
        self._say(Sound("fault"))

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
        self.cause, self.since = "", None

    def _set(self, cause: str, now: float) -> None:
        self.cause, self.since = cause, now
