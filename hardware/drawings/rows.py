"""How one section of a build lies on the strip board: a row for each net, a column for each part.

Small parts stand across the strips they are soldered to; the computer's pins come from the left,
what is outside the strip board hangs on wires at the right. Nothing is drawn here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hardware.netlist import Net, Netlist, Terminal
from hardware.parts import Wire

ON_BOARD = ("resistor", "capacitor", "diode", "fuse", "driver", "npn", "detector")
"""Kinds of part that stand on the strip board, unless soldered to something outside it."""
LAST = ("3V3", "GND")
"""Strips that lie at the bottom, in this order."""


@dataclass
class Row:
    """One net of the section, with all that ends on it."""

    pins: list[tuple[str, str]] = field(default_factory=list)
    "(label, wire colour) of the computer's pins and sockets"
    strips: list[str] = field(default_factory=list)
    "names of the strips that run through several sections"
    links: list[str] = field(default_factory=list)
    "names of strips of another section"
    legs: list[Terminal] = field(default_factory=list)
    "legs of parts on the strip board"
    outside: list[tuple[Terminal, str]] = field(default_factory=list)
    "(terminal, wire colour) of what is not on the strip board"
    outside_legs: list[Terminal] = field(default_factory=list)
    "legs of small parts that are soldered to something outside"

    @property
    def on_board(self) -> bool:
        """Whether the net has a strip at all; else it is a wire from thing to thing."""
        return bool(self.strips or self.links or self.legs)


@dataclass
class SectionRows:
    """A section's rows from the top, and its parts from the left."""

    rows: list[Row]
    on_board: list[str]
    outside: list[str]
    outside_small: list[str]

    def rows_of(self, ref: str) -> dict[int, list[str]]:
        """The rows that a part is joined to, each with the names of its terminals there."""
        found: dict[int, list[str]] = {}
        for index, row in enumerate(self.rows):
            ends = [*row.legs, *(end for end, _ in row.outside), *row.outside_legs]
            names = [end.name for end in ends if end.ref == ref]
            if names:
                found[index] = names
        return found


def section_rows(netlist: Netlist, name: str, wires: tuple[Wire, ...]) -> SectionRows:
    """The rows of the section `name` of a build without faults."""
    refs = [ref for ref, section in netlist.section_of.items() if section == name]
    small = _soldered_outside(netlist, wires)
    rows: dict[Net, Row] = {}
    for wire in wires:
        for text, other in ((wire.start, wire.end), (wire.end, wire.start)):
            end = netlist.find(text)
            row = rows.setdefault(netlist.net(*end), Row())
            _enter(netlist, row, end, text, wire.colour, name, small, netlist.find(other))
    kinds = {ref: netlist.parts[ref].kind for ref in refs}
    return SectionRows(
        rows=sorted(rows.values(), key=_order),
        on_board=[ref for ref in refs if kinds[ref] in ON_BOARD and ref not in small],
        outside=[ref for ref in refs if kinds[ref] not in (*ON_BOARD, "strip", "computer")],
        outside_small=[ref for ref in refs if ref in small],
    )


def _order(row: Row) -> tuple[bool, int]:
    last = [LAST.index(strip) + 1 for strip in row.strips if strip in LAST]
    return row.on_board, max(last, default=0)


def _soldered_outside(netlist: Netlist, wires: tuple[Wire, ...]) -> set[str]:
    found = set()
    for wire in wires:
        one, other = netlist.find(wire.start), netlist.find(wire.end)
        kind, beyond = netlist.parts[one.ref].kind, netlist.parts[other.ref].kind
        if wire.colour == "leg" and kind in ON_BOARD and beyond not in (*ON_BOARD, "strip"):
            found.add(one.ref)
    return found


def _enter(
    netlist: Netlist,
    row: Row,
    end: Terminal,
    text: str,
    colour: str,
    section: str,
    small: set[str],
    other: Terminal,
) -> None:
    kind = netlist.parts[end.ref].kind
    if kind == "computer":
        entry = (_pin_label(netlist, text.partition(".")[2]), colour)
        _add(row.pins, entry)
    elif kind == "strip":
        _add(row.strips, end.ref)
    elif netlist.section_of[end.ref] != section:
        _add(row.links, strip_name(netlist, end, section))
    elif end.ref in small:
        _add(row.outside_legs, end)
    elif kind in ON_BOARD:
        _add(row.legs, end)
    elif other.ref not in small and not any(known == end for known, _ in row.outside):
        row.outside.append((end, colour))


def strip_name(netlist: Netlist, end: Terminal, section: str) -> str:
    """How a strip without a name is called outside of its own section: by two parts on it."""
    net = sorted(netlist.net(*end), key=lambda other: (other != end, other))
    refs = [other.ref for other in net if netlist.section_of[other.ref] != section]
    return ", ".join(refs[:1] + refs[-1:])


def _add(entries: list[Any], entry: object) -> None:
    if entry not in entries:
        entries.append(entry)


def _pin_label(netlist: Netlist, name: str) -> str:
    if name in netlist.header.sockets:
        return f"{name} socket"
    pin = netlist.header.pins[netlist.header.positions(name)[0] - 1]
    return f"{pin.at}  {pin.name}"
