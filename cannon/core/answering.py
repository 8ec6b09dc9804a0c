"""What a press is answered with: a refusal, nothing, or cards; at once, or after some suspense.

It numbers the presses, and decides. It moves nothing: a shot that has cards is given to `begin`.
Times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cannon.core import events, records, states
from cannon.core.commands import Command, Record, Sound
from cannon.core.inputs import Inputs
from cannon.core.odds import Odds
from cannon.core.shooting import Shooter
from cannon.core.shot import Shot, outcome
from cannon.core.values import Settings

if TYPE_CHECKING:
    from cannon.core.odds import RandomSource

SUSPENSE_LEVELS = 5  # tunes suspense-1 to suspense-5, faster press by press


class Answering:
    """Answers presses. `say` takes the commands, in order.

    `presses` is the number of the last press; `refusal` why the last one was refused, "" if it was
    not; `waiting` the shot that is decided, and kept back in suspense.
    """

    def __init__(
        self,
        settings: Settings,
        odds: Odds,
        rng: RandomSource,
        state: states.State,
        shooter: Shooter,
        say: Callable[[Command], None],
        begin: Callable[[Shot, float], None],
        presses: int,
    ) -> None:
        self._settings = settings
        self._odds = odds
        self._rng = rng
        self._state = state
        self._shooter = shooter
        self._say = say
        self._begin = begin
        self.presses = presses
        self.refusal = ""
        self.waiting: Shot | None = None
        self._suspense_until = 0.0
        self._request = events.Request()
        self._rest_asked = False

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        return self._suspense_until if self.waiting is not None else None

    def ask(self, request: events.Request) -> None:
        """The next press is for this. One for no cards at all is none."""
        if request.cards is None or request.cards >= 1:
            self._request = request

    def ask_rest(self, wanted: bool) -> None:
        """Whether the next press shall bring what is owed."""
        self._rest_asked = wanted and self._shooter.owed > 0

    def press(self, source: str, inputs: Inputs, now: float) -> None:
        """Answers a press."""
        reason = self._refused(inputs)
        self.refusal = reason or ""
        if not reason:
            self._accept(source, now)
            return
        self._say(Record(records.REFUSAL, {"reason": reason, "source": source}))
        if self._state.state != states.STOPPING:
            self._say(Sound("refused"))

    def tick(self, now: float) -> None:
        """Lets time pass to `now`."""
        shot = self.waiting
        if shot is None or now < self._suspense_until:
            return
        self.waiting = None
        if shot.wanted:
            self._begin(shot, now)
        else:
            self._state.trigger("blank")
        self._answer(shot)

    def abort(self, reason: str) -> None:
        """A shot that is kept back ends here."""
        if self.waiting is not None:
            shot, self.waiting = self.waiting, None
            self._shooter.close(shot, reason)

    def _refused(self, inputs: Inputs) -> str | None:
        state, protruding = self._state.state, self._shooter.sticking is not None
        if state == states.SETTLING and protruding:
            return "protruding"
        reason = states.PRESS_REFUSED[state]
        if reason is not None or state != states.READY:
            return reason
        if inputs.lid.raw:
            return "lid_open"
        if self._shooter.shot:
            return "busy"
        if inputs.beam.level:
            return "protruding" if protruding else "sensor_blocked"
        if inputs.battery.level:
            return "low_battery"
        return None

    def _accept(self, source: str, now: float) -> None:
        self.presses += 1
        request, self._request = self._request, events.Request()
        wait = self._odds.wait + 1
        shot = self._decide(request, now)
        if self._settings.suspense_s > 0:
            self._suspense_until = now + self._settings.suspense_s
            self.waiting = shot
            self._state.trigger("suspend")
        elif shot.wanted:
            self._begin(shot, now)
        self._record(shot, source, request.purpose, wait)
        self._say(Sound("ding"))
        if self.waiting:
            self._say(Sound(f"suspense-{min(wait, SUSPENSE_LEVELS)}", after=True))
        else:
            self._answer(shot)

    def _decide(self, request: events.Request, now: float) -> Shot:
        """What the press brings: what is owed, what was asked for, or what the odds say."""
        if self._shooter.owed and (self._settings.owed == "press" or self._rest_asked):
            self._rest_asked = False
            return Shot(self.presses, 0, self._shooter.take_owed())
        if request.cards is not None:
            return Shot(self.presses, request.cards, 0)
        return Shot(self.presses, self._odds.press(self._rng, now), 0)

    def _record(self, shot: Shot, source: str, purpose: str, wait: int) -> None:
        data = {
            "source": source,
            "purpose": purpose,
            "wait": wait,
            "rest": shot.rest > 0,
            "odds": self._odds.state(),
        }
        self._say(Record(records.PRESS, data, shot.press))
        if shot.wanted or self.waiting:
            self._say(Record(records.INTENT, {"cards": shot.wanted}, shot.press))

    def _answer(self, shot: Shot) -> None:
        """What is put on record and sounded once the answer may be known."""
        if shot.wanted:
            self._say(Sound("cards", after=True))
        else:
            self._say(Record(records.OUTCOME, outcome(shot, "blank").data(), shot.press))
            self._say(Sound("nothing", after=True))
