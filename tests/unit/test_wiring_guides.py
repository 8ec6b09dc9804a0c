"""What the guides tell people to type works, and what they say fits the board."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cannon.cli import main
from cannon.command_line import cannon as commands
from hardware import board_names, load_board
from hardware.drawings.strips import TITLES
from hardware.making import BUILDS

PAGES = [BUILDS.parent / "README.md", *(BUILDS / name / "README.md" for name in board_names())]
LATER = {"flash"}
"""Commands that the guides name and that may still be missing; take a name out when it is there."""
OURS = re.compile(r"^(?:sudo )?cannon (.*)$", re.MULTILINE)
INSTALLS = {
    "sudo apt update",
    "sudo apt install -y python3-venv",
    "sudo apt install -y python3-venv python3-lgpio",
    "python3 -m venv .venv",
    "python3 -m venv --system-site-packages .venv",
    ".venv/bin/pip install '.[web]'",
    ".venv/bin/pip install '.[bridge,flash]'",
    ".venv/bin/pip install '.[bridge,flash,web]'",
    ". .venv/bin/activate",
}


def blocks(page: Path) -> str:
    """All that stands in the page's code blocks."""
    return "\n".join(re.findall(r"```\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))


def typed() -> Iterator[tuple[str, ...]]:
    """Every `cannon` command of the guides, once."""
    found = {line for page in PAGES for line in OURS.findall(blocks(page))}
    yield from (tuple(line.split()) for line in sorted(found))


@pytest.mark.parametrize("words", list(typed()), ids=" ".join)
def test_a_command_exists_and_knows_its_options(words: tuple[str, ...]) -> None:
    name, *arguments = words
    command = commands.get_command(click.Context(commands), name)
    if command is None:
        assert name in LATER, f"the guides tell people to type cannon {name}"
        return
    with click.Context(command) as context:
        command.make_parser(context).parse_args(args=arguments)


def test_what_concerns_wiring_is_run_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [words for words in typed() if words[0] == "wiring"]
    saves = [words for words in lines if "--save" in words]
    others = [words for words in lines if "--save" not in words]
    assert len(saves) == 4 and others == [("wiring", "my-launcher.toml")]
    for words in saves:
        (tmp_path / "my-launcher.toml").unlink(missing_ok=True)
        for line in (words, *others):
            with pytest.raises(SystemExit) as ended:
                main(line)
            assert ended.value.code in (0, None), capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_everything_else_that_is_typed_is_known(page: Path) -> None:
    """Nothing but these installs and our own commands is told to be typed."""
    lines = [line for line in blocks(page).splitlines() if line and not OURS.match(line)]
    assert set(lines) <= INSTALLS


def test_the_extras_that_are_installed_exist() -> None:
    project = Path("pyproject.toml").read_text(encoding="utf-8")
    for line in INSTALLS:
        for extra in re.findall(r"\[([\w,]+)\]", line):
            for name in extra.split(","):
                assert re.search(rf"^{name} = \[", project, re.MULTILINE), name


@pytest.mark.parametrize("name", board_names())
def test_a_guide_leads_from_parts_to_play(name: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    page = (BUILDS / name / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"^## (\d+)\. (.*)$", page, re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    titles = [title for _, title in steps]
    assert titles[0] == "What you need" and titles[-1] == "Close it"
    order = ["Wire it", "Before the first power", "First power-on", "Test", "Close it"]
    assert [title for title in titles if title in order] == order
    for section in board.wiring.sections():
        assert f"### {TITLES[section]}" in page
    assert page.index("## Safety") < page.index("## 1.")
    assert "$" not in page.replace("`$", ""), "a blank was not filled in"


@pytest.mark.parametrize("name", [n for n in board_names() if n.startswith("launcher")])
def test_a_toy_is_measured_and_nothing_is_invented(name: str) -> None:
    board = load_board(name)
    page = (BUILDS / name / "README.md").read_text(encoding="utf-8")
    for field in ("motor_ohms", "motor_free_a", "motor_plus_wire", "battery_plus_wire"):
        assert f"`{field}`" in page, f"a step measures {field}"
        assert not getattr(board.measured, field), "left for the owner to fill in"
        assert f"# {field} = " in Path(f"hardware/boards/{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_sentences_are_short(page: Path) -> None:
    """Plain English: no sentence of more than thirty words."""
    text = re.sub(r"```.*?```|^\|.*$|^#.*$|^!.*$", "", page.read_text(), flags=re.DOTALL | re.M)
    for paragraph in re.split(r"\n\s*\n|\n\d+\. |\n- ", text):
        for sentence in re.split(r"(?<=[.!?:;])\s+", paragraph):
            assert len(sentence.split()) <= 32, sentence
