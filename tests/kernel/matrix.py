"""The table of what may happen in the middle of a feed, and when the motor is off then.

`RESULTS` holds what a run of the kernel lane has seen; the table in the README is made of it, and
the lane fails where a new run breaks a promise or sees another yes or no. Times are rounded up to
1, 2, 5, 10 ...: they come from an emulated processor, several times slower than a Raspberry Pi, and
only their order means something.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

RESULTS = Path(__file__).with_name("results.json")
TRIALS = 5

PERSIST, STRICT, BRIDGE = "persist", "strict", "bridge"
COLUMNS = {
    PERSIST: "Pi alone, as it comes",
    STRICT: "Pi alone, `strict_gpiod`",
    BRIDGE: "with a microcontroller",
}

Trial = dict[str, Any]
Results = dict[str, dict[str, list[Trial]]]
"""By row and column."""

PLAYS_ON = "plays on"
STAYS_ON = "**no**: put the lid switch in series with the motor"
SAME = "="
ENDS = ("interrupted", "stop", "fault", "lease")


class Row(NamedTuple):
    """One thing that may happen.

    `reasons` are the outcomes that a shot may have then. `plays_on`: the feed goes on to its end.
    `stays_on` are columns where the motor stays on. `instead` are cells that nothing was done for:
    a text, or "=KEY" for the row whose trials hold for this one as well, or SAME.
    """

    what: str
    reasons: tuple[str, ...] = ENDS
    plays_on: bool = False
    stays_on: tuple[str, ...] = ()
    instead: Mapping[str, str] = MappingProxyType({})


NOT_THERE = {PERSIST: "–", STRICT: "–"}
BY_ITSELF = MappingProxyType({STRICT: SAME})
"the program switches off: what outputs do whose owner has gone plays no part"

ROWS = {
    "lid_opened": Row("the lid is opened", ("lid",), instead=BY_ITSELF),
    "lid_wire": Row(
        "the lid's wire is cut (a switch that opens)",
        instead={PERSIST: "=lid_opened", STRICT: SAME, BRIDGE: "=lid_opened"},
    ),
    "loop_dies": Row("an exception ends the control loop", instead=BY_ITSELF),
    "controller_raises": Row("an exception in the controller", instead=BY_ITSELF),
    "callback_raises": Row("an exception in a library's callback", instead=BY_ITSELF),
    "page_dies": Row("the phone page crashes", ("enough",), plays_on=True, instead=BY_ITSELF),
    "sigterm": Row("the program is told to end (SIGTERM)", instead=BY_ITSELF),
    "sigkill": Row("the program is killed (SIGKILL)"),
    "killed_by_hand": Row(
        "the same, but started by hand, not as a service",
        stays_on=(PERSIST,),
        instead={BRIDGE: "=sigkill"},
    ),
    "sigstop": Row("the program is frozen (SIGSTOP)"),
    "loop_blocks": Row(
        "the control loop hangs", (*ENDS, "enough", "stalled", "timeout"), instead=BY_ITSELF
    ),
    "notifier_dies": Row(
        "the thread that brings the inputs ends",
        (*ENDS, "enough", "stalled", "timeout"),
        instead=BY_ITSELF,
    ),
    "watchdog_ends": Row("the watchdog ends a program that hangs", (*ENDS, "enough")),
    "out_of_memory": Row("the memory is full", instead={BRIDGE: "=sigkill"}),
    "disk_full": Row("the disk is full", ("enough",), plays_on=True, instead=BY_ITSELF),
    "disk_read_only": Row(
        "the disk is read-only",
        ("none",),
        plays_on=True,
        instead={STRICT: SAME, BRIDGE: "=disk_full"},
    ),
    "chip_gone": Row(
        "the GPIO chip goes away",
        instead={STRICT: SAME, BRIDGE: "–"},
    ),
    "button_stuck": Row("the button is stuck", ("enough",), plays_on=True, instead=BY_ITSELF),
    "sensor_cut": Row("the exit sensor's wire is cut", ("stalled", "timeout"), instead=BY_ITSELF),
    "systemd_stop": Row("`systemctl stop`", instead={STRICT: SAME, BRIDGE: "=sigterm"}),
    "systemd_restart": Row("`systemctl restart`", instead={STRICT: SAME, BRIDGE: "=sigterm"}),
    "systemd_reload": Row(
        "`systemctl reload`, `daemon-reload`",
        ("enough",),
        plays_on=True,
        instead={STRICT: SAME, BRIDGE: PLAYS_ON},
    ),
    "second_instance": Row(
        "the program is started twice", ("enough",), plays_on=True, instead=BY_ITSELF
    ),
    "host_unplugged": Row("the cable between the two is pulled", instead=NOT_THERE),
    "board_reset": Row("the microcontroller starts anew", instead=NOT_THERE),
    "kernel_frozen": Row(
        "the Pi's kernel is frozen",
        instead={PERSIST: STAYS_ON, STRICT: STAYS_ON, BRIDGE: "=sigstop"},
    ),
    "power_cut": Row(
        "the Pi's power is cut",
        instead={
            PERSIST: "by the pull-down at the driver",
            STRICT: "by the pull-down at the driver",
            BRIDGE: "=host_unplugged",
        },
    ),
}


def measured(column: str) -> list[str]:
    """The rows that are done for real in that column."""
    return [key for key, row in ROWS.items() if column not in row.instead]


def problems(key: str, column: str, trials: list[Trial]) -> list[str]:
    """What in these trials is not as the project promises."""
    row, found = ROWS[key], []
    if len(trials) < TRIALS:
        found.append(f"only {len(trials)} trials")
    for number, trial in enumerate(trials, 1):
        stays_on = column in row.stays_on
        if (trial["off_s"] is None) != stays_on:
            found.append(f"trial {number}: the motor was off after {trial['off_s']} s")
        if trial["again"]:
            found.append(f"trial {number}: the motor came on again without a press")
        if not trial["kept"]:
            found.append(f"trial {number}: a record was lost")
        if trial["reason"] not in row.reasons:
            found.append(f"trial {number}: the shot's outcome is {trial['reason']!r}")
        if not trial.get("adds_up", True):
            found.append(f"trial {number}: decided is not delivered and owed")
    return found


def table(results: Results) -> str:
    """The table for the README."""
    lines = [
        "| in the middle of a feed | " + " | ".join(COLUMNS.values()) + " |",
        "|" + "---|" * (1 + len(COLUMNS)),
    ]
    for key, row in ROWS.items():
        cells = [cell(key, column, results) for column in COLUMNS]
        lines.append(f"| {row.what} | {' | '.join(cells)} |")
    times = sum(len(trials) for row in results.values() for trials in row.values())
    least = min(len(trials) for row in results.values() for trials in row.values())
    lines += [
        "",
        f"Done for real, {times} times: each at least {least} times, at a random moment of a feed.",
        "No shot came by itself afterwards, no record was lost, and what is owed was known. Times",
        "are those of an emulated computer, slower than a Raspberry Pi, rounded up.",
        f"`{SAME}` as on the left: there the program itself switches off, or plays on.",
    ]
    return "\n".join(lines) + "\n"


def cell(key: str, column: str, results: Results) -> str:
    """One cell of the table."""
    row = ROWS[key]
    instead = row.instead.get(column, "")
    if instead.startswith("=") and instead != SAME:
        return cell(instead[1:], column, results)
    if instead:
        return instead
    if row.plays_on:
        return PLAYS_ON
    if column in row.stays_on:
        return STAYS_ON
    return f"off within {rounded(max(trial['off_s'] for trial in results[key][column]))}"


def rounded(seconds: float) -> str:
    """Rounded up to 1, 2 or 5 of a power of ten, at least 10 ms."""
    milliseconds = max(10.0, seconds * 1000)
    power = 10 ** math.floor(math.log10(milliseconds))
    step = next(step for step in (1, 2, 5, 10) if milliseconds <= step * power)
    up = step * power
    return f"{up / 1000:g} s" if up >= 1000 else f"{up:g} ms"


def load() -> Results:
    """The results of the run that the README tells of."""
    results: Results = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def save(results: Results) -> None:
    """Makes these results those that the README tells of."""
    rows = {
        key: {
            column: [_short(trial) for trial in results[key][column]]
            for column in COLUMNS
            if column in results.get(key, {})
        }
        for key in ROWS
        if key in results
    }
    lines = ",\n".join(
        f" {json.dumps(key)}: {{\n"
        + ",\n".join(f"  {json.dumps(column)}: {json.dumps(each)}" for column, each in row.items())
        + "\n }"
        for key, row in rows.items()
    )
    RESULTS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _short(trial: Trial) -> Trial:
    off_s = trial["off_s"]
    return trial | {"off_s": None if off_s is None else round(off_s, 3)}


def _take_over() -> None:
    """The README tells of the last run from now on."""
    from tests import readme
    from tests.kernel.vm.run import CACHE

    results = json.loads((CACHE / "results.json").read_text(encoding="utf-8"))
    missing = [
        f"{key} ({column})"
        for column in COLUMNS
        for key in measured(column)
        if not results.get(key, {}).get(column)
    ]
    if missing:
        raise SystemExit(f"the last run has nothing on: {', '.join(missing)}")
    save(results)
    readme.README.write_text(readme.written(readme.README.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    _take_over()
