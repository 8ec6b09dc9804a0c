"""The circuit of a build on A4 pages, section by section.

A part of a section that its drawer did not find raises, so a picture cannot leave anything out.
Needs the extra `drawings` (schemdraw).
"""

from __future__ import annotations

import re

from hardware.board import Board
from hardware.drawings.canvas import A4_WIDTH, Box, Canvas
from hardware.drawings.circuit_pen import Circuit
from hardware.drawings.circuit_sections import drawers
from hardware.drawings.pages import MARGIN, pages
from hardware.drawings.strips import TITLES
from hardware.netlist import Netlist

LEGEND = (
    "Names as in the wiring. Pins of the computer: name, and position on its header in brackets. "
    "Lid switches are drawn with the lid shut.",
    "Values and ratings of all parts are in the parts list.",
)


def circuit_drawing(board: Board, name: str) -> Canvas:
    """The circuit of one section. Raises LookupError when it would leave out a part."""
    assert board.wiring is not None
    c = Circuit(board, Netlist(board.wiring, board.computer), name)
    drawers(board)[name](c)
    if c.missing():
        raise LookupError(f"the circuit of {board.name}, {name}, leaves out {c.missing()}")
    return _canvas(c.pen.get_imagedata("svg").decode(), TITLES[name])


def _canvas(svg: str, title: str) -> Canvas:
    match = re.search(r'height="([\d.]+)pt" width="([\d.]+)pt" viewBox="([^"]+)"', svg)
    assert match, svg[:300]
    height, width = float(match.group(1)), float(match.group(2))
    canvas = Canvas(max(width, 200), height + 24)
    canvas.text(0, 15, title, 14, bold=True)
    inner = svg[svg.index(">", match.end()) + 1 : svg.rindex("</svg>")]
    canvas.embed(inner.strip(), match.group(3), Box(0, 24, width, height))
    return canvas


def circuit_pages(board: Board) -> list[Canvas]:
    """The circuits of all sections with a circuit, two beside each other where they fit."""
    assert board.wiring is not None
    names = [name for name in board.wiring.sections() if name in drawers(board)]
    pictures = [circuit_drawing(board, name) for name in names]
    return pages(f"{board.title}: circuit", _paired(pictures), LEGEND)


def _paired(pictures: list[Canvas]) -> list[Canvas]:
    room, rows = A4_WIDTH - 2 * MARGIN, list[Canvas]()
    for picture in pictures:
        last = rows[-1] if rows else None
        if last is not None and last.width + 30 + picture.width <= room:
            both = Canvas(last.width + 30 + picture.width, max(last.height, picture.height))
            both.place(last, 0, 0)
            both.place(picture, last.width + 30, 0)
            rows[-1] = both
        else:
            rows.append(picture)
    return rows
