"""Puts pictures together on A4 pages, upright, for the printer."""

from __future__ import annotations

from hardware.board import Board
from hardware.drawings.canvas import A4_HEIGHT, A4_WIDTH, Canvas
from hardware.drawings.strips import section_drawing

MARGIN, HEAD, GAP = 28, 44, 18
LEGEND = (
    "Grey boxes at the left: position on the header and name of the pin. Strips named GND, 3V3 and",
    "VM are the same in all pictures. A dot is a soldered joint; a part over a strip without a dot",
    "only passes it. Thick wires: 0.5 mm². Each cable that leaves the strip board has a plug.",
)


def wiring_pages(board: Board) -> list[Canvas]:
    """The wiring of all sections of a board, on as many pages as it takes."""
    assert board.wiring is not None
    return pages(f"{board.title}: wiring", _sections(board), LEGEND)


def _sections(board: Board) -> list[Canvas]:
    assert board.wiring is not None
    return [section_drawing(board, name) for name in board.wiring.sections()]


def pages(title: str, pictures: list[Canvas], legend: tuple[str, ...]) -> list[Canvas]:
    """The pictures below each other, each as large as it is or as wide as the page."""
    room = A4_WIDTH - 2 * MARGIN
    stacks: list[list[tuple[Canvas, float]]] = [[]]
    y = float(MARGIN + HEAD)
    for picture in pictures:
        scale = min(1.0, room / picture.width)
        height = picture.height * scale
        if y + height > A4_HEIGHT - MARGIN - 14 * len(legend) and stacks[-1]:
            stacks.append([])
            y = float(MARGIN + HEAD)
        stacks[-1].append((picture, scale))
        y += height + GAP
    return [_page(title, stack, legend, n, len(stacks)) for n, stack in enumerate(stacks, 1)]


def _page(
    title: str,
    stack: list[tuple[Canvas, float]],
    legend: tuple[str, ...],
    number: int,
    count: int,
) -> Canvas:
    page = Canvas(A4_WIDTH, A4_HEIGHT)
    heading = title if count == 1 else f"{title}, page {number} of {count}"
    page.text(MARGIN, MARGIN + 16, heading, 16, bold=True)
    y = float(MARGIN + HEAD)
    for picture, scale in stack:
        page.place(picture, MARGIN, y, scale)
        y += picture.height * scale + GAP
    for line, words in enumerate(legend):
        page.text(MARGIN, A4_HEIGHT - MARGIN - 13 * (len(legend) - 1 - line), words, 8.5)
    return page
