"""`cannon play` on a real GPIO chip: a finger presses, a mechanism feeds, cards are counted."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cannon.core.odds import Odds
from cannon.settings.odds_models import compile_model, load_odds
from hardware import load_board
from hardware.loading import BOARDS
from tests.kernel.inside.chip import Chip
from tests.kernel.inside.mechanism import Build, Mechanism
from tests.kernel.inside.subject import SUBJECTS, Subject
from tests.kernel.inside.watch import Watch
from tests.kernel.inside.wiring import Wiring

BOARD = load_board("launcher-pi")
SEED = 7
PRESSES = 20
START_S = 90
FEED_S = 60
SEEN_S = 10
STILL_S = 3.0
CANNON = [sys.executable, "-m", "cannon"]
STATELY = Build(spin_up_ms=100, gap_ms=200, card_ms=300, coast_ms=10)
"a mechanism so slow that what this machine is late does not matter"
STATELY_FEED = """
[feed]
spin_up_ms = 100
card_ms = 300
gap_ms = 150
stall_ms = 1000
double_ms = 1000
retract_ms = 250
settle_ms = 500
"""


class Playing:
    """`cannon play` with its chip, mechanism and journal, from its start to its end."""

    def __init__(self, chip: Chip, mechanism: Mechanism, folder: Path, subject: Subject) -> None:
        self.chip = chip
        self.mechanism = mechanism
        self.folder = folder
        self.subject = subject

    def record(self, kind: str) -> list[Any]:
        """The data of all records of that kind that are on the disk."""
        path = self.folder / "journal.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as journal:
            rows = journal.execute(
                "SELECT data FROM records WHERE kind = ? ORDER BY seq", (kind,)
            ).fetchall()
        return [json.loads(row[0]) for row in rows]

    def until(self, kind: str, count: int, within_s: float = FEED_S) -> bool:
        """Waits until so many records of that kind are on the disk."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            if len(self.record(kind)) >= count:
                return True
            time.sleep(0.05)
        return False

    def until_motor(self, level: int, within_s: float = FEED_S) -> float | None:
        """Waits until the motor's forward line has that level; when that was seen."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            if self.chip.level(BOARD.motor.forward) == level:
                return time.monotonic()
            time.sleep(0.002)
        return None

    def feed(self) -> None:
        """Presses until a launch is under way, its motor on. A press may go unseen on a machine
        that is busy just then."""
        for _ in range(10):
            presses = len(self.record("press"))
            self.mechanism.press()
            seen = self.until("press", presses + 1, SEEN_S)
            if seen and self.record("intent") and self.until_motor(1) is not None:
                return
        raise RuntimeError(f"ten presses and no launch: {self.record('refusal')}")


@contextmanager
def playing(
    seed: int = SEED, command: list[str] | None = None, stately: bool = False, **env: str
) -> Iterator[Playing]:
    """The launcher is ready for a press. `stately`: on a slow mechanism, and told so."""
    with (
        Chip() as chip,
        tempfile.TemporaryDirectory() as folder,
        Mechanism(chip, Wiring.of(BOARD), 500, STATELY if stately else None) as mechanism,
        Subject(_play(chip, folder, seed, command, stately), env) as subject,
    ):
        subject.wait_for("Ready", START_S)
        yield Playing(chip, mechanism, Path(folder), subject)


def _play(
    chip: Chip, folder: str, seed: int, command: list[str] | None = None, stately: bool = False
) -> list[str]:
    board = BOARD.name
    if stately:
        board = f"{folder}/stately.toml"
        text = (BOARDS / f"{BOARD.name}.toml").read_text()
        Path(board).write_text(text + STATELY_FEED)
    return [
        *(command or CANNON),
        "play",
        "--board",
        board,
        "--chip",
        str(chip.number),
        "--seed",
        str(seed),
        "--journal",
        f"{folder}/journal.db",
    ]


def beep() -> dict[str, Any]:
    """How often the beeper's line was set from the start to shortly after the word "Ready"."""
    with (
        Chip() as chip,
        tempfile.TemporaryDirectory() as folder,
        Watch(chip) as watch,
        Mechanism(chip, Wiring.of(BOARD), 50),
        Subject(_play(chip, folder, SEED)) as subject,
    ):
        subject.wait_for("Ready", START_S)
        time.sleep(1.0)
        assert BOARD.beeper is not None
        edges = [edge for edge in watch.edges() if edge.line == BOARD.beeper.pin]
        return {"beeper_edges": len(edges), "motor": chip.level(BOARD.motor.forward)}


def twenty_presses() -> dict[str, Any]:
    """Twenty presses: what the seed says, what was decided, counted, and really came out."""
    odds, rng = Odds(compile_model(load_odds("measured"))), random.Random(SEED)
    expected = [odds.press(rng, 0.0) for _ in range(PRESSES)]
    taken = 0
    with playing(stately=True) as play:
        for number in range(1, PRESSES + 1):
            play.mechanism.press()
            if not play.until("outcome", number):
                raise RuntimeError(
                    f"press {number}: no outcome, {play.record('refusal')} {play.record('fault')}"
                )
            time.sleep(0.4)
            if play.record("outcome")[-1]["protruding"]:  # the next card peeps out: it is taken
                taken += 1
                play.mechanism.take_card()
                if not play.until("protruding", taken):
                    raise RuntimeError(f"press {number}: the card taken is not on record")
        outcomes = play.record("outcome")
        forward = [e for e in play.mechanism.motor if e.line == BOARD.motor.forward and e.level]
        return {
            "expected": expected,
            "decided": [outcome["decided"] for outcome in outcomes],
            "delivered": [outcome["delivered"] for outcome in outcomes],
            "extra": [outcome["extra"] for outcome in outcomes],
            "taken": [
                record["extra"] + record["delivered"] for record in play.record("protruding")
            ],
            "came_out": play.mechanism.cards_out,
            "forward_pulses": len(forward),
        }


def lid_in_feed() -> dict[str, Any]:
    """The lid opened with the motor on: when it is off; and whether closing it starts anything."""
    with playing() as play:
        play.feed()
        opened_s = play.mechanism.set_lid(True)
        off_s = play.until_motor(0, 10)
        play.until("outcome", len(play.record("press")))
        play.mechanism.press()
        refused = play.until("refusal", 1)
        play.mechanism.set_lid(False)
        started = play.until_motor(1, STILL_S)
        lids = [edge.level for edge in play.mechanism.motor if edge.at_s > opened_s + 1]
        return {
            "off": off_s is not None,
            "refused": refused and play.record("refusal")[0]["reason"],
            "starts_again": started is not None or 1 in lids,
            "outcome": play.record("outcome")[-1],
        }


def callback_raises() -> dict[str, Any]:
    """An exception forced into our part of a callback: the inputs go on."""
    command = [sys.executable, str(SUBJECTS / "sabotaged.py")]
    sabotage = Path("/run/sabotage")
    sabotage.write_text("callback_raises")
    with playing(command=command, SABOTAGE=str(sabotage)) as play:
        play.subject.process.send_signal(signal.SIGUSR1)
        time.sleep(0.5)
        play.mechanism.press()  # its edge raises
        faulted = play.until("fault", 1)
        motor = play.chip.level(BOARD.motor.forward)
        play.mechanism.press(for_s=3.0)  # held: acknowledged
        cleared = play.until("cleared", 1)
        time.sleep(0.5)
        play.mechanism.press()
        pressed = play.until("press", 1)
        play.mechanism.set_lid(True)
        lid_heard = play.until("lid", 1)
        return {
            "faulted": faulted and play.record("fault")[0]["cause"],
            "motor": motor,
            "cleared": cleared,
            "pressed": pressed,
            "lid_heard": lid_heard,
        }


def sigterm_in_feed() -> dict[str, Any]:
    """SIGTERM with the motor on: the line, the exit code, and what was said."""
    with playing() as play:
        play.feed()
        play.subject.process.send_signal(signal.SIGTERM)
        code = play.subject.process.wait(60)
        assert play.subject.process.stdout is not None
        said = play.subject.output + play.subject.process.stdout.read().decode()
        return {
            "code": code,
            "motor": play.chip.level(BOARD.motor.forward),
            "traceback": "Traceback" in said,
            "stops": len(play.record("stop")),
        }


def second_instance() -> dict[str, Any]:
    """What a second launcher on the same machine says, and that the first one plays on."""
    with playing() as play, tempfile.TemporaryDirectory() as folder:
        with Subject(_play(play.chip, folder, SEED)) as second:
            code = second.process.wait(60)
            assert second.process.stdout is not None
            said = second.process.stdout.read().decode()
        play.mechanism.press()
        return {
            "code": code,
            "lines": said.strip().splitlines(),
            "pid": play.subject.process.pid,
            "first_plays": play.until("press", 1),
        }


def unwritable_folder() -> dict[str, Any]:
    """Started in a folder where lgpio cannot write, without LG_WD."""
    with Chip() as chip, tempfile.TemporaryDirectory() as folder:
        os.chdir("/proc")
        os.environ.pop("LG_WD", None)
        return _fails(_play(chip, folder, SEED), LG_WD="")


def missing_chip() -> dict[str, Any]:
    """Asked for a chip that is not there."""
    with Chip() as chip, tempfile.TemporaryDirectory() as folder:
        command = _play(chip, folder, SEED)
        command[command.index("--chip") + 1] = "gone"
        return _fails(command)


def _fails(command: list[str], **env: str) -> dict[str, Any]:
    with Subject(command, env) as subject:
        code = subject.process.wait(90)
        assert subject.process.stdout is not None
        return {"code": code, "lines": subject.process.stdout.read().decode().splitlines()}
