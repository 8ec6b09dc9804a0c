"""What `cannon play --simulate` costs: time to ready, memory, and wake-ups when nothing happens.

The baseline is a Python that imports gpiozero and transitions and does no more.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.measure import bound, middle, result

STARTS = 7
IDLE_S = 10.0
CANNON = Path(sys.executable).parent / "cannon"
BARE = "import gpiozero, transitions, time; print('ready', flush=True); time.sleep(600)"


def run() -> list[dict[str, Any]]:
    """All three, the starts of both programs in turns."""
    ours: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        play = [str(CANNON), "play", "--simulate", "--journal", f"{folder}/journal.db"]
        for _ in range(STARTS):
            bare.append(_start([sys.executable, "-c", BARE], "ready"))
            ours.append(_start(play, "Ready"))
        wakeups = _wakeups(play)
    return [
        result(
            "start.time_to_ready",
            middle([time_s for time_s, _ in ours]),
            middle([time_s for time_s, _ in bare]),
            2.0,
            "s",
        ),
        result(
            "start.resident_memory",
            middle([kib for _, kib in ours]),
            middle([kib for _, kib in bare]),
            2.0,
            "KiB",
        ),
        bound("start.idle_wakeups", wakeups, 10, "per second, all threads"),
    ]


def _start(command: list[str], ready: str) -> tuple[float, float]:
    """Seconds until `ready` is printed, and the memory then, in KiB."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if ready in line:
            break
    else:
        raise RuntimeError(f"{command[0]} ended before it was ready")
    time_s = time.monotonic() - began
    time.sleep(0.3)
    memory = _status(process.pid, "VmRSS")
    process.send_signal(signal.SIGTERM)
    process.wait(10)
    return time_s, memory


def _wakeups(command: list[str]) -> float:
    """Voluntary context switches a second of all threads, once the launcher is ready."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(5)
    before = _switches(process.pid)
    time.sleep(IDLE_S)
    after = _switches(process.pid)
    process.send_signal(signal.SIGTERM)
    process.wait(10)
    return (after - before) / IDLE_S


def _switches(pid: int) -> float:
    return sum(
        _field(task / "status", "voluntary_ctxt_switches")
        for task in Path(f"/proc/{pid}/task").iterdir()
    )


def _status(pid: int, field: str) -> float:
    return _field(Path(f"/proc/{pid}/status"), field)


def _field(path: Path, field: str) -> float:
    for line in path.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return float(line.split()[1])
    raise RuntimeError(f"no {field} in {path}")
