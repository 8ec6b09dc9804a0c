"""The committed drawings, lists and guides are those that the boards make today, and readable.

The circuits need another library and have tests of their own, in tests/drawings.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hardware import board_names, load_board
from hardware.drawings.canvas import A4_HEIGHT, A4_WIDTH, Canvas
from hardware.drawings.lists import part_lines, parts_csv
from hardware.drawings.pages import wiring_pages
from hardware.drawings.pinout import pinout_drawing
from hardware.drawings.scenes import SCENES
from hardware.drawings.strips import section_drawing
from hardware.making import BUILDS, PICTURES, POWER_PAGE, other_files, power_page, scene_files

SECTIONS = [
    (name, section)
    for name in board_names()
    for section in load_board(name).wiring.sections()  # type: ignore[union-attr]
]


def pictures(name: str) -> list[Canvas]:
    board = load_board(name)
    assert board.wiring is not None
    return [pinout_drawing(board), *(section_drawing(board, s) for s in board.wiring.sections())]


@pytest.mark.parametrize("name", board_names())
def test_the_committed_files_are_those_made_today(name: str) -> None:
    folder = BUILDS / name
    circuits = len(list(folder.glob("circuit-*.svg")))
    made = other_files(load_board(name), circuits)
    assert circuits > 0
    committed = {path.name for path in folder.iterdir()}
    assert committed == set(made) | {f"circuit-{n}.svg" for n in range(1, circuits + 1)}
    for file, content in made.items():
        assert (folder / file).read_text(encoding="utf-8") == content, (
            f"{name}/{file} is not what its board makes; run: python -m hardware.making"
        )


def test_the_committed_pictures_are_those_made_today() -> None:
    made = scene_files()
    assert {path.name for path in PICTURES.iterdir()} == set(made)
    for file, content in made.items():
        assert (PICTURES / file).read_text(encoding="utf-8") == content, file


@pytest.mark.parametrize("name", SCENES)
def test_no_text_of_a_picture_lies_on_another_or_outside(name: str) -> None:
    picture = SCENES[name]()
    for (box, words), (other, others) in itertools.combinations(picture.texts, 2):
        assert not box.overlaps(other), f"{words!r} on {others!r}"
    for box, words in picture.texts:
        assert box.x >= -0.1 and box.x + box.width <= picture.width, words
        assert box.y >= 0 and box.y + box.height <= picture.height, words


@pytest.mark.parametrize("name", SCENES)
def test_each_picture_stands_in_the_guides_that_need_it(name: str) -> None:
    pages = [BUILDS / board / "README.md" for board in board_names()]
    assert any(f"../../pictures/{name}.svg" in page.read_text() for page in pages)


def test_the_page_on_power_is_the_one_made_today() -> None:
    assert POWER_PAGE.read_text(encoding="utf-8") == power_page()


@pytest.mark.parametrize("name", board_names())
def test_no_text_lies_on_another_text_or_on_a_wire(name: str) -> None:
    for picture in pictures(name):
        for (box, words), (other, others) in itertools.combinations(picture.texts, 2):
            assert not box.overlaps(other), f"{words!r} on {others!r}"
        for box, words in picture.texts:
            for wire in picture.wires:
                assert not box.overlaps(wire), f"{words!r} on a wire"


@pytest.mark.parametrize("name", board_names())
def test_all_text_is_within_its_picture(name: str) -> None:
    for picture in pictures(name):
        for box, words in picture.texts:
            assert box.x >= 0 and box.y >= 0, words
            assert box.x + box.width <= picture.width + 1, words
            assert box.y + box.height <= picture.height + 1, words


@pytest.mark.parametrize("name", board_names())
def test_pages_fit_a4(name: str) -> None:
    for page in wiring_pages(load_board(name)):
        assert (page.width, page.height) == (A4_WIDTH, A4_HEIGHT)
        assert all(box.x + box.width <= A4_WIDTH for box, _ in page.texts)


@pytest.mark.parametrize(("name", "section"), SECTIONS)
def test_a_section_shows_every_part_and_the_name_of_every_colour(name: str, section: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    content = board.wiring.sections()[section]
    words = [text for _, text in section_drawing(board, section).texts]
    for ref, part in content.parts.items():
        if part not in ("raspberry-pi", "raspberry-pi-pico"):
            assert ref in words, f"{ref} is missing"
    for wire in content.wires:
        from_computer = wire.start.startswith("U1.") or wire.end.startswith("U1.")
        if from_computer and wire.colour not in ("leg",):
            assert wire.colour in words, f"the {wire.colour} wire has no name"


def test_the_header_is_drawn_as_people_hold_it() -> None:
    """Pin 1 of a Pi at the top left, 2 beside it; of a Pico 1 at the top left, 40 opposite."""
    for name, first_row, last_row in (
        ("launcher-pi", ("1", "2"), ("39", "40")),
        ("launcher-pico", ("1", "40"), ("20", "21")),
    ):
        places = {words: box for box, words in pinout_drawing(load_board(name)).texts}
        for left, right in (first_row, last_row):
            assert places[left].x < places[right].x
            assert places[left].y == places[right].y
        assert places[first_row[0]].y < places[last_row[0]].y


@pytest.mark.parametrize("name", board_names())
def test_the_parts_list_counts_every_part_once(name: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    refs = [ref for line in part_lines(board) for ref in line.refs]
    wanted = [
        ref
        for section in board.wiring.sections().values()
        for ref, part in section.parts.items()
        if part != "strip"
    ]
    assert sorted(refs) == sorted(wanted)
    assert sum(line.quantity for line in part_lines(board) if line.refs) == len(wanted)
    assert len(parts_csv(board).splitlines()) == 1 + len(part_lines(board))


def test_pictures_are_files_of_the_package() -> None:
    """What the guides link to is committed beside them."""
    for name in board_names():
        page = (BUILDS / name / "README.md").read_text(encoding="utf-8")
        for target in _links(page):
            assert (BUILDS / name / target).exists(), f"{name}: {target}"
    for page_path in (Path("hardware/README.md"), POWER_PAGE):
        for target in _links(page_path.read_text(encoding="utf-8")):
            assert (page_path.parent / target).exists(), f"{page_path}: {target}"


def _links(page: str) -> list[str]:
    pieces = page.split("](")[1:]
    links = [piece.partition(")")[0].partition("#")[0] for piece in pieces]
    return [link for link in links if link and not link.startswith("http")]
