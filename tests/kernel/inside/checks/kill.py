"""What may happen to a launcher in the middle of a feed, done to it for real, again and again.

The rows of the table in the project's README are in groups: those of a group are done to one
launcher after the other, since each start of Python is slow here. Checks return trials by row. A
trial says when the motor was off for good after the thing happened (`off_s`, None: it was not),
whether it came on again before a new press, and what is on record once the launcher is ready again.
"""

from __future__ import annotations

import contextlib
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

from cannon.core.values import Snapshot
from cannon.errors import CannonError
from cannon.service.unit import NAME, WATCHDOG_S
from tests.kernel.inside.installed import (
    FEED_S,
    STARTS_S,
    STATE,
    Installed,
    Record,
    cannon,
)
from tests.kernel.inside.service import systemctl
from tests.kernel.matrix import TRIALS, Trial

SLOW = 15.0  # so much slower than a Pi this machine may be
LONG = 40  # cards: a feed that is not over before systemctl has started
LONGEST = 112  # the most that odds may bring
WEB = "[web]\non = true\nport = 0\n"
FILLER = STATE / "filler"
SABOTAGE = Path("/run/sabotage")
# The same program, with the part that is named in the file broken by SIGUSR1.
SABOTAGED = f"""\
ExecStart=
ExecStart={sys.executable} -m tests.kernel.inside.subjects.sabotaged play
Environment=SABOTAGE={SABOTAGE}
"""
CGROUP = Path("/sys/fs/cgroup/system.slice") / NAME

Strike = Callable[[Installed], float]
"""Does it, and returns the time just before."""


Back = Callable[[Installed], object]
"""Brings the launcher back."""


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
                FILLER.unlink(missing_ok=True)
                launcher.restart()
    return found


def trials(launcher: Installed, strike: Strike, back: Back) -> list[Trial]:
    """Strikes in the middle of TRIALS feeds of a launcher that is ready."""
    done = []
    for _ in range(TRIALS):
        launcher.feed()
        at_s = strike(launcher)
        off_s = launcher.off_after(at_s, FEED_S)
        before = launcher.records()
        back(launcher)
        launcher.until_ready()
        done.append(_trial(launcher, at_s, off_s, before))
    return done


def _trial(launcher: Installed, at_s: float, off_s: float | None, before: list[Record]) -> Trial:
    """What is seen once it is ready again, without a press since."""
    end_s = at_s + (FEED_S if off_s is None else off_s)
    later = launcher.edges(end_s + 0.001, 1)
    again = bool(later) or launcher.motor_is_on()
    if again:
        print(f"struck at {at_s}, off after {off_s}, on again: {later}", flush=True)
    return {"off_s": off_s, "again": again, **on_record(before, launcher.records())}


def on_record(before: list[Record], after: list[Record]) -> Trial:
    """What became of the records that were on the disk, and what is said of the last shot.

    `adds_up`: decided and owed before = delivered and owed now, where the shot has an outcome.
    """
    if not after:
        return {"kept": True, "reason": "none"}
    press = max((shot for _, kind, shot, _ in after if kind == "press" and shot), default=None)
    outcomes = [data for _, kind, shot, data in after if kind == "outcome" and shot == press]
    if len(outcomes) != 1:
        return {"kept": before == after[: len(before)], "reason": f"{len(outcomes)} outcomes"}
    (found,) = outcomes
    wanted = found["decided"] + found["rest"]
    return {
        "kept": before == after[: len(before)],
        "reason": found["reason"],
        "adds_up": wanted == found["delivered"] + found["owed"],
    }


# --- how it comes back -----------------------------------------------------------------------


def by_itself(launcher: Installed) -> None:
    """systemd starts it again, or it has never gone."""


def by_a_start(launcher: Installed) -> None:
    """It has ended as it was told to."""
    systemctl("start", NAME)


def by_the_button(launcher: Installed) -> None:
    """A fault has to be acknowledged."""
    for _ in range(3):
        if launcher.state().state != "fault":
            return
        launcher.acknowledge()
        time.sleep(1)


def by_the_button_once_anew(launcher: Installed) -> None:
    """systemd starts it again, and the fault that it ended with is still to be acknowledged."""
    _until(launcher, lambda now: now.state == "fault" and now.cause_since is None)
    by_the_button(launcher)


def _until(launcher: Installed, true: Callable[[Snapshot], bool]) -> None:
    """Wait until it answers, and stands so."""
    end_s = time.monotonic() + STARTS_S
    while time.monotonic() < end_s:
        with contextlib.suppress(CannonError):
            if true(launcher.state()):
                return
        time.sleep(0.3)
    raise RuntimeError("it did not come back as it should")


# --- the program dies ------------------------------------------------------------------------


def kill_with(number: signal.Signals) -> Strike:
    """A signal to the program."""

    def strike(launcher: Installed) -> float:
        pid, at_s = launcher.pid, time.monotonic()
        os.kill(pid, number)
        return at_s

    return strike


def breaks(what: str) -> Strike:
    """A part of the sabotaged program breaks."""

    def strike(launcher: Installed) -> float:
        SABOTAGE.write_text(what)
        return kill_with(signal.SIGUSR1)(launcher)

    return strike


def _unheard(launcher: Installed) -> float:
    """Feeds on until the program has ended; returns about when that was."""
    pid = launcher.pid
    breaks("pets_stop")(launcher)
    end_s = time.monotonic() + WATCHDOG_S * SLOW
    while _lives(pid) and time.monotonic() < end_s:
        if not launcher.motor_is_on():
            launcher.mechanism.press(for_s=0.05)
        time.sleep(0.005)
    return time.monotonic()


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _memory_ends(launcher: Installed) -> float:
    """The service may use less memory than it has in use."""
    in_use = next(
        int(line.split()[1])
        for line in (CGROUP / "memory.stat").read_text().splitlines()
        if line.startswith("anon ")
    )
    at_s = time.monotonic()
    (CGROUP / "memory.max").write_text(str(int(in_use * 0.7)))
    return at_s


def _memory_is_there(launcher: Installed) -> None:
    with contextlib.suppress(FileNotFoundError):  # gone with the processes
        (CGROUP / "memory.max").write_text("max")


def chip_gone() -> dict[str, list[Trial]]:
    """The GPIO chip goes away; later there is one again."""
    done = []
    with Installed(watched=True) as launcher:
        launcher.start()
        for _ in range(TRIALS):
            launcher.feed()
            before, pid, at_s = launcher.records(), launcher.pid, time.monotonic()
            launcher.chip.remove()
            while _lives(pid) and time.monotonic() < at_s + FEED_S:
                time.sleep(0.05)
            ended_s = None if _lives(pid) else time.monotonic() - at_s
            launcher.until_said("Waiting for it", since_s=at_s)
            launcher.new_chip()
            _until(launcher, lambda now: now.state != "starting")
            by_the_button(launcher)
            launcher.until_ready()
            found = on_record(before, launcher.records())
            done.append({"off_s": ended_s, "again": launcher.motor_is_on(), **found})
    return {"chip_gone": done}


def killed_by_hand() -> dict[str, list[Trial]]:
    """SIGKILL for a program that somebody has started in a terminal. `cannon off` follows."""
    done = []
    with Installed() as launcher:
        launcher.journal = Path("/run/by-hand.db")
        program = _by_hand(launcher)
        for _ in range(TRIALS):
            launcher.feed()
            at_s = time.monotonic()
            program.kill()
            program.wait()
            off_s = launcher.off_after(at_s, within_s=2)
            before = launcher.records()
            cannon("off")
            end_s = time.monotonic()
            on = launcher.motor_is_on()
            program = _by_hand(launcher)
            on = on or launcher.motor_is_on() or bool(launcher.edges(end_s, 1))
            done.append({"off_s": off_s, "again": on, **on_record(before, launcher.records())})
        program.kill()
        program.wait()
    return {"killed_by_hand": done}


def _by_hand(launcher: Installed) -> subprocess.Popen[bytes]:
    play = [sys.executable, "-m", "cannon", "play", "--journal", str(launcher.journal)]
    program = subprocess.Popen(play, env=os.environ | {"LG_WD": "/tmp"}, cwd="/tmp")
    launcher.until_ready(service=False)
    return program


# --- systemd ---------------------------------------------------------------------------------


def _told(verb: str) -> Strike:
    """What systemctl tells systemd; the time is that when systemd says that it begins."""

    def strike(launcher: Installed) -> float:
        told_s = time.monotonic()
        systemctl(verb, "--no-block", NAME)
        return launcher.when_said("Stopping", told_s)

    return strike


def _reloaded(launcher: Installed) -> float:
    """systemctl reload, which is refused, and daemon-reload."""
    at_s = time.monotonic()
    systemctl("reload", NAME, check=False)
    systemctl("daemon-reload")
    return at_s


# --- the program lives -----------------------------------------------------------------------


def kill_page(launcher: Installed) -> float:
    """The page's process is killed."""
    while True:
        page, at_s = page_of(launcher), time.monotonic()
        with contextlib.suppress(ProcessLookupError):  # it was just then started anew
            os.kill(page, signal.SIGKILL)
            return at_s


def page_of(launcher: Installed) -> int:
    """The page's process, when there is one. It must come at its first try."""
    if "the page could not be started" in launcher.said():
        raise RuntimeError("the page could not be started")
    end_s = time.monotonic() + FEED_S
    while time.monotonic() < end_s:
        children = Path(f"/proc/{launcher.pid}/task").glob("*/children")
        found = " ".join(each.read_text() for each in children).split()
        if found:
            return int(found[0])
        time.sleep(0.1)
    raise RuntimeError("there is no page")


def _close_lid(launcher: Installed) -> None:
    launcher.mechanism.set_lid(opened=False)


def _let_go(launcher: Installed) -> None:
    time.sleep(3)  # held for so long it could mean something else
    launcher.mechanism.set_button(pressed=False)


def _cut_sensor(launcher: Installed) -> float:
    """The exit sensor reports nothing more: the cut wire reads as a beam that is blocked."""
    at_s = time.monotonic()
    launcher.mechanism.cut_sensor(True)
    return at_s


def _mend_sensor(launcher: Installed) -> None:
    launcher.mechanism.cut_sensor(False)
    launcher.mechanism.set_lid(opened=True)
    time.sleep(1)
    launcher.mechanism.set_lid(opened=False)


@contextmanager
def small_disk() -> Iterator[None]:
    """The history is on a disk that can be filled."""
    STATE.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16M", "tmpfs", str(STATE)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(STATE)], check=True)


def fill_disk(launcher: Installed) -> float:
    """There is no more room for the history."""
    at_s = time.monotonic()
    with contextlib.suppress(OSError), FILLER.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 65536)
    return at_s


def _empty_disk(launcher: Installed) -> None:
    FILLER.unlink()
    time.sleep(5)  # it tries again ever more rarely


def _second(launcher: Installed) -> float:
    """Somebody else starts the program too."""
    at_s = time.monotonic()
    assert "already running" in cannon("play", "--journal", "/tmp/second.db").stdout
    return at_s


# --- the groups ------------------------------------------------------------------------------


@contextmanager
def _on_small_disk() -> Iterator[Installed]:
    with small_disk(), Installed() as launcher:
        yield launcher


def _nothing(launcher: Installed) -> float:
    return time.monotonic()


GROUPS = {
    "plain": Group(
        _on_small_disk,
        {
            "lid_opened": (lambda launcher: launcher.mechanism.set_lid(opened=True), _close_lid),
            "button_stuck": (
                lambda launcher: launcher.mechanism.set_button(pressed=True),
                _let_go,
            ),
            "sensor_cut": (_cut_sensor, _mend_sensor),
            "disk_full": (fill_disk, _empty_disk),
            "second_instance": (_second, by_itself),
            "sigterm": (kill_with(signal.SIGTERM), by_a_start),
            "sigkill": (kill_with(signal.SIGKILL), by_itself),
            "out_of_memory": (_memory_ends, _memory_is_there),
        },
    ),
    "long": Group(
        lambda: Installed(cards=LONG),
        {"systemd_reload": (_reloaded, by_itself)},
    ),
    "longer": Group(
        lambda: Installed(cards=LONGEST),
        {
            "systemd_stop": (_told("stop"), by_a_start),
            "systemd_restart": (_told("restart"), by_itself),
        },
    ),
    "sabotaged": Group(
        lambda: Installed(SABOTAGED),
        {
            "controller_raises": (breaks("controller_raises"), by_the_button),
            "callback_raises": (breaks("callback_raises"), by_the_button),
            "loop_dies": (breaks("loop_dies"), by_itself),
        },
    ),
    "watched": Group(
        lambda: Installed(SABOTAGED, watched=True),
        {
            "loop_blocks": (breaks("loop_blocks"), by_itself),
            "notifier_dies": (breaks("notifier_dies"), by_the_button_once_anew),
            "sigstop": (kill_with(signal.SIGSTOP), by_itself),
            "watchdog_ends": (_unheard, by_itself),
        },
    ),
    "page": Group(lambda: Installed(settings=WEB), {"page_dies": (kill_page, page_of)}),
    "read_only": Group(
        lambda: Installed("ReadOnlyPaths=/var/lib/card-cannon\n"),
        {"disk_read_only": (_nothing, by_itself)},
    ),
}
ALONE = ("killed_by_hand", "chip_gone")
