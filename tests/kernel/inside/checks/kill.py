"""What may happen to a launcher in the middle of a feed, done to it for real, again and again.

The rows of the table in the project's README are in groups: those of a group are done to one
launcher after the other, since each start of Python is slow here. Checks return trials by row. A
trial says when the motor was off for good after the thing happened (`off_s`, None: it was not),
whether all cards had come out by then (`all_out`), which outputs are on that must not be (`high`),
whether the motor came on again before a new press, and what is on record once the launcher is
ready again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.kernel.inside import strikes
from tests.kernel.inside.installed import FEED_S, POLL_S, Installed, Record
from tests.kernel.inside.installing import cannon
from tests.kernel.inside.strikes import (
    SABOTAGED,
    WEB,
    Back,
    Strike,
    breaks,
    by_a_start,
    by_itself,
    by_the_button,
    by_the_button_once_anew,
    kill_with,
)
from tests.kernel.matrix import CARDS, PERSIST, TRIALS, Trial

LONG = 40  # cards: a feed that goes on when a slow command has done its work
LONGEST = CARDS[PERSIST]
SETTLED_S = 10
JUST_THEN_S = 0.01
"a motor that went off so soon with its driver still enabled rested between two cards just then"
MORE = 15
"trials that do not count: the motor rested between two cards just then, as it does now and then"


class Group(NamedTuple):
    """Rows for one kind of launcher: what is done, and what brings it back."""

    launcher: Callable[[], AbstractContextManager[Installed]]
    rows: dict[str, tuple[Strike, Back]]


def checks(keys: Iterable[str]) -> dict[str, list[str]]:
    """The checks for these rows, each with its rows."""
    wanted = set(keys)
    found = {}
    for name, group in GROUPS.items():
        if rows_of_it := [key for key in group.rows if key in wanted]:
            found[f"kill.rows:{','.join([name, *rows_of_it])}"] = rows_of_it
    return found | {f"kill.{key}": [key] for key in ALONE if key in wanted}


def rows(group: str, *keys: str) -> dict[str, list[Trial] | str]:
    """These rows of a group: trials, or what went wrong."""
    found: dict[str, list[Trial] | str] = {}
    with GROUPS[group].launcher() as launcher:
        launcher.start()
        for key in keys:
            print(f"{time.monotonic():.1f} {key}", flush=True)
            try:
                found[key] = trials(launcher, *GROUPS[group].rows[key])
            except Exception:
                found[key] = traceback.format_exc()
                strikes.FILLER.unlink(missing_ok=True)
                launcher.restart()
    return found


def trials(launcher: Installed, strike: Strike, back: Back) -> list[Trial]:
    """Strikes in the middle of TRIALS feeds of a launcher that is ready, with the motor on."""
    done: list[Trial] = []
    for _ in range(TRIALS + MORE):
        out = launcher.mechanism.cards_out
        before = _feed(launcher)
        at_s = strike(launcher)
        off_s = launcher.off_after(at_s, FEED_S)
        all_out = launcher.mechanism.cards_out >= out + launcher.cards
        was_on, high = launcher.was_on(at_s), launcher.high()
        print(f"struck at {at_s:.3f}, the motor on: {was_on}, off after {off_s}", flush=True)
        back(launcher)
        launcher.until_ready()
        again = _again(launcher, at_s, off_s)
        rested = off_s is not None and off_s < JUST_THEN_S and bool(high)
        if (was_on and not rested) or again:
            found = on_record(before, _settled(launcher))
            seen = {"off_s": off_s, "all_out": all_out, "high": high, "again": again}
            done.append(seen | found)
        if len(done) == TRIALS:
            return done
    raise RuntimeError(f"the motor was off in all but {len(done)} trials")


def _feed(launcher: Installed) -> list[Record]:
    """Press, and come back at a random moment of the feed with the motor on; all that is on the
    disk by then. The shot is: it is written beside the feed, within moments."""
    launcher.feed()
    end_s = time.monotonic() + FEED_S
    while not under_way(before := launcher.records()):
        if time.monotonic() > end_s:
            raise RuntimeError("the shot is not put on record")
        time.sleep(POLL_S)
    launcher.until_on()
    return before


def _settled(launcher: Installed) -> list[Record]:
    """The records with the shot's end among them, if it comes: it is written beside all else."""
    end_s = time.monotonic() + SETTLED_S
    while under_way(after := launcher.records()) and time.monotonic() < end_s:
        time.sleep(POLL_S)
    return after


def under_way(records: list[Record]) -> bool:
    """Whether the last shot is on record, and not its end."""
    shots = [shot for _, kind, shot, _ in records if kind == "intent"]
    return bool(shots) and shots[-1] not in [s for _, kind, s, _ in records if kind == "outcome"]


def _again(launcher: Installed, at_s: float, off_s: float | None) -> bool:
    """Whether the motor came on again, once it is ready again and without a press since."""
    end_s = at_s + (FEED_S if off_s is None else off_s)
    later = launcher.edges(end_s + 0.001, 1)
    again = bool(later) or launcher.motor_is_on()
    if again:
        print(f"on again: {later}", flush=True)
    return again


def on_record(before: list[Record], after: list[Record]) -> Trial:
    """What became of the records that were on the disk, and what is said of the last shot.

    `kept`: the shot was on record, and all that was still is. `adds_up`: decided and owed before
    = delivered and owed now, where the shot has an outcome.
    """
    press = max((shot for _, kind, shot, _ in before if kind == "press" and shot), default=None)
    kept = press is not None and before == after[: len(before)]
    outcomes = [data for _, kind, shot, data in after if kind == "outcome" and shot == press]
    if len(outcomes) != 1:
        return {"kept": kept, "reason": f"{len(outcomes)} outcomes"}
    (found,) = outcomes
    wanted = found["decided"] + found["rest"]
    return {
        "kept": kept,
        "reason": found["reason"],
        "adds_up": wanted == found["delivered"] + found["owed"],
    }


# --- what needs a launcher of its own --------------------------------------------------------


def chip_gone() -> dict[str, list[Trial]]:
    """The GPIO chip goes away, and its outputs with it; later there is one again. The time is that
    until the program has ended: nobody can see a line of a chip that is gone."""
    done = []
    with Installed(watched=True, cards=LONGEST) as launcher:
        launcher.start()
        for _ in range(TRIALS):
            before, pid, at_s = _feed(launcher), launcher.pid, time.monotonic()
            launcher.chip.remove()
            while strikes.lives(pid) and time.monotonic() < at_s + FEED_S:
                time.sleep(0.05)
            ended_s = None if strikes.lives(pid) else time.monotonic() - at_s
            launcher.until_said("Waiting for it", since_s=at_s)
            launcher.new_chip()
            strikes.until(launcher, lambda now: now.state != "starting")
            by_the_button(launcher)
            launcher.until_ready()
            found = on_record(before, _settled(launcher))
            again = launcher.motor_is_on()
            done.append({"off_s": ended_s, "high": [], "again": again, **found})
    return {"chip_gone": done}


def killed_by_hand() -> dict[str, list[Trial]]:
    """SIGKILL for a program that somebody has started in a terminal. `cannon off` follows."""
    done: list[Trial] = []
    with Installed(cards=LONGEST) as launcher:
        launcher.journal = Path("/run/by-hand.db")
        program = _by_hand(launcher)
        while len(done) < TRIALS:
            before, at_s = _feed(launcher), time.monotonic()
            program.kill()
            program.wait()
            off_s = launcher.off_after(at_s, within_s=2)
            was_on = launcher.was_on(at_s)
            cannon("off")
            end_s = time.monotonic()
            on, high = launcher.motor_is_on(), launcher.high()
            program = _by_hand(launcher)
            on = on or launcher.motor_is_on() or bool(launcher.edges(end_s, 1))
            if was_on or on:
                found = on_record(before, _settled(launcher))
                done.append({"off_s": off_s, "high": high, "again": on, **found})
        program.kill()
        program.wait()
    return {"killed_by_hand": done}


def _by_hand(launcher: Installed) -> subprocess.Popen[bytes]:
    play = [sys.executable, "-m", "cannon", "play", "--journal", str(launcher.journal)]
    program = subprocess.Popen(play, env=os.environ | {"LG_WD": "/tmp"}, cwd="/tmp")
    launcher.until_ready(service=False)
    return program


# --- the groups ------------------------------------------------------------------------------


@contextmanager
def _on(disk: Callable[[], AbstractContextManager[None]]) -> Iterator[Installed]:
    with disk(), Installed() as launcher:
        yield launcher


GROUPS = {
    "lives": Group(
        lambda: _on(strikes.small_disk),
        {
            "button_stuck": (strikes.hold_button, strikes.let_go),
            "disk_full": (strikes.fill_disk, strikes.empty_disk),
        },
    ),
    "read_only": Group(
        lambda: _on(strikes.real_disk),
        {"disk_read_only": (strikes.spoil_disk, strikes.mend_disk)},
    ),
    "long": Group(
        lambda: Installed(cards=LONG),
        {
            "systemd_reload": (strikes.reloaded, by_itself),
            "second_instance": (strikes.second, by_itself),
        },
    ),
    "ends": Group(
        lambda: Installed(cards=LONGEST),
        {
            "lid_opened": (strikes.open_lid, strikes.close_lid),
            "sensor_cut": (strikes.cut_sensor, strikes.mend_sensor),
            "sigterm": (kill_with(signal.SIGTERM), by_a_start),
            "sigkill": (kill_with(signal.SIGKILL), by_itself),
            "out_of_memory": (strikes.memory_ends, strikes.memory_is_there),
            "systemd_stop": (strikes.told("stop"), by_a_start),
            "systemd_restart": (strikes.told("restart"), by_itself),
        },
    ),
    "sabotaged": Group(
        lambda: Installed(SABOTAGED, cards=LONGEST),
        {
            "controller_raises": (breaks("controller_raises"), by_the_button),
            "callback_raises": (breaks("callback_raises"), by_the_button),
            "loop_dies": (breaks("loop_dies"), by_itself),
        },
    ),
    "watched": Group(
        lambda: Installed(SABOTAGED, cards=LONGEST, watched=True),
        {
            "loop_blocks": (breaks("loop_blocks"), by_itself),
            "notifier_dies": (breaks("notifier_dies"), by_the_button_once_anew),
            "sigstop": (kill_with(signal.SIGSTOP), by_itself),
            "watchdog_ends": (strikes.unheard, by_itself),
        },
    ),
    "page": Group(
        lambda: Installed(settings=WEB), {"page_dies": (strikes.kill_page, strikes.page_of)}
    ),
}
ALONE = ("killed_by_hand", "chip_gone")
