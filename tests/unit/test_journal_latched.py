"""What has stopped the launcher and is not over, as the journal knows it."""

import sqlite3
from contextlib import closing

import pytest

from cannon.core.causes import Latched
from cannon.journal import Journal, reading
from tests.unit.journal_tools import PATIENCE_S, opened

EMPTY = ("notice", {"code": "empty"})
HINT = ("notice", {"code": "worn_cards"})
JAM = ("fault", {"cause": "jam", "detail": ""})
MOTOR = ("fault", {"cause": "motor", "detail": "a wire"})
CLEARED = ("cleared", {"cause": "motor", "source": "button"})
LID_UP, LID_DOWN = ("lid", {"open": True}), ("lid", {"open": False})
START, STOP, PRESS = ("start", {"model": "even"}), ("stop", {}), ("press", {})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.db"


def on_record(path, *records):
    """Writes the records, the n-th at n seconds by the wall clock; what is latched by then."""
    times = iter(range(1, len(records) + 1))
    journal = opened(path, wall_clock=lambda: float(next(times)))
    for kind, data in records:
        journal.write(kind, data)
    assert journal.close(PATIENCE_S)
    return latched(path)


def latched(path):
    journal = Journal.open(path)
    try:
        return journal.latched()
    finally:
        journal.close(PATIENCE_S)


@pytest.mark.parametrize(
    ("records", "found"),
    [
        ((), None),
        ((START, PRESS, HINT, STOP), None),
        ((START, EMPTY), Latched("empty", 2)),
        ((EMPTY, HINT, START, STOP, START), Latched("empty", 1)),
        ((JAM, PRESS), Latched("jam", 1)),
        ((EMPTY, CLEARED), None),
        ((EMPTY, LID_UP), None),
        ((EMPTY, START, LID_DOWN), None),
        ((EMPTY, LID_UP, LID_DOWN, EMPTY), Latched("empty", 4)),
        ((JAM, LID_UP, LID_DOWN), None),
        ((LID_UP, LID_DOWN, JAM), Latched("jam", 3)),
        ((MOTOR, LID_UP, LID_DOWN, STOP), Latched("motor", 1)),
        ((MOTOR, CLEARED), None),
        ((MOTOR, CLEARED, JAM), Latched("jam", 3)),
        ((MOTOR, CLEARED, MOTOR), Latched("motor", 3)),
        ((JAM, MOTOR), Latched("motor", 2)),
        ((JAM, MOTOR, CLEARED), None),
        ((JAM, MOTOR, LID_UP), Latched("motor", 2)),
        ((MOTOR, START, MOTOR, LID_UP, START, MOTOR), Latched("motor", 1)),
    ],
)
def test_the_last_cause_that_nothing_has_ended_with_its_first_time(path, records, found):
    assert on_record(path, *records) == found


def test_a_journal_from_before_there_was_an_index_for_it_gets_one(path):
    on_record(path, MOTOR)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP INDEX latches")
    assert latched(path) == Latched("motor", 1)


def test_it_is_found_by_the_index_however_long_the_history_is(path):
    on_record(path, MOTOR)
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO records (wall_time, kind, data) VALUES (2, ?, '{}')",
            [("press",), ("outcome",), ("notice",)] * 2000,
        )
        connection.commit()
        steps = 0

        def step():
            nonlocal steps
            steps += 1

        connection.set_progress_handler(step, 1)
        assert reading.latched(connection) == Latched("motor", 1)
    assert steps < 200


def test_a_journal_that_cannot_be_read_latches_nothing(path):
    path.write_bytes(b"not a database" * 100)
    assert latched(path) is None
