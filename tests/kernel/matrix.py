"""What may happen in the middle of a feed, what is promised then, and what was seen.

`RESULTS` holds what a run of the kernel lane has seen; the table in the README is made of it (see
`safety_table`), and the lane fails where a new run breaks a promise or sees another yes or no.
"""

from __future__ import annotations

import json
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

SLOW = {PERSIST: 15, STRICT: 15, BRIDGE: 5}
"""So many times slower than promised may a reaction be: the Pi is an emulated computer here, and
the microcontroller's host a process of a computer that emulates two more."""

CARDS = {PERSIST: 112, STRICT: 112, BRIDGE: 40}
"""What a press brings where the feed must be stopped: none ends by itself before twice the time
that a row has, however quick. 112 is the most that odds may say."""
CARD_S = 0.2
"a card takes longer, gap included"

Trial = dict[str, Any]
Results = dict[str, dict[str, list[Trial]]]
"""By row and column."""

SAME, NOWHERE = "=", "–"
ENDS = ("interrupted", "stop", "fault", "lease")


class Promise(NamedTuple):
    """When the motor is off: after `timer_s`, for which somebody waits on purpose, and
    `reaction_s` on a Raspberry Pi, or of the microcontroller and its host."""

    timer_s: float
    reaction_s: float

    def limit_s(self, column: str) -> float:
        """So late may it be where it is done; timers are no slower there."""
        return self.timer_s + SLOW[column] * self.reaction_s


class As(NamedTuple):
    """A cell that nothing is done for: it follows from another one."""

    key: str
    column: str = BRIDGE


class Row(NamedTuple):
    """One thing that may happen.

    `pi` and `board` are the promises without and with a microcontroller; without any the feed
    goes on to its end. `reasons` are the outcomes that a shot may have then. `stays_on` are
    columns where the motor stays on. `instead` are cells that nothing is done for. `says` is what
    the time is that of.
    """

    what: str
    pi: Promise | None = None
    board: Promise | None = None
    reasons: tuple[str, ...] = ENDS
    stays_on: tuple[str, ...] = ()
    instead: Mapping[str, str | As] = MappingProxyType({})
    says: str = "off within"

    @property
    def plays_on(self) -> bool:
        """Whether nothing stops the feed."""
        return self.pi is None and self.board is None

    def promise(self, column: str) -> Promise | None:
        """What holds in a column."""
        return self.board if column == BRIDGE else self.pi


NOT_THERE = MappingProxyType({PERSIST: NOWHERE, STRICT: NOWHERE})
BY_ITSELF = MappingProxyType({STRICT: SAME})
"the program switches off: what outputs do whose owner has gone plays no part"
STAYS_ON = "**no**: put the lid switch in series with the motor"

LID = Promise(0, 0.02)
PROGRAM = Promise(0, 0.1)
"the program sees it itself"
NEXT_EDGE = Promise(0.3, 0.1)
"it does at the next edge of an input: a card takes a fifth of a second"
SYSTEMD = Promise(0, 0.5)
"the program has died, and the service manager switches off"
WATCHDOG = Promise(3, 0.5)
RUN = Promise(1.5, 0.1)
"the longest run of the motor (max_run_ms)"
STALL = Promise(2, 0.1)
"it tries three times to bring a card"
LEASE = Promise(0.5, 0.1)
"the board hears nothing more: what it was told last holds so long"
KERNEL = Promise(0, 0.02)
"the kernel lets go of the lines of a process that has ended"

ROWS = {
    "lid_opened": Row("the lid is opened", LID, LID, ("lid",), instead=BY_ITSELF),
    "lid_wire": Row(
        "the lid's wire is cut (a switch that opens)",
        LID,
        LID,
        instead={PERSIST: As("lid_opened", PERSIST), STRICT: SAME, BRIDGE: As("lid_opened")},
    ),
    "loop_dies": Row("an exception ends the control loop", PROGRAM, LEASE, instead=BY_ITSELF),
    "controller_raises": Row("an exception in the controller", PROGRAM, LEASE, instead=BY_ITSELF),
    "callback_raises": Row(
        "an exception in a library's callback", NEXT_EDGE, LEASE, instead=BY_ITSELF
    ),
    "page_dies": Row("the phone page's process is killed", reasons=("enough",), instead=BY_ITSELF),
    # Here a page would take longer to come, behind all others, than its launcher waits.
    "page_raises": Row(
        "an exception ends the phone page",
        reasons=("enough",),
        instead={PERSIST: As("page_raises"), STRICT: SAME},
    ),
    "sigterm": Row("the program is told to end (SIGTERM)", PROGRAM, LEASE, instead=BY_ITSELF),
    "sigkill": Row("the program is killed (SIGKILL)", SYSTEMD, LEASE),
    "killed_by_hand": Row(
        "the same, but started by hand, not as a service",
        KERNEL,
        LEASE,
        stays_on=(PERSIST,),
        instead={BRIDGE: As("sigkill")},
    ),
    "sigstop": Row("the program is frozen (SIGSTOP)", WATCHDOG, LEASE),
    "loop_blocks": Row("the control loop hangs", RUN, LEASE, instead=BY_ITSELF),
    "notifier_dies": Row(
        "the thread that brings the inputs ends", NEXT_EDGE, LEASE, instead=BY_ITSELF
    ),
    "watchdog_ends": Row("the watchdog ends a program that hangs", SYSTEMD, LEASE),
    "out_of_memory": Row("the memory is full", SYSTEMD, LEASE, instead={BRIDGE: As("sigkill")}),
    "disk_full": Row("the disk is full", reasons=("enough",), instead=BY_ITSELF),
    "disk_read_only": Row(
        "the disk becomes read-only",
        reasons=("interrupted",),  # the end of the shot was not written
        instead={STRICT: SAME, BRIDGE: As("disk_full")},
    ),
    "chip_gone": Row(
        "the GPIO chip goes away",
        Promise(1, 0.3),
        instead={STRICT: SAME, BRIDGE: NOWHERE},
        says="the program ends within",
    ),
    "button_stuck": Row("the button is stuck", reasons=("enough",), instead=BY_ITSELF),
    "sensor_cut": Row(
        "the exit sensor's wire is cut", STALL, STALL, ("stalled", "timeout"), instead=BY_ITSELF
    ),
    "systemd_stop": Row(
        "`systemctl stop`", PROGRAM, LEASE, instead={STRICT: SAME, BRIDGE: As("sigterm")}
    ),
    "systemd_restart": Row(
        "`systemctl restart`", PROGRAM, LEASE, instead={STRICT: SAME, BRIDGE: As("sigterm")}
    ),
    "systemd_reload": Row(
        "`systemctl reload`, `daemon-reload`",
        reasons=("enough",),
        instead={STRICT: SAME, BRIDGE: As("systemd_reload", PERSIST)},
    ),
    "second_instance": Row("the program is started twice", reasons=("enough",), instead=BY_ITSELF),
    "host_unplugged": Row("the cable between the two is pulled", None, LEASE, instead=NOT_THERE),
    "board_reset": Row("the microcontroller starts anew", None, LID, instead=NOT_THERE),
    "kernel_frozen": Row(
        "the Pi's kernel is frozen",
        None,
        LEASE,
        instead={PERSIST: STAYS_ON, STRICT: STAYS_ON},
    ),
    "power_cut": Row(
        "the Pi's power is cut",
        None,
        LEASE,
        instead=dict.fromkeys((PERSIST, STRICT), "by the pull-down at the driver"),
    ),
}


def measured(column: str) -> list[str]:
    """The rows that are done for real in that column."""
    return [key for key, row in ROWS.items() if column not in row.instead]


def problems(key: str, column: str, trials: list[Trial]) -> list[str]:
    """What in these trials is not as the project promises."""
    few = [f"only {len(trials)} trials"] if len(trials) < TRIALS else []
    return few + [
        f"trial {number}: {problem}"
        for number, trial in enumerate(trials, 1)
        for problem in _problems(ROWS[key], column, trial)
    ]


def _problems(row: Row, column: str, trial: Trial) -> list[str]:
    """What is wrong with one trial."""
    off_s, promise, on = trial["off_s"], row.promise(column), trial.get("high")
    late = promise is not None and off_s is not None and off_s > promise.limit_s(column)
    wrong = {
        f"the motor was off after {off_s} s": (off_s is None) != (column in row.stays_on) or late,
        "the feed went on to its end": not row.plays_on and trial.get("all_out"),
        "the feed did not go on": row.plays_on and not trial.get("all_out", True),
        "the motor came on again without a press": trial["again"],
        f"outputs were left on: {on}": on,
        "a record was lost": not trial["kept"],
        f"the shot's outcome is {trial['reason']!r}": trial["reason"] not in row.reasons,
        "decided is not delivered and owed": not trial.get("adds_up", True),
    }
    return [problem for problem, found in wrong.items() if found]


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
