"""`cannon wiring`: the pins, wires and parts of a board, and its header as one holds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cannon.errors import CannonError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from hardware.board import Board
    from hardware.drawings.pinout import PinUse

STYLES = {
    "red": "red",
    "black": "grey37",
    "brown": "dark_goldenrod",
    "orange": "dark_orange",
    "yellow": "yellow",
    "green": "green",
    "blue": "dodger_blue1",
    "violet": "violet",
    "grey": "grey62",
    "white": "white",
}
"""Of wires on a terminal; black is shown grey, to be seen on a black ground."""
WIRE = "━━"


@click.command()
@click.argument("board", default="", metavar="[BOARD]")
@click.option("--steps", is_flag=True, help="Every wire too, in the order of building.")
@click.option(
    "--save", type=click.Path(path_type=Path), metavar="FILE", help="Copy the board file."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(board: str, steps: bool, save: Path | None, as_json: bool) -> None:
    """Shows how a board is wired: its header as you hold it, and what each pin is for.

    BOARD is the name of a board that comes along, or the path of your own file; without it, the
    board of the settings. With --save a copy of its file is written, to be made your own.
    """
    from cannon.settings.cannon_toml import load_settings
    from hardware.loading import load_board

    name = board or load_settings().board
    loaded = load_board(name)
    if save is not None:
        _save(name, save)
    elif as_json:
        click.echo(json.dumps(_object(loaded)))
    else:
        _print(loaded, steps, with_others=not board)


def _save(name: str, target: Path) -> None:
    from hardware.loading import board_path

    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(board_path(name).read_text(encoding="utf-8"))
    except FileExistsError:
        raise CannonError(f"{target} exists already", "give another name") from None
    except OSError as error:
        raise CannonError(f"{target} cannot be written: {error.strerror}", "give a path") from error
    click.echo(f"{target} is a copy of {name}; use it with: cannon play --board {target}")


def _object(board: Board) -> dict[str, Any]:
    from hardware.checks import advise
    from hardware.drawings.lists import part_lines
    from hardware.drawings.pinout import pin_facts, pin_uses

    sections = board.wiring.sections() if board.wiring else {}
    facts, roles = pin_facts(board), board.pins()
    return {
        "board": board.name,
        "title": board.title,
        "computer": board.computer,
        "pins": [
            {
                "position": at,
                "name": use.pin.name,
                "use": use.use,
                "wire": use.colour or None,
                "role": None if at not in facts else facts[at].role,
                "gpio": None if at not in facts else roles[facts[at].role],
                "level": None if at not in facts else facts[at].level,
                "pull": None if at not in facts else facts[at].pull or None,
                "boot": None if at not in facts else facts[at].boot,
            }
            for at, use in pin_uses(board).items()
        ],
        "wires": [
            {"section": name, "from": wire.start, "to": wire.end, "colour": wire.colour}
            for name, section in sections.items()
            for wire in section.wires
        ],
        "parts": [
            {"quantity": line.quantity, "part": line.part.title, "names": list(line.refs)}
            for line in (part_lines(board) if board.wiring else [])
        ],
        "advice": [str(problem) for problem in advise(board)],
    }


def _header(board: Board) -> Any:
    from hardware.header import load_header

    return load_header(board.computer)


def _print(board: Board, steps: bool, *, with_others: bool) -> None:
    from rich.console import Console

    from hardware.checks import advise
    from hardware.loading import board_names

    console = Console(highlight=False)
    console.print(f"[bold]{board.title}[/bold]  ({board.name})\n")
    for line in _picture(board):
        console.print(line, soft_wrap=True)
    console.print()
    console.print(_pin_table(board))
    if steps and board.wiring:
        for section in board.wiring.sections():
            console.print(_steps(board, section))
    for problem in advise(board):
        console.print(f"To know: {problem}", style="yellow", markup=False)
    if with_others:
        console.print(f"Other boards: {', '.join(n for n in board_names() if n != board.name)}")
    if not steps and board.wiring:
        console.print(f"Every wire, step by step: cannon wiring {board.name} --steps")


def _picture(board: Board) -> list[Text]:
    """The header upright, line by line, wires to both sides; a Pico has space between its rows."""
    from rich.text import Text

    from hardware.drawings.pinout import ends, pin_uses

    header, uses = _header(board), pin_uses(board)
    space = " " if header.layout == "zigzag" else " " * 6
    rows = [
        (_side(left.name, uses.get(left.at), left=True), left.at, right)
        for left, right in header.rows()
    ]
    width = max(side.cell_len for side, _, _ in rows)
    lines = []
    for side, at, right in rows:
        side.pad_left(width - side.cell_len)
        middle = Text(f" {at:>2} ●{space}● {right.at:<2} ")
        lines.append(side + middle + _side(right.name, uses.get(right.at), left=False))
    above, below = ends(header)
    center = width + 5 + len(space) // 2
    top = [Text(f"{' ' * center}↑ {above}")] if above else []
    return top + lines + ([Text(f"{' ' * center}↓ {below}")] if below else [])


def _side(name: str, use: PinUse | None, *, left: bool) -> Text:
    """A pin's name with its wire and use, outwards from the header."""
    from rich.text import Text

    if use is None:
        return Text(name, style="dim")
    coloured = use.colour in STYLES
    words = f"{use.colour}: {use.use}" if coloured else use.use
    pieces = [Text(name, style="bold")]
    if coloured:
        pieces.append(Text(WIRE, style=STYLES[use.colour]))
    pieces.append(Text(words))
    return Text(" ").join(pieces[::-1] if left else pieces)


def _pin_table(board: Board) -> RenderableType:
    from rich.table import Table

    from hardware.drawings.pinout import USES, pin_facts

    header = _header(board)
    headings = ("for", "pin", "position", "level", "pull", "at boot")
    table = Table(*headings, title="Pins", title_justify="left")
    order = list(board.pins())
    for at, fact in sorted(pin_facts(board).items(), key=lambda entry: order.index(entry[1].role)):
        name = header.pins[at - 1].name
        table.add_row(USES[fact.role], name, str(at), fact.level, fact.pull, fact.boot)
    return table


def _steps(board: Board, section: str) -> RenderableType:
    from rich.table import Table

    from hardware.drawings.lists import wire_rows
    from hardware.drawings.strips import TITLES

    table = Table("step", "from", "to", "with", title=TITLES[section], title_justify="left")
    for row in wire_rows(board, section):
        table.add_row(*row)
    return table
