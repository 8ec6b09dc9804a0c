"""Waits at the start for what may be late: the GPIO chip, its rights, a line, the serial port."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from cannon.errors import NotYet

AGAIN_S = 0.5

T = TypeVar("T")


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
