"""Run as a program: our inputs on the real lgpio package, on any Linux, without a GPIO chip.

The calls into the kernel are replaced; lgpio's notification thread, gpiozero's pins and our inputs
are the real ones. Edges are written into lgpio's own pipe, as its C part does it. Prints one JSON
object. The working directory must be writable.
"""

from __future__ import annotations

import json
import queue
import struct
import threading
import time
from pathlib import Path
from typing import Any

import lgpio

from cannon.core.events import BUTTON, LID, Edge, Failure
from cannon.devices.inputs import EdgeInput
from cannon.devices.pins import PI_REVISION, edges_arrive
from hardware.board import Switch

PATIENCE_S = 30.0
LEVELS = {17: 1, 27: 1}


def without_a_chip() -> None:
    """Replaces what needs a chip, and nothing else."""
    lgpio.gpiochip_open = lambda chip: 0
    lgpio.gpiochip_close = lambda handle: 0
    for name in ("gpio_claim_input", "gpio_claim_output", "gpio_claim_alert", "gpio_free"):
        setattr(lgpio, name, lambda *given: 0)
    lgpio.gpio_get_mode = lambda handle, line: 0
    lgpio.gpio_set_debounce_micros = lambda *given: 0
    lgpio.gpio_read = lambda handle, line: LEVELS[line]


class Lines:
    """Writes edges into the pipe that lgpio reads."""

    def __init__(self) -> None:
        [pipe] = Path().glob(".lgd-nfy*")
        self._pipe = pipe.open("wb", buffering=0)

    def edge(self, line: int, level: int) -> None:
        LEVELS[line] = level
        self._pipe.write(struct.pack("QBBBBI", time.monotonic_ns(), 0, line, level, 0, 0))


def main() -> dict[str, Any]:
    without_a_chip()
    from gpiozero.pins.lgpio import LGPIOFactory

    pins = LGPIOFactory(chip=0)
    pins._get_revision = lambda: PI_REVISION
    lines = Lines()
    posted: queue.Queue[Edge | Failure] = queue.Queue()
    troubles = [RuntimeError("once")]

    def first() -> None:
        if troubles:
            raise troubles.pop()

    clock = time.monotonic
    lid = EdgeInput(LID, Switch(pin=27, contact="no", pull="up"), pins, clock, posted.put, first)
    button = EdgeInput(BUTTON, Switch(pin=17, contact="no", pull="up"), pins, clock, posted.put)
    for part in (lid, button):
        part.listen()
    told: list[Any] = []
    for line, level in ((27, 0), (17, 0), (27, 1)):
        before = clock()
        lines.edge(line, level)
        event = posted.get(timeout=PATIENCE_S)
        in_time = not isinstance(event, Edge) or before <= event.at <= clock()
        told.append([type(event).__name__, *event[:2], in_time])
    alive = edges_arrive()

    died = threading.Event()
    threading.excepthook = lambda what: died.set()
    lgpio.callback(0, 5, lgpio.BOTH_EDGES, lambda *edge: 1 / 0)
    LEVELS[5] = 1
    lines.edge(5, 0)
    died.wait(PATIENCE_S)
    lgpio._notify_thread.join(PATIENCE_S)
    return {"told": told, "alive": alive, "after_a_bare_exception": edges_arrive()}


if __name__ == "__main__":
    print(json.dumps(main()))
