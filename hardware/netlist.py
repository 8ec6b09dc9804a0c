"""Which terminals of a build are joined: its wires followed from end to end.

A net is the set of all terminals that one conductor joins. Built from a board's [wiring]; says
what is wrong with it (unknown part, unknown terminal, a part without wire). Knows no electricity
beyond that.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple

from hardware.header import Header, load_header
from hardware.parts import Part, Wiring, catalogue
from hardware.reading import Problem


class Terminal(NamedTuple):
    """One connection point: the part's reference and the terminal's name on it."""

    ref: str
    name: str

    def __str__(self) -> str:
        return self.ref if self.name == "*" else f"{self.ref}.{self.name}"


Net = frozenset[Terminal]


class Netlist:
    """The parts of a build by reference, and the nets that its wires make.

    `problems` is empty when the wiring makes sense; ask the rest only then.
    """

    def __init__(self, wiring: Wiring, computer: str) -> None:
        self.header: Header = load_header(computer)
        self.parts: dict[str, Part] = {}
        self.section_of: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.problems: list[Problem] = []
        self._group: dict[Terminal, set[Terminal]] = {}
        self._known = wiring.known()
        for name in wiring.own.keys() & catalogue().keys():
            place, what = f"wiring: own: {name}", "is the name of a part in parts.toml"
            self.problems.append(Problem(place, what, "give yours another name"))
        for section, content in wiring.sections().items():
            for ref, name in content.parts.items():
                self._add(section, ref, name)
        for section, content in wiring.sections().items():
            for wire in content.wires:
                self._join(f"wiring: {section}", wire.start, wire.end)
        for ref in self.parts:
            if not any(terminal.ref == ref for terminal in self._group):
                place = f"wiring: {self.section_of[ref]}: {ref}"
                self.problems.append(
                    Problem(place, "has no wire", "wire it up or take it off the list")
                )
        self._join_equal_pins()
        self.computer = next(iter(self.of_kind("computer")), "")
        """The reference of the computer, or ""."""
        self._nets: dict[Terminal, Net] = {}
        for group in self._group.values():
            if not self._nets.keys() >= group:
                self._nets |= dict.fromkeys(group, frozenset(group))

    def net(self, ref: str, terminal: str) -> Net:
        """All that is joined to that terminal, itself included."""
        end = Terminal(ref, terminal)
        return self._nets.get(end) or frozenset({end})

    def find(self, text: str) -> Terminal:
        """The terminal that a wire's end names, such as "R1.2", "U1.6" or "GND"."""
        end = self._terminal("", text)
        if end is None:
            raise KeyError(text)
        return end

    def nets(self) -> list[Net]:
        """Every net, in the order in which the wiring names them."""
        return list(dict.fromkeys(self._nets[end] for end in self._group))

    def pin(self, number: int) -> Net:
        """The net of a GPIO number of the build's computer (empty if not on its header)."""
        pin = self.header.gpio(number)
        computer = self.computer
        return self.net(computer, pin.name) if pin and computer else frozenset()

    def named(self, name: str) -> Net:
        """The net of a power pin of the computer, such as "GND" or "3V3"."""
        return self.net(self.computer, name) if self.computer else frozenset()

    def of_kind(self, *kinds: str) -> list[str]:
        """The references of all parts of these kinds."""
        return [ref for ref, part in self.parts.items() if part.kind in kinds]

    def between(self, one: Net, other: Net, kind: str) -> list[str]:
        """The two-legged parts of a kind that lie between two different nets."""
        if one == other:
            return []
        return [ref for ref in self.of_kind(kind) if {one, other} == set(self.legs(ref))]

    def legs(self, ref: str) -> list[Net]:
        """The nets of a part's terminals, in the catalogue's order."""
        return [self.net(ref, name) for name in self.parts[ref].terminals]

    def other_ends(self, net: Net, kind: str) -> Iterator[tuple[str, Net]]:
        """Parts of a kind that have one leg on `net`, with the net of their other leg."""
        for ref in self.of_kind(kind):
            legs = self.legs(ref)
            if len(legs) == 2 and net in legs and legs[0] != legs[1]:
                yield ref, legs[1 - legs.index(net)]

    def _add(self, section: str, ref: str, name: str) -> None:
        place = f"wiring: {section}: {ref}"
        if ref in self.parts:
            self.problems.append(Problem(place, "is used twice", "give each part its own name"))
            return
        part = self._known.get(name)
        if part is None:
            close = difflib.get_close_matches(name, self._known, n=1)
            usual = f"the known ones are in parts.toml; or describe yours in [wiring.own.{name}]"
            hint = f"did you mean {close[0]!r}?" if close else usual
            self.problems.append(Problem(place, f"no part is called {name!r}", hint))
            return
        self.parts[ref] = part
        self.names[ref] = name
        self.section_of[ref] = section

    def _join(self, place: str, start: str, end: str) -> None:
        one, other = self._terminal(place, start), self._terminal(place, end)
        if one is None or other is None:
            return
        merged = self._group.get(one, {one}) | self._group.get(other, {other})
        for terminal in merged:
            self._group[terminal] = merged

    def _terminal(self, place: str, text: str) -> Terminal | None:
        ref, _, name = text.partition(".")
        part = self.parts.get(ref)
        if part is None:
            hint = f"known here: {', '.join(self.parts)}"
            self.problems.append(Problem(place, f"{text!r} names no part of this build", hint))
            return None
        if part.kind == "computer":
            return self._computer_terminal(place, ref, name)
        name = name or ("*" if part.kind == "strip" else "")
        if name not in part.terminals:
            hint = f"{ref} has {', '.join(part.terminals)}"
            self.problems.append(Problem(place, f"{text!r} is no terminal", hint))
            return None
        return Terminal(ref, name)

    def _computer_terminal(self, place: str, ref: str, name: str) -> Terminal | None:
        """Header pins are kept by name: GPIO23 and position 16 are the same terminal."""
        if name in self.header.sockets:
            return Terminal(ref, name)
        positions = self.header.positions(name)
        if not positions:
            hint = f"use a name such as {self.header.prefix}17 or a position on the header"
            what = f"{ref}.{name} is not on the header of the {self.header.title}"
            self.problems.append(Problem(place, what, hint))
            return None
        pin = self.header.pins[positions[0] - 1]
        return Terminal(ref, "GND" if pin.name == "AGND" else pin.name)

    def _join_equal_pins(self) -> None:
        """A Pi's power socket and its 5 V pins are one conductor."""
        for ref in self.of_kind("computer"):
            if "POWER" in self.header.sockets:
                self._join("wiring", f"{ref}.POWER", f"{ref}.5V")
