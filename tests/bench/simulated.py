"""What a simulated press costs against a bare `transitions` trigger, and whether memory stays flat.

Processor time, in turns, so that a busy machine weighs on both alike.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from transitions import Machine

from cannon.simulation import SimulatedProgram
from cannon.twin.scenario import read_scenario
from cannon.twin.stage import Stage
from tests.bench.measure import bound, middle, result

SCENARIO = "seed 7\nswitch on\nplay 1 presses\nexpect presses at least 1"
ROUNDS = 25
PRESSES = 100  # a round
TRIGGERS = 6000  # a round
WARM_UP, MEASURED = 10_000, 90_000  # presses
GROWTH_KIB = 512  # what the allocator may take for its own order


def run() -> list[dict[str, Any]]:
    """Both."""
    presses, triggers, speed = _costs()
    grown = _growth()
    return [
        result(
            "simulated.press",
            middle(presses) * 1e6,
            middle(triggers) * 1e6,
            60.0,
            "us of processor time; baseline: one bare transitions trigger",
            presses_per_s=round(speed, 1),
        ),
        bound(
            "simulated.memory_growth",
            grown,
            GROWTH_KIB,
            f"KiB over {MEASURED} presses, after {WARM_UP}",
        ),
    ]


def _costs() -> tuple[list[float], list[float], float]:
    """Seconds of processor time a press and a trigger, round by round; and presses a second."""
    presses, triggers = [], []
    trigger = _bare_triggers()
    with SimulatedProgram(read_scenario(SCENARIO, "", "").setup, with_journal=False) as program:
        stage = _stage(program)
        stage.person.play(PRESSES)
        trigger(TRIGGERS)
        began = time.perf_counter()
        for _ in range(ROUNDS):
            triggers.append(_cpu_s(lambda: trigger(TRIGGERS)) / TRIGGERS)
            presses.append(_cpu_s(lambda: stage.person.play(PRESSES)) / PRESSES)
        wall_s = time.perf_counter() - began - sum(triggers) * TRIGGERS
    return presses, triggers, ROUNDS * PRESSES / wall_s


def _cpu_s(act: Any) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def _stage(program: SimulatedProgram) -> Stage:
    stage = Stage(program)
    stage.listens = stage.keeps_records = False
    stage.begin([])
    return stage


def _bare_triggers() -> Any:
    """Does so many triggers on a machine with two states and no callbacks."""

    class Model:
        pass

    model: Any = Model()
    there = {"trigger": "go", "source": "here", "dest": "there"}
    back = {"trigger": "back", "source": "there", "dest": "here"}
    Machine(
        model,
        states=["here", "there"],
        transitions=[there, back],
        initial="here",
        auto_transitions=False,
    )

    def trigger(times: int) -> None:
        for _ in range(times // 2):
            model.go()
            model.back()

    return trigger


def _growth() -> float:
    """KiB that a process of its own grows by while it presses, once it is warm."""
    command = [sys.executable, "-m", __name__]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    warm, end = json.loads(told)
    return float(end - warm)


def _grow() -> None:
    with SimulatedProgram(read_scenario(SCENARIO, "", "").setup, with_journal=False) as program:
        stage = _stage(program)
        stage.person.play(WARM_UP)
        warm = _resident_kib()
        stage.person.play(MEASURED)
        print(json.dumps([warm, _resident_kib()]))


def _resident_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError("no VmRSS in /proc/self/status")


if __name__ == "__main__":
    _grow()
