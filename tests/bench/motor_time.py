"""How exactly the motor guard keeps a run's time: against time.sleep and gpiozero's blink.

On mock pins and the real clock, idle and with both cores busy. The error is how much later than
asked for the pin goes off.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory

from cannon.core.commands import FORWARD, Run
from cannon.devices.guard import GuardThread, MotorGuard
from cannon.devices.motor import MotorOutputs
from hardware import load_board
from tests.bench.measure import middle, p99, result

RUN_S = 0.050
RUNS = 200


def run() -> list[dict[str, Any]]:
    """Idle and loaded, in turns, so that all three see the same machine."""
    lines = []
    for load in ("idle", "loaded"):
        with both_cores_busy() if load == "loaded" else nothing():
            errors = measure()
        slept = errors["sleep"]
        lines.append(
            result(
                f"motor_time.{load}",
                p99(errors["guard"]),
                p99(slept),
                1.2,
                "s (p99 of the error)",
                median=round(middle(errors["guard"]), 6),
                baseline_median=round(middle(slept), 6),
                blink=round(p99(errors["blink"]), 6),
                runs=RUNS,
            )
        )
    return lines


def measure() -> dict[str, list[float]]:
    """The errors of a run of RUN_S by the guard, by time.sleep and by blink, one after another."""
    board = load_board("launcher-pi")
    pins = MockFactory()
    outputs = MotorOutputs(board.motor, pins)
    off_at: list[float] = []
    ended = threading.Event()
    guard = MotorGuard(
        _Watched(outputs, off_at),  # type: ignore[arg-type]
        lambda: False,
        time.monotonic,
        lambda event: ended.set(),
        cap_s=1.0,
        dead_s=0.0,
    )
    thread = GuardThread(guard, time.monotonic)
    lamp = DigitalOutputDevice(5, pin_factory=pins)
    errors: dict[str, list[float]] = {"guard": [], "sleep": [], "blink": []}
    for _ in range(RUNS):
        ended.clear()
        off_at.clear()
        began = time.monotonic()
        guard.run(Run(FORWARD, 1.0, RUN_S))
        ended.wait(1)
        errors["guard"].append(off_at[0] - began - RUN_S)

        began = time.monotonic()
        lamp.on()
        time.sleep(RUN_S)
        lamp.off()
        errors["sleep"].append(time.monotonic() - began - RUN_S)

        began = time.monotonic()
        lamp.blink(on_time=RUN_S, off_time=0, n=1, background=False)
        errors["blink"].append(time.monotonic() - began - RUN_S)
    guard.close()
    thread.close()
    lamp.close()
    return errors


class _Watched:
    """The motor's outputs, and when they went off."""

    def __init__(self, outputs: MotorOutputs, off_at: list[float]) -> None:
        self._outputs = outputs
        self._off_at = off_at
        self.drive = outputs.drive
        self.close = outputs.close

    def off(self) -> None:
        self._outputs.off()
        self._off_at.append(time.monotonic())


@contextmanager
def nothing() -> Iterator[None]:
    yield


@contextmanager
def both_cores_busy() -> Iterator[None]:
    """Two processes that do nothing but count."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_count, daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()
    time.sleep(1.0)
    try:
        yield
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def _count() -> None:
    number = 0
    while True:
        number += 1
