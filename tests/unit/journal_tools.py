"""What the tests of the journal share: waiting for a notice, and looking into the file."""

import queue
import sqlite3
from contextlib import closing

from cannon.journal import Journal, store

PATIENCE_S = 30.0  # no test waits that long unless it fails
QUICK_RETRY_S = (0.005, 0.02)


class Told:
    """Collects the notices of a journal."""

    def __init__(self):
        self._notices = queue.Queue()

    def __call__(self, notice):
        self._notices.put(notice)

    def next(self):
        return self._notices.get(timeout=PATIENCE_S)

    def codes(self):
        """Those that have come by now, and were not taken by `next`."""
        codes = []
        while not self._notices.empty():
            codes.append(self._notices.get().code)
        return codes


def opened(path, **options):
    return Journal.open(path, **({"retry_s": QUICK_RETRY_S} | options))


def written(path, kinds, first_shot=1):
    """A closed journal at `path` with one record of each of these kinds."""
    journal = opened(path)
    for shot, kind in enumerate(kinds, start=first_shot):
        journal.write(kind, {"n": shot}, shot)
    assert journal.close(PATIENCE_S)
    assert journal.notices() == []
    return path


def records(path):
    """(kind, shot, data) of each record, in order."""
    with closing(store.open_to_read(path)) as connection:
        return connection.execute("SELECT kind, shot, data FROM records ORDER BY seq").fetchall()


def shots(path):
    return [shot for _, shot, _ in records(path) if shot is not None]


def integrity(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall()
