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

BASE_LINE = re.compile(
    r'y="([-+.\de]+)" dominant-baseline="(\w+)"((?:(?!font-size)[^>])*)font-size="([.\d]+)"'
)
BASE_LINES = {"central": 0.35, "ideographic": -0.2, "hanging": 0.75, "auto": 0.0}
"""How far below the given line the letters' base line is, by the text's size."""
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
LEGEND = (
    "Names as in the wiring. Pins of the computer: name, and position on its header in brackets.",
    "Lid switches are drawn with the lid shut. Values and ratings are in the parts list.",
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
    inner = svg[svg.index(">", match.end()) + 1 : svg.rindex("</svg>")].strip()
    shapes = LONG_NUMBER.sub(_short, BASE_LINE.sub(_plain_base_line, inner))
    canvas.embed(shapes, LONG_NUMBER.sub(_short, match.group(3)), Box(0, 24, width, height))
    return canvas


def _plain_base_line(match: re.Match[str]) -> str:
    """A text that stands at its place also where `dominant-baseline` is not known."""
    y, name, between, size = match.groups()
    return f'y="{float(y) + BASE_LINES[name] * float(size):.2f}"{between}font-size="{size}"'


def _short(match: re.Match[str]) -> str:
    """Two digits after the point are enough, and the same on every computer."""
    return f"{float(match.group(0)):.2f}"


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
