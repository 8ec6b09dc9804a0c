"""Plays tunes on the beeper and patterns on the light, step by step, by the loop's clock.

A tune is a list of steps (frequency in Hz, or 0 for silence; seconds). An active beeper knows no
frequency: its tunes are on and off only. Nothing here waits; `tick` sets what is due.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Step = tuple[float, float]
Tune = Sequence[Step]


class TunePlayer:
    """Plays one tune at a time. `sound` sets the beeper to a frequency; 0 is silence."""

    def __init__(self, tunes: Mapping[str, Tune], sound: Callable[[float], None]) -> None:
        self._tunes = tunes
        self._sound = sound
        self._steps: list[Step] = []
        self._sounding = 0.0
        self.deadline: float | None = None

    def play(self, name: str, after: bool, now: float) -> None:
        """Plays the tune `name` now, or `after` the one that plays. Raises KeyError if unknown."""
        steps = list(self._tunes[name])
        if after and self.deadline is not None:
            self._steps += [(0.0, 0.05), *steps]
            return
        self._steps = steps
        self._next(now)

    def tick(self, now: float) -> None:
        """Goes on to the step that is due at `now`."""
        while self.deadline is not None and now >= self.deadline:
            self._next(self.deadline)

    def stop(self) -> None:
        """Silence."""
        self._steps = []
        self.deadline = None
        self._set(0.0)

    def _next(self, now: float) -> None:
        if not self._steps:
            self.stop()
            return
        frequency, seconds = self._steps.pop(0)
        self.deadline = now + seconds
        self._set(frequency)

    def _set(self, frequency: float) -> None:
        if frequency != self._sounding:
            self._sounding = frequency
            self._sound(frequency)


class LightPlayer:
    """Shows one pattern again and again. A pattern is a list of (on or off, seconds).

    A pattern of one step with 0 seconds stands still.
    """

    def __init__(
        self, patterns: Mapping[str, Sequence[tuple[bool, float]]], show: Callable[[bool], None]
    ) -> None:
        self._patterns = patterns
        self._show = show
        self._pattern: Sequence[tuple[bool, float]] = ()
        self._step = 0
        self.deadline: float | None = None

    def play(self, name: str, now: float) -> None:
        """Shows the pattern `name` from now on. Raises KeyError if unknown."""
        self._pattern = self._patterns[name]
        self._step = -1
        self._next(now)

    def tick(self, now: float) -> None:
        """Goes on to the step that is due at `now`."""
        while self.deadline is not None and now >= self.deadline:
            self._next(self.deadline)

    def stop(self) -> None:
        """Dark."""
        self.deadline = None
        self._show(False)

    def _next(self, now: float) -> None:
        self._step = (self._step + 1) % len(self._pattern)
        lit, seconds = self._pattern[self._step]
        self.deadline = now + seconds if seconds else None
        self._show(lit)
