"""The progress bar of `cannon simulate`: on a terminal, and nowhere else."""

import json
import re

import pytest

from tests.unit.play_tools import Machine
from tests.unit.terminal_tools import Terminal

PRESSES = 400
WORDS = ("simulate", "--presses", str(PRESSES), "--seed", "7", "--json")


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    made.close()


def on_a_terminal(machine, *words):
    """What is seen on a terminal while standard output goes elsewhere, and that output."""
    terminal = Terminal(machine, *words, piped=("stdout",))
    try:
        code = terminal.drain_until_end()
    finally:
        terminal.close()
        terminal.hang_up()
    assert code == 0
    return terminal.seen, terminal.output


def test_on_a_terminal_a_bar_goes_up_to_the_end_and_is_taken_away(machine):
    seen, output = on_a_terminal(machine, *WORDS)
    assert "pressing" in seen
    shown = [int(number) for number in re.findall(r"(\d+)%", seen)]
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (0, 100)
    assert seen.rstrip().endswith("\x1b[2K"), "the line is clear again"
    assert output.count("\n") == 1
    assert json.loads(output)["presses"] == PRESSES


def test_a_scenario_whose_presses_nobody_knows_has_no_bar(machine):
    seen, output = on_a_terminal(machine, "simulate", "--scenario", "lid-at-card-2", "--json")
    assert seen == ""
    assert json.loads(output)["scenario"] == "lid-at-card-2"


def test_elsewhere_there_is_no_bar(machine):
    done = machine.run(*WORDS)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["presses"] == PRESSES
