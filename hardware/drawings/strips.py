"""Draws one section of a build on its strip board, as one builds it.

From the left: the computer's pins, their wires, the strip board with the small parts across its
strips, the wires to what is outside, and those things. A dot is a soldered joint; a part that
passes a strip without a dot only lies over it.
"""

from __future__ import annotations

from hardware.board import Board
from hardware.drawings.canvas import CHARACTER, Box, Canvas, wrapped
from hardware.drawings.geometry import (
    BOARD_X,
    DEVICE_WIDTH,
    MODULE,
    ROW_STEP,
    TAG_WIDTH,
    Geometry,
)
from hardware.drawings.rows import Row, section_rows
from hardware.netlist import Netlist

THICK_SECTIONS = ("supply", "motor")
"""Outside the strip board, these carry the motor's current: 0.5 mm²."""
COPPER, WOOD, PIN_TAG = "#d9c3a0", "#f7f2e8", "#e4e4e4"

TITLES = {
    "supply": "Supply of the motor",
    "motor": "Motor driver and motor",
    "lid": "Lid switch (signal)",
    "button": "Button",
    "exit_sensor": "Exit sensor",
    "hopper_sensor": "Hopper sensor",
    "beeper": "Beeper",
    "light": "Status light",
    "low_battery": "Low-battery detector",
    "host": "Link to the Raspberry Pi",
}


def section_drawing(board: Board, name: str) -> Canvas:
    """The picture of the section `name` of a board that has wiring and no faults."""
    assert board.wiring is not None
    netlist = Netlist(board.wiring, board.computer)
    wires = board.wiring.sections()[name].wires
    geometry = Geometry(netlist, section_rows(netlist, name, wires))
    canvas = Canvas(geometry.width, geometry.height)
    _Pen(geometry, canvas, thick=name in THICK_SECTIONS).draw(TITLES[name])
    return canvas


class _Pen:
    """Draws one section; the order matters, later shapes cover earlier ones."""

    def __init__(self, geometry: Geometry, canvas: Canvas, *, thick: bool) -> None:
        self.at = geometry
        self.canvas = canvas
        self.thick = thick
        self.rows = geometry.plan.rows
        self.parts = geometry.netlist.parts

    def draw(self, title: str) -> None:
        self.canvas.text(0, 15, title, 14, bold=True)
        self._strip_board()
        for index, row in enumerate(self.rows):
            self._pins(index, row)
            if row.on_board:
                self._wires_outside(index, row)
            elif not row.pins:
                self._wire_between(index, row)
        for ref, x in self.at.column_x.items():
            if self.at.is_module(ref):
                self._module(ref, x)
            else:
                self._small(ref, x + 14, outside=False)
        for ref, x in self.at.small_x.items():
            self._small(ref, x + 12, outside=True)
        for ref in self.at.plan.outside:
            self._device(ref)

    def _strip_board(self) -> None:
        board = self.at.board()
        if board is None:
            return
        self.canvas.rect(board, WOOD, "#777777", radius=3)
        for index, row in enumerate(self.rows):
            if not row.on_board:
                continue
            y = self.at.row_y[index]
            self.canvas.rect(Box(board.x + 3, y - 5, board.width - 6, 10), COPPER, "none", radius=4)
            if row.strips:
                self.canvas.text(BOARD_X + 7, y + 4, row.strips[0], 11, bold=True)

    def _pins(self, index: int, row: Row) -> None:
        y = self.at.row_y[index]
        end: float = BOARD_X
        if not row.on_board and row.outside:
            end = self.at.device_left(self.at.inner_and_outer(row)[0])
        for label, colour in row.pins:
            self._tag(label, y, PIN_TAG, bold=True)
            self._wire(TAG_WIDTH, end, y, colour)
        for link in row.links:
            self._tag(f"strip of {link}", y, "#ffffff", bold=False)
            self.canvas.line(TAG_WIDTH, y, end, y, "#000000", 1.5)

    def _tag(self, label: str, y: float, fill: str, *, bold: bool) -> None:
        self.canvas.rect(Box(0.5, y - 11, TAG_WIDTH - 1, 22), fill, width=1.5 if bold else 1.0)
        size = 11 if bold else 10
        self.canvas.text(TAG_WIDTH / 2, y + 4, label, size, anchor="middle", bold=bold)

    def _wires_outside(self, index: int, row: Row) -> None:
        edge, row_y = self.at.board_right, self.at.row_y[index]
        for number, (end, colour) in enumerate(row.outside):
            y = self.at.line_y[index, number]
            if number:
                self.canvas.line(edge - 8, row_y, edge - 8, y, width=1.5)
                self.canvas.line(edge - 8, y, edge, y, width=1.5)
                self.canvas.dot(edge - 8, row_y, 2.5)
            self._wire(edge, self.at.device_left(end.ref), y, colour, thick=self.thick)

    def _wire_between(self, index: int, row: Row) -> None:
        """A wire from one thing outside to the next, too short for its colour's name."""
        inner, outer = self.at.inner_and_outer(row)
        left = self.at.device_left(inner) + DEVICE_WIDTH
        colour = row.outside[0][1]
        thick = self.thick and colour != "cable"
        self.canvas.wire(
            left, self.at.device_left(outer), self.at.row_y[index], colour, thick=thick
        )

    def _wire(self, x1: float, x2: float, y: float, colour: str, *, thick: bool = False) -> None:
        if colour == "leg":
            self.canvas.line(x1, y, x2, y, "#000000", 1.5)
            return
        self.canvas.wire(x1, x2, y, colour, thick=thick)
        self.canvas.text(x1 + 6, y - 5, "toy's wire" if colour == "toy" else colour, 9)

    def _joints(self, ref: str, *, outside: bool) -> list[tuple[float, str]]:
        """(y, terminal) where a small part is soldered, from the top."""
        return [
            (self.at.line_y.get((index, 0), 0.0) if outside else self.at.row_y[index], names[0])
            for index, names in self.at.plan.rows_of(ref).items()
        ]

    def _small(self, ref: str, x: float, *, outside: bool) -> None:
        """A two-legged part standing across its strips, its name beside it."""
        joints = self._joints(ref, outside=outside)
        (top, first), (bottom, second) = joints[0], joints[-1]
        part = self.parts[ref]
        self.canvas.line(x, top, x, bottom, width=1.5)
        self.canvas.dot(x, top)
        self.canvas.dot(x, bottom)
        body = Box(x - 6, top + 8, 12, ROW_STEP - 16)
        self.canvas.rect(body, "#ffffff", width=1.3, radius=2)
        if part.kind == "diode":
            ring = body.y + 3 if first == "K" else body.y + body.height - 6
            self.canvas.rect(Box(x - 6, ring, 12, 3), "#000000", width=0.5)
        if "+" in (first, second):
            plus = body.y + 9 if first == "+" else body.y + body.height - 2
            self.canvas.text(x, plus, "+", 11, anchor="middle", bold=True)
        self.canvas.text(x + 9, body.y + 9, ref, 10, bold=True)
        self.canvas.text(x + 9, body.y + 20, part.short, 9)

    def _module(self, ref: str, x: float) -> None:
        """A part with more than two legs; its terminals stand beside their strips."""
        rows = self.at.plan.rows_of(ref)
        top, bottom = self.at.row_y[min(rows)], self.at.row_y[max(rows)]
        box = Box(x + 8, top - 12, MODULE - 16, bottom - top + 24)
        self.canvas.rect(box, "#ffffff", width=1.3, radius=3)
        for index, names in rows.items():
            y = self.at.row_y[index]
            self.canvas.dot(box.x, y)
            self.canvas.text(box.x + 8, y + 4, ", ".join(names), 10, bold=True)
        middle = box.x + box.width / 2
        self.canvas.text(middle, top + 15, ref, 11, anchor="middle", bold=True)
        self.canvas.text(middle, top + 25.5, self.parts[ref].short, 8.5, anchor="middle")

    def _device(self, ref: str) -> None:
        """A thing outside the strip board, its terminals at its wires."""
        left, right = self.at.device_left(ref), self.at.device_left(ref) + DEVICE_WIDTH
        ends = self._terminals(ref)
        room = {
            side: 8 + max((len(name) for _, name, at in ends if at == side), default=0) * 11 * 0.7
            for side in ("start", "end")
        }
        free = DEVICE_WIDTH - room["start"] - room["end"]
        lines = [ref, *wrapped(self.parts[ref].short, int(free / (10 * CHARACTER)))]
        ys = [y for y, _, _ in ends]
        middle = (min(ys) + max(ys)) / 2
        half = max((max(ys) - min(ys)) / 2 + 12, 6.5 * len(lines) + 2)
        self.canvas.rect(
            Box(left, middle - half, DEVICE_WIDTH, 2 * half), "#ffffff", width=1.5, radius=6
        )
        for y, name, side in ends:
            x = left + 6 if side == "start" else right - 6
            self.canvas.text(x, y + 4, name, 10, anchor=side, bold=True)
        first = middle - 6 * (len(lines) - 1) + 4
        for number, words in enumerate(lines):
            x, y = left + room["start"] + free / 2, first + 12 * number
            size = 10 if number else 11
            self.canvas.text(x, y, words, size, anchor="middle", bold=not number)

    def _terminals(self, ref: str) -> list[tuple[float, str, str]]:
        """(y, name, "start" or "end": at the left or right edge) of a thing's terminals."""
        found = []
        for index, row in enumerate(self.rows):
            leads_right = not row.on_board and not row.pins
            for number, (end, _) in enumerate(row.outside):
                if end.ref == ref:
                    right = leads_right and self.at.inner_and_outer(row)[1] != ref
                    side = "end" if right else "start"
                    found.append((self.at.line_y[index, number], end.name, side))
        return found
