"""The journal: what was decided, what came out, what went wrong; in one SQLite file.

`Journal` (journal.py) takes records from the control loop and writes them in a thread of its own;
nobody waits for the disk, and trouble with it costs history, never play. store.py looks after the
file, reading.py answers what a start has to know, history.py sums up for people.
"""

from __future__ import annotations

from cannon.journal.journal import Journal, Notice
from cannon.journal.places import SIMULATED, default_path, place_to_read
from cannon.journal.reading import Unfinished
from cannon.journal.store import (
    BACK,
    BROKEN,
    FAILED,
    FOREIGN,
    FULL,
    NEWER,
    OVERFLOW,
    READ_ONLY,
    foreign_error,
    newer_error,
)

__all__ = [
    "BACK",
    "BROKEN",
    "FAILED",
    "FOREIGN",
    "FULL",
    "NEWER",
    "OVERFLOW",
    "READ_ONLY",
    "SIMULATED",
    "Journal",
    "Notice",
    "Unfinished",
    "default_path",
    "foreign_error",
    "newer_error",
    "place_to_read",
]
