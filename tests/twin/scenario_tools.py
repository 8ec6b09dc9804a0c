"""What the tests of scenarios share: running one from its text or its file."""

from contextlib import contextmanager
from functools import partial

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


@contextmanager
def begun(text):
    """A stage on which all that happens in the scenario has happened, and nothing is expected."""
    scenario = read_scenario(text, "scenario.txt", "scenario")
    with SimulatedProgram(scenario.setup, scenario.needs_journal) as program:
        stage = Stage(program)
        stage.begin([partial(step.act, stage) for step in scenario.before])
        for step in scenario.steps:
            if step.act is not None:
                step.act(stage)
        yield stage
        stage.switch_off()
