"""When something is due: the earliest of some times, each of which may be never (None)."""

from __future__ import annotations


def earliest(*times: float | None) -> float | None:
    """The earliest of `times`; None if there is none."""
    soonest = None
    for time in times:
        if time is not None and (soonest is None or time < soonest):
            soonest = time
    return soonest
