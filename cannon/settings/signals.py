"""Reads tunes and light patterns (`cannon/data/sounds/*.toml`) and checks that none is missing."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cannon.core import states
from cannon.core.controller import SUSPENSE_LEVELS
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
LOWEST_HZ, HIGHEST_HZ = 55, 3520  # what the beeper's device is opened for

Steps = list[tuple[float, float]]


class Tune(msgspec.Struct, frozen=True):
    """One tune in both forms; times in milliseconds."""

    tones: Steps
    beats: Steps


class SignalFile(msgspec.Struct, frozen=True):
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
        if not data.lights.get(name)
    ]
    for name, tune in data.tunes.items():
        for frequency, ms in tune.tones:
            if (frequency and not LOWEST_HZ <= frequency <= HIGHEST_HZ) or ms <= 0:
                what = f"[{frequency}, {ms}] is outside of {LOWEST_HZ} to {HIGHEST_HZ} Hz"
                problems.append(Problem(f"{path}: tunes.{name}.tones", what))
    if problems:
        raise ConfigurationError(problems)
    return Signals(
        tones={name: _seconds(tune.tones) for name, tune in data.tunes.items()},
        beats={name: _seconds(tune.beats) for name, tune in data.tunes.items()},
        lights={
            name: [(bool(lit), ms / 1000) for lit, ms in steps]
            for name, steps in data.lights.items()
        },
    )


def _seconds(steps: Steps) -> Steps:
    return [(value, ms / 1000) for value, ms in steps]
