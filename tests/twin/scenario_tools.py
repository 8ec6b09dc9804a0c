"""What the tests of scenarios share: running one from its text or its file."""

from cannon.simulation import SimulatedProgram
from cannon.twin.running import run
from cannon.twin.scenario import read_scenario
from cannon.twin.stage import Stage


def played(scenario):
    """The scenario's result, and the stage as it was at the end."""
    with SimulatedProgram(scenario.setup, scenario.needs_journal) as program:
        stage = Stage(program)
        return run(scenario, program, stage), stage


def played_text(*lines):
    return played(read_scenario("\n".join(lines), "scenario.txt", "scenario"))
