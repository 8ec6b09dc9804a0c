"""`cannon check` and `cannon calibrate` as programs on fake GPIO chips: a person at a terminal,
answers from a pipe, and signals in the middle of a run of the motor.

Where a run is cut short, the thread that limits it is taken away (`STUCK`): what switches the motor
off then is the command's own end.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.play_tools import BOARD, PATIENCE_S, Machine, wait_until

STUCK = """
from cannon.devices.guard import GuardThread
GuardThread._until_off = lambda self: None
"""


class Terminal:
    """A command with a person at its terminal."""

    def __init__(self, machine: Machine, *words: str) -> None:
        self.machine = machine
        self._person, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cannon", *words, "--board", BOARD.name],
            cwd=machine.cwd,
            env=machine.env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.said = ""

    def until(self, words: str) -> None:
        """Reads until `words` have been said, anew each time."""
        end = time.monotonic() + PATIENCE_S
        while words not in self.said:
            assert time.monotonic() < end, f"no {words!r} in {self.said}"
            self._read(0.1)
        self.said = self.said.partition(words)[2]

    def type(self, keys: str) -> None:
        os.write(self._person, keys.encode())

    def ends(self) -> int:
        """Waits for the end; `said` is what came last."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end: {self.said}"
            self._read(0.05)
        self._read(0.2)
        assert "Traceback" not in self.said
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._person)

    def _read(self, wait_s: float) -> None:
        ready, _, _ = select.select([self._person], [], [], wait_s)
        if ready:
            try:
                self.said += os.read(self._person, 65536).decode()
            except OSError:  # the other end is closed
                time.sleep(0.01)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.close()


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    made: list[Terminal] = []
    yield made
    for terminal in made:
        terminal.close()


def kept(machine: Machine) -> dict[str, object]:
    path = machine.folder / "state" / "card-cannon" / "check.json"
    found: dict[str, object] = json.loads(path.read_text())
    return found


def in_a_run(terminals: list[Terminal], machine: Machine, *words: str) -> Terminal:
    """`cannon check` with the motor on, which nothing but its own end will switch off."""
    machine.env["FAKE_PATCH"] = STUCK
    terminal = Terminal(machine, "check", "--only", "lid_while_running", *words)
    terminals.append(terminal)
    terminal.until("press the space bar")
    terminal.type(" ")
    wait_until(lambda: machine.motor()[-1:] == [1], "the motor starts")
    return terminal


@pytest.mark.parametrize("how", ["q", signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_in_the_middle_of_a_run(
    machine: Machine, terminals: list[Terminal], how: str | signal.Signals
) -> None:
    terminal = in_a_run(terminals, machine)
    if isinstance(how, str):
        terminal.type(how)
    else:
        terminal.process.send_signal(how)
    assert terminal.ends() == 1
    assert machine.motor()[-1] == 0
    assert machine.out()[-1] == "closed"
    assert "Stopped; the motor is off." in terminal.said
    found = kept(machine)
    assert found["stopped"] is True
    assert found["steps"] == [
        {"step": "lid_while_running", "verdict": "skipped", "cause": "", "tries": 0}
    ]


def test_a_part_is_skipped_while_it_waits_and_tried_again_when_it_is_bad(
    machine: Machine, terminals: list[Terminal]
) -> None:
    terminal = Terminal(machine, "check", "--only", "lid", "--only", "beeper")
    terminals.append(terminal)
    terminal.until("Open the lid.")
    terminal.type("s")
    terminal.until("two tunes")
    terminal.type("n")
    terminal.until("The beeper was not heard.")
    terminal.type("r")
    terminal.until("two tunes")
    terminal.type("\r")  # yes
    assert terminal.ends() == 1
    assert "Not looked at: Lid switch" in terminal.said
    steps = kept(machine)["steps"]
    assert isinstance(steps, list)
    found = [(step["step"], step["verdict"], step["tries"]) for step in steps]
    assert found == [("lid", "skipped", 0), ("beeper", "good", 2)]


def test_answers_may_come_from_a_pipe(machine: Machine) -> None:
    run = machine.run("check", "--board", BOARD.name, "--only", "supply", input="y\n")
    assert run.returncode == 0, run.stderr
    assert "All parts are good." in run.stderr
    run = machine.run("check", "--board", BOARD.name, "--only", "supply", input="no\nq\n")
    assert run.returncode == 1
    assert "The supply is not known to be right." in run.stderr
    assert "Stopped; the motor is off." in run.stderr


def test_with_nobody_to_answer_it_stops(machine: Machine) -> None:
    run = machine.run("check", "--board", BOARD.name, "--only", "supply", input="")
    assert run.returncode == 1
    assert "Stopped; the motor is off." in run.stderr
    assert kept(machine)["stopped"] is True


def test_where_nothing_can_be_kept_it_says_so_and_goes_on(machine: Machine) -> None:
    (machine.folder / "state" / "card-cannon" / "check.json").mkdir(parents=True)
    run = machine.run("check", "--board", BOARD.name, "--only", "supply", input="y\n")
    assert run.returncode == 0, run.stderr
    assert "It could not be saved in " in run.stderr


def test_a_board_on_a_microcontroller_is_asked_for_by_its_port(machine: Machine) -> None:
    run = machine.run("check", "--board", "launcher-pico", input="")
    assert run.returncode == 78
    assert "--bridge" in run.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_calibration_that_is_stopped_keeps_nothing(
    machine: Machine, terminals: list[Terminal], how: signal.Signals
) -> None:
    machine.env["FAKE_PATCH"] = STUCK
    terminal = Terminal(machine, "calibrate")
    terminals.append(terminal)
    terminal.until("press the space bar")
    terminal.type(" ")
    wait_until(lambda: machine.motor()[-1:] == [1], "the motor starts")
    terminal.process.send_signal(how)
    assert terminal.ends() == 1
    assert machine.motor()[-1] == 0
    assert "Stopped; the motor is off." in terminal.said
    assert list((machine.folder / "state").rglob("calibration*")) == []


# --- a board of the owner's own -------------------------------------------------------------------


def own_board(machine: Machine) -> str:
    """A board file without its wires, as someone writes who has wired it already."""
    text = Path(f"hardware/boards/{BOARD.name}.toml").read_text(encoding="utf-8")
    path = machine.cwd / "mine.toml"
    path.write_text(text.partition("[wiring.supply]")[0], encoding="utf-8")
    return str(path)


UNCHECKED = ("driver's volts and amperes", "the fuse", "lid switch in the motor's supply")


def test_playing_on_a_board_without_wires_tells_once_what_nobody_has_checked(
    machine: Machine,
) -> None:
    program = machine.start("play", "--board", own_board(machine))
    program.until("Ready")
    program.end(signal.SIGTERM)
    assert all(program.said.count(words) == 1 for words in UNCHECKED)
    assert program.said.count("To know: ") == 1


def test_the_check_of_a_board_without_wires_tells_it_too(machine: Machine) -> None:
    run = machine.run("check", "--board", own_board(machine), "--only", "supply", input="y\n")
    assert run.returncode == 0
    assert all(run.stderr.count(words) == 1 for words in UNCHECKED)
