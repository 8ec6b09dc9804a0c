"""What the loop and the controller need of a launcher, whatever it is made of.

Three launchers stand behind this port: on GPIO pins, on the bridge to a microcontroller, and
simulated (the GPIO launcher on mock pins).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from cannon.core.commands import Command
from cannon.core.events import Event, Levels

Post = Callable[[Event], None]
"""Takes an event from any thread, at once, without blocking."""

Clock = Callable[[], float]
"""Monotonic seconds."""


class Capabilities(NamedTuple):
    """What a launcher can do. The controller asks for nothing beyond it."""

    counts: bool  # has an exit sensor
    retracts: bool  # can turn the motor backwards
    feeds_itself: bool = False  # carries out Feed on its own; else the controller sends Run and Off


DUTIES = {"loud": 0.50, "medium": 0.10, "quiet": 0.03}
"""Volumes as duty cycles. The tone of a pulse wave has the amplitude sin(pi * duty), so each step
is 10 dB softer, which ears call half as loud."""


class Signals(NamedTuple):
    """Tunes for a passive (`tones`) and an active (`beats`) beeper, and light patterns, by name.

    Steps are (frequency in Hz, or 1 for an active beeper, 0 for silence; seconds) and (lit;
    seconds). `duty` is the share of a period that a passive beeper is on: how loud it is.
    """

    tones: Mapping[str, Sequence[tuple[float, float]]]
    beats: Mapping[str, Sequence[tuple[float, float]]]
    lights: Mapping[str, Sequence[tuple[bool, float]]]
    duty: float = DUTIES["loud"]

    def at(self, volume: str) -> Signals:
        """The same at one of `DUTIES`, or "off". An active beeper knows on and off only."""
        if volume == "off":
            return self.silent()
        return self._replace(duty=DUTIES[volume])

    def silent(self) -> Signals:
        """The same without a sound."""
        return self._replace(
            tones=dict.fromkeys(self.tones, ()), beats=dict.fromkeys(self.beats, ()), duty=0.0
        )


class Launcher(Protocol):
    """A launcher. Every method raises `OSError` or `DeviceFault` when its hardware fails."""

    capabilities: Capabilities

    def levels(self) -> Levels:
        """Reads all inputs, now."""
        ...

    def do(self, command: Command) -> None:
        """Carries out one command; `Record` is not for launchers."""
        ...

    def tick(self, now: float) -> None:
        """Lets sounds and lights go on to `now`."""
        ...

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        ...

    def off(self) -> None:
        """Motor off, now, from any thread. Off stays safe to call at any time, also closed."""
        ...

    def mute(self) -> None:
        """Silent and dark; from now on Sound and Light do nothing."""
        ...

    def close(self) -> None:
        """All outputs off, everything released. May be called twice."""
        ...


class DeviceFault(Exception):
    """A part of the launcher does not do what it should. `cause` is a code with a text."""

    def __init__(self, cause: str, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
