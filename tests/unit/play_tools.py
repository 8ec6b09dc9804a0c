"""Runs `cannon` as a program of its own, with fake GPIO chips; and pulls the lines of these."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from cannon.journal.store import open_to_read
from hardware import load_board

PATIENCE_S = 30.0  # no test waits that long unless it fails
FAKE = Path(__file__).parent / "fake_pins"
ROOT = Path(__file__).parent.parent.parent
BOARD = load_board("launcher-pi-basic")  # no exit sensor, so no self-test to answer


ALWAYS = """about = "three cards at each press"
chances = [1.0]
max_blanks = 1

[[cards]]
sum_of = [[3, 3]]
"""


class Machine:
    """A computer in a folder: home, working directory, GPIO chips. `env` is what programs see, and
    `always` odds by which each press brings three cards."""

    def __init__(self, folder: Path, chips: str = "0 pinctrl-bcm2711") -> None:
        self.folder = folder
        self.gpio = folder / "gpio"
        self.cwd = folder / "cwd"
        (self.gpio / "dev").mkdir(parents=True)
        self.cwd.mkdir()
        self.chips(chips)
        self.always = str(folder / "always.toml")
        Path(self.always).write_text(ALWAYS)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
            "PYTHONPATH": f"{FAKE}:{ROOT}",  # the program of this tree, wherever it is installed
            "FAKE_GPIO": str(self.gpio),
            "PYTHONWARNINGS": "error",
        }
        (folder / "run").mkdir()
        self.started: list[Program] = []
        self.line(BOARD.lid.pin, BOARD.lid.active_high ^ True)
        self.line(BOARD.button.pin, BOARD.button.active_high ^ True)

    def chips(self, text: str) -> None:
        """The GPIO chips: a line "NUMBER LABEL" for each."""
        (self.gpio / "chips").write_text(text)
        for path in (self.gpio / "dev").iterdir():
            path.unlink()
        for row in text.splitlines():
            (self.gpio / "dev" / f"gpiochip{row.split()[0]}").touch()

    def line(self, number: int, level: bool) -> None:
        """Drives an input line."""
        new = self.gpio / f"new-{number}"
        new.write_text(str(int(level)))
        new.rename(self.gpio / f"in-{number}")

    def press(self, down: bool) -> None:
        self.line(BOARD.button.pin, down == BOARD.button.active_high)

    def lid(self, is_open: bool) -> None:
        self.line(BOARD.lid.pin, is_open == BOARD.lid.active_high)

    def out(self) -> list[str]:
        """All changes of outputs so far, as "LINE LEVEL", and "closed"."""
        path = self.gpio / "out"
        return path.read_text().splitlines() if path.exists() else []

    def motor(self) -> list[int]:
        """All levels that the motor's line has had."""
        return [
            int(change.split()[1])
            for change in self.out()
            if change.startswith(f"{BOARD.motor.forward} ")
        ]

    def run(self, *words: str, **how: object) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end."""
        how = {"cwd": self.cwd, "env": self.env, "timeout": PATIENCE_S} | how
        return subprocess.run(  # type: ignore[call-overload,no-any-return]
            [sys.executable, "-m", "cannon", *words], capture_output=True, text=True, **how
        )

    def start(self, *words: str, **how: object) -> Program:
        """Starts a command; its standard error is read line by line."""
        program = Program([sys.executable, "-m", "cannon", *words], self.cwd, self.env, **how)
        self.started.append(program)
        return program

    def play(self, *words: str) -> Program:
        """`cannon play` on the fake pins, ready for a press."""
        program = self.start("play", "--board", BOARD.name, "--odds", self.always, *words)
        program.until("Ready")
        return program

    def close(self) -> None:
        for program in self.started:
            program.end()

    def records(self, name: str = "journal.db") -> list[tuple[str, int | None, str]]:
        """(kind, press, data) of each record on the disk."""
        connection = open_to_read(self.folder / "state" / "card-cannon" / name)
        try:
            rows = connection.execute("SELECT kind, shot, data FROM records ORDER BY seq")
            return list(rows.fetchall())
        finally:
            connection.close()


class Program:
    """A program that runs. `lines` is what it has said on standard error until now."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str], **how: object) -> None:
        self.process = subprocess.Popen(  # type: ignore[call-overload]
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **how,
        )
        self.lines: list[str] = []
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def until(self, text: str) -> str:
        """Waits for a line that holds `text`."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                line = self._queue.get(timeout=max(0.1, end - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"no {text!r} in {self.lines}"
            self.lines.append(line)
            if text in line:
                return line

    def end(self, number: int = signal.SIGKILL) -> int:
        """Sends a signal, if it still runs, and waits for the end. Returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        while not self._queue.empty():
            line = self._queue.get()
            if line is not None:
                self.lines.append(line)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    @property
    def said(self) -> str:
        return "\n".join(self.lines)

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr:
            for line in self.process.stderr:
                self._queue.put(line.rstrip("\n"))
        self._queue.put(None)


def wait_until(true: object, what: str) -> None:
    """Looks again and again until `true()`; fails with `what`."""
    end = time.monotonic() + PATIENCE_S
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, what
        time.sleep(0.005)
