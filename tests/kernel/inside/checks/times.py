"""How quick it is to switch off, against bare programs that do nothing else; in turns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cannon.service.unit import NAME
from tests.kernel.inside.checks.kill import LONG
from tests.kernel.inside.chip import Chip
from tests.kernel.inside.installed import Installed
from tests.kernel.inside.installing import show
from tests.kernel.inside.service import systemctl
from tests.kernel.inside.strikes import (
    FILLER,
    SABOTAGED,
    WEB,
    breaks,
    fill_disk,
    kill_page,
    page_of,
    small_disk,
)
from tests.kernel.inside.subject import SUBJECTS, stopped
from tests.kernel.inside.timing import Follower
from tests.kernel.inside.watch import Edge, Watch

ROUNDS = 5
PATIENCE_S = 60.0
BARE_OUT = 9
SIGNAL_S = 0.7  # until Python has looked for a signal, and the part is broken
PRESS_S = 0.4  # so long that a launcher sees it which lgpio brings no edges


def off_times() -> dict[str, list[float]]:
    """Seconds until the motor's line is low: a bare lgpio script from its start, `cannon off` from
    its start, and the service's own switching off from the moment its program was killed."""
    with Installed("Restart=no\n", slack_ms=0) as launcher, Watch(launcher.chip) as watch:
        line = launcher.board.motor.forward
        bare = [
            sys.executable,
            str(SUBJECTS / "claim_low.py"),
            str(launcher.chip.number),
            str(line),
        ]
        off = [str(Path(sys.executable).with_name("cannon")), "off"]
        found: dict[str, list[float]] = {"bare": [], "off": [], "killed": []}
        while len(found["killed"]) < ROUNDS:
            launcher.start()
            launcher.feed()
            killed_s = time.monotonic()
            os.kill(launcher.pid, signal.SIGKILL)
            while Path(f"/proc/{launcher.pid}/exe").exists():
                time.sleep(0.001)
            if launcher.chip.level(line):  # else it rested just then, and nothing is to switch off
                found["killed"].append(_low(watch, line, killed_s) - killed_s)
            while systemctl("is-active", NAME, check=False).strip() == "deactivating":
                time.sleep(0.2)
            for name, command in (("bare", bare), ("off", off)) * 2:
                started_s = time.monotonic()
                process = subprocess.Popen(command, env=os.environ | {"LG_WD": "/tmp"})
                found[name].append(_low(watch, line, started_s) - started_s)
                process.wait()
        return found


def lid_times(case: str) -> dict[str, dict[str, list[float]]]:
    """Seconds from the lid's edge to the motor's line being low, in each row of a case; and, in the
    same feed, from a bare gpiozero button's edge to its output's.

    The rows are those of the safety table in which the program lives and the motor is still on.
    """
    make, rows, trials = CASES[case]
    found: dict[str, dict[str, list[float]]] = {}
    with small_disk(), Chip(label="bare") as chip, Watch(chip, [BARE_OUT]) as watch:
        bare = Follower("bare_gpiozero", chip, watch, button=8, out=BARE_OUT, noisy=10)
        with bare.subject, make() as launcher:
            launcher.start()
            for name, (ill, well) in rows.items():
                found[name] = _lid_times(launcher, bare, ill, well, trials)
    return found


Act = Callable[[Installed], object]
Rows = dict[str, tuple[Act, Act]]
"""By the row's name: what is the matter, and what sets it right again."""


def _lid_times(
    launcher: Installed, bare: Follower, ill: Act, well: Act, trials: int
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"launcher": [], "bare": []}
    with Watch(launcher.chip, [launcher.board.motor.forward]) as watch:
        for _ in range(trials):
            launcher.mechanism.press(for_s=PRESS_S)
            ill(launcher)
            found["bare"].append(bare.answer_s() or PATIENCE_S)
            with stopped(bare.subject):  # its library looks for edges a thousand times a second
                _in_mid_run(launcher)
                watch.edges()  # nothing from before
                found["launcher"].append(_lid_s(launcher, watch))
            launcher.mechanism.set_lid(opened=False)
            well(launcher)
            launcher.until_ready()
    return found


def _in_mid_run(launcher: Installed) -> None:
    """Waits until the motor has been on for a random time, also where it runs for short times."""
    line = launcher.board.motor.forward
    while True:
        launcher.until_on()
        time.sleep(launcher.random.uniform(0.01, 0.05))
        if launcher.chip.level(line):
            return


def _lid_s(launcher: Installed, watch: Watch) -> float:
    """From the lid's edge to the motor's line being low."""
    opened_s = launcher.mechanism.set_lid(opened=True)
    return _low(watch, launcher.board.motor.forward, opened_s) - opened_s


def _nothing(launcher: Installed) -> None:
    """All is well."""


def _second() -> tuple[Act, Act]:
    """Somebody starts the program too; it is refused while the launcher plays."""
    started: list[subprocess.Popen[bytes]] = []
    command = [sys.executable, "-m", "cannon", "play", "--journal", "/tmp/second.db"]

    def ill(launcher: Installed) -> None:
        started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))

    def well(launcher: Installed) -> None:
        if started.pop().wait() == 0:
            raise RuntimeError("the second program was let in")

    return ill, well


def _hung(part: str) -> tuple[Act, Act]:
    """A part of the program hangs; systemd finds out and starts it anew."""
    restarts = ""

    def ill(launcher: Installed) -> None:
        nonlocal restarts
        restarts = show("NRestarts")
        breaks(part)(launcher)
        time.sleep(SIGNAL_S)

    def well(launcher: Installed) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while show("NRestarts") == restarts:
            if time.monotonic() > end_s:
                raise RuntimeError("systemd does not start it anew")
            time.sleep(0.2)

    return ill, well


LIVING: Rows = {
    "lid_opened": (_nothing, _nothing),
    "page_dies": (kill_page, page_of),
    "disk_full": (fill_disk, lambda launcher: FILLER.unlink()),
    "button_stuck": (
        lambda launcher: launcher.mechanism.set_button(pressed=True),
        lambda launcher: launcher.mechanism.set_button(pressed=False),
    ),
    "sensor_cut": (
        lambda launcher: launcher.mechanism.cut_sensor(True),
        lambda launcher: launcher.mechanism.cut_sensor(False),
    ),
    "systemd_reload": (lambda launcher: systemctl("daemon-reload"), _nothing),
    "second_instance": _second(),
}
CASES: dict[str, tuple[Callable[[], Installed], Rows, int]] = {
    "living": (lambda: Installed(settings=WEB, cards=LONG, slack_ms=0), LIVING, 5),
    "hung": (
        lambda: Installed(SABOTAGED, cards=LONG, watched=True, slack_ms=0),
        {"loop_blocks": _hung("loop_blocks"), "watchdog_ends": _hung("pets_stop")},
        3,
    ),
    "read_only": (
        lambda: Installed("ReadOnlyPaths=/var/lib/card-cannon\n", cards=LONG, slack_ms=0),
        {"disk_read_only": (_nothing, _nothing)},
        5,
    ),
}


def _low(watch: Watch, line: int, since_s: float) -> float:
    """When the line was set low, after `since_s`."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        for edge in watch.edges(1.0):
            if _is_low(edge, line, since_s):
                return edge.at_s
    raise RuntimeError("the line does not go low")


def _is_low(edge: Edge, line: int, since_s: float) -> bool:
    return edge.line == line and edge.level == 0 and edge.at_s >= since_s
