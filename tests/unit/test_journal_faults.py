"""The journal on bad storage: nothing raises, nothing is overwritten, all is said, play goes on."""

import os
import random
import resource
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from cannon.journal import BACK, BROKEN, FAILED, FOREIGN, FULL, NEWER, READ_ONLY, store
from tests.unit.journal_tools import PATIENCE_S, Told, integrity, opened, records, shots, written


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.db"


@pytest.fixture
def storage(monkeypatch):
    """The storage with a fault that can be put on and taken off while the journal is in use."""
    return Storage(monkeypatch)


class Storage:
    """The faults are SQLite's own errors: a limit of pages for a full disk, a file opened for
    reading only for a read-only one. Real mounts are in the tests marked as long."""

    def __init__(self, monkeypatch):
        self.fault = None
        self._make = store._connection
        monkeypatch.setattr(store, "_connection", self._connection)

    def _connection(self, path, how):
        if self.fault == READ_ONLY:
            return self._make(path, "mode=ro")
        connection = self._make(path, how)
        if self.fault == FULL:
            connection.execute("PRAGMA max_page_count = 1")  # becomes: as many as there are now
        return connection


BIG = {"text": "x" * 20_000}  # does not fit into the pages that are there


@pytest.mark.parametrize("fault", [FULL, READ_ONLY])
def test_a_full_or_read_only_disk_is_said_once_and_again_when_it_is_over(path, storage, fault):
    written(path, ["press"])
    storage.fault = fault
    told = Told()
    journal = opened(path, on_notice=told)
    for shot in range(2, 30):
        journal.write("press", BIG, shot)
    assert told.next().code == fault
    assert not journal.flush(0.1)  # some retries
    assert told.codes() == []
    assert journal.last_shot() == 1  # what is there can still be read
    storage.fault = None
    assert told.next() == (BACK, path, "", 0, None)
    assert journal.close(PATIENCE_S)
    assert told.codes() == []
    assert shots(path) == list(range(1, 30))
    assert integrity(path) == [("ok",)]


def test_a_journal_that_could_never_be_written_ends_at_once(path, storage):
    written(path, ["press"])
    storage.fault = READ_ONLY
    journal = opened(path, retry_s=(3600, 3600))
    journal.write("press", {}, 2)
    assert not journal.close(PATIENCE_S)
    assert [notice.code for notice in journal.notices()] == [READ_ONLY]
    assert shots(path) == [1]


def test_a_file_size_limit_costs_history_only(path):
    """A real refusal of the system in the middle of writing, in a process of its own."""
    script = """
        import resource, signal, sys
        from pathlib import Path
        from cannon.journal import Journal
        journal = Journal.open(Path(sys.argv[1]), retry_s=(0.01, 0.01))
        journal.write("press", {}, 1)
        assert journal.flush(30)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
        for shot in range(2, 12):
            journal.write("press", {"text": "x" * 20_000}, shot)
        assert not journal.flush(0.3)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert journal.close(30)
        print([notice.code for notice in journal.notices()])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.stdout.split("'")[1::2] == [FAILED, BACK]
    assert shots(path) == list(range(1, 12))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.parametrize("place", ["/sys/card-cannon/journal.db", "/sys/journal.db"])
def test_a_folder_that_nobody_may_write_to(place):
    """Not even root may make a file in /sys."""
    with closing(opened(Path(place))) as journal:
        journal.write("press", {}, 1)
        assert [notice.code for notice in journal.notices()] == [READ_ONLY]
        assert (journal.last_shot(), journal.unfinished(), journal.owed()) == (0, None, 0)


@pytest.mark.parametrize("place", ["/dev/full", "/dev/null", "/proc/card-cannon/journal.db", "."])
def test_a_place_that_cannot_be_a_journal_is_left_alone(place, tmp_path):
    journal = opened(tmp_path / place)
    journal.write("press", {}, 1)
    assert not journal.close(PATIENCE_S)
    (notice,) = journal.notices()
    assert (notice.code, notice.moved_to) == (FAILED, None)
    assert Path("/dev/full").exists() and list(tmp_path.iterdir()) == []


def test_a_path_that_is_no_path(tmp_path):
    with closing(opened(tmp_path / "a\0b")) as journal:
        assert [notice.code for notice in journal.notices()] == [FAILED]


# --- broken files -----------------------------------------------------------------------------


def overwrite_the_middle(path):
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(random.Random(4).randbytes(4096))


def truncate(path):
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


BROKEN_FILES = {
    "overwritten": overwrite_the_middle,
    "overwritten beside the pages": lambda path: path.write_bytes(
        path.read_bytes()[:6_000] + bytes(4096) + path.read_bytes()[6_000 + 4096 :]
    ),
    "nothing but zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "first page zeros": lambda path: path.write_bytes(bytes(4096) + path.read_bytes()[4096:]),
    "tables gone": lambda path: path.write_bytes(
        path.read_bytes()[:100] + bytes(3996) + path.read_bytes()[4096:]
    ),
    "empty": lambda path: path.write_bytes(b""),
    "cut in the header": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "truncated": truncate,
    "other text": lambda path: path.write_text("not a database\n" * 100),
}


@pytest.fixture(scope="module")
def sound_bytes(tmp_path_factory):
    path = written(tmp_path_factory.mktemp("sound") / "journal.db", ["press", "outcome"] * 2_000)
    return path.read_bytes()


@pytest.fixture
def filled(path, sound_bytes):
    """A journal with 4,000 records."""
    path.write_bytes(sound_bytes)
    return path


@pytest.mark.parametrize("fault", BROKEN_FILES)
def test_a_broken_file_is_moved_aside_and_play_goes_on(filled, fault):
    BROKEN_FILES[fault](filled)
    damaged = filled.read_bytes()
    journal = opened(filled)
    (notice,) = journal.notices()
    aside = filled.with_name("journal.db.corrupt-1")
    assert (notice.code, notice.moved_to) == (BROKEN, aside)
    assert aside.read_bytes() == damaged
    assert (journal.last_shot(), journal.unfinished()) == (0, None)
    journal.write("press", {}, 1)
    assert journal.close(PATIENCE_S)
    assert shots(filled) == [1] and integrity(filled) == [("ok",)]
    assert journal.notices() == []


def test_every_broken_file_is_kept(filled):
    for number in (1, 2, 3):
        filled.write_bytes(b"broken %d" % number)
        assert opened(filled).close(PATIENCE_S)
        assert filled.with_name(f"journal.db.corrupt-{number}").read_bytes()[-1:] == b"%d" % number


def test_the_log_of_a_broken_file_goes_aside_with_it(path):
    written(path, ["press"])
    path.with_name("journal.db-wal").write_bytes(b"log")
    path.write_bytes(b"broken")
    assert opened(path).close(PATIENCE_S)
    assert path.with_name("journal.db.corrupt-1-wal").read_bytes() == b"log"
    assert records(path) == []


def test_a_file_that_breaks_in_use_is_moved_aside_too(filled):
    told = Told()
    journal = opened(filled, on_notice=told)
    # Behind the back of the open connection, and without its cache of pages.
    journal._connection.execute("PRAGMA cache_size = 0")
    with filled.open("r+b") as file:
        size = filled.stat().st_size
        file.write(b"\xff" * size)
    for shot in range(3):
        journal.write("press", {}, shot)
    assert told.next().code == BROKEN
    assert journal.close(PATIENCE_S)
    assert shots(filled) == [0, 1, 2]


def test_a_file_found_broken_when_reading_is_moved_aside_at_the_next_record(filled, monkeypatch):
    monkeypatch.setattr(store, "_check", lambda connection, for_s: None)  # it ran out of time
    overwrite_the_middle(filled)
    told = Told()
    journal = opened(filled, on_notice=told)
    assert journal._read(lambda c: c.execute("SELECT sum(shot) FROM records").fetchone(), 5) == 5
    journal.write("press", {}, 1)
    assert told.next().code == BROKEN
    assert journal.close(PATIENCE_S)
    assert shots(filled) == [1]


def test_a_removed_file_is_made_again(path):
    journal = opened(path)
    journal.write("press", {}, 1)
    assert journal.flush(PATIENCE_S)
    path.unlink()
    journal.write("press", {}, 2)
    assert journal.close(PATIENCE_S)
    assert shots(path) == [2]
    assert journal.notices() == []


def test_leftovers_of_a_cut_beginning_are_not_mixed_in(path):
    for name in ("journal.db-wal", "journal.db-journal", "journal.db.new", "journal.db.new-wal"):
        path.with_name(name).write_bytes(b"half of something")
    written(path, ["press"])
    assert [file.name for file in path.parent.iterdir()] == ["journal.db"]
    assert shots(path) == [1]


# --- files of others --------------------------------------------------------------------------


def test_a_journal_of_a_newer_version_is_not_touched(path):
    written(path, ["press"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    before = path.read_bytes(), path.stat().st_mtime_ns
    journal = opened(path)
    journal.write("press", {}, 2)
    assert journal.last_shot() == 0
    assert not journal.close(PATIENCE_S)
    assert [notice.code for notice in journal.notices()] == [NEWER]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(path.parent.iterdir()) == [path]
    error = store.newer_error(path)
    assert error.exit_code == 78 and "update cannon" in error.fix


def test_a_database_of_another_program_is_not_touched(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE records (mine)")
    before = path.read_bytes()
    with closing(opened(path)) as journal:
        journal.write("press", {}, 1)
        assert [notice.code for notice in journal.notices()] == [FOREIGN]
    assert path.read_bytes() == before


# --- real mounts ------------------------------------------------------------------------------


@pytest.fixture
def mount(tmp_path):
    """A small file system of its own. Needs root, as all of `make test-all`."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def remount(place, how):
    subprocess.run(["mount", "-o", f"remount,{how}", place], check=True)


@pytest.mark.long
def test_a_disk_that_is_really_full_and_then_has_room(mount):
    path, told = mount / "journal.db", Told()
    ballast = mount / "ballast"
    journal = opened(path, on_notice=told)
    journal.write("press", {}, 1)
    assert journal.flush(PATIENCE_S)
    with pytest.raises(OSError, match="No space"), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    for shot in range(2, 5):
        journal.write("press", BIG, shot)
    assert told.next().code == FULL
    ballast.unlink()
    assert told.next().code == BACK
    assert journal.close(PATIENCE_S)
    assert shots(path) == [1, 2, 3, 4]


@pytest.mark.long
def test_a_disk_that_is_full_at_the_start(mount):
    with pytest.raises(OSError, match="No space"), (mount / "ballast").open("wb", 0) as file:
        while True:
            file.write(bytes(4096))
    journal = opened(mount / "folder" / "journal.db")
    journal.write("press", {}, 1)
    assert not journal.close(PATIENCE_S)
    assert [notice.code for notice in journal.notices()] == [FULL]


@pytest.mark.long
def test_a_disk_that_is_really_read_only_can_still_be_read(mount):
    path, told = mount / "journal.db", Told()
    written(path, ["press"])
    remount(mount, "ro")
    journal = opened(path, on_notice=told)
    assert told.next().code == READ_ONLY
    assert journal.last_shot() == 1
    assert shots(path) == [1]
    journal.write("press", {}, 2)
    remount(mount, "rw")
    assert told.next().code == BACK
    assert journal.close(PATIENCE_S)
    assert shots(path) == [1, 2]


@pytest.mark.long
def test_a_read_only_disk_without_a_journal(mount):
    remount(mount, "ro")
    journal = opened(mount / "folder" / "journal.db")
    journal.write("press", {}, 1)
    assert not journal.close(PATIENCE_S)
    assert [notice.code for notice in journal.notices()] == [READ_ONLY]
