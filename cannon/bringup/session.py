"""Goes through the steps of a check with a person: again, skip or stop after each that is bad.

Results are put into a list that is given in, so that those of the parts that were done are there
however the session ends. Nothing here prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from cannon.bringup.rig import Rig
from cannon.bringup.steps import Finding, Guide, Step
from cannon.devices.ports import DeviceFault

GOOD, BAD, SKIPPED = "good", "bad", "skipped"
AGAIN, SKIP, STOP = "again", "skip", "stop"


class Skip(Exception):
    """The person does not want this part, now."""


class Stop(Exception):
    """The person has had enough."""


class Person(Guide, Protocol):
    """Who goes through the steps. Each of its methods may raise `Skip` or `Stop`."""

    def begin(self, number: int, count: int, step: Step) -> None:
        """A step begins: the `number`th of `count`."""
        ...

    def found(self, finding: Finding) -> None:
        """What it has found."""
        ...

    def choose(self) -> str:
        """What to do after a step that was not good: AGAIN, SKIP or STOP."""
        ...


def go_through(rig: Rig, person: Person, steps: list[Step], results: list[dict[str, Any]]) -> None:
    """Does the steps in order. Raises Stop where the person stops; the motor is off then, too."""
    for number, step in enumerate(steps, start=1):
        result: dict[str, Any] = {"step": step.name, "verdict": SKIPPED, "cause": "", "tries": 0}
        results.append(result)
        try:
            person.begin(number, len(steps), step)
            _until_good(rig, person, step, result)
        except Skip:
            pass
        finally:
            rig.launcher.off()


def _until_good(rig: Rig, person: Person, step: Step, result: dict[str, Any]) -> None:
    """One step, again and again until it is good or the person goes on without."""
    while True:
        finding = _done(step.do, rig, person)
        rig.launcher.off()
        result["tries"] += 1
        result |= {"verdict": BAD if finding.cause else GOOD, "cause": finding.cause}
        result["seen"] = finding.seen
        person.found(finding)
        if not finding.cause:
            return
        choice = person.choose()
        if choice == SKIP:
            return
        if choice == STOP:
            raise Stop


def _done(do: Callable[[Rig, Guide], Finding], rig: Rig, person: Person) -> Finding:
    """What the step finds; a launcher that fails in it is a finding, too."""
    try:
        return do(rig, person)
    except DeviceFault as fault:
        return Finding("fault", {"fault": fault.cause, "detail": str(fault)})
