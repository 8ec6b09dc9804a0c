"""Asks the kernel about GPIO chips and lines, without lgpio and without claiming anything."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hardware.chips import HEADER_LABELS

# struct gpiochip_info and gpio_v2_line_info of linux/gpio.h.
CHIP_INFO = struct.Struct("=32s32sI")
GET_CHIP_INFO = 0x8044B401
LINE_INFO = struct.Struct("=32s32sIIQ160s16s")
GET_LINE_INFO = 0xC100B405
HELD = 1 << 0


class GpioChip(NamedTuple):
    """A GPIO chip. `label` is None if this user may not open it."""

    path: str
    label: str | None
    lines: int = 0


def chips(dev: Path = Path("/dev")) -> list[GpioChip]:
    """The GPIO chips of this computer; links to them are left out."""
    numbered = sorted(
        (path for path in dev.glob("gpiochip*") if not path.is_symlink()), key=_number
    )
    return [_chip(path) for path in numbered]


def header_chip(among: Iterable[GpioChip]) -> GpioChip | None:
    """The chip that drives the 40-pin header, by its label."""
    return next((chip for chip in among if chip.label in HEADER_LABELS), None)


def find(among: Iterable[GpioChip], wanted: str) -> GpioChip | None:
    """The chip with that number, path or label; "" means the one of the header."""
    if not wanted:
        return header_chip(among)
    for chip in among:
        if wanted in (str(_number(Path(chip.path))), chip.path, chip.label):
            return chip
    return None


def holder(chip: str, line: int) -> str | None:
    """Who holds a line, as it calls itself; None if nobody does. Raises OSError."""
    request = bytearray(LINE_INFO.pack(b"", b"", line, 0, 0, b"", b""))
    _ask(chip, GET_LINE_INFO, request)
    _, consumer, _, _, flags, _, _ = LINE_INFO.unpack(request)
    return (_text(consumer) or "the kernel") if flags & HELD else None


def _chip(path: Path) -> GpioChip:
    request = bytearray(CHIP_INFO.size)
    try:
        _ask(str(path), GET_CHIP_INFO, request)
    except OSError:
        return GpioChip(str(path), None)
    _, label, lines = CHIP_INFO.unpack(request)
    return GpioChip(str(path), _text(label), lines)


def _ask(chip: str, what: int, request: bytearray) -> None:
    handle = os.open(chip, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(handle, what, request)
    finally:
        os.close(handle)


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode(errors="replace")


def _number(path: Path) -> int:
    digits = path.name.removeprefix("gpiochip")
    return int(digits) if digits.isdigit() else 0
