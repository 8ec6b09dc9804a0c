"""How fast `cannon play` answers, against a bare gpiozero callback, in turns in one run.

Press to motor and lid to motor off; each program has its turn alone, the other one is stopped
meanwhile. So it is measured quiet (but a sound plays when the lid is opened), with the journal's
disk stuck, and with noise: on the button while the lid is opened, on a second line of the bare
callback's in its turn. The odds bring many cards, and hardly any come before the lid is opened, so
that each trial finds the motor on.

On a Raspberry Pi an edge has reached the program long before a press has stood for its 3 ms. Here
it takes longer than that, so the press must stand for as much longer as this machine is slower.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from cannon.settings.signals import SOUNDS
from hardware import load_board
from tests.kernel.inside.chip import Chip
from tests.kernel.inside.mechanism import Mechanism
from tests.kernel.inside.subject import Subject, stopped
from tests.kernel.inside.timing import Follower
from tests.kernel.inside.watch import Watch
from tests.kernel.inside.wiring import Wiring

BOARD = load_board("launcher-pi")
MOTOR = BOARD.motor.forward
BARE_OUT = 9
TRIALS = 30
NOISE_REST_S = 0.0002
THEIRS, OURS = 0, 1  # processors: one for the programs that are measured, one for all else
ANSWER_S = 5.0
SETTLE_MS = 60
SETTINGS = """odds = "{folder}/many.toml"
[press]
min_ms = {settle_ms}
[play]
owed = "forget"
[sound]
file = "{folder}/long.toml"
"""
TUNE = "[tunes.cards]           # cards are coming\ntones = ["
NOTES = "[784, 60], [988, 60], " * 20
ODDS = "chances = [1.0]\nmax_blanks = 1\n[[cards]]\nweights = { 12 = 1 }\n"


class Answering:
    """The launcher, and the bare callback on lines of its own."""

    def __init__(
        self,
        chip: Chip,
        watch: Watch,
        mechanism: Mechanism,
        launcher: Subject,
        bare: Follower,
        folder: Path,
    ) -> None:
        self.folder = folder
        self.chip = chip
        self.watch = watch
        self.mechanism = mechanism
        self.launcher = launcher
        self.bare = bare

    def press_s(self) -> float | None:
        """From the time at which the press counts to the motor's edge; the motor is on then."""
        with stopped(self.bare.subject):
            self.watch.edges()
            at_s = self.mechanism.set_button(True)
            on = self.watch.until(MOTOR, 1, ANSWER_S, at_s)
            time.sleep(0.02)
        self.mechanism.set_button(False)
        time.sleep(random.uniform(0.02, 0.15))  # the lid is opened at any moment of the feed
        return on.at_s - at_s - SETTLE_MS / 1000 if on else None

    def lid_s(self) -> float | None:
        """From the lid's edge to the motor off; it must be on before."""
        with stopped(self.bare.subject):
            self._until_on()
            self.watch.edges()
            at_s = self.mechanism.set_lid(True)
            off = self.watch.until(MOTOR, 0, ANSWER_S, at_s)
        return off.at_s - at_s if off else None

    def bare_s(self) -> float | None:
        """From an edge to the bare callback's."""
        with stopped(self.launcher):
            return self.bare.answer_s()

    def rest(self) -> None:
        """Lid closed, and ready again."""
        time.sleep(0.1)  # it coasts, and may bring a card into the beam yet
        self.mechanism.take_card()
        self.mechanism.set_lid(False)
        time.sleep(1.2)

    def _until_on(self) -> None:
        end = time.monotonic() + ANSWER_S
        while time.monotonic() < end and not self.chip.level(MOTOR):
            time.sleep(0.001)


def quiet() -> dict[str, Any]:
    """Nothing else goes on but a sound."""
    with answering() as it:
        return _measure(it, None)


def stuck_journal() -> dict[str, Any]:
    """Another program holds the database locked."""
    with answering() as it, closing(sqlite3.connect(it.folder / "journal.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        return _measure(it, None)


def noisy() -> dict[str, Any]:
    """Noise on the button while the lid is opened; and on the bare callback's other line."""
    with answering() as it:
        button = BOARD.button.pin
        idle = it.chip.path(7)  # a line of nobody's
        paths = [idle, it.chip.path(button), idle, it.chip.path(it.bare.noisy)]
        with Subject.script("noise", NOISE_REST_S, *paths) as noise:
            noise.wait_for("ready")
            result = _measure(it, noise)
            noise.process.terminate()
            noise.process.wait()
            assert noise.process.stdout is not None
            return {**result, "noise_edges_per_s": int(noise.process.stdout.read())}


def _measure(it: Answering, noise: Subject | None) -> dict[str, Any]:
    times: dict[str, list[float | None]] = {"press": [], "lid": [], "bare": [], "bare_noisy": []}
    for _ in range(TRIALS):
        times["press"].append(it.press_s())
        _next_line(noise)
        times["lid"].append(it.lid_s())
        _next_line(noise)
        it.rest()
        times["bare"].append(it.bare_s())
        if noise is not None:
            _next_line(noise)
            times["bare_noisy"].append(it.bare_s())
            _next_line(noise)
            it.bare_s()  # what the noise has left behind is answered first
    return {name: _figures(taken) for name, taken in times.items() if taken}


def _next_line(noise: Subject | None) -> None:
    """The noise goes on to its next line."""
    if noise is not None:
        noise.process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)


def _figures(taken: list[float | None]) -> dict[str, Any]:
    answered = [each * 1000 for each in taken if each is not None]
    median = round(statistics.median(answered), 3) if answered else None
    return {"median_ms": median, "missed": taken.count(None)}


@contextmanager
def on(processor: int) -> Iterator[None]:
    """What is started meanwhile has that processor; this thread gets ours again."""
    os.sched_setaffinity(0, {processor})
    try:
        yield
    finally:
        os.sched_setaffinity(0, {OURS})


@contextmanager
def answering() -> Iterator[Answering]:
    """Both programs are ready."""
    with (
        tempfile.TemporaryDirectory() as name,
        Chip() as chip,
        Watch(chip, (MOTOR, BARE_OUT)) as watch,
    ):
        folder = Path(name)
        (folder / "many.toml").write_text(ODDS)
        (folder / "cannon.toml").write_text(SETTINGS.format(folder=folder, settle_ms=SETTLE_MS))
        sounds = (SOUNDS / "standard.toml").read_text()
        assert TUNE in sounds
        (folder / "long.toml").write_text(sounds.replace(TUNE, TUNE + NOTES))
        command = [sys.executable, "-m", "cannon", "play", "--chip", str(chip.number)]
        command += ["--config", f"{folder}/cannon.toml", "--journal", f"{folder}/journal.db"]
        with on(THEIRS):
            bare = Follower("bare_gpiozero", chip, watch, button=8, out=BARE_OUT, noisy=10)
        with (
            bare.subject,
            Mechanism(chip, Wiring.of(BOARD), 10_000) as mechanism,
            ExitStack() as end,
        ):
            with on(THEIRS):
                subject = end.enter_context(Subject(command))
            subject.wait_for("Ready", 90)
            yield Answering(chip, watch, mechanism, subject, bare, folder)
