"""Reads tunes and light patterns (`cannon/data/sounds/*.toml`) and checks that none is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from cannon.core import states
from cannon.core.answering import SUSPENSE_LEVELS
from cannon.devices.ports import Signals
from hardware.reading import ConfigurationError, Problem, read

SOUNDS = Path(__file__).parent.parent / "data" / "sounds"
TUNES = (
    "beep",
    "ding",
    "cards",
    "nothing",
    "refused",
    "empty",
    "jam",
    "fault",
    "left",
    *(f"suspense-{level}" for level in range(1, SUSPENSE_LEVELS + 1)),
)
LOWEST_HZ, HIGHEST_HZ = 55, 3520  # what a small piezo can be heard at
SHORTEST_MS, LONGEST_MS = 10, 5_000  # of one step
TONES = f"0 or {LOWEST_HZ} to {HIGHEST_HZ} Hz"
SWITCHED = "1 or 0"

Steps = list[tuple[float, float]]


class Tune(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tune in both forms; times in milliseconds."""

    tones: Steps
    beats: Steps


class SignalFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of the file."""

    tunes: dict[str, Tune]
    lights: dict[str, Steps]


def load_signals(path: Path = SOUNDS / "standard.toml") -> Signals:
    """Reads `path`. Raises ConfigurationError with everything that is wrong with it."""
    data = read(path, SignalFile)
    problems = [
        Problem(f"{path}: tunes", f"the tune {name!r} is missing")
        for name in TUNES
        if name not in data.tunes
    ]
    problems += [
        Problem(f"{path}: lights", f"the pattern {name!r} is missing")
        for name in sorted(set(states.LIGHT.values()))
        if name not in data.lights
    ]
    for name, tune in data.tunes.items():
        problems += _wrong_steps(f"{path}: tunes.{name}.tones", tune.tones, _is_tone, TONES)
        problems += _wrong_steps(f"{path}: tunes.{name}.beats", tune.beats, _is_switched, SWITCHED)
    for name, steps in data.lights.items():
        if len(steps) != 1 or steps[0][1] != 0:  # one that stands is right
            problems += _wrong_steps(f"{path}: lights.{name}", steps, _is_switched, SWITCHED)
    if problems:
        raise ConfigurationError(problems)
    return Signals(
        tones={name: _seconds(tune.tones) for name, tune in data.tunes.items()},
        beats={name: _seconds(tune.beats) for name, tune in data.tunes.items()},
        lights={
            name: [(bool(lit), seconds) for lit, seconds in _seconds(steps)]
            for name, steps in data.lights.items()
        },
    )


def _wrong_steps(
    where: str, steps: Steps, right: Callable[[float], bool], form: str
) -> Iterator[Problem]:
    """Also no number at all ("nan") is wrong: a step of that length would never end."""
    if not any(value for value, _ in steps):
        yield Problem(where, "has no step that is on")
    for value, ms in steps:
        if not right(value) or not SHORTEST_MS <= ms <= LONGEST_MS:
            what = f"[{value:g}, {ms:g}] is not {form} for {SHORTEST_MS} to {LONGEST_MS} ms"
            yield Problem(where, what)


def _is_tone(hz: float) -> bool:
    return hz == 0 or LOWEST_HZ <= hz <= HIGHEST_HZ


def _is_switched(value: float) -> bool:
    return value in (0, 1)


def _seconds(steps: Steps) -> Steps:
    return [(value, ms / 1000) for value, ms in steps]
