"""The circuits are those that the boards make today; every picture can be read when printed."""

from __future__ import annotations

import itertools

import pytest

from hardware import board_names, load_board
from hardware.drawings.canvas import A4_WIDTH, Canvas
from hardware.drawings.circuit import circuit_drawing
from hardware.making import BUILDS, circuit_files
from hardware.making import PICTURES as SHARED
from tests.drawings.rendering import DOTS_PER_PIXEL, rendered, text_boxes, without_texts
from tests.unit.boards_changed import changed

pytestmark = pytest.mark.drawings

HARDWARE = BUILDS.parent

PICTURES = sorted(
    str(path.relative_to(HARDWARE))
    for folder in (*(BUILDS / name for name in board_names()), SHARED)
    for path in folder.glob("*.svg")
)
DARK = 110
"""A grey darker than this behind black letters hides them."""
SMALLEST_LETTER = 8.0
"""Pixels of 1/96 inch: 6 points, the smallest print that people read without effort."""


@pytest.mark.parametrize("name", board_names())
def test_the_committed_circuits_are_those_made_today(name: str) -> None:
    made = circuit_files(load_board(name))
    committed = {path.name for path in (BUILDS / name).glob("circuit-*.svg")}
    assert committed == set(made)
    for file, content in made.items():
        assert (BUILDS / name / file).read_text(encoding="utf-8") == content, (
            f"{name}/{file} is not what its board makes; run: python -m hardware.making"
        )


@pytest.mark.parametrize("name", board_names())
def test_a_circuit_names_every_part_with_its_value(name: str) -> None:
    text = "".join(circuit_files(load_board(name)).values())
    board = load_board(name)
    assert board.wiring is not None
    for section, content in board.wiring.sections().items():
        for ref, part in content.parts.items():
            drawn = part not in ("strip", "raspberry-pi", "raspberry-pi-pico", "pi-supply")
            if drawn and section != "host":
                assert f">{ref}<" in text, ref


def test_a_part_that_no_drawer_finds_is_not_left_out_silently() -> None:
    wires = load_board("launcher-pi").wiring
    assert wires is not None
    more = [[wire.start, wire.end, wire.colour] for wire in wires.button.wires]
    more += [["C9.1", "S1.1", "leg"], ["C9.2", "VM", "leg"]]
    board = changed(
        "launcher-pi", {"wiring.button.parts.C9": "cap-100n", "wiring.button.wires": more}
    )
    with pytest.raises(LookupError, match=r"leaves out \['C9'\]"):
        circuit_drawing(board, "button")


@pytest.mark.parametrize("picture", PICTURES)
def test_no_text_lies_on_another(picture: str) -> None:
    texts = text_boxes((HARDWARE / picture).read_text(encoding="utf-8"))
    assert texts
    for ((a, b, c, d), words), ((e, f, g, h), others) in itertools.combinations(texts, 2):
        assert not (a < g and e < c and b < h and f < d), f"{words!r} on {others!r}"


@pytest.mark.parametrize("picture", PICTURES)
def test_no_line_crosses_a_text_in_black_and_white(picture: str) -> None:
    assert crossed((HARDWARE / picture).read_text(encoding="utf-8")) == []


def test_a_line_through_a_text_is_found() -> None:
    canvas = Canvas(200, 40)
    canvas.text(10, 25, "free", 12)
    canvas.text(100, 25, "crossed", 12)
    canvas.line(90, 21, 190, 21)
    assert crossed(canvas.svg()) == ["crossed"]


def crossed(svg: str) -> list[str]:
    """The texts behind which something dark lies."""
    grey = rendered(without_texts(svg))
    found = []
    for box, words in text_boxes(svg):
        left, top, right, bottom = (round(value * DOTS_PER_PIXEL) for value in box)
        if grey.crop((left, top, right, bottom)).getextrema()[0] < DARK:
            found.append(words)
    return found


@pytest.mark.parametrize("picture", PICTURES)
def test_everything_fits_the_width_of_a4_and_is_large_enough(picture: str) -> None:
    svg = (HARDWARE / picture).read_text(encoding="utf-8")
    width = rendered(svg).width / DOTS_PER_PIXEL
    scale = min(1.0, A4_WIDTH / width)
    for (_, top, right, bottom), words in text_boxes(svg):
        assert right <= width, f"{words!r} is cut off"
        if any(letter.isupper() for letter in words):
            assert (bottom - top) / 0.95 * scale >= SMALLEST_LETTER * 0.7, words
