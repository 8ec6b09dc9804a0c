"""Waits at the start for what may be late: the GPIO chip, its rights, a line, the serial port."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from cannon.errors import EXIT_WRONG_CONFIGURATION, CannonError, NotYet

START_S = 30.0
GIVEN = "CANNON_START_S"  # in the environment: seconds, in place of what follows from the computer
AGAIN_S = 0.5
MODEL = Path("/proc/device-tree/model")  # what the firmware says it runs on

T = TypeVar("T")


def start_s(environment: Mapping[str, str], model: Path = MODEL) -> float:
    """How long a start may wait: for nothing on a computer that has no such pins, as long as
    nobody made it a service or says so in GIVEN. Raises CannonError if that is no time."""
    given = environment.get(GIVEN, "")
    if given:
        if not given.isdecimal():
            what = f"{GIVEN}: {given!r} is not a whole number of seconds."
            raise CannonError(what, f"unset {GIVEN}", exit_code=EXIT_WRONG_CONFIGURATION)
        return float(given)
    try:
        on_a_pi = model.read_text(errors="replace").startswith("Raspberry Pi")
    except OSError:
        on_a_pi = False
    return START_S if on_a_pi or environment.get("NOTIFY_SOCKET") else 0.0


def patiently(
    begin: Callable[[], T],
    for_s: float,
    tell: Callable[[NotYet], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """What `begin` returns. Where it raises NotYet it is tried again, for `for_s` seconds.

    `tell` is told of each kind of trouble once. The last NotYet is raised in the end.
    """
    end = clock() + for_s
    told: set[str] = set()
    while True:
        try:
            return begin()
        except NotYet as trouble:
            if clock() >= end:
                raise
            if trouble.kind not in told:
                told.add(trouble.kind)
                tell(trouble)
        sleep(AGAIN_S)
