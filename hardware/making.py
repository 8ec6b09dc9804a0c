"""`python -m hardware.making`: makes the folder of every build anew from its board file.

A folder holds the guide, the drawings and the lists of one build; `pictures` holds what all guides
share. They are committed, and a test makes them again and compares. Nothing in them is edited by
hand.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

import click

from hardware.board import Board
from hardware.checks import check_board
from hardware.drawings.canvas import Canvas
from hardware.drawings.circuit import circuit_pages
from hardware.drawings.lists import parts_csv
from hardware.drawings.pages import wiring_pages
from hardware.drawings.pinout import pinout_drawing
from hardware.drawings.scenes import SCENES
from hardware.drawings.strips import section_drawing
from hardware.guides import TEXTS, guide
from hardware.loading import board_names, load_board
from hardware.power.results import load_results
from hardware.power.tables import power_table
from hardware.power.wrong import WRONG, wrong_board

BUILDS = Path(__file__).parent / "builds"
PICTURES = Path(__file__).parent / "pictures"
POWER_PAGE = Path(__file__).parent / "power" / "README.md"


def circuit_files(board: Board) -> dict[str, str]:
    """The circuit of a build on numbered pages. Needs the extra `drawings`."""
    return _numbered("circuit", circuit_pages(board))


def other_files(board: Board, circuits: int) -> dict[str, str]:
    """All other files of a build by name; `circuits` is the number of circuit pages."""
    assert board.wiring is not None
    wiring = _numbered("wiring", wiring_pages(board))
    files = {**wiring, "pinout.svg": pinout_drawing(board).svg(), "parts.csv": parts_csv(board)}
    for name in board.wiring.sections():
        files[f"section-{name.replace('_', '-')}.svg"] = section_drawing(board, name).svg()
    pages = {
        "wiring": list(wiring),
        "circuit": [f"circuit-{number}.svg" for number in range(1, circuits + 1)],
        "header": ["pinout.svg"],
    }
    files["README.md"] = guide(board, load_results()[board.name], pages)
    return files


def _numbered(name: str, pages: list[Canvas]) -> dict[str, str]:
    return {f"{name}-{number}.svg": page.svg() for number, page in enumerate(pages, 1)}


def scene_files() -> dict[str, str]:
    """The pictures that all guides share, by name."""
    return {f"{name}.svg": draw().svg() for name, draw in SCENES.items()}


def power_page() -> str:
    """`power/README.md`: what is simulated, and a wrong build as a warning."""
    results, wrong = load_results(), wrong_board(WRONG[0])
    fixed = results["diy-pi"].values()
    values = {
        "wrong": power_table(wrong, results[wrong.name]),
        "refused": "; ".join(str(problem) for problem in check_board(wrong)),
        "apart": f"{min(scene['held']['computer_v'] for scene in fixed):.2f} V",
    }
    return Template((TEXTS / "power-page.md").read_text(encoding="utf-8")).substitute(values)


def main() -> None:
    """Writes every build's folder; what no longer belongs there is removed."""
    POWER_PAGE.write_text(power_page(), encoding="utf-8")
    _fill(PICTURES, scene_files())
    for name in board_names():
        board = load_board(name)
        circuits = circuit_files(board)
        _fill(BUILDS / name, {**other_files(board, len(circuits)), **circuits})


def _fill(folder: Path, files: dict[str, str]) -> None:
    """Writes the files; whatever else is in the folder goes."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in files:
            old.unlink()
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8")
    click.echo(f"{folder.name}: {len(files)} files")


if __name__ == "__main__":
    main()
