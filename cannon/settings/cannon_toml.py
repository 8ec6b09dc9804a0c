"""Reads `cannon.toml`, the settings of one launcher, and checks all of it at once.

Every setting has a default, so an empty or missing file is a valid one. Command-line options stand
above the file. Where the file is looked for, first found: the path given, `cannon.toml` in the
working directory, `/etc/card-cannon/cannon.toml`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from hardware.reading import ConfigurationError, Problem, read

PLACES = (Path("cannon.toml"), Path("/etc/card-cannon/cannon.toml"))

Milliseconds = Annotated[float, msgspec.Meta(ge=0.5, le=500)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=60)]


class Press(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[press]: when a push of the button counts."""

    min_ms: Milliseconds = 3
    "a level must stand that long; shorter ones are spikes of the motor's"
    bounce_ms: Milliseconds = 40
    "no second change within; a window that is safe in a real launcher"
    hold_s: Annotated[float, msgspec.Meta(ge=0.5, le=20)] = 2
    "holding the button that long acknowledges a jam or a fault"


class Lid(msgspec.Struct, frozen=True):
    """[lid]: when the lid counts as open or closed. The motor is cut at the first edge."""

    open_ms: Annotated[float, msgspec.Meta(ge=0.5, le=20)] = 5
    close_ms: Milliseconds = 60


class Play(msgspec.Struct, frozen=True):
    """[play]: how a press is answered."""

    suspense_s: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0
    "wait with a rising signal before the answer; 0 = none"
    power: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1
    "of the motor; below 1 only with a driver that has pwm_hz"
    owed: Literal["press", "command", "forget"] = "press"
    "who brings cards that a cut-short shot still owes: the next press, a command, or nobody"


class Sound(msgspec.Struct, frozen=True):
    """[sound]"""

    on: bool = True
    file: str = ""
    "a file of one's own with tunes and light patterns, in place of cannon/data/sounds"


class Journal(msgspec.Struct, frozen=True):
    """[journal]"""

    path: str = ""
    "the database with the history; empty = the usual place for such data"


class CannonToml(msgspec.Struct, frozen=True):
    """The whole file."""

    board: str = "launcher-pi"
    odds: str = "measured"
    language: Literal["", "en", "da"] = ""
    press: Press = Press()
    lid: Lid = Lid()
    play: Play = Play()
    sound: Sound = Sound()
    journal: Journal = Journal()


def load_settings(path: str | None = None) -> CannonToml:
    """The settings from `path`, or from the first of `PLACES` that exists, or the defaults.

    Raises ConfigurationError with everything that is wrong, or if `path` is given and is no file.
    """
    if path is not None:
        return read(Path(path), CannonToml)
    for place in PLACES:
        if place.is_file():
            return read(place, CannonToml)
    return CannonToml()


def problem(where: str, what: str, fix: str = "") -> ConfigurationError:
    """A ConfigurationError with one problem."""
    return ConfigurationError([Problem(where, what, fix)])
