"""Spikes on the long wires: those that the running motor makes, and single ones on demand."""

from __future__ import annotations

from random import Random

from cannon.core.events import BUTTON, EXIT, LID
from cannon.twin.agenda import Agenda
from cannon.twin.pins import VirtualClock
from cannon.twin.wires import Wires


class Noise:
    """While the motor runs, `per_s` spikes of up to `longest_s` seconds, on all `inputs` alike."""

    def __init__(self, wires: Wires, agenda: Agenda, clock: VirtualClock, rng: Random) -> None:
        self.per_s = 0.0
        self.longest_s = 100e-6
        self.inputs = tuple(name for name in (BUTTON, LID, EXIT) if wires.has(name))
        self._wires = wires
        self._agenda = agenda
        self._clock = clock
        self._rng = rng
        self._motor_on = False
        self._going_on = False

    def motor(self, on: bool) -> None:
        """The motor has been switched."""
        self._motor_on = on
        if on and self.per_s and not self._going_on:
            self._going_on = True
            self._next()

    def spike(self, name: str, for_s: float) -> None:
        """One spike on the wire of `name`."""
        self._wires.flip(name)
        self._agenda.at(self._clock.now + for_s, lambda: self._wires.restore(name))

    def _next(self) -> None:
        self._agenda.at(self._clock.now + self._rng.expovariate(self.per_s), self._motor_spike)

    def _motor_spike(self) -> None:
        self._going_on = self._motor_on and self.per_s > 0
        if self._going_on:
            self.spike(self._rng.choice(self.inputs), self._rng.random() * self.longest_s)
            self._next()
