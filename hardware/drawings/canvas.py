"""A sheet to draw on, written out as SVG. Remembers where text and lines are, for the tests.

All lengths in pixels of 1/96 inch; A4 is 794 x 1123 of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import hypot
from typing import NamedTuple

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
A4_WIDTH, A4_HEIGHT = 794, 1123
CHARACTER = 0.64
"""Width of an average character by its size; DejaVu Sans is the widest of the fonts named."""

COLOURS = {
    "red": "#d0021b",
    "black": "#000000",
    "brown": "#8b572a",
    "orange": "#f58a07",
    "yellow": "#ffdd00",
    "green": "#2e9e3e",
    "blue": "#1f6fd6",
    "violet": "#8a2be2",
    "grey": "#9b9b9b",
    "white": "#ffffff",
    "toy": "#e8dcc8",
    "cable": "#555555",
}
"""Of wires. Every wire also carries its colour's name, for print in black and white."""


class Box(NamedTuple):
    """A rectangle from (x, y) at the top left."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two have a part of their area in common."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


class Canvas:
    """Shapes in the order of drawing. `texts` and `wires` say what must not lie on what."""

    def __init__(self, width: float, height: float = 0.0) -> None:
        self.width = width
        self.height = height
        self.texts: list[tuple[Box, str]] = []
        self.wires: list[Box] = []
        self._shapes: list[str] = []

    def rect(
        self,
        box: Box,
        fill: str = "none",
        stroke: str = "#000000",
        *,
        width: float = 1.0,
        radius: float = 0.0,
        dash: str = "",
    ) -> None:
        """A rectangle; `stroke` "none" draws no edge."""
        extra = f' rx="{radius:g}"' if radius else ""
        extra += f' stroke-dasharray="{dash}"' if dash else ""
        self._shapes.append(
            f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"{extra}/>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = "#000000", width: float = 1
    ) -> None:
        """A straight line that is no wire."""
        self._shapes.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" '
            f'stroke-width="{width:g}"/>'
        )

    def shape(
        self,
        points: Sequence[tuple[float, float]],
        fill: str = "none",
        stroke: str = "#000000",
        *,
        width: float = 1.5,
        closed: bool = True,
        dash: str = "",
    ) -> None:
        """A line through points, closed to an area or open."""
        tag = "polygon" if closed else "polyline"
        places = " ".join(f"{x:g},{y:g}" for x, y in points)
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self._shapes.append(
            f'<{tag} points="{places}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width:g}" stroke-linejoin="round"{extra}/>'
        )

    def circle(
        self, x: float, y: float, radius: float, fill: str = "#ffffff", width: float = 1.5
    ) -> None:
        """A circle with a black edge."""
        self._shapes.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="#000000" '
            f'stroke-width="{width:g}"/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float, width: float = 1.5) -> None:
        """A straight arrow that points to (x2, y2)."""
        length = hypot(x2 - x1, y2 - y1)
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        back_x, back_y = x2 - 9 * dx, y2 - 9 * dy
        self.line(x1, y1, back_x, back_y, width=width)
        tip = [(x2, y2), (back_x - 4 * dy, back_y + 4 * dx), (back_x + 4 * dy, back_y - 4 * dx)]
        self.shape(tip, "#000000", width=0.5)

    def wire(self, x1: float, x2: float, y: float, colour: str, *, thick: bool = False) -> None:
        """A level wire in its insulation's colour, edged in black."""
        width = 6.0 if thick else 4.0
        self.line(x1, y, x2, y, "#000000", width)
        self.line(x1, y, x2, y, COLOURS[colour], width - 2.0)
        self.wires.append(Box(min(x1, x2), y - width / 2, abs(x2 - x1), width))

    def dot(self, x: float, y: float, radius: float = 3.5) -> None:
        """A soldered joint."""
        self._shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="#000000"/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 11,
        *,
        anchor: str = "start",
        bold: bool = False,
        fill: str = "#000000",
    ) -> None:
        """Words whose base line is at `y`; `anchor` start, middle or end of them at `x`."""
        weight = ' font-weight="bold"' if bold else ""
        self._shapes.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
            f'fill="{fill}"{weight}>{escape(words, quote=False)}</text>'
        )
        width = len(words) * size * CHARACTER * (1.08 if bold else 1.0)
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
        self.texts.append((Box(left, y - 0.76 * size, width, 0.95 * size), words))

    def place(self, other: Canvas, x: float, y: float, scale: float = 1.0) -> None:
        """Draws another sheet into this one, its corner at (x, y)."""
        size = "" if scale == 1.0 else f" scale({scale:.3f})"
        self._shapes.append(f'<g transform="translate({x:g} {y:g}){size}">')
        self._shapes += other._shapes
        self._shapes.append("</g>")

    def embed(self, shapes: str, view: str, box: Box) -> None:
        """Shapes of another SVG, its view box fitted to that place."""
        place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}"'
        self._shapes.append(f'<svg {place} viewBox="{view}" overflow="visible">\n{shapes}\n</svg>')

    def svg(self) -> str:
        """The file's text. White paper is part of it."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" '
            f'height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'font-family="{FONT}">'
        )
        paper = f'<rect width="{self.width:g}" height="{self.height:g}" fill="#ffffff"/>'
        return "\n".join([head, paper, *self._shapes, "</svg>", ""])


def wrapped(words: str, most: int) -> list[str]:
    """`words` in lines of at most `most` characters, where there are spaces to break at."""
    lines: list[str] = []
    for word in words.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
