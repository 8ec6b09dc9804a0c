"""What the service is to be like: by the options of play that it is given, and by the settings that
it will read, which are not those of the folder where `cannon install` is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from cannon.journal.places import SERVICE_FOLDER
from cannon.service.installing import Wish
from cannon.service.machine import Machine
from cannon.service.unit import FOLDER
from cannon.settings.cannon_toml import SYSTEM, CannonToml, Journal, load_settings
from hardware import ConfigurationError, Problem, load_board

NAMED = ("board", "odds")  # by a name of ours, or by the path of a file
FILES = ("config", "journal")


def wish_for(machine: Machine, user: str, given: Mapping[str, str]) -> Wish:
    """What `user` ("": a fitting one) wishes for with `given`, the options of play by their names.

    Raises ConfigurationError with what is wrong with the settings, or would be in a service.
    """
    options = {name: _whole(machine, name, value) for name, value in given.items()}
    place = options.get("config", str(SYSTEM))
    settings = _settings(machine, options)
    named = _named(settings)
    _check_whole(named, place)
    if "bridge" not in options and load_board(settings.board).computer == "pico":
        options = {"bridge": "auto", **options}
    journal = settings.journal.path
    own = not journal or Path(journal).is_relative_to(SERVICE_FOLDER)
    return Wish(
        user=user,
        options=tuple(word for name, value in options.items() for word in (f"--{name}", value)),
        writes=() if own else (str(Path(journal).parent),),
        reads=(place, *(path for key, path in named.items() if key != "journal: path")),
        port=options.get("bridge", ""),
        power_off=settings.web.shutdown,
    )


def _settings(machine: Machine, options: Mapping[str, str]) -> CannonToml:
    """Those of the service, which runs in a folder without a cannon.toml; options stand above."""
    there = machine.at(str(SYSTEM))
    if "config" in options:
        settings = load_settings(options["config"])
    else:
        settings = load_settings(str(there)) if there.is_file() else CannonToml()
    if "journal" in options:
        settings = msgspec.structs.replace(settings, journal=Journal(path=options["journal"]))
    above = {name: options[name] for name in NAMED if name in options}
    return msgspec.structs.replace(settings, **above)


def _named(settings: CannonToml) -> dict[str, str]:
    """The paths in the settings, by where they stand."""
    paths = {
        "board": settings.board if _is_path(settings.board) else "",
        "odds": settings.odds if _is_path(settings.odds) else "",
        "sound: file": settings.sound.file,
        "journal: path": settings.journal.path,
    }
    return {key: path for key, path in paths.items() if path}


def _check_whole(named: Mapping[str, str], place: str) -> None:
    what = "the service would look for {} in its own folder, /run/{}"
    problems = [
        Problem(f"{place}: {key}", what.format(path, FOLDER), "write the whole path, from / on")
        for key, path in named.items()
        if not path.startswith(("/", "~"))
    ]
    if problems:
        raise ConfigurationError(problems)


def _whole(machine: Machine, name: str, value: str) -> str:
    """An option of play; a path in it as it is from every folder."""
    if name in FILES or (name in NAMED and _is_path(value)):
        return value if value.startswith("~") else str(Path(machine.cwd, value))
    return value


def _is_path(name_or_path: str) -> bool:
    return name_or_path.endswith(".toml") or "/" in name_or_path
