"""Why a launcher is stopped, as codes; and what is kept of it from run to run.

It has no states in it, so that a history can be read without their machine.
"""

from __future__ import annotations

from typing import NamedTuple

EMPTY = "empty"  # of the state `empty`
JAMS = ("jam", "slow", "no_feed", "sensor_blocked")  # of `jammed`; all others are faults
ENDED_BY_LID = (EMPTY, *JAMS)
"who opens the lid looks into the hopper and the slot; nothing that broke is mended by it"


class Latched(NamedTuple):
    """What stopped the launcher in an earlier run, and still does: its cause, and when it first
    came, in seconds of the wall clock."""

    cause: str
    wall_time: float
