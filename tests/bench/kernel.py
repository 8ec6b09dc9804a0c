"""How fast the launcher answers, and how soon it is off, on a real Linux GPIO chip.

In the virtual machine of the kernel lane (tests/kernel), which needs root on Debian; in turns in
one run. A press, less what the settings ask the button to be held for, and the lid are held against
a bare gpiozero callback. What a program of its own switches off is held against a bare lgpio
script, from its start until it has claimed the line.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from tests.bench.measure import middle, result
from tests.kernel.vm.run import run as run_in_vm

ANSWERING = ("answering.quiet", "answering.stuck_journal", "answering.noisy")
OFF_TIMES = "times.off_times"
LID_TIMES = tuple(f"times.lid_times:{case}" for case in ("living", "hung", "read_only"))
ANSWERS, OFF, KILLED = 1.2, 1.3, 1.5  # goals
CHECK_S = 900
LANE = "tests/lanes/kernel.sh"


def run() -> Iterator[dict[str, Any]]:
    """Two boots: one with two processors, so that noise has one of its own; one as in the lane.
    What has been measured is told before the next is tried."""
    subprocess.run(["bash", LANE, "--collect-only", "-q"], check=True, stdout=sys.stderr)
    answering = _measured(ANSWERING, cpus=2)
    for check in ANSWERING:
        yield from _answers(check, answering[check])
    service = _measured((OFF_TIMES, *LID_TIMES), cpus=1)
    yield from _off(service[OFF_TIMES])
    for check in LID_TIMES:
        yield from _lid(service[check])


def _measured(checks: tuple[str, ...], cpus: int) -> dict[str, dict[str, Any]]:
    """What the checks have brought back. Raises RuntimeError where one has brought nothing."""
    outcomes = run_in_vm(
        "persist",
        dict.fromkeys(checks, CHECK_S),
        name=f"bench-{cpus}",
        timeout_s=CHECK_S * len(checks),
        cpus=cpus,
    )
    found = {}
    for check in checks:
        value = outcomes[check].value
        if value is None:
            raise RuntimeError(f"{check}: {outcomes[check].problem}")
        found[check] = value
    return found


def _off(found: dict[str, list[float]]) -> list[dict[str, Any]]:
    """`cannon off` from its start, and the service from the moment its program was killed."""
    bare, off, killed = (middle(found[name]) for name in ("bare", "off", "killed"))
    return [
        result("kernel.cannon_off", off, bare, OFF, "s (median)"),
        result("kernel.killed_to_off", killed, bare, KILLED, "s (median)"),
    ]


def _lid(found: dict[str, dict[str, list[float]]]) -> list[dict[str, Any]]:
    """The lid, while this or that is the matter with the running service."""
    return [
        result(
            f"kernel.lid_to_off.service.{case}",
            middle(times["launcher"]),
            middle(times["bare"]),
            ANSWERS,
            "s (median)",
        )
        for case, times in found.items()
    ]


def _answers(check: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The press, less its time to settle, and the lid, against the bare callback. With noise only
    the lid: on the button noise comes between the presses, and the callback has a line of its own
    for it."""
    case = check.partition(".")[2]
    noisy = "bare_noisy" in found
    more = {key: value for key, value in found.items() if key == "noise_edges_per_s"}
    missed = {name: each["missed"] for name, each in found.items() if isinstance(each, dict)}
    taken = {"lid_to_off": "lid"} if noisy else {"press_to_motor": "press", "lid_to_off": "lid"}
    return [
        result(
            f"kernel.{name}.{case}",
            found[ours]["median_ms"],
            found["bare_noisy" if noisy else "bare"]["median_ms"],
            ANSWERS,
            "ms (median)",
            missed=missed,
            **more,
        )
        for name, ours in taken.items()
    ]
