"""The pen of the circuit drawings: schemdraw, plus finding parts in the wiring.

Which part stands where is found in the wiring, never assumed: a drawer asks for "the resistor
between this net and that one". Needs the extra `drawings`.
"""

from __future__ import annotations

from typing import Any

from hardware.board import Board
from hardware.netlist import Net, Netlist

NOT_DRAWN = ("computer", "host", "strip")
"""Kinds without a symbol: the computer shows as its pins, a strip as its name."""


class Circuit:
    """One section while it is drawn: the pen, the wiring, and which parts are done."""

    def __init__(self, board: Board, netlist: Netlist, name: str) -> None:
        import schemdraw
        import schemdraw.elements

        schemdraw.use("svg")
        schemdraw.svgconfig.text = "text"
        self.symbols: Any = schemdraw.elements
        self.pen: Any = schemdraw.Drawing(show=False)
        self.pen.config(unit=2, fontsize=11, font="DejaVu Sans", lw=1.4, margin=0.35)
        self.board = board
        self.netlist = netlist
        self.name = name
        self.drawn: set[str] = set()
        self.ground = netlist.named("GND")
        self.high = netlist.named("3V3")

    def add(self, ref: str, symbol: Any, loc: str = "top") -> Any:
        """Draws the symbol of a part with its name and value, and notes it as done."""
        self.drawn.add(ref)
        label = f"{ref}\n{self.netlist.parts[ref].short}"
        return self.pen.add(symbol.label(label, loc=loc, fontsize=10))

    def draw(self, symbol: Any) -> Any:
        """Draws something that is no part: a line, a dot, ground."""
        return self.pen.add(symbol)

    def pin(self, number: int) -> str:
        """How a pin of the computer is called in the picture."""
        pin = self.netlist.header.gpio(number)
        return f"{pin.name} ({pin.at})" if pin else ""

    def one(self, net: Net, other: Net, kind: str) -> str:
        """The part of a kind between two nets that is not drawn yet, or ""."""
        found = self.netlist.between(net, other, kind)
        return next((ref for ref in found if ref not in self.drawn), "")

    def beyond(self, net: Net, kind: str) -> tuple[str, Net]:
        """A two-legged part on a net that leads to no rail, with its far end; ("", net) if none."""
        for ref, far in self.netlist.other_ends(net, kind):
            if ref not in self.drawn and far not in (self.ground, self.high):
                return ref, far
        return "", net

    def on(self, net: Net, *kinds: str) -> str:
        """The part of these kinds with a terminal on a net, or ""."""
        refs = (end.ref for end in sorted(net) if self.netlist.parts[end.ref].kind in kinds)
        return next((ref for ref in refs if ref not in self.drawn), "")

    def missing(self) -> list[str]:
        """Parts of the section that have not been drawn."""
        return [
            ref
            for ref, section in self.netlist.section_of.items()
            if section == self.name
            and ref not in self.drawn
            and self.netlist.parts[ref].kind not in NOT_DRAWN
        ]
