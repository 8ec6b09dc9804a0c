"""A disk with troubles that a scenario can ask for, as SQLite meets them."""

from __future__ import annotations

import sqlite3
import threading

FULL, READ_ONLY, WELL = "full", "read-only", "well"
_PRAGMAS = {
    FULL: "PRAGMA max_page_count = 1",  # becomes: as many pages as there are now
    READ_ONLY: "PRAGMA query_only = 1",
}


class Disk:
    """Spoils the connections that are opened on it, in whatever thread they are opened."""

    def __init__(self) -> None:
        self.had_trouble = False
        self._trouble = WELL
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def well(self) -> bool:
        """Whether it takes what is written."""
        return self._trouble == WELL

    def connected(self, connection: sqlite3.Connection) -> None:
        """A connection has been opened on this disk."""
        with self._lock:
            self._connection = connection
            self._spoil()

    def become(self, trouble: str) -> None:
        """From now on the disk is FULL, READ_ONLY or WELL. Nobody may be writing to it.

        A disk that was in trouble is not looked after here: whoever fails on it connects anew.
        """
        with self._lock:
            was_well, self._trouble = self.well, trouble
            self.had_trouble |= not self.well
            if was_well:
                self._spoil()

    def _spoil(self) -> None:
        if self._connection is not None and not self.well:
            self._connection.execute(_PRAGMAS[self._trouble])
