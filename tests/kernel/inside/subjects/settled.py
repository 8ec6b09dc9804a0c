"""For programs on bare lgpio: when it is safe to claim the first line that brings edges.

lgpio's alert thread, started by gpiochip_open, looks for claimed lines and then goes to sleep
without looking again. A claim between the two wakes nobody: no edge ever arrives, until another
line is claimed. One start in eight was deaf like that on this machine.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path


def wait_until_settled() -> None:
    """Wait until all other threads of this process sleep, lgpio's among them."""
    while not all(_sleeps(task) for task in Path("/proc/self/task").iterdir()):
        time.sleep(0.001)


def _sleeps(task: Path) -> bool:
    if int(task.name) == threading.get_native_id():
        return True
    state = (task / "stat").read_text().rpartition(")")[2].split()[0]
    return state == "S"
