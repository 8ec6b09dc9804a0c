"""The pin header of a computer: where each pin is, its level at boot, what else it does.

The data are in `headers/*.toml`, one file a computer.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from hardware.reading import read

HEADERS = Path(__file__).parent / "headers"


class HeaderPin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One position. Power and ground have a name only; `bus` is the interface that may claim it."""

    at: int
    name: str
    boot: Literal["high", "low"] | None = None
    fixed_pull: Literal["up"] | None = None
    also: str = ""
    bus: str = ""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All positions of a header, numbered from 1. `pin_most_a` is what one pin may supply."""

    name: str
    title: str
    prefix: str
    layout: Literal["zigzag", "around"]
    sockets: tuple[str, ...]
    pin_most_a: float
    pins: tuple[HeaderPin, ...]

    def gpio(self, number: int) -> HeaderPin | None:
        """The pin of that GPIO number, or None if the header does not bring it out."""
        name = f"{self.prefix}{number}"
        return next((pin for pin in self.pins if pin.name == name), None)

    def positions(self, name: str) -> list[int]:
        """Where pins of that name are; "6" is taken as a position itself."""
        return [pin.at for pin in self.pins if name in (pin.name, str(pin.at))]

    def rows(self) -> list[tuple[HeaderPin, HeaderPin]]:
        """The pins side by side as people hold the computer, from the top."""
        if self.layout == "zigzag":
            return list(zip(self.pins[::2], self.pins[1::2], strict=True))
        half = len(self.pins) // 2
        return list(zip(self.pins[:half], self.pins[: half - 1 : -1], strict=True))


@cache
def load_header(computer: str) -> Header:
    """The header of "pi" or "pico"."""
    return read(HEADERS / f"{computer}.toml", Header)
