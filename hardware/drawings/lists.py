"""A build's lists in words: parts to buy, pins, wires. As CSV and as Markdown tables."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from hardware.board import Board
from hardware.budget import current_budget
from hardware.drawings.pinout import pin_facts, pin_uses
from hardware.drawings.strips import THICK_SECTIONS
from hardware.netlist import Netlist
from hardware.parts import Part, Wire

PRICES_EUR = {
    "": (0.0, 0.0),
    "in the toy": (0.0, 0.0),
    "under 1 €": (0.1, 1.0),
    "1-5 €": (1.0, 5.0),
    "5-20 €": (5.0, 20.0),
    "20-100 €": (20.0, 100.0),
}
"""The least and most of a price class, in euros of 2026, one piece from a hobby shop."""
HEADINGS = ("quantity", "part", "such as", "instead", "price each", "in the drawings", "note")


class Line(NamedTuple):
    """One kind of part: how many, and under which names it stands in the drawings."""

    quantity: int
    part: Part
    refs: tuple[str, ...]

    def cells(self) -> tuple[str, ...]:
        """The line's cells, in the order of HEADINGS."""
        part = self.part
        names = ", ".join(self.refs)
        return (
            str(self.quantity),
            part.title,
            part.like,
            part.instead,
            part.price,
            names,
            part.note,
        )


def part_lines(board: Board) -> list[Line]:
    """Every kind of part of a build in the order in which it is built, extras last."""
    assert board.wiring is not None
    refs: dict[str, list[str]] = {}
    for section in board.wiring.sections().values():
        for ref, name in section.parts.items():
            refs.setdefault(name, []).append(ref)
    known = board.wiring.known()
    lines = [
        Line(len(names), known[name], tuple(sorted(names, key=_by_number)))
        for name, names in refs.items()
        if known[name].kind != "strip"
    ]
    return lines + [Line(count, known[name], ()) for name, count in board.wiring.extras.items()]


def _by_number(ref: str) -> tuple[str, int]:
    """R2 before R10."""
    letters = ref.rstrip("0123456789")
    return letters, int(ref.removeprefix(letters) or 0)


def parts_csv(board: Board) -> str:
    """The parts list for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADINGS)
    writer.writerows(line.cells() for line in part_lines(board))
    return text.getvalue()


def parts_table(board: Board) -> str:
    """The parts list as a Markdown table, and what it costs together."""
    lines = part_lines(board)
    least = sum(line.quantity * PRICES_EUR[line.part.price][0] for line in lines)
    most = sum(line.quantity * PRICES_EUR[line.part.price][1] for line in lines)
    table = _table(HEADINGS, [line.cells() for line in lines])
    return f"{table}\nTogether between {_round(least)} € and {_round(most)} €, bought one by one.\n"


def _round(euros: float) -> int:
    return int(round(euros / 5) * 5) or 5


def budget_table(board: Board) -> str:
    """What draws how much current, as a Markdown table."""
    rows: list[tuple[str, ...]] = [
        (draw.what, draw.source, _amps(draw.amps, "measure it"), _amps(draw.most, ""))
        for draw in current_budget(board)
    ]
    return _table(("what", "from", "draws at most", "allowed"), rows)


def _amps(amps: float | None, unknown: str) -> str:
    if amps is None:
        return unknown
    return f"{amps * 1000:.0f} mA" if amps < 0.1 else f"{amps:.1f} A"


def pins_table(board: Board) -> str:
    """What is at each position of the header, as a Markdown table."""
    facts = pin_facts(board)
    rows: list[tuple[str, ...]] = []
    for at, use in pin_uses(board).items():
        fact = facts.get(at)
        more = ("", "", "") if fact is None else (fact.level, fact.pull, fact.boot)
        rows.append((str(at), use.pin.name, use.use, use.colour, *more))
    return _table(("position", "pin", "for", "wire", "level", "pull", "at boot"), rows)


def wires_table(board: Board, section: str) -> str:
    """The wires of one section as a Markdown table."""
    return _table(("step", "from", "to", "with"), wire_rows(board, section))


def wire_rows(board: Board, section: str) -> list[tuple[str, ...]]:
    """The wires of one section in words: number, from, to, with what."""
    assert board.wiring is not None
    netlist = Netlist(board.wiring, board.computer)
    rows: list[tuple[str, ...]] = []
    for number, wire in enumerate(board.wiring.sections()[section].wires, 1):
        ends = (_end(netlist, wire.start), _end(netlist, wire.end))
        rows.append((str(number), *ends, _wire_words(netlist, section, wire)))
    return rows


def _end(netlist: Netlist, text: str) -> str:
    """A wire's end in words: "U1 pin 16 (GPIO23)", "R1 (10 kΩ), 2", "GND strip"."""
    ref, _, name = text.partition(".")
    part = netlist.parts[ref]
    if part.kind == "strip":
        return f"{ref} strip"
    if part.kind == "computer":
        if name in netlist.header.sockets:
            return f"{part.short}, {name} socket"
        pin = netlist.header.pins[netlist.header.positions(name)[0] - 1]
        return f"{part.short}, position {pin.at} ({pin.name})"
    leg = f"leg {name}" if part.terminals == ("1", "2") else name
    return f"{ref} ({part.short}), {leg}"


def _wire_words(netlist: Netlist, section: str, wire: Wire) -> str:
    if wire.colour == "leg":
        return "its own leg"
    if wire.colour == "toy":
        return "the toy's own wire"
    if wire.colour == "cable":
        return "a cable"
    kinds = {netlist.parts[text.partition(".")[0]].kind for text in (wire.start, wire.end)}
    thick = section in THICK_SECTIONS and "computer" not in kinds
    return f"{wire.colour} wire, thick" if thick else f"{wire.colour} wire"


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
