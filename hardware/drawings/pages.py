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


Stack = list[tuple[Canvas, float]]
"""The pictures of one page, each with its scale."""
SCALES = (1.0, 0.97, 0.94)
"""Of the pictures; smaller ones are hard to read."""
STEP = 8.0
"""Pixels by which a page is made shorter to find out how short it can be."""


def wiring_pages(board: Board) -> list[Canvas]:
    """The wiring of all sections of a board, on as many pages as it takes."""
    assert board.wiring is not None
    return pages(f"{board.title}: wiring", _sections(board), LEGEND)


def _sections(board: Board) -> list[Canvas]:
    assert board.wiring is not None
    return [section_drawing(board, name) for name in board.wiring.sections()]


def pages(title: str, pictures: list[Canvas], legend: tuple[str, ...]) -> list[Canvas]:
    """The pictures below each other, each as large as it is or as wide as the page.

    On as few pages as there can be, if need be a little smaller, and on all of them about equally
    much.
    """
    room = float(A4_HEIGHT - 2 * MARGIN - HEAD - 14 * len(legend))
    best = min((_stacked(pictures, scale, room) for scale in SCALES), key=len)
    lower = room
    while len(again := _stacked(pictures, _scale_of(best), lower - STEP)) == len(best):
        best, lower = again, lower - STEP
    return [_page(title, stack, legend, n, len(best)) for n, stack in enumerate(best, 1)]


def _scale_of(stacks: list[Stack]) -> float:
    return max(scale for stack in stacks for _, scale in stack)


def _stacked(pictures: list[Canvas], most_scale: float, room: float) -> list[Stack]:
    """The pictures in order on pages of that height, each with its scale."""
    stacks: list[Stack] = [[]]
    y = 0.0
    for picture in pictures:
        scale = min(most_scale, (A4_WIDTH - 2 * MARGIN) / picture.width)
        height = picture.height * scale
        if y + height > room and stacks[-1]:
            stacks.append([])
            y = 0.0
        stacks[-1].append((picture, scale))
        y += height + GAP
    return stacks


def _page(
    title: str,
    stack: Stack,
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
