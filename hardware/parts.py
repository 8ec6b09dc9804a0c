"""What builds are made of: the catalogue of parts, and the wires of a build.

The catalogue is `parts.toml`. A board file names its parts by reference ("R1") and joins their
terminals by wires, section by section in the order of building.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from hardware.reading import ConfigurationError, Problem, convert, load_toml

CATALOGUE = Path(__file__).parent / "parts.toml"

Kind = Literal[
    "computer",
    "host",
    "supply",
    "fuse",
    "power-switch",
    "lever-switch",
    "button",
    "motor",
    "driver",
    "npn",
    "resistor",
    "capacitor",
    "diode",
    "light-sensor",
    "detector",
    "piezo",
    "buzzer",
    "led",
    "strip",
    "extra",
]
Colour = Literal[
    "red",
    "black",
    "brown",
    "orange",
    "yellow",
    "green",
    "blue",
    "violet",
    "grey",
    "white",
    "toy",
    "leg",
    "cable",
]
"""Of a wire's insulation. "toy": a wire of the toy, of any colour. "leg": the part's own leg is
soldered there, no wire. "cable": a ready-made cable."""


class SupplyState(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A supply in one condition: its voltage without load, and its resistance."""

    name: str
    volts: float
    ohms: float


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the catalogue. Figures that a kind of part does not have are None.

    `short` is how drawings call it.
    `needs_v` and `most_v` bound the supply it works at, `destroyed_v` is its absolute limit,
    `most_a` the current it carries for ever, `least_ohms` the least that `ohms` may be, `load_a`
    what a computer draws at most, `gain` of a light sensor is collector current by light current.
    `inputs` and `outputs` of a driver name its terminals by what they do.
    """

    title: str
    short: str = ""
    kind: Kind
    price: Literal["", "in the toy", "under 1 €", "1-5 €", "5-20 €", "20-100 €"] = ""
    terminals: tuple[str, ...] = ()
    like: str = ""
    instead: str = ""
    note: str = ""
    header: str = ""
    states: tuple[SupplyState, ...] = ()
    inputs: dict[str, str] = {}
    outputs: dict[str, str] = {}
    power: str = ""
    clamped: bool = False
    reversible: bool = False
    stand_in: str = ""
    needs_v: float | None = None
    most_v: float | None = None
    destroyed_v: float | None = None
    drop_v: float | None = None
    trip_v: float | None = None
    needs_a: float | None = None
    load_a: float | None = None
    most_a: float | None = None
    hold_a: float | None = None
    trip_a: float | None = None
    trip_s: float | None = None
    trip_w: float | None = None
    free_a: float | None = None
    ohms: float | None = None
    least_ohms: float | None = None
    farads: float | None = None
    gain: float | None = None


class Wire(msgspec.Struct, frozen=True, array_like=True):
    """From one terminal ("R1.2", "U1.GPIO23", a strip's bare "GND") to another."""

    start: str
    end: str
    colour: Colour


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The parts that one function of the launcher adds, by reference, and their wires."""

    parts: dict[str, str] = {}
    wires: tuple[Wire, ...] = ()


class Wiring(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A build's sections in the order in which they are built and tested.

    `extras` are things without terminals, by their name in the catalogue, and how many. `own` are
    parts that the catalogue does not have, by name; what of their ratings is left out cannot be
    checked.
    """

    supply: Section
    motor: Section
    lid: Section
    button: Section
    exit_sensor: Section | None = None
    hopper_sensor: Section | None = None
    beeper: Section | None = None
    light: Section | None = None
    low_battery: Section | None = None
    host: Section | None = None
    extras: dict[str, int] = {}
    own: dict[str, Part] = {}

    def known(self) -> dict[str, Part]:
        """All parts that this build may name: those of the catalogue and its own."""
        return self.own | catalogue()

    def sections(self) -> dict[str, Section]:
        """The sections that this build has, by name, in order."""
        found = ((name, getattr(self, name)) for name in SECTIONS)
        return {name: section for name, section in found if section is not None}


SECTIONS = tuple(name for name in Wiring.__struct_fields__ if name not in ("extras", "own"))


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What only the owner's own toy can tell. Empty until measured; nothing is assumed for it.

    `motor_ohms` is the smallest resistance across the motor's ends while its shaft is turned by
    hand; `motor_free_a` its current with the roller turning free.
    """

    motor_ohms: float | None = None
    motor_free_a: float | None = None
    motor_plus_wire: str = ""
    battery_plus_wire: str = ""


@cache
def catalogue() -> dict[str, Part]:
    """All parts by name. Raises ConfigurationError with everything wrong in the file."""
    parts: dict[str, Part] = {}
    problems: list[Problem] = []
    for name, data in load_toml(CATALOGUE).items():
        try:
            parts[name] = convert(data, Part, f"{CATALOGUE.name}: {name}")
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return parts
