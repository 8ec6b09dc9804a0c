"""What the guides tell people to type works, and what they say fits the board."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cannon.cli import main
from cannon.command_line import cannon as commands
from hardware import board_names, load_board
from hardware.drawings.strips import TITLES
from hardware.making import BUILDS
from tests.guides import PAGES, adapted, blocks, ours

CANNON = Path(sys.executable).parent / "cannon"
PATIENCE_S = 60.0
SHELL = {
    "cd ~/Downloads",
    "unzip card-cannon-main.zip",
    "mv card-cannon-main ~/card-cannon",
    "cd ~/card-cannon",
    "sudo apt update",
    "sudo apt install -y python3-venv",
    "sudo apt install -y python3-venv python3-lgpio",
    "python3 -m venv .venv",
    "python3 -m venv --system-site-packages .venv",
    ".venv/bin/pip install '.[web]'",
    ".venv/bin/pip install '.[bridge,flash]'",
    ".venv/bin/pip install '.[bridge,flash,web]'",
    ". .venv/bin/activate",
    "sudo adduser $USER dialout",
    "sudo mkdir -p /etc/card-cannon",
    "sudo cp my-launcher.toml /etc/card-cannon/",
    "echo 'board = \"/etc/card-cannon/my-launcher.toml\"' | sudo tee /etc/card-cannon/cannon.toml",
    "echo 'board = \"diy-pi\"' | sudo tee /etc/card-cannon/cannon.toml",
    "sudo cp ~/.local/state/card-cannon/calibration-*.toml /var/lib/card-cannon/",
    "sudo systemctl restart cannon",
    "journalctl -u cannon -n 20",
}
"""Everything that is typed but our own commands; the lane "guides" runs it."""


def typed() -> list[tuple[str, ...]]:
    """Every `cannon` command of the guides, once."""
    found = {tuple(words) for page in PAGES for line in blocks(page) if (words := ours(line))}
    return sorted(found)


@pytest.mark.parametrize("words", typed(), ids=" ".join)
def test_a_command_exists_and_knows_its_options(words: tuple[str, ...]) -> None:
    name, *arguments = words
    command = commands.get_command(click.Context(commands), name)
    assert command is not None, f"the guides tell people to type cannon {name}"
    with command.make_context(name, arguments):
        pass


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's own place, with nothing in it."""
    monkeypatch.chdir(tmp_path)
    for name, folder in (("HOME", ""), ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "run")):
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.setenv(name, str(tmp_path / folder))
    return tmp_path


LONG_WALKS = [page for page in PAGES if page.parent.name not in ("hardware", "launcher-pico-usb")]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.long] * (page in LONG_WALKS)) for page in PAGES],
    ids=lambda page: page.parent.name,
)
def test_every_command_of_a_page_is_run_in_its_order(
    page: Path, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a simulated launcher, one after the other as a person types them; see `tests.guides`."""
    done = set()
    for line in blocks(page):
        words = ours(line)
        if words is None or tuple(words) in done:
            continue
        done.add(tuple(words))
        if words[0] in ("play", "status"):
            _played(adapted(words) if words[0] == "play" else ["play", "--simulate"], words)
            continue
        with pytest.raises(SystemExit) as ended:
            main(adapted(words))
        said = capfd.readouterr()
        fine = (0, None, 1) if words[0] == "doctor" else (0, None)
        assert ended.value.code in fine, f"{line}\n{said.out}\n{said.err}"
    assert done


def _played(words: list[str], typed: list[str]) -> None:
    """Plays until it is ready; asks `cannon status` meanwhile if that was typed; ends it."""
    process = subprocess.Popen(
        [CANNON, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if "Ready" in line:
                break
        else:
            raise AssertionError(f"{words} ended with {process.wait()}")
        if typed[0] == "status":
            subprocess.run([CANNON, *typed], check=True, stdout=subprocess.DEVNULL)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_everything_else_that_is_typed_is_known(page: Path) -> None:
    """Nothing but these lines and our own commands is told to be typed."""
    assert {line for line in blocks(page) if ours(line) is None} <= SHELL


def test_the_extras_that_are_installed_exist() -> None:
    project = Path("pyproject.toml").read_text(encoding="utf-8")
    for line in SHELL:
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
    order = ["Wire it", "Before the first power", "First power-on", "Test"]
    order += ["Let it start by itself"] * (board.computer == "pi" or board.host is not None)
    order += ["Close it"]
    assert [title for title in titles if title in order] == order
    for section in board.wiring.sections():
        assert f"### {TITLES[section]}" in page
    assert page.index("## Safety") < page.index("## 1.")
    assert not re.search(r"\$[a-z]", page), "a blank was not filled in"


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
