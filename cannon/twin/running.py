"""Runs a scenario on a stage and collects what did not come as expected."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from cannon.twin.person import GivesUp
from cannon.twin.scenario import Scenario, Step
from cannon.twin.stage import NotNow, Program, Stage


class Failed(NamedTuple):
    """An expectation that was not met, or a line that could not be done."""

    line: int
    text: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}: {self.why}"


class Result(NamedTuple):
    """What came of a scenario: how many expectations were looked at, and what failed."""

    expectations: int
    failed: list[Failed]

    @property
    def well(self) -> bool:
        """Whether everything came as expected."""
        return not self.failed


class _Ended(Exception):
    """A line could not be done, so the rest makes no sense."""


def run(scenario: Scenario, program: Program, stage: Stage | None = None) -> Result:
    """Runs it to its end. That no promise is broken is expected of every scenario."""
    stage = stage or Stage(program)
    stage.listens = any(step.check for step in scenario.steps)
    stage.keeps_records = scenario.needs_records
    result = Result(0, [])
    try:
        stage.begin([partial(_do, step, stage, result.failed) for step in scenario.before])
        for step in scenario.steps:
            _do(step, stage, result.failed)
    except _Ended:
        pass
    stage.switch_off()
    violations = [Failed(0, "no promise is broken", text) for text in stage.violations()]
    checks = sum(step.check is not None for step in scenario.steps)
    return Result(checks, result.failed + violations)


def _do(step: Step, stage: Stage, failed: list[Failed]) -> None:
    try:
        if step.moment is not None:
            step.moment(stage)
        if step.act is not None:
            step.act(stage)
        if step.check is not None:
            _check(step, stage, failed)
    except (NotNow, GivesUp) as error:
        failed.append(Failed(step.line, step.text, str(error)))
        raise _Ended from error


def _check(step: Step, stage: Stage, failed: list[Failed]) -> None:
    assert step.check is not None
    check = partial(step.check, stage)
    found = check()
    if not found.right and step.within_s and stage.on:
        stage.twin.run(step.within_s, lambda: check().right)
        found = check()
    if not found.right:
        now = stage.twin.clock.now
        failed.append(Failed(step.line, step.text, f"found {found.what} (at {now:.3f} s)"))
