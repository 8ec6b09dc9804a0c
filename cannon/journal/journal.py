"""Takes records and writes them in a thread of its own. Nobody ever waits for the disk.

`write` only puts a record into a bounded queue. Where the storage is full, read-only or broken,
the records wait in the queue, the oldest are given up when it is full, and the thread tries again
later, ever more rarely. Trouble is told once when it begins and once when it is over.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from cannon.core.causes import Latched
from cannon.journal import reading, store
from cannon.priority import give_way

QUEUE_LIMIT = 5_000  # records; an evening has fewer
BATCH = 500  # records in one commit at most
FIRST_RETRY_S = 1.0
LAST_RETRY_S = 60.0

T = TypeVar("T")


class Notice(NamedTuple):
    """Something to tell the people: a code of `cannon.journal.store`, and what belongs to it.

    `lost`: records given up since the trouble began. `moved_to`: where a broken journal is now.
    """

    code: str
    path: Path
    detail: str = ""
    lost: int = 0
    moved_to: Path | None = None


class _Record(NamedTuple):
    wall_time: float
    kind: str
    shot: int | None
    data: dict[str, Any]


class Journal:
    """The journal of one running program. Make it with `Journal.open`."""

    def __init__(
        self,
        path: Path,
        on_notice: Callable[[Notice], None] | None,
        wall_clock: Callable[[], float],
        queue_limit: int,
        retry_s: tuple[float, float],
        connected: Callable[[sqlite3.Connection], None] | None,
    ) -> None:
        self.path = path
        self._on_notice = on_notice
        self._wall_clock = wall_clock
        self._queue_limit = queue_limit
        self._retry_s = retry_s
        self._connected = connected
        self._changed = threading.Condition()
        # Changed under the condition's lock only:
        self._queue: deque[_Record] = deque()
        self._writing: list[_Record] = []
        self._notices: list[Notice] = []
        self._closing = False
        self._lost = 0
        # Of the writing thread alone, once it runs:
        self._connection: sqlite3.Connection | None = None
        self._inode = (0, 0)
        self._known_broken = False
        self._told: set[str] = set()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        on_notice: Callable[[Notice], None] | None = None,
        wall_clock: Callable[[], float] = time.time,
        queue_limit: int = QUEUE_LIMIT,
        retry_s: tuple[float, float] = (FIRST_RETRY_S, LAST_RETRY_S),
        connected: Callable[[sqlite3.Connection], None] | None = None,
    ) -> Journal:
        """Opens the journal at `path`; makes it, and its folder, if there is none.

        Never raises for the storage's sake: what is wrong with it is a notice, kept for `notices`
        and given to `on_notice` (mostly in the journal's thread; it may only enqueue). A journal
        of a newer version or of another program (codes NEWER, FOREIGN) is not touched.
        `connected` is given each connection that is to write: a simulated disk spoils it.
        """
        journal = cls(path, on_notice, wall_clock, queue_limit, retry_s, connected)
        journal._try_to_open()
        journal._thread.start()
        return journal

    def write(self, kind: str, data: dict[str, Any], shot: int | None = None) -> None:
        """Enqueues a record. Returns at once. `data` belongs to the journal from here on."""
        record = _Record(self._wall_clock(), kind, shot, data)
        with self._changed:
            self._queue.append(record)
            overflow = self._give_up_oldest()
            self._changed.notify_all()
        if overflow:
            self._tell_overflow()

    def flush(self, timeout_s: float) -> bool:
        """Waits until all is on the disk, at most `timeout_s`; tells whether it is."""
        with self._changed:
            return self._changed.wait_for(self._all_written, timeout_s)

    def close(self, timeout_s: float = 1.0) -> bool:
        """Writes what is left and closes, at most `timeout_s`; tells whether all was written.

        May be called twice. Where the storage is in trouble it is tried just once more.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)
        return not self._thread.is_alive() and self._all_written()

    def notices(self) -> list[Notice]:
        """The notices since the last call."""
        with self._changed:
            notices, self._notices = self._notices, []
        return notices

    # What a start has to know. These read what is on the disk, in the caller's thread.

    def last_shot(self) -> int:
        """The number of the last press on record; 0 if there is none or it cannot be read."""
        return self._read(reading.last_shot, 0)

    def owed(self) -> int:
        """Cards still owed by what is on record, without an unfinished shot."""
        return self._read(reading.owed, 0)

    def unfinished(self) -> reading.Unfinished | None:
        """The shot that has an intent and no outcome, if the last one has none."""
        return self._read(reading.unfinished, None)

    def latched(self) -> Latched | None:
        """What has stopped the launcher and is not over, by what is on record."""
        return self._read(reading.latched, None)

    def last_odds_state(self, model: str) -> Any:
        """The last state of the odds of `model`, for `Odds`; None if there is none.

        It needs the start records to hold the model's name as `model`, and the press and stop
        records the state as `odds`.
        """
        return self._read(lambda connection: reading.last_odds_state(connection, model), None)

    def _read(self, ask: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        try:
            with closing(store.open_to_read(self.path)) as connection:
                return ask(connection)
        except (store.Trouble, sqlite3.Error) as error:
            trouble = store.trouble_of(error, self.path)
            if trouble.code == store.BROKEN:
                self._known_broken = True  # the writing thread moves it aside
            return otherwise

    # --- the writing thread ------------------------------------------------------------------

    def _work(self) -> None:
        give_way()
        pause_s = self._retry_s[0]
        while batch := self._next_batch():
            last_try = self._closing
            if self._put(batch):
                pause_s = self._retry_s[0]
                continue
            self._put_back()
            if last_try:
                break
            with self._changed:
                self._changed.wait_for(lambda: self._closing, pause_s)
            pause_s = min(2 * pause_s, self._retry_s[1])
        self._disconnect()

    def _next_batch(self) -> list[_Record]:
        """The next records to write; none when it is time to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closing)
            while self._queue and len(self._writing) < BATCH:
                self._writing.append(self._queue.popleft())
            return list(self._writing)

    def _put_back(self) -> None:
        with self._changed:
            self._queue.extendleft(reversed(self._writing))
            self._writing.clear()
            overflow = self._give_up_oldest()
        if overflow:
            self._tell_overflow()

    def _put(self, batch: list[_Record]) -> bool:
        """Commits the batch. Any trouble is told, and ends in another try."""
        if self._file_has_gone():
            self._disconnect()
        if self._connection is None and not self._try_to_open():
            return False
        assert self._connection is not None
        lost = self._lost
        try:
            self._commit(self._connection, batch, lost)
        except Exception as error:
            self._fail(store.trouble_of(error, self.path))
            return False
        with self._changed:
            self._lost -= lost
            self._writing.clear()
            self._changed.notify_all()
        if self._told or lost:
            self._told.clear()
            self._tell(Notice(store.BACK, self.path, lost=lost))
        return True

    def _commit(self, connection: sqlite3.Connection, batch: list[_Record], lost: int) -> None:
        if lost:
            data = {"code": store.OVERFLOW, "records": lost}
            batch = [_Record(batch[0].wall_time, "notice", None, data), *batch]
        rows = [(r.wall_time, r.kind, r.shot, _text(r.data)) for r in batch]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO records (wall_time, kind, shot, data) VALUES (?, ?, ?, ?)", rows
        )
        connection.execute("COMMIT")

    def _try_to_open(self) -> bool:
        try:
            opened = store.open_store(
                self.path, known_broken=self._known_broken, connected=self._connected
            )
        except store.Trouble as trouble:
            self._fail(trouble)
            return False
        self._known_broken = False
        self._connection = opened.connection
        self._inode = _inode(self.path)
        if opened.moved_to is not None:
            self._tell(Notice(store.BROKEN, self.path, moved_to=opened.moved_to))
        return True

    def _fail(self, trouble: store.Trouble) -> None:
        self._disconnect()
        if trouble.code == store.BROKEN:
            self._known_broken = True  # told when it has been moved aside
        elif trouble.code not in self._told:
            self._told.add(trouble.code)
            self._tell(Notice(trouble.code, self.path, trouble.detail))

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _file_has_gone(self) -> bool:
        """Whether somebody removed or replaced the file, or found it broken when reading."""
        return self._connection is not None and (
            self._known_broken or _inode(self.path) != self._inode
        )

    def _give_up_oldest(self) -> bool:
        """Keeps the queue within its limit. True when it has to for the first time."""
        before = self._lost
        while self._queue and len(self._queue) + len(self._writing) > self._queue_limit:
            self._queue.popleft()
            self._lost += 1
        return before == 0 and self._lost > 0

    def _tell_overflow(self) -> None:
        self._tell(Notice(store.OVERFLOW, self.path, "records are being given up"))

    def _all_written(self) -> bool:
        return not self._queue and not self._writing

    def _tell(self, notice: Notice) -> None:
        with self._changed:
            self._notices.append(notice)
        if self._on_notice is not None:
            self._on_notice(notice)


def _inode(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def _text(data: dict[str, Any]) -> str:
    """`data` as JSON. What JSON does not know is written as its Python text."""
    try:
        return msgspec.json.encode(data, enc_hook=repr).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return msgspec.json.encode({"unreadable": ascii(data)}).decode()
