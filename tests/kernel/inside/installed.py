"""The launcher as `cannon install` leaves it on a computer, with hands on it.

`cannon install` runs once for all checks of a machine; each check then starts the service with its
own chip, settings and drop-in. The chip's owner is set as udev would do it. systemd is told to
start a launcher that has ended again at once, to save time, and to have more patience with this
slow machine where its patience is not what matters; nothing else differs.
"""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any

from cannon.core.values import Snapshot
from cannon.errors import CannonError
from cannon.service.control import ask
from cannon.service.unit import NAME
from hardware import load_board
from tests.kernel.inside.chip import Chip
from tests.kernel.inside.installing import (
    BOARD,
    CARDS,
    LIGHT,
    give_chip,
    install_once,
    journal,
    show,
    write_board,
    write_settings,
)
from tests.kernel.inside.mechanism import Build, Mechanism
from tests.kernel.inside.service import systemctl
from tests.kernel.inside.watch import Edge
from tests.kernel.inside.wiring import Wiring

STATE = Path("/var/lib/card-cannon")
DROP_IN = Path(f"/run/systemd/system/{NAME}.d/lane.conf")
LOCK = Path("/run/lock/card-cannon-gpio.lock")

STARTS_S = 240.0
FEED_S = 60.0
QUIET_S = 1.2
"off for so long is the end: in a feed it rests for a quarter of a second, more on a busy host"
POLL_S = 0.02

Record = tuple[int, str, int | None, dict[str, Any]]


class Installed:
    """The launcher on a chip with a full hopper, between `with` and its end; not yet started.

    `drop_in` are lines for [Service]; `settings` go below the odds in cannon.toml; each press
    brings `cards`; `watched`: systemd's watchdog is as quick as it is at home; `slack_ms`: so much
    later may the launcher's waits end where nobody measures them. An idle lgpio looks at its lines
    2000 times a second, which costs half of this machine.
    """

    def __init__(
        self,
        drop_in: str = "",
        settings: str = "",
        build: Build | None = None,
        cards: int = CARDS,
        watched: bool = False,
        slack_ms: int = 5,
    ) -> None:
        write_board()
        self.board = load_board(str(BOARD))
        self.random = random.Random()
        self.chip = Chip()
        self.mechanism = Mechanism(self.chip, Wiring.of(self.board), 10_000, build)
        self.journal = STATE / "journal.db"
        self._since_s = time.time()
        self._build = build
        patience = "TimeoutStartSec=600\n" + ("" if watched else "WatchdogSec=300\n")
        slack = f"TimerSlackNSec={slack_ms}ms\n" if slack_ms else ""
        self._drop_in = f"[Service]\nRestartSec=100ms\n{patience}{slack}{drop_in}"
        self._settings = settings
        self.cards = cards

    def __enter__(self) -> Installed:
        self.mechanism.__enter__()
        give_chip(self.chip)
        write_settings(self._settings, cards=self.cards)
        DROP_IN.parent.mkdir(parents=True, exist_ok=True)
        DROP_IN.write_text(self._drop_in)
        install_once()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        print(journal(f"@{self._since_s:.6f}", "short-monotonic"))
        systemctl("kill", "--signal=KILL", NAME, check=False)
        systemctl("stop", NAME, check=False)
        systemctl("reset-failed", NAME, check=False)
        self.mechanism.__exit__(kind, error, at)
        self.chip.remove()
        LOCK.unlink(missing_ok=True)
        for path in STATE.glob("*.*"):  # a disk has a folder of its own there
            path.unlink()

    def new_chip(self) -> None:
        """A chip in place of the one that was removed, wired like it."""
        self.mechanism.__exit__(None, None, None)
        self.chip = Chip()
        self.mechanism = Mechanism(self.chip, Wiring.of(self.board), 10_000, self._build)
        self.mechanism.__enter__()
        give_chip(self.chip)

    # --- the process -------------------------------------------------------------------------

    def start(self) -> None:
        """Start the service and wait until it is ready for a press."""
        systemctl("daemon-reload")
        systemctl("start", NAME)
        self.until_ready()

    def restart(self) -> None:
        """Whatever has become of it, begin anew with the hopper full and all contacts at rest."""
        systemctl("kill", "--signal=KILL", NAME, check=False)
        self.mechanism.set_button(pressed=False)
        self.mechanism.set_lid(opened=False)
        self.mechanism.cut_sensor(False)
        systemctl("restart", NAME)
        self.until_ready()

    @property
    def pid(self) -> int:
        """The process that drives the launcher, or has driven it last."""
        return int(LOCK.read_text().split("\n")[0])

    def until_ready(self, service: bool = True) -> Snapshot:
        """Wait until the launcher runs (again) and would take a press; take out a stuck card.

        `service`: systemd must know that it is ready, too.
        """
        end_s, now = time.monotonic() + STARTS_S, None
        while time.monotonic() < end_s:
            time.sleep(0.3)
            with contextlib.suppress(CannonError):
                now = self.state()
                if now.state == "ready" and (not service or show("SubState") == "running"):
                    return now
                if now.cause == "sensor_blocked" or now.protruding:
                    self.mechanism.take_card()
        raise RuntimeError(f"the launcher is not ready: {now}")

    def state(self) -> Snapshot:
        """How the launcher stands. Raises CannonError if it does not run or does not answer."""
        return ask("status")[1]

    def acknowledge(self) -> None:
        """Hold the button until a fault is acknowledged."""
        self.mechanism.press(for_s=2.6)

    def said(self) -> str:
        """What the service and systemd have said about it since the check began."""
        return journal(f"@{self._since_s:.6f}")

    def until_said(self, words: str, since_s: float = 0.0) -> str:
        """Wait until the service, or systemd about it, has said that, after `since_s` (monotonic);
        the line."""
        since = max(self._since_s, time.time() - time.monotonic() + since_s)
        end_s = time.monotonic() + STARTS_S
        while time.monotonic() < end_s:
            for line in journal(f"@{since:.6f}").splitlines():
                if words in line:
                    return line
            time.sleep(0.5)
        raise RuntimeError(f"it never said {words!r}")

    # --- the outputs -------------------------------------------------------------------------

    def high(self) -> list[int]:
        """The outputs that are on and must not be, whatever they are for, when the motor has been
        switched off. A light may be on as long as the program lives."""
        lights = {LIGHT} if Path(f"/proc/{self.pid}").exists() else set()
        return sorted(line for line in {*self.board.outputs()} - lights if self.chip.level(line))

    @property
    def motor(self) -> tuple[int, ...]:
        """The lines that drive the motor, without the enable line."""
        lines = self.board.motor
        return tuple(line for line in (lines.forward, lines.backward) if line is not None)

    def motor_is_on(self) -> bool:
        """Whether a line drives the motor now."""
        return any(self.chip.level(line) for line in self.motor)

    def was_on(self, at_s: float) -> bool:
        """Whether a line drove the motor at that time, as programs have set it."""
        levels = {edge.line: edge.level for edge in self.mechanism.motor if edge.at_s <= at_s}
        return any(levels.get(line) for line in self.motor)

    def feed(self, most_s: float = 0.6) -> None:
        """Press, and come back with the motor on, at a random moment of the feed."""
        self.mechanism.press()
        self.until_on()
        time.sleep(self.random.uniform(0, most_s))
        self.until_on()

    def until_on(self) -> None:
        """Wait until the motor is on."""
        end_s = time.monotonic() + FEED_S
        while not self.motor_is_on():
            if time.monotonic() > end_s:
                raise RuntimeError("the motor does not start")
            time.sleep(POLL_S)

    def off_after(self, since_s: float, within_s: float) -> float | None:
        """Seconds from then until the motor is off for good; None if it is on in `within_s`."""
        low_s: float | None = None
        end_s = time.monotonic() + within_s + QUIET_S
        while (now_s := time.monotonic()) < end_s:
            if self.motor_is_on():
                low_s = None
            elif low_s is None:
                low_s = now_s
            elif now_s > low_s + QUIET_S:
                return max(0.0, self._when(low_s) - since_s)
            time.sleep(POLL_S)
        return None

    def _when(self, seen_s: float) -> float:
        """The kernel's own time of the edges to low, if a program has made them; else when it was
        seen: a line that falls back because its owner died makes none."""
        times = []
        for line in self.motor:
            edges = [edge for edge in self.mechanism.motor if edge.line == line]
            ups = [number for number, edge in enumerate(edges) if edge.level == 1]
            if not ups:
                continue
            after = edges[ups[-1] + 1 :]
            times.append(after[0].at_s if after else seen_s)
        return max(times, default=seen_s)

    def edges(self, since_s: float, level: int) -> list[Edge]:
        """What was set on the lines that drive the motor since then."""
        return [
            edge
            for edge in self.mechanism.motor
            if edge.line in self.motor and edge.level == level and edge.at_s >= since_s
        ]

    # --- what is on record -------------------------------------------------------------------

    def records(self) -> list[Record]:
        """All records that are on the disk: number, kind, press, data."""
        path = self.journal
        if not path.exists():
            return []
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT seq, kind, shot, data FROM records ORDER BY seq").fetchall()
        return [(seq, kind, shot, json.loads(data)) for seq, kind, shot, data in rows]
