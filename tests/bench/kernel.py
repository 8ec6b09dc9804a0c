"""How fast the launcher answers on a real Linux GPIO chip, against a bare gpiozero callback.

In the virtual machine of the kernel lane (tests/kernel), which needs root on Debian; in turns in
one run. From the press, what the settings ask the button to be held for is taken off.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from cannon.core.inputs import InputTimes
from tests.bench.measure import result
from tests.kernel.vm.run import run as run_in_vm

CHECKS = ("answering.quiet", "answering.stuck_journal", "answering.noisy")
GOAL = 1.2
CHECK_S = 900
PACKAGES = Path("tests/lanes/kernel.sh")


def run() -> list[dict[str, Any]]:
    """One boot with two processors, so that noise has one of its own."""
    subprocess.run(["bash", str(PACKAGES), "--collect-only", "-q"], check=True, capture_output=True)
    outcomes = run_in_vm(
        "persist",
        dict.fromkeys(CHECKS, CHECK_S),
        name="bench",
        timeout_s=CHECK_S * len(CHECKS),
        cpus=2,
    )
    lines = []
    for check in CHECKS:
        found = outcomes[check].value
        if found is None:
            raise RuntimeError(f"{check}: {outcomes[check].problem}")
        lines += _lines(check.partition(".")[2], found)
    return lines


def _lines(case: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The press, less its time to settle, and the lid; both against the bare callback."""
    bare = found["bare"]["median_ms"]
    settling_ms = InputTimes().press_min_s * 1000
    more = {key: value for key, value in found.items() if key == "noise_edges_per_s"}
    missed = {name: each["missed"] for name, each in found.items() if isinstance(each, dict)}
    return [
        result(f"kernel.{name}.{case}", taken, bare, GOAL, "ms (median)", missed=missed, **more)
        for name, taken in (
            ("press_to_motor", found["press"]["median_ms"] - settling_ms),
            ("lid_to_off", found["lid"]["median_ms"]),
        )
    ]
