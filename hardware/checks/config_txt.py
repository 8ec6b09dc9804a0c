"""Reads a Pi's config.txt and finds the interfaces that claim a board's pins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hardware.board import Board
from hardware.header import load_header

SWITCHES = {
    "dtparam=i2c_arm": "i2c",
    "dtparam=i2c": "i2c",
    "dtparam=i2c1": "i2c",
    "dtparam=spi": "spi",
    "dtparam=i2s": "i2s",
    "dtparam=uart0": "uart",
    "enable_uart": "uart",
}
"""Settings that turn an interface on ("on", "1", "true", or no value) or off."""
OVERLAYS = {
    "w1-gpio": "1-wire",
    "hifiberry": "i2s",
    "audioinjector": "i2s",
    "iqaudio": "i2s",
    "googlevoicehat": "i2s",
    "i2s": "i2s",
    "spi0": "spi",
    "uart0": "uart",
    "disable-bt": "uart",
    "miniuart-bt": "uart",
}
"""Overlays by the beginning of their name, and the interface they take."""
PIN_OPTION = re.compile(r"(?:gpiopin|gpio_pin|gpio)=(\d+)")
ON = ("", "on", "1", "true", "yes")


def enabled_buses(config_txt: str) -> dict[str, str]:
    """The interfaces that config.txt turns on, each with the line that does it."""
    found: dict[str, str] = {}
    for line in _lines(config_txt):
        for setting, value in _switches(line):
            bus = SWITCHES.get(setting)
            if bus is not None and value in ON:
                found[bus] = line
            elif bus is not None:
                found.pop(bus, None)
        if line.startswith("dtoverlay="):
            name = line.removeprefix("dtoverlay=").partition(",")[0]
            for beginning, taken in OVERLAYS.items():
                if name.startswith(beginning):
                    found[taken] = line
    return found


class Claim(NamedTuple):
    """A pin of the board that a line of config.txt takes: for what, or "" where an overlay has
    chosen just that pin; and what the board uses it for."""

    setting: str
    pin: str
    taken_for: str
    role: str


def config_txt_claims(board: Board, config_txt: str) -> list[Claim]:
    """Pins of the board that an interface or an overlay in config.txt claims."""
    return [*_bus_claims(board, config_txt), *_overlay_claims(board, config_txt)]


def _bus_claims(board: Board, config_txt: str) -> Iterator[Claim]:
    header = load_header(board.computer)
    buses = enabled_buses(config_txt)
    own_pin = any(PIN_OPTION.search(line) for line in buses.values() if "w1-gpio" in line)
    for role, number in board.pins().items():
        pin = header.gpio(number)
        if pin is None or pin.bus not in buses or (pin.bus == "1-wire" and own_pin):
            continue
        yield Claim(buses[pin.bus], pin.name, pin.also, role)


def _overlay_claims(board: Board, config_txt: str) -> Iterator[Claim]:
    roles = {pin: role for role, pin in board.pins().items()}
    for line in _lines(config_txt):
        match = PIN_OPTION.search(line) if line.startswith("dtoverlay=") else None
        role = roles.get(int(match.group(1))) if match else None
        if match and role:
            yield Claim(line, f"GPIO{match.group(1)}", "", role)


def _lines(config_txt: str) -> Iterator[str]:
    for raw in config_txt.splitlines():
        line = raw.partition("#")[0].strip()
        if line and not line.startswith("["):
            yield line


def _switches(line: str) -> Iterator[tuple[str, str]]:
    """("dtparam=i2s", "on") and ("dtparam=spi", "on") of "dtparam=i2s=on,spi=on"."""
    kind, _, rest = line.partition("=")
    if kind != "dtparam":
        yield kind, rest.lower()
        return
    for item in rest.split(","):
        setting, _, value = item.partition("=")
        yield f"dtparam={setting}", value.lower()
