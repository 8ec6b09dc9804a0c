"""Reads `cannon.toml`, the settings of one launcher, and checks all of it at once.

Every setting has a default, so an empty or missing file is a valid one. Command-line options stand
above the file. Where the file is looked for, first found: the path given, `cannon.toml` in the
working directory, `/etc/card-cannon/cannon.toml`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from cannon.settings.odds_models import load_odds
from hardware.loading import load_board
from hardware.reading import ConfigurationError, Problem, load_toml, read

SYSTEM = Path("/etc/card-cannon/cannon.toml")  # of the computer, and so of the service
PLACES = (Path("cannon.toml"), SYSTEM)
BRIDGE_BOARD = "launcher-pico-usb"  # what hangs on a bridge, if nobody says

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


class Lid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[lid]: when the lid counts as open or closed. The motor is cut at the first edge."""

    open_ms: Annotated[float, msgspec.Meta(ge=0.5, le=20)] = 5
    close_ms: Milliseconds = 60


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[play]: how a press is answered."""

    suspense_s: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0
    "wait with a rising signal before the answer; 0 = none"
    power: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1
    "of the motor; below 1 only with a driver that has pwm_hz"
    owed: Literal["press", "command", "forget"] = "press"
    "who brings cards that a cut-short shot still owes: the next press, a command, or nobody"


class Sound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[sound]"""

    volume: Literal["loud", "medium", "quiet", "off"] = "loud"
    "of a passive beeper; an active one is on or off"
    file: str = ""
    "a file of one's own with tunes and light patterns, in place of cannon/data/sounds"


class Journal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[journal]"""

    path: str = ""
    "the database with the history; empty = the usual place for such data"


class Web(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[web]: the phone page. Without `on` it is there only with the option --web."""

    on: bool = False
    host: Annotated[str, msgspec.Meta(min_length=1, max_length=255)] = "127.0.0.1"
    "this machine alone; 0.0.0.0 lets every phone in the network in"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8080
    "0 takes one that is free"
    pin: Annotated[str, msgspec.Meta(pattern="^([0-9]{4,12})?$")] = ""
    "4 to 12 digits; pairs a phone, which may then change settings. Empty: none can"
    remote_firing: bool = False
    "whether a paired phone may press the button from afar"
    names: list[str] = []
    "more names of this machine, under which a browser may open the page"
    shutdown: bool = False
    "whether a paired phone may switch this machine off"


class CannonToml(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    board: str = "launcher-pi"
    odds: str = "measured"
    language: Literal["", "en", "da"] = ""
    press: Press = Press()
    lid: Lid = Lid()
    play: Play = Play()
    sound: Sound = Sound()
    journal: Journal = Journal()
    web: Web = Web()


def load_settings(path: str | None = None) -> CannonToml:
    """The settings from `path`, or from the first of `PLACES` that exists, or the defaults.

    Raises ConfigurationError with everything that is wrong, or if `path` is given and is no file.
    """
    if path is not None:
        return _read(Path(path))
    for place in PLACES:
        if place.is_file():
            return _read(place)
    return CannonToml()


def _read(path: Path) -> CannonToml:
    try:
        return read(path, CannonToml)
    except ConfigurationError as error:
        raise ConfigurationError([*error.problems, *_wrong_names(path)]) from None


def _wrong_names(path: Path) -> list[Problem]:
    """What is wrong with the board and the odds that a file names which is wrong itself."""
    try:
        named = load_toml(path)
    except ConfigurationError:
        return []  # that has been told
    found: list[Problem] = []
    for key, load in (("board", load_board), ("odds", load_odds)):
        try:
            if isinstance(named.get(key), str):
                load(named[key])
        except ConfigurationError as error:
            found += error.problems
    return found
