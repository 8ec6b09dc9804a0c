"""Reads a scenario: a small text file that says what happens and what must come of it.

    # comments begin with a number sign
    board launcher-pi           what it is: board, odds, seed, stack, setting (none must be there)
    odds 5                      an odds model, or numbers that are decided in turn, over and over
    last card sticks            what is done to it before it is switched on
    switch on                   from here on time passes
    press
    after card 2 open lid       `at 3 s`, `after card 2`, `when ready` wait before they go on
    expect motor off within 20 ms
    expect state lid_open

All lines are listed in `actions.ACTIONS` and, after `expect`, in `expectations.EXPECTATIONS`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from cannon.twin import expectations, words
from cannon.twin.actions import ACTIONS, MOMENTS, NEEDS_JOURNAL
from cannon.twin.expectations import EXPECTATIONS, Found
from cannon.twin.lines import Language, Misread
from cannon.twin.stage import Stage
from hardware.reading import ConfigurationError, Problem


@dataclass
class Setup:
    """What the launcher of a scenario is. Empty values: whatever is usual."""

    board: str = ""
    odds: str = ""
    decisions: tuple[int, ...] = ()
    seed: int | None = None
    stack: int = 83
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)


class Step(NamedTuple):
    """One line: something that happens, or is expected."""

    line: int
    text: str
    moment: Callable[[Stage], None] | None = None  # waited for before
    act: Callable[[Stage], None] | None = None
    check: Callable[[Stage], Found] | None = None
    within_s: float = 0.0


@dataclass
class Scenario:
    """A scenario as its file says it: what is done `before` it is switched on, and the `steps`
    after that. `plays` are the places in `steps` of the lines `play N presses`."""

    name: str
    about: str = ""
    setup: Setup = field(default_factory=Setup)
    before: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    needs_journal: bool = False
    needs_records: bool = False
    plays: list[int] = field(default_factory=list)

    def for_presses(self, presses: int) -> Scenario:
        """The same launcher and mishaps, played on for that many presses and no further.

        What the file expects belongs to its own number of presses, so it is left out. Raises
        ValueError if there is not one line `play N presses`.
        """
        [place] = self.plays
        text = f"play {presses} presses"
        step = self.steps[place]._replace(text=text, act=_action(text))
        steps = [step for step in self.steps[:place] if not step.check] + [step]
        return replace(self, steps=steps, needs_records=False)


def _setting(setup: Setup, name: str, values: tuple[str, ...]) -> None:
    table, _, key = name.partition(".")
    if not key:
        raise Misread(f"{name!r} is no setting", "right is, for example: play.suspense_s 2")
    text = " ".join(values)
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    setup.settings.setdefault(table, {})[key] = value


SETUP: dict[str, Callable[..., None]] = {
    "board {name}": lambda setup, name: setattr(setup, "board", name),
    "odds {counts}": lambda setup, counts: setattr(setup, "decisions", counts),
    "odds {name}": lambda setup, name: setattr(setup, "odds", name),
    "seed {count}": lambda setup, seed: setattr(setup, "seed", seed),
    "stack {count}": lambda setup, cards: setattr(setup, "stack", cards),
    "setting {name} {words}": _setting,
}

_SETUP, _ACTION, _EXPECTATION = "setup", "action", "expectation"
_SLOTS = {**words.SLOTS, **expectations.SLOTS}
_LANGUAGE: Language[tuple[str, Callable[..., Any]]] = Language(
    {text: (_SETUP, meaning) for text, meaning in SETUP.items()}
    | {text: (_ACTION, meaning) for text, meaning in ACTIONS.items()}
    | {f"expect {text}": (_EXPECTATION, meaning) for text, meaning in EXPECTATIONS.items()},
    _SLOTS,
)
_MOMENTS = Language(MOMENTS, _SLOTS)
_MOMENT_WORDS = {pattern.split()[0] for pattern in MOMENTS}
_WITHIN = Language({"within {time}": None}, {})


def read_scenario(text: str, where: str, name: str) -> Scenario:
    """The scenario in `text`; `where` stands before the number of a wrong line."""
    reader = _Reader(where, name)
    for number, line in enumerate(text.splitlines(), start=1):
        reader.take(number, line)
    return reader.finish()


class _Reader:
    """Takes the lines of one file, one by one, and collects what is wrong with them."""

    def __init__(self, where: str, name: str) -> None:
        self._where = where
        self._problems: list[Problem] = []
        self._on = False
        self._scenario = Scenario(name)

    def take(self, number: int, line: str) -> None:
        """One line of the file."""
        text = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not text:
            comment = line.strip().lstrip("# ").strip()
            self._scenario.about = self._scenario.about or comment
            return
        try:
            self._understand(number, text)
        except Misread as wrong:
            self._problems.append(Problem(f"{self._where}:{number}", wrong.what, wrong.fix))

    def finish(self) -> Scenario:
        """The whole scenario. Raises ConfigurationError."""
        scenario = self._scenario
        if not self._problems:
            if not self._on:
                fix = "what happens stands after the line: switch on"
                self._problems.append(
                    Problem(self._where, "the launcher is never switched on", fix)
                )
            elif not any(step.check for step in scenario.steps):
                fix = "say what must come of it, for example: expect state ready"
                self._problems.append(Problem(self._where, "nothing is expected", fix))
        if self._problems:
            raise ConfigurationError(self._problems)
        return scenario

    def _understand(self, number: int, text: str) -> None:
        step, line = Step(number, text), text.split()
        scenario = self._scenario
        scenario.needs_journal |= not NEEDS_JOURNAL.isdisjoint(line)
        scenario.needs_records |= not {"record", "records"}.isdisjoint(line)
        if line[0] in _MOMENT_WORDS:
            meaning, values, line = _MOMENTS.read_head(line)
            step = step._replace(moment=partial(_apply, meaning, values))
        if "expect" in line and "within" in line:
            _, (within_s,) = _WITHIN.read(line[line.index("within") :])
            step, line = step._replace(within_s=within_s), line[: line.index("within")]
        if line:
            (sort, meaning), values = _LANGUAGE.read(line)
            self._place(step, sort, meaning, values)
        elif self._on:
            scenario.steps.append(step)
        else:
            raise Misread(*_TOO_EARLY)

    def _place(self, step: Step, sort: str, meaning: Any, values: list[Any]) -> None:
        scenario = self._scenario
        if sort == _SETUP:
            if self._on or step.moment:
                raise Misread(f"{step.text!r} stands too late", "it belongs before: switch on")
            meaning(scenario.setup, *values)
        elif sort == _EXPECTATION:
            step = step._replace(check=partial(_apply, meaning, values))
        else:
            step = step._replace(act=partial(_apply, meaning, values))
        if self._on:
            if step.text.split()[0] == "play":
                scenario.plays.append(len(scenario.steps))
            scenario.steps.append(step)
        elif step.text == "switch on":
            self._on = True
        elif step.act and not step.moment:
            scenario.before.append(step)
        elif sort != _SETUP:
            raise Misread(*_TOO_EARLY)


_TOO_EARLY = ("this stands too early", "no time passes before the line: switch on")


def _action(text: str) -> Callable[[Stage], None]:
    (_, meaning), values = _LANGUAGE.read(text.split())
    return partial(_apply, meaning, values)


def _apply(meaning: Callable[..., Any], values: list[Any], stage: Stage) -> Any:
    return meaning(stage, *values)
