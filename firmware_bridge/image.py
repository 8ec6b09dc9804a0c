"""Puts the firmware together: the files that lie side by side on the microcontroller.

They are the modules in `pico/`, the two modules that both ends of the wire use, the core's files
that the caller brings, and three that are written here from plain values: `pins.py` (the board),
`tunes.py`, and `default_odds.py`.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
SHARED = ("frames.py", "messages.py")

InputPin = tuple[int, int, int]
"""Pin, its level when active, and the pull: 1 up, -1 down, 0 none."""

Tunes = Mapping[str, Sequence[tuple[int, int]]]


class Pins(NamedTuple):
    """What the firmware must know of its board. Pins are GP numbers, times milliseconds."""

    name: str
    version: tuple[int, int, int]  # of the firmware
    motor: tuple[int, int | None, int | None, int | None]  # forward, backward, enable, PWM in Hz
    inputs: Sequence[InputPin | None]  # in the order of messages.INPUTS
    emitter: int | None  # switches the light of the exit sensor
    beeper: tuple[int, int] | None  # pin, 1 = passive
    light: int | None
    plan: Mapping[str, int]  # the values of the core's FeedPlan, by name
    counting: tuple[int, int, int]  # shortest blocking, shortest gap, blocked for perhaps two cards
    times: tuple[int, int, int, int]  # shortest press, bounce, lid settles open, lid settles closed
    most_retract: int


class Image(NamedTuple):
    """The firmware: its files by name, and the number of its build, which the board will tell."""

    files: dict[str, bytes]
    build: int


def build(
    pins: Pins, core: Iterable[Path], odds: Mapping[str, Any], tunes: Tunes, lights: Tunes
) -> Image:
    """The firmware. `odds` is a compiled model, `core` the paths of the core's files."""
    sources = [*(HERE / "pico").glob("*.py"), *(HERE / name for name in SHARED), *core]
    files = {path.name: path.read_bytes() for path in sources}
    files["tunes.py"] = _module("Tunes and light patterns", TUNES=tunes, LIGHTS=lights)
    files["default_odds.py"] = _module("The odds of stand-alone play", MODEL=odds)
    files["pins.py"] = _pins(pins, 0)
    number = _checksum(files)
    files["pins.py"] = _pins(pins, number)
    return Image(dict(sorted(files.items())), number)


def _checksum(files: Mapping[str, bytes]) -> int:
    """Over all files: equal builds are equal files."""
    crc = 0xFFFF
    for name in sorted(files):
        crc = crc_hqx(name.encode() + b"\0" + files[name], crc)
    return crc


def _pins(pins: Pins, number: int) -> bytes:
    values = {field.upper(): value for field, value in pins._asdict().items()}
    return _module(f"The board {pins.name}", **values, BUILD=number)


def _module(title: str, **values: Any) -> bytes:
    lines = [f'"""{title}. Made by a program; changes here are lost."""', ""]
    lines += [f"{name} = {_frozen(value)!r}" for name, value in values.items()]
    return ("\n".join(lines) + "\n").encode()


def _frozen(value: Any) -> Any:
    """`value` with tuples in place of lists: they take less memory on the board."""
    if isinstance(value, Mapping):
        return {key: _frozen(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(inner) for inner in value)
    return value
