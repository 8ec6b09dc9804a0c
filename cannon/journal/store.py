"""The journal's file: makes it, opens it, checks it, and moves it aside if it is broken.

Every trouble leaves here as one `Trouble` with a code. A file is never deleted and never changed
unless it is a journal of this version; a broken one is renamed to NAME.corrupt-1, -2, ...

synchronous=FULL: each commit is on the disk before it counts. NORMAL would survive kill -9 too,
but a launcher is switched off by cutting its power, and the last shot is the one asked about. It
costs one fsync a commit, a few for each press, in a thread that nobody waits for.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from cannon.errors import EXIT_WRONG_CONFIGURATION, CannonError

VERSION = 1
APPLICATION_ID = 0x43_41_4E_4E  # "CANN": tells our files from any other SQLite file

FULL = "journal_full"
READ_ONLY = "journal_read_only"
BROKEN = "journal_broken"  # moved aside, a new one begun
NEWER = "journal_newer"  # from a newer version of this program; left as it is
FOREIGN = "journal_foreign"  # somebody else's SQLite file; left as it is
FAILED = "journal_failed"  # any other trouble
OVERFLOW = "journal_overflow"  # records came faster than they could be written
BACK = "journal_back"  # writing works again

# A whole check reads the whole file, minutes for a huge one on a memory card. So it gets a short
# time, longer where the last writer did not close; what it did not reach shows when it is used.
CHECK_S = 0.2
CHECK_AFTER_CUT_S = 2.0
BUSY_S = 5.0
ROOM_BYTES = 64 * 1024  # less than this is a full disk

# `accounts` finds the few records that change what is owed, `runs` the starts, `latches` what stops
# the launcher and what ends that. No index is kept that each record would have to be put into.
ACCOUNTS = """
    kind IN ('waived', 'protruding') OR kind = 'outcome'
    AND (json_extract(data, '$.owed') > 0 OR json_extract(data, '$.rest') > 0)
"""
LATCHES = """
    kind IN ('fault', 'cleared', 'lid') OR kind = 'notice'
    AND json_extract(data, '$.code') = 'empty'
"""
INDEX_LATCHES = f"CREATE INDEX IF NOT EXISTS latches ON records (seq) WHERE {LATCHES};"
SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE records (
    seq INTEGER PRIMARY KEY,
    wall_time REAL NOT NULL,
    kind TEXT NOT NULL,
    shot INTEGER,
    data TEXT NOT NULL
);
CREATE INDEX accounts ON records (seq) WHERE {ACCOUNTS};
CREATE INDEX runs ON records (seq) WHERE kind = 'start';
{INDEX_LATCHES}
COMMIT;
"""
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_BY_SQLITE = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CORRUPT: BROKEN,
    sqlite3.SQLITE_NOTADB: BROKEN,
}
_BY_SYSTEM = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
}


class Trouble(Exception):
    """The journal cannot be used now: one of the codes above, and what the system said."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class Opened(NamedTuple):
    """A journal ready to be written to, and where a broken one before it was moved, if so."""

    connection: sqlite3.Connection
    moved_to: Path | None


def open_store(
    path: Path,
    *,
    known_broken: bool = False,
    connected: Callable[[sqlite3.Connection], None] | None = None,
) -> Opened:
    """Opens the journal at `path` for writing, and makes it if there is none.

    With `known_broken` a file that is there is moved aside unseen. The connection may be handed
    to another thread; `connected` is given it before its first use. Raises Trouble.
    """
    with _as_trouble(path):
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        moved_to = None
        try:
            if known_broken:
                raise Trouble(BROKEN, "found broken in use")
            with _as_trouble(path):
                if _is_there(path):
                    return Opened(_opened(path, connected), None)
        except Trouble as trouble:
            if trouble.code != BROKEN:
                raise
            moved_to = _move_aside(path)
        _make(path)
        return Opened(_opened(path, connected), moved_to)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Opens the journal at `path` for reading only, also while it is written to. Raises Trouble."""
    with _as_trouble(path):
        path = path.resolve()
        if not _is_there(path):
            raise Trouble(FAILED, "no such file")
        try:
            return _connection(path, "mode=ro")
        except sqlite3.OperationalError:
            # In a folder that one may not write to SQLite cannot make its shared memory. If there
            # is no log either, nobody writes, and the file can be read as it stands.
            if _beside(path, "-wal").exists():
                raise
            return _connection(path, "mode=ro&immutable=1")


def newer_error(path: Path) -> CannonError:
    """What is said of a journal from a newer version."""
    what = f"{path}: this journal was written by a newer version of cannon"
    fix = "update cannon, or name another file; this one was left as it is"
    return CannonError(what, fix, exit_code=EXIT_WRONG_CONFIGURATION)


def foreign_error(path: Path) -> CannonError:
    """What is said of a database that is not ours."""
    what = f"{path}: this is a database of another program"
    return CannonError(what, "name another file", exit_code=EXIT_WRONG_CONFIGURATION)


def trouble_of(error: Exception, path: Path) -> Trouble:
    """`error` as a Trouble with the code that fits."""
    if isinstance(error, Trouble):
        return error
    if isinstance(error, sqlite3.Error):
        return Trouble(_code_of(error, path), str(error))
    if isinstance(error, OSError):
        return Trouble(_BY_SYSTEM.get(error.errno or 0, FAILED), error.strerror or str(error))
    return Trouble(FAILED, repr(error))


def _code_of(error: sqlite3.Error, path: Path) -> str:
    # Errors of the binding itself have no code; the low byte is the kind of the error.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and path.parent.exists():
        # SQLite does not say why; the folder does.
        if not os.access(path.parent, os.W_OK):
            return READ_ONLY
        if shutil.disk_usage(path.parent).free < ROOM_BYTES:
            return FULL
    return _BY_SQLITE.get(code, FAILED)


@contextmanager
def _as_trouble(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, ValueError, RuntimeError) as error:
        # The last two: a path with a NUL in it, a circle of links.
        raise trouble_of(error, path) from error


def _is_there(path: Path) -> bool:
    """Whether there is a journal of ours, told by its first bytes, before SQLite touches it."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Trouble(FAILED, "is not a file")
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return False
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise Trouble(BROKEN, "is not a database")
    version, application = (int.from_bytes(header[at : at + 4]) for at in (60, 68))
    if application != APPLICATION_ID:
        raise Trouble(FOREIGN, "is a database of another program")
    if version > VERSION:
        raise Trouble(NEWER, f"has format {version}, this version knows {VERSION}")
    return True


def _opened(
    path: Path, connected: Callable[[sqlite3.Connection], None] | None
) -> sqlite3.Connection:
    log = _beside(path, "-wal")  # emptied when the last writer closed
    cut_short = log.exists() and log.stat().st_size > 0
    connection = _connection(path, "mode=rw")
    try:
        if connected is not None:
            connected(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")  # tells at once whether it can be written to
        connection.execute("ROLLBACK")
        connection.execute(INDEX_LATCHES)  # the first journals had none
        _check(connection, CHECK_AFTER_CUT_S if cut_short else CHECK_S)
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?{how}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("SELECT 1 FROM records LIMIT 1")
    except BaseException as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:  # no such table
            raise Trouble(BROKEN, str(error)) from error
        raise
    return connection


def _check(connection: sqlite3.Connection, for_s: float) -> None:
    """Looks for damage for at most `for_s`. Raises Trouble if there is any."""
    timer = threading.Timer(for_s, connection.interrupt)
    timer.start()
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return
    finally:
        timer.cancel()
        timer.join()
    if found != "ok":
        raise Trouble(BROKEN, found)


def _make(path: Path) -> None:
    """Makes an empty journal under another name first, so that there is never half a one."""
    new = _beside(path, ".new")
    for end in ("-wal", "-shm", "-journal"):
        # A log that was left behind would be applied to the new file.
        for leftover in (_beside(path, end), _beside(new, end)):
            leftover.unlink(missing_ok=True)
    new.unlink(missing_ok=True)
    new.touch()  # unlike SQLite the system says why it refuses
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.execute("PRAGMA journal_mode = WAL")
    new.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _move_aside(path: Path) -> Path:
    number = 1
    while (moved_to := _beside(path, f".corrupt-{number}")).exists():
        number += 1
    for end in ("-wal", "-shm", ""):  # the file last: until it is moved, it is found broken again
        if _beside(path, end).exists():
            _beside(path, end).rename(_beside(moved_to, end))
    return moved_to


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)
