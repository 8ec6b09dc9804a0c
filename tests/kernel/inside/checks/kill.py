"""What may happen to a launcher in the middle of a feed, done to it for real, again and again.

Each function is one row of the table in the project's README. It returns a list of trials. A trial
says when the motor was off for good after the thing happened (`off_s`, None: it was not), whether
it came on again before a new press, and what is on record once the launcher is ready again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cannon.service.unit import NAME, WATCHDOG_S
from tests.kernel.inside.installed import (
    FEED_S,
    STATE,
    Installed,
    Record,
    cannon,
    show,
)
from tests.kernel.inside.service import systemctl

TRIALS = 5
SLOW = 15.0  # so much slower than a Pi this machine may be
LONG = 40  # cards: a feed that is not over before systemctl has started
CGROUP = Path("/sys/fs/cgroup/system.slice") / NAME

Trial = dict[str, Any]
Strike = Callable[[Installed], float]
"""Does it, and returns the time just before."""


def trials(launcher: Installed, strike: Strike, back: Callable[[Installed], None]) -> list[Trial]:
    """Strikes in the middle of TRIALS feeds; `back` brings the launcher back after each."""
    launcher.start()
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
    again = bool(launcher.edges(end_s + 0.001, 1)) or launcher.motor_is_on()
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


# --- the program dies ------------------------------------------------------------------------


def kill_with(number: signal.Signals) -> Strike:
    """A signal to the program."""

    def strike(launcher: Installed) -> float:
        pid, at_s = launcher.pid, time.monotonic()
        os.kill(pid, number)
        return at_s

    return strike


def sabotaged(what: str) -> str:
    """Lines of a drop-in: the same program, with a part that SIGUSR1 breaks."""
    program = f"{sys.executable} -m tests.kernel.inside.subjects.sabotaged play"
    return f"ExecStart=\nExecStart={program}\nEnvironment=SABOTAGE={what}\n"


def sigterm() -> list[Trial]:
    """SIGTERM."""
    with Installed() as launcher:
        return trials(launcher, kill_with(signal.SIGTERM), by_a_start)


def sigkill() -> list[Trial]:
    """SIGKILL."""
    with Installed() as launcher:
        return trials(launcher, kill_with(signal.SIGKILL), by_itself)


def sigstop() -> list[Trial]:
    """The program is frozen: none of its threads runs."""
    with Installed(watched=True) as launcher:
        return trials(launcher, kill_with(signal.SIGSTOP), by_itself)


def loop_dies() -> list[Trial]:
    """An exception ends the control loop's thread."""
    with Installed(sabotaged("loop_dies")) as launcher:
        return trials(launcher, kill_with(signal.SIGUSR1), by_itself)


def loop_blocks() -> list[Trial]:
    """The control loop's thread hangs."""
    with Installed(sabotaged("loop_blocks"), watched=True) as launcher:
        return trials(launcher, kill_with(signal.SIGUSR1), by_itself)


def notifier_dies() -> list[Trial]:
    """The thread ends that brings the inputs' edges."""
    with Installed(sabotaged("notifier_dies"), watched=True) as launcher:
        return trials(launcher, kill_with(signal.SIGUSR1), by_itself)


def watchdog_ends() -> list[Trial]:
    """The service manager hears nothing for too long, and ends the program in a feed."""
    with Installed(sabotaged("pets_stop"), watched=True) as launcher:
        return trials(launcher, _unheard, by_itself)


def _unheard(launcher: Installed) -> float:
    """Feeds on until the program has ended; returns about when that was."""
    pid = launcher.pid
    os.kill(pid, signal.SIGUSR1)
    end_s = time.monotonic() + WATCHDOG_S * SLOW
    while Path(f"/proc/{pid}").exists() and _state(pid) != "Z" and time.monotonic() < end_s:
        if not launcher.motor_is_on():
            launcher.mechanism.press(for_s=0.05)
        time.sleep(0.005)
    return time.monotonic()


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def out_of_memory() -> list[Trial]:
    """The service may use less memory than it has in use."""

    def strike(launcher: Installed) -> float:
        in_use = next(
            int(line.split()[1])
            for line in (CGROUP / "memory.stat").read_text().splitlines()
            if line.startswith("anon ")
        )
        at_s = time.monotonic()
        (CGROUP / "memory.max").write_text(str(int(in_use * 0.7)))
        return at_s

    def back(launcher: Installed) -> None:
        with contextlib.suppress(FileNotFoundError):  # gone with the processes
            (CGROUP / "memory.max").write_text("max")

    with Installed() as launcher:
        return trials(launcher, strike, back)


def chip_gone() -> list[Trial]:
    """The GPIO chip goes away; later there is one again."""
    done = []
    for _ in range(TRIALS):
        with Installed(watched=True) as launcher:
            launcher.start()
            launcher.feed()
            before, pid, at_s = launcher.records(), launcher.pid, time.monotonic()
            launcher.chip.remove()
            while Path(f"/proc/{pid}").exists() and time.monotonic() < at_s + FEED_S:
                time.sleep(0.05)
            ended_s = None if Path(f"/proc/{pid}").exists() else time.monotonic() - at_s
            time.sleep(3)  # it waits for a chip
            launcher.new_chip()
            launcher.until_ready()
            found = on_record(before, launcher.records())
            done.append({"off_s": ended_s, "again": launcher.motor_is_on(), **found})
    return done


def killed_by_hand() -> list[Trial]:
    """SIGKILL for a program that somebody has started in a terminal. `cannon off` follows."""
    done = []
    with Installed() as launcher:
        launcher.journal = Path("/run/by-hand.db")
        for _ in range(TRIALS):
            play = [sys.executable, "-m", "cannon", "play", "--journal", str(launcher.journal)]
            program = subprocess.Popen(play, env=os.environ | {"LG_WD": "/tmp"}, cwd="/tmp")
            launcher.until_ready(service=False)
            launcher.feed()
            at_s = time.monotonic()
            program.kill()
            program.wait()
            off_s = launcher.off_after(at_s, within_s=2)
            before = launcher.records()
            cannon("off")
            end_s = time.monotonic()
            on = launcher.motor_is_on() or bool(launcher.edges(end_s, 1))
            with subprocess.Popen(play, env=os.environ | {"LG_WD": "/tmp"}, cwd="/tmp") as again:
                launcher.until_ready(service=False)
                on = on or launcher.motor_is_on() or bool(launcher.edges(end_s, 1))
                found = on_record(before, launcher.records())
                again.terminate()
            done.append({"off_s": off_s, "again": on, **found})
    return done


# --- systemd ---------------------------------------------------------------------------------


def systemd_stop() -> list[Trial]:
    """systemctl stop."""
    with Installed(cards=LONG) as launcher:
        return trials(launcher, _told("stop"), by_a_start)


def systemd_restart() -> list[Trial]:
    """systemctl restart."""
    with Installed(cards=LONG) as launcher:
        return trials(launcher, _told("restart"), by_itself)


def _told(verb: str) -> Strike:
    """What systemctl tells systemd; the time is that when systemd begins to do it."""

    def strike(launcher: Installed) -> float:
        told_s = time.monotonic()
        systemctl(verb, "--no-block", NAME)
        begun_s = 0.0
        while begun_s < told_s and time.monotonic() < told_s + FEED_S:
            begun_s = int(show("ActiveExitTimestampMonotonic")) / 1e6
        return begun_s

    return strike


def systemd_reload() -> list[Trial]:
    """systemctl reload, which is refused, and daemon-reload."""

    def strike(launcher: Installed) -> float:
        at_s = time.monotonic()
        systemctl("reload", NAME, check=False)
        systemctl("daemon-reload")
        return at_s

    with Installed(cards=LONG) as launcher:
        return trials(launcher, strike, by_itself)


# --- the program lives -----------------------------------------------------------------------


def callback_raises() -> list[Trial]:
    """An exception in what the library calls at an edge."""
    with Installed(sabotaged("callback_raises")) as launcher:
        return trials(launcher, kill_with(signal.SIGUSR1), by_the_button)


def controller_raises() -> list[Trial]:
    """An exception in the controller."""
    with Installed(sabotaged("controller_raises")) as launcher:
        return trials(launcher, kill_with(signal.SIGUSR1), by_the_button)


def page_dies() -> list[Trial]:
    """The page's process is killed."""

    def strike(launcher: Installed) -> float:
        at_s = time.monotonic()
        os.kill(_page(launcher.pid), signal.SIGKILL)
        return at_s

    def back(launcher: Installed) -> None:
        _page(launcher.pid)

    with Installed(settings="[web]\non = true\nport = 0\n") as launcher:
        return trials(launcher, strike, back)


def _page(pid: int) -> int:
    """The page's process, when there is one."""
    end_s = time.monotonic() + FEED_S
    while time.monotonic() < end_s:
        children = Path(f"/proc/{pid}/task").glob("*/children")
        found = " ".join(each.read_text() for each in children).split()
        if found:
            return int(found[0])
        time.sleep(0.1)
    raise RuntimeError("there is no page")


def lid_opened() -> list[Trial]:
    """The lid is opened."""

    def back(launcher: Installed) -> None:
        launcher.mechanism.set_lid(opened=False)

    with Installed() as launcher:
        return trials(launcher, lambda launcher: launcher.mechanism.set_lid(opened=True), back)


def button_stuck() -> list[Trial]:
    """The button does not come up again."""

    def strike(launcher: Installed) -> float:
        return launcher.mechanism.set_button(pressed=True)

    def back(launcher: Installed) -> None:
        time.sleep(3)  # held for so long it could mean something else
        launcher.mechanism.set_button(pressed=False)

    with Installed() as launcher:
        return trials(launcher, strike, back)


def sensor_cut() -> list[Trial]:
    """The exit sensor reports nothing more: the cut wire reads as a beam that is blocked."""
    with Installed() as launcher:

        def strike(launcher: Installed) -> float:
            at_s = time.monotonic()
            launcher.mechanism.cut_sensor(True)
            return at_s

        def back(launcher: Installed) -> None:
            launcher.mechanism.cut_sensor(False)
            launcher.mechanism.set_lid(opened=True)
            time.sleep(1)
            launcher.mechanism.set_lid(opened=False)

        return trials(launcher, strike, back)


def disk_full() -> list[Trial]:
    """There is no more room for the history."""
    filler = STATE / "filler"

    def strike(launcher: Installed) -> float:
        at_s = time.monotonic()
        with filler.open("wb") as file:
            try:
                while True:
                    file.write(b"\0" * 65536)
                    file.flush()
            except OSError:
                return at_s

    def back(launcher: Installed) -> None:
        filler.unlink()
        time.sleep(5)  # it tries again ever more rarely

    STATE.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16M", "tmpfs", str(STATE)], check=True)
    try:
        with Installed() as launcher:
            return trials(launcher, strike, back)
    finally:
        subprocess.run(["umount", str(STATE)], check=True)


def disk_read_only() -> list[Trial]:
    """The history cannot be written from the start."""

    def strike(launcher: Installed) -> float:
        return time.monotonic()

    with Installed("ReadOnlyPaths=/var/lib/card-cannon\n") as launcher:
        return trials(launcher, strike, by_itself)


def second_instance() -> list[Trial]:
    """Somebody else starts the program too."""

    def strike(launcher: Installed) -> float:
        at_s = time.monotonic()
        assert "already running" in cannon("play", "--journal", "/tmp/second.db").stdout
        return at_s

    with Installed() as launcher:
        return trials(launcher, strike, by_itself)
