"""A launcher on mock pins and the real clock, for the measurements of the page.

Edges come as they do from the pins of a Raspberry Pi: through a pipe, read by a thread of their
own, here from another process, which also says when it sent them. What the motor's pins do is
stamped when it is done. Run as a program, this module is that other process.
"""

from __future__ import annotations

import os
import queue
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

from cannon import app
from cannon.core.events import Start
from cannon.devices.gpio import GpioLauncher
from cannon.devices.guard import GuardThread
from cannon.live import LivePins
from cannon.loop import ControlLoop, EventQueue
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.signals import load_signals

EDGE = struct.Struct("=dBB")  # when, which pin, its level
PATIENCE_S = 10.0
BOARD = "launcher-pi-basic"


class AlwaysOne:
    """Odds that bring one card on every press."""

    wait = 0

    def press(self, rng: Any, now: float) -> int:
        return 1

    def state(self) -> dict[str, int]:
        return {}

    def lid_opened(self) -> None: ...

    def powered_on(self) -> None: ...


class StampedPin(MockPWMPin):  # type: ignore[misc]
    """A mock pin that tells its factory when it was set as an output."""

    def _change_state(self, value: float) -> bool:
        changed: bool = super()._change_state(value)
        self.states.clear()  # the mock keeps its whole past
        if changed and self._function == "output":
            self.factory.output_changed(self.info.name, value)
        return changed


class BenchLauncher:
    """The launcher, running. `press` and `lid` are done by another process."""

    def __init__(self) -> None:
        self.plan = app.plan(CannonToml(board=BOARD), 1)
        board = self.plan.board
        self.board = board
        self.moves: queue.SimpleQueue[tuple[bool, float]] = queue.SimpleQueue()
        self._motor = f"GPIO{board.motor.forward}"
        pins = MockFactory(pin_class=StampedPin)
        pins.output_changed = self._output
        self._pins = pins
        events = EventQueue()
        launcher = GpioLauncher(board, pins, load_signals().silent(), time.monotonic, events.post)
        for switch in (board.button, board.lid):  # a mock pin forgets its level when it is opened
            self._drive(switch.pin, not switch.active_high)
        self._guard = GuardThread(launcher.guard, time.monotonic)
        make = app.controller_maker(self.plan, odds=AlwaysOne())
        controller = make(launcher.capabilities)
        loop = ControlLoop(controller, launcher, events, time.monotonic, lambda record: None)
        events.post(Start(launcher.levels()))
        self.launcher = launcher
        self.live = LivePins(loop, self._close)
        reads, self._writes = os.pipe()
        self._hands = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self._writes)],
            pass_fds=[self._writes],
            stdin=subprocess.PIPE,
            text=True,
        )
        self.sent: queue.SimpleQueue[float] = queue.SimpleQueue()
        threading.Thread(target=self._notice, args=(reads,), daemon=True).start()

    @property
    def state(self) -> str:
        return self.live.loop.controller.state

    @property
    def ready(self) -> bool:
        """Whether a press would be taken: the last shot is over too."""
        now = self.live.loop.controller.snapshot()
        return now.state == "ready" and now.press is None

    def edge(self, name: str, active: bool) -> float:
        """Another process changes an input; gives when it did."""
        switch = getattr(self.board, name)
        assert self._hands.stdin is not None
        self._hands.stdin.write(f"{switch.pin} {int(switch.active_high == active)}\n")
        self._hands.stdin.flush()
        return self.sent.get(timeout=PATIENCE_S)

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not true():
            if time.monotonic() > end:
                raise RuntimeError(f"waited in vain; the launcher is {self.state}")
            time.sleep(0.002)

    def motor(self, on: bool) -> float:
        """When the motor's pin next went on, or off."""
        while True:
            try:
                level, at = self.moves.get(timeout=PATIENCE_S)
            except queue.Empty:
                now = self.live.loop.controller.snapshot()
                raise RuntimeError(f"the motor does not move; the launcher is {now}") from None
            if level == on:
                return at

    def stop(self) -> None:
        self.live.stop()
        self._hands.terminate()
        self._hands.wait()

    def _notice(self, reads: int) -> None:
        while data := os.read(reads, EDGE.size):
            at, pin, level = EDGE.unpack(data)
            self._drive(pin, bool(level))
            self.sent.put(at)

    def _drive(self, number: int, level: bool) -> None:
        pin = self._pins.pin(number)
        if level:
            pin.drive_high()
        else:
            pin.drive_low()

    def _output(self, name: str, value: float) -> None:
        if name == self._motor:
            self.moves.put((value > 0, time.monotonic()))

    def _close(self) -> None:
        self.launcher.close()
        self._guard.close()
        self._pins.close()


def hands(writes: int) -> None:
    """Sends each edge that is asked for, with the time."""
    for line in sys.stdin:
        pin, level = line.split()
        os.write(writes, EDGE.pack(time.monotonic(), int(pin), int(level)))


if __name__ == "__main__":
    hands(int(sys.argv[1]))
