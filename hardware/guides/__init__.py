"""Puts the guide of a build together: one page from texts, drawings, lists and power results.

The texts are the Markdown files beside this one; which of them a build needs follows from its
board. What can be derived from the board is filled in: names, pins, voltages, tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import Template

from hardware.board import Board
from hardware.drawings.lists import budget_table, parts_table, pins_table, wires_table
from hardware.drawings.strips import TITLES
from hardware.header import load_header
from hardware.parts import SupplyState, catalogue
from hardware.power.results import Results, supply_states
from hardware.power.tables import power_table

TEXTS = Path(__file__).parent


def guide(board: Board, results: Results, pages: dict[str, list[str]]) -> str:
    """The Markdown page of a build. `pages` names its drawings for print, by what they show."""
    assert board.wiring is not None
    toy = is_toy(board)
    blocks = [f"# {board.title}", _text(f"intro-{board.name}", board), _print(pages)]
    blocks += ["## Safety", _text("safety", board)]
    blocks += [_step("What you need"), parts_table(board), _text("tools", board)]
    blocks += [_step("Prepare the computer"), _text(f"computer-{_way(board)}", board)]
    if toy:
        blocks += [_step("Open the toy"), _text("open-toy", board)]
        blocks += [_step("Measure what is inside"), _text("measure-toy", board)]
    else:
        blocks += [_step("Build the feeder"), _text("feeder", board)]
    blocks += [_step("Mount the lid switches"), _text("mount-lid-switches", board)]
    for name in ("exit_sensor", "hopper_sensor"):
        if getattr(board, name):
            title = f"Mount the {name.replace('_', ' ')}"
            blocks += [_step(title), _text(f"mount-{name.replace('_', '-')}", board)]
    blocks += [_step("Wire it"), _text("wiring", board), "### The header"]
    blocks += ["![The header](pinout.svg)", pins_table(board)]
    for section in board.wiring.sections():
        blocks += _section(board, section)
    blocks += [_step("Before the first power"), _text("before-power", board)]
    blocks += [_step("First power-on"), _text(f"first-power-{_way(board)}", board)]
    blocks += [_step("Test"), _text(f"test-{_way(board)}", board)]
    if board.computer == "pi" or board.host:
        blocks += [_step("Let it start by itself"), _text("start-pi", board)]
    blocks += [_step("Close it"), _text("close", board)]
    blocks += ["## Will it hold?", _text("power", board), power_table(board, results)]
    blocks += ["### Current budget", budget_table(board)]
    return _numbered("\n\n".join(block.strip() for block in blocks) + "\n")


def is_toy(board: Board) -> bool:
    """Whether a build uses the mechanics of a toy launcher."""
    assert board.wiring is not None
    return "toy-motor" in board.wiring.motor.parts.values()


def _step(title: str) -> str:
    return f"## #. {title}"


def _numbered(text: str) -> str:
    """Steps are numbered in the order in which they stand."""
    number = 0
    lines = []
    for line in text.splitlines():
        if line.startswith("## #. "):
            number += 1
            line = line.replace("#.", f"{number}.", 1)
        lines.append(line)
    return "\n".join(lines) + "\n"


def _section(board: Board, name: str) -> Iterator[str]:
    yield f"### {TITLES[name]}"
    yield _text(f"section-{_variant(board, name)}", board)
    if name == "supply" and board.computer == "pi":
        yield _text("note-pi-supply", board)
    if name == "supply" and board.computer == "pico" and board.host is None:
        yield _text("note-vsys", board)
    yield f"![{TITLES[name]}](section-{name.replace('_', '-')}.svg)"
    yield wires_table(board, name)
    check = TEXTS / f"check-{_variant(board, name)}.md"
    yield _text(check.stem if check.exists() else f"check-{name}", board)


def _variant(board: Board, name: str) -> str:
    """Sections that differ by kind have a text for each."""
    if name == "motor":
        return f"motor-{board.motor.driver}"
    if name == "beeper" and board.beeper is not None:
        return f"beeper-{board.beeper.kind}"
    return name


def _way(board: Board) -> str:
    """How a build is brought to life: "pi", "pico" or "pico-usb"."""
    return "pico-usb" if board.host else board.computer


def _print(pages: dict[str, list[str]]) -> str:
    links = [
        f"[{what} {number}]({name})" if len(names) > 1 else f"[{what}]({name})"
        for what, names in pages.items()
        for number, name in enumerate(names, 1)
    ]
    return f"For the printer, each on one sheet of A4: {', '.join(links)}. [Parts list](parts.csv)."


def _text(name: str, board: Board) -> str:
    template = Template((TEXTS / f"{name}.md").read_text(encoding="utf-8"))
    return template.substitute(_values(board))


def _values(board: Board) -> dict[str, str]:
    states = supply_states(board)
    own = "my-launcher.toml" if is_toy(board) else board.name
    return {
        "board": board.name,
        "own": own,
        "keep": _keeping(own),
        "pin_lid": _strip_of(board, board.lid.pin),
        "pin_button": _strip_of(board, board.button.pin),
        "supply_volts": _volts(states),
        "driver": catalogue()[board.motor.part].short,
        "calibrating": "It measures by itself:" if board.exit_sensor else COUNTING,
        "get": _part("get-project", machine="Pi" if _way(board) != "pico" else "computer"),
        "micropython": _part("micropython"),
        "sockets": _part("pico-sockets") + "\n" if board.computer == "pico" else "",
    }


COUNTING = "It has no sensor, so it asks you now and then how many cards came:"


def _part(name: str, **values: str) -> str:
    """A text that stands within others."""
    text = Template((TEXTS / f"{name}.md").read_text(encoding="utf-8")).substitute(values)
    return text.strip()


def _keeping(own: str) -> str:
    """The commands that make a board, a file or a name, that of the service."""
    place, copy = own, ""
    if own.endswith(".toml"):
        place, copy = f"/etc/card-cannon/{own}", f"sudo cp {own} /etc/card-cannon/\n"
    return f"{copy}echo 'board = \"{place}\"' | sudo tee /etc/card-cannon/cannon.toml"


def _strip_of(board: Board, number: int) -> str:
    pin = load_header(board.computer).gpio(number)
    assert pin is not None
    return f"the strip of {pin.name}"


def _volts(states: tuple[SupplyState, ...]) -> str:
    volts = [state.volts for state in states]
    return f"{min(volts):.1f} to {max(volts) + 0.1:.1f} V"
