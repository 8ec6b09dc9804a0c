"""What a scenario can expect: one pattern per kind of line, and how it is looked up.

A check returns what was found, and whether that is as expected. The words of what was found are
for the message if it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cannon.twin.lines import one_of
from cannon.twin.stage import Stage, fits

LAST_SHOWN = 2  # records of a kind that are shown where none is as expected


class Found(NamedTuple):
    """What was found instead of guessed: is it `right`, and `what` is it."""

    right: bool
    what: str


Check = Callable[..., Found]

FIGURES: dict[str, Callable[[Stage], int | None]] = {
    "presses": lambda stage: stage.twin.account.presses,
    "launches": lambda stage: stage.twin.account.launches,
    "blanks": lambda stage: stage.twin.account.blanks,
    "rests": lambda stage: stage.twin.account.rests,
    "decided": lambda stage: stage.twin.account.decided,
    "delivered": lambda stage: stage.twin.account.delivered,
    "owed": lambda stage: stage.twin.account.owed,
    "waived": lambda stage: stage.twin.account.waived,
    "extra": lambda stage: stage.twin.account.extra,
    "suspects": lambda stage: stage.twin.account.suspects,
    "refusals": lambda stage: stage.twin.account.refusals.total(),
    "faults": lambda stage: stage.twin.account.faults.total(),
    "refills": lambda stage: stage.twin.account.refills,
    "out": lambda stage: stage.twin.mechanism.out,
    "cards": lambda stage: stage.twin.mechanism.out - stage.out_at_press,
    "stack": lambda stage: stage.twin.mechanism.stack,
    "motor-starts": lambda stage: stage.twin.account.motor_starts,
}
"""Numbers. `out` cards have left the slot by now, `cards` of them since the last press."""


def _figure(test: Callable[[int, int], bool]) -> Check:
    def check(stage: Stage, figure: Callable[[Stage], int | None], wanted: int) -> Found:
        value = figure(stage)
        return Found(value is not None and test(value, wanted), _number(value))

    return check


def _unknown(stage: Stage, figure: Callable[[Stage], int | None]) -> Found:
    value = figure(stage)
    return Found(value is None, _number(value))


def _number(value: int | None) -> str:
    return "unknown" if value is None else str(value)


def _is(look: Callable[[Stage], str]) -> Check:
    """A word that must be the one expected."""

    def check(stage: Stage, wanted: str) -> Found:
        found = look(stage)
        return Found(found == wanted, found or "none")

    return check


def _yes(look: Callable[[Stage], bool], yes: str, no: str, wanted: bool = True) -> Check:
    """A thing that must be so, or not so."""

    def check(stage: Stage) -> Found:
        found = look(stage)
        return Found(found == wanted, yes if found else no)

    return check


def _among(look: Callable[[Stage], Any]) -> Check:
    """A word that must be among those found."""

    def check(stage: Stage, wanted: str) -> Found:
        found = list(look(stage))
        return Found(wanted in found, ", ".join(found) or "none")

    return check


def _times(look: Callable[[Stage], Any]) -> Check:
    """How often something was counted."""

    def check(stage: Stage, wanted: str, times: int) -> Found:
        counted = look(stage)
        others = ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))
        return Found(counted[wanted] == times, others or "none at all")

    return check


def _sounds(stage: Stage, *wanted: tuple[str, ...]) -> Found:
    expected = list(wanted[0]) if wanted else []
    return Found(list(stage.sounds) == expected, " ".join(stage.sounds) or "silence")


def _stays_off(stage: Stage, for_s: float) -> Found:
    before, on = stage.twin.account.motor_starts, stage.twin.account.motor_on
    stage.wait(for_s)
    starts = stage.twin.account.motor_starts - before
    return Found(not on and not starts, "it was on" if on else f"{starts} starts")


def _snapshot_cause(stage: Stage) -> str:
    return stage.twin.loop.controller.snapshot().cause


def _records(on_file: bool, how_many: bool) -> Check:
    """Records of a kind with such values: in memory or on the disk, some or a number of them."""

    def check(stage: Stage, *values: Any) -> Found:
        number, kind, fields = values if how_many else (None, *values)
        records = stage.program.on_file() if on_file else stage.records
        found = [record for record in records if fits(record, kind, fields)]
        right = bool(found) if number is None else len(found) == number
        if found:
            return Found(right, f"{len(found)} of them")
        others = [str(record.data) for record in records if record.kind == kind]
        last = "; ".join(others[-LAST_SHOWN:])
        return Found(right, f"of that kind {len(others)}" + (f", the last: {last}" if last else ""))

    return check


def _plain(check: Check) -> Check:
    """The same without fields."""
    return lambda stage, *values: check(stage, *values, {})


EXPECTATIONS: dict[str, Check] = {
    "state {state}": _is(lambda stage: stage.state),
    "cause {cause}": _is(_snapshot_cause),
    "no cause": _yes(lambda stage: not _snapshot_cause(stage), "none", "there is one"),
    "start refused": _yes(lambda stage: bool(stage.start_refused), "refused", "it started"),
    "{figure} {count}": _figure(lambda value, wanted: value == wanted),
    "{figure} at least {count}": _figure(lambda value, wanted: value >= wanted),
    "{figure} at most {count}": _figure(lambda value, wanted: value <= wanted),
    "{figure} unknown": _unknown,
    "motor on": _yes(lambda stage: stage.twin.account.motor_on, "on", "off"),
    "motor off": _yes(lambda stage: stage.twin.account.motor_on, "on", "off", wanted=False),
    "motor still for {time}": _stays_off,
    "refused {refusal} {count}": _times(lambda stage: stage.twin.account.refusals),
    "fault {cause} {count}": _times(lambda stage: stage.twin.account.faults),
    "fault {cause}": _among(lambda stage: stage.twin.account.faults),
    "notice {notice} {count}": _times(lambda stage: stage.twin.account.notices),
    "notice {notice}": _among(lambda stage: stage.twin.account.notices),
    "hint {hint}": _among(lambda stage: stage.twin.loop.controller.snapshot().hints),
    "no hint": _yes(
        lambda stage: not stage.twin.loop.controller.snapshot().hints, "none", "there is one"
    ),
    "sound {tune}": _among(lambda stage: stage.sounds),
    "sounds {words}": _sounds,
    "silence": _sounds,
    "light {light}": _is(lambda stage: stage.light),
    "protruding card": _yes(
        lambda stage: stage.twin.loop.controller.snapshot().protruding, "one", "none"
    ),
    "{count} records of {record}": _plain(_records(on_file=False, how_many=True)),
    "{count} records of {record} {fields}": _records(on_file=False, how_many=True),
    "record {record} {fields}": _records(on_file=False, how_many=False),
    "record {record}": _plain(_records(on_file=False, how_many=False)),
    "{count} on file of {record}": _plain(_records(on_file=True, how_many=True)),
    "{count} on file of {record} {fields}": _records(on_file=True, how_many=True),
    "on file {record}": _plain(_records(on_file=True, how_many=False)),
    "on file {record} {fields}": _records(on_file=True, how_many=False),
    "journal tells {journal notice}": lambda stage, code: Found(
        stage.program.told(code), "not told"
    ),
}

SLOTS = {"figure": one_of(FIGURES, "presses")}
