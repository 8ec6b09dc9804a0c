"""A disk with troubles that a scenario can ask for, as SQLite meets them."""

from __future__ import annotations

import sqlite3
import threading

FULL, READ_ONLY, WELL = "full", "read-only", "well"
_PRAGMAS = {
    FULL: "PRAGMA max_page_count = 1",  # becomes: as many pages as there are now
    READ_ONLY: "PRAGMA query_only = 1",
}
_NO_TROUBLE = ("PRAGMA max_page_count = 1073741823", "PRAGMA query_only = 0")


class Disk:
    """Spoils the connections that are opened on it. May be used from several threads."""

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
            self._spoil(connection)

    def become(self, trouble: str) -> None:
        """From now on the disk is FULL, READ_ONLY or WELL."""
        with self._lock:
            self._trouble = trouble
            self.had_trouble |= trouble != WELL
            if self._connection is None:
                return
            try:
                self._spoil(self._connection)
            except sqlite3.ProgrammingError:
                self._connection = None  # it was closed; the next one will be spoilt

    def _spoil(self, connection: sqlite3.Connection) -> None:
        for pragma in _NO_TROUBLE:
            connection.execute(pragma)
        if self._trouble != WELL:
            connection.execute(_PRAGMAS[self._trouble])
