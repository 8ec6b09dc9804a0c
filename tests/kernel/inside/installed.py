"""The launcher as `cannon install` leaves it on a computer, with hands on it: pressed, killed, read.

The chip's owner is set as udev would; everything else is what the command does. A drop-in makes
systemd start the launcher again at once, to save time, and nothing else.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any

from hardware import load_board
from tests.kernel.inside.chip import Chip
from tests.kernel.inside.mechanism import Build, Mechanism
from tests.kernel.inside.service import systemctl
from tests.kernel.inside.wiring import Wiring

NAME = "cannon.service"
STATE = Path("/var/lib/card-cannon")
SETTINGS = Path("/etc/card-cannon/cannon.toml")
DROP_IN = Path(f"/run/systemd/system/{NAME}.d/lane.conf")
CARDS = 7
ODDS = f"chances = [1.0]\nmax_blanks = 1\n[[cards]]\nweights = {{ {CARDS} = 1 }}\n"
STARTS_S = 120.0
FEED_S = 30.0


class Installed:
    """The launcher on a chip with a full hopper, ready, between `with` and its end."""

    def __init__(self, drop_in: str = "", build: Build | None = None) -> None:
        self.board = load_board("launcher-pi")
        self.chip = Chip()
        self.random = random.Random()
        self.wiring = Wiring.of(self.board)
        self.mechanism = Mechanism(self.chip, self.wiring, 10_000, build)
        self._drop_in = drop_in

    def __enter__(self) -> Installed:
        self.mechanism.__enter__()
        _let_others_in(Path(sys.executable), Path(__file__))
        SETTINGS.parent.mkdir(exist_ok=True)
        odds = SETTINGS.with_name("always.toml")
        odds.write_text(ODDS)
        SETTINGS.write_text(f'odds = "{odds}"\n')
        DROP_IN.parent.mkdir(parents=True, exist_ok=True)
        DROP_IN.write_text(f"[Service]\nRestartSec=100ms\n{self._drop_in}")
        self.give_chip()
        said = cannon("install")
        if said.returncode != 0:
            raise RuntimeError(said.stdout + journal())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        systemctl("kill", "--signal=KILL", NAME, check=False)
        systemctl("stop", NAME, check=False)
        self.mechanism.__exit__(kind, error, at)
        self.chip.remove()
        cannon("uninstall")
        shutil.rmtree(DROP_IN.parent)
        systemctl("daemon-reload")
        systemctl("reset-failed", NAME, check=False)
        for path in STATE.glob("*"):
            path.unlink()

    def give_chip(self) -> None:
        """What udev's rule does when a chip appears."""
        path = f"/dev/gpiochip{self.chip.number}"
        groups = [line.split(":")[0] for line in Path("/etc/group").read_text().splitlines()]
        if "gpio" not in groups:
            subprocess.run(["groupadd", "--system", "gpio"], check=True)
        shutil.chown(path, group="gpio")
        os.chmod(path, 0o660)

    # --- the process -------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The process that runs now; 0 if none does."""
        return int(show("MainPID") or 0)

    def wait_until_ready(self) -> None:
        """Wait until the launcher runs (again)."""
        end_s = time.monotonic() + STARTS_S
        while show("ActiveState") != "active" or show("SubState") != "running":
            if time.monotonic() > end_s:
                raise RuntimeError(f"not ready:\n{journal()}")
            time.sleep(0.02)

    # --- the motor ---------------------------------------------------------------------------

    @property
    def motor_lines(self) -> tuple[int, ...]:
        """The lines that drive the motor, without enable."""
        motor = self.board.motor
        return (motor.forward,) if motor.backward is None else (motor.forward, motor.backward)

    def motor_is_on(self) -> bool:
        """Whether a line drives the motor now."""
        return any(self.chip.level(line) for line in self.motor_lines)

    def feeding(self, most_s: float = 0.6) -> None:
        """Press, and come back with the motor on, at a random moment of the feed."""
        self.mechanism.press()
        self._until_on()
        time.sleep(self.random.uniform(0, most_s))
        self._until_on()

    def _until_on(self) -> None:
        end_s = time.monotonic() + FEED_S
        while not self.motor_is_on():
            if time.monotonic() > end_s:
                raise RuntimeError(f"no feed:\n{journal()}")

    def off_after(self, since_s: float, within_s: float) -> float | None:
        """Seconds from then until the motor is off and stays off for a moment; None: it is not."""
        low_s = None
        while (now_s := time.monotonic()) < since_s + within_s:
            if self.motor_is_on():
                low_s = None
            elif low_s is None:
                low_s = now_s
            elif now_s > low_s + QUIET_S:
                break
        return None if low_s is None else low_s - since_s

    # --- what is on record -------------------------------------------------------------------

    def records(self) -> list[tuple[int, str, int | None, dict[str, Any]]]:
        """All records: number, kind, press, data."""
        path = STATE / "journal.db"
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT seq, kind, shot, data FROM records ORDER BY seq").fetchall()
        return [(seq, kind, shot, json.loads(data)) for seq, kind, shot, data in rows]


QUIET_S = 0.25
"an H-bridge rests for less between two cards, and two directions"


def cannon(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the project."""
    command = [sys.executable, "-m", "cannon", *words]
    return subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def show(name: str) -> str:
    """One property of the service."""
    return systemctl("show", "--value", f"--property={name}", NAME).strip()


def journal() -> str:
    """What the service and systemd said about it."""
    command = ["journalctl", "--no-pager", "--output=cat", f"--unit={NAME}"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _let_others_in(*paths: Path) -> None:
    """The user of the service has to get to Python and to the project."""
    for path in paths:
        for folder in {*path.parents, *path.resolve().parents}:
            folder.chmod(folder.stat().st_mode | 0o111)
