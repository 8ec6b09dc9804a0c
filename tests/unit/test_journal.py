"""The journal in good and in slow times: order, the queue, and what a start asks it."""

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from cannon.journal import BACK, OVERFLOW, Journal, Unfinished, default_path, place_to_read, places
from tests.unit.journal_tools import PATIENCE_S, Told, opened, records, shots, written


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "journal.db"


def test_records_come_back_in_order_with_their_data(path):
    journal = opened(path)
    journal.write("start", {"model": "measured", "seed": 7})
    journal.write("press", {"source": "button", "odds": {"blanks": 1}}, 1)
    assert journal.flush(PATIENCE_S)
    journal.write("stop", {})
    assert journal.close(PATIENCE_S)
    assert [file.name for file in path.parent.iterdir()] == ["journal.db"]
    found = [(kind, shot, json.loads(data)) for kind, shot, data in records(path)]
    assert found == [
        ("start", None, {"model": "measured", "seed": 7}),
        ("press", 1, {"source": "button", "odds": {"blanks": 1}}),
        ("stop", None, {}),
    ]
    assert journal.notices() == []


def test_a_second_run_goes_on_where_the_first_ended(path):
    written(path, ["press"] * 3)
    written(path, ["press"] * 2, first_shot=4)
    assert shots(path) == [1, 2, 3, 4, 5]


def test_the_file_is_a_wal_database_of_our_own(path):
    written(path, ["press"])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA application_id").fetchone() == (0x43414E4E,)


def test_each_commit_is_synced(path):
    journal = opened(path)
    assert journal._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    journal.close()


def test_a_wall_clock_that_jumps_does_not_change_the_order(path):
    times = iter([1000.0, 1000.0 + 86_400, 1000.0 - 1_209_600, 1001.0])
    journal = opened(path, wall_clock=lambda: next(times))
    for shot in (1, 2, 3, 4):
        journal.write("press", {}, shot)
    journal.close(PATIENCE_S)
    assert shots(path) == [1, 2, 3, 4]


def test_closing_twice_and_writing_after_it_do_no_harm(path):
    journal = opened(path)
    journal.write("press", {}, 1)
    assert journal.close(PATIENCE_S) and journal.close(PATIENCE_S)
    journal.write("press", {}, 2)
    assert not journal.close(0)  # it says that this one is not on the disk
    assert shots(path) == [1]


@pytest.mark.parametrize(
    "data",
    [
        {"path": Path("x"), "set": {1}, "bytes": b"\xff"},
        {"object": object()},
        {1: {(2, 3): "keys"}},
        {"text": "\ud800 half of a pair"},
        {"number": 10**400},
    ],
)
def test_data_that_json_does_not_know_is_no_trouble(path, data):
    journal = opened(path)
    journal.write("notice", data, 1)
    journal.write("press", {}, 2)
    assert journal.close(PATIENCE_S)
    assert shots(path) == [1, 2]
    assert json.loads(records(path)[0][2])


# --- the queue --------------------------------------------------------------------------------


class StuckDisk:
    """Holds up every commit until `go` is set."""

    def __init__(self, monkeypatch):
        self.reached, self.go = threading.Event(), threading.Event()
        commit = Journal._commit

        def stuck(*arguments):
            self.reached.set()
            assert self.go.wait(PATIENCE_S)
            return commit(*arguments)

        monkeypatch.setattr(Journal, "_commit", stuck)


def test_a_stuck_disk_holds_nobody_up_and_the_oldest_records_are_given_up(path, monkeypatch):
    disk, told = StuckDisk(monkeypatch), Told()
    journal = opened(path, queue_limit=100, on_notice=told)
    journal.write("press", {}, 1)
    assert disk.reached.wait(PATIENCE_S)
    for shot in range(2, 1002):
        journal.write("press", {}, shot)  # would wait for ever if it waited for the disk
    assert not journal.flush(0)
    assert told.codes() == [OVERFLOW]
    disk.go.set()
    assert journal.flush(PATIENCE_S)
    journal.write("press", {}, 1002)
    assert journal.close(PATIENCE_S)
    # The first was being written; of the others the last 99 had room.
    assert shots(path) == [1, *range(903, 1003)]
    back = told.next()
    assert (back.code, back.lost) == (BACK, 901)
    gap = [json.loads(data) for kind, _, data in records(path) if kind == "notice"]
    assert gap == [{"code": OVERFLOW, "records": 901}]
    assert told.codes() == []


def test_a_close_does_not_wait_longer_than_told(path, monkeypatch):
    disk = StuckDisk(monkeypatch)
    journal = opened(path)
    journal.write("press", {}, 1)
    assert disk.reached.wait(PATIENCE_S)
    assert not journal.close(0.01)
    disk.go.set()
    assert journal.close(PATIENCE_S)
    assert shots(path) == [1]


def test_many_threads_can_write(path):
    journal = opened(path)

    def write(number):
        for shot in range(200):
            journal.write("press", {}, number * 1000 + shot)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert journal.close(PATIENCE_S)
    found = shots(path)
    assert len(found) == 800
    for number in range(4):
        own = [shot for shot in found if shot // 1000 == number]
        assert own == sorted(own)


# --- what a start asks ------------------------------------------------------------------------


def outcome(decided=0, rest=0, delivered=0, owed=0):
    return {"decided": decided, "rest": rest, "delivered": delivered, "owed": owed}


def asked(path, *entries):
    """A journal that was closed with these (kind, data, shot), and opened again."""
    journal = opened(path)
    for kind, data, shot in entries:
        journal.write(kind, data, shot)
    assert journal.close(PATIENCE_S)
    return journal


def test_an_empty_journal_answers_with_nothing(path):
    journal = asked(path)
    assert (journal.last_shot(), journal.owed(), journal.unfinished()) == (0, 0, None)
    assert journal.last_odds_state("measured") is None


def test_an_intent_without_an_outcome_is_an_unfinished_shot(path):
    journal = asked(
        path,
        ("press", {"rest": False}, 8),
        ("outcome", outcome(), 8),
        ("press", {"rest": False}, 9),
        ("intent", {"cards": 5}, 9),
        ("card", {"cards": 1, "suspects": 0}, 9),
        ("card", {"cards": 2, "suspects": 0}, 9),
        ("refusal", {"reason": "busy"}, None),
    )
    assert journal.unfinished() == Unfinished(shot=9, cards=5, rest=False, cards_seen=2)
    assert journal.last_shot() == 9


def test_an_unfinished_shot_of_owed_cards_says_so(path):
    journal = asked(path, ("press", {"rest": True}, 3), ("intent", {"cards": 2}, 3))
    assert journal.unfinished() == Unfinished(shot=3, cards=2, rest=True, cards_seen=0)


def test_once_the_outcome_is_on_record_nothing_is_unfinished(path):
    entries = [("press", {}, 1), ("intent", {"cards": 5}, 1), ("outcome", outcome(5, 0, 2, 3), 1)]
    journal = asked(path, *entries, ("press", {}, 2))
    assert journal.unfinished() is None
    assert journal.owed() == 3


def test_owed_cards_are_those_not_brought_taken_or_waived_since(path):
    entries = [
        ("outcome", outcome(decided=5, delivered=1, owed=4), 1),
        ("outcome", outcome(decided=0), 2),
        ("outcome", outcome(rest=4, delivered=1, owed=3), 3),
        ("outcome", {"decided": 4, "rest": 0, "delivered": None, "owed": None}, 4),
        ("protruding", {"delivered": 1, "extra": 0, "owed": 2}, 3),
        ("protruding", {"delivered": 0, "extra": 1, "owed": 2}, 3),
    ]
    assert asked(path, *entries).owed() == 2
    assert asked(path, ("waived", {"cards": 2, "source": "web"}, None)).owed() == 0


def test_the_last_odds_state_is_that_of_the_same_model(path):
    journal = asked(
        path,
        ("start", {"model": "measured"}, None),
        ("press", {"odds": {"blanks": 3}}, 1),
        ("start", {"model": "even"}, None),
        ("press", {"odds": {"blanks": 7}}, 2),
        ("stop", {"odds": {"blanks": 8}}, None),
        ("start", {"model": "measured"}, None),  # a run without a press says nothing
        ("lid", {"open": True}, None),
        ("start", {"model": "rare"}, None),
    )
    assert journal.last_odds_state("measured") == {"blanks": 3}
    assert journal.last_odds_state("even") == {"blanks": 8}
    assert journal.last_odds_state("rare") is None
    assert journal.last_odds_state("ascending") is None


def test_data_that_is_no_json_counts_as_empty(path):
    written(path, ["start", "press"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE records SET data = '{half'")
        connection.execute("INSERT INTO records VALUES (3, 0, 'intent', 2, '[1]')")
        connection.commit()
    journal = opened(path)
    assert journal.last_odds_state("measured") is None
    assert journal.unfinished() == Unfinished(shot=2, cards=0, rest=False, cards_seen=0)
    assert journal.close(PATIENCE_S)


# --- places -----------------------------------------------------------------------------------


def test_the_place_is_that_of_the_service_or_of_the_user(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/us"))
    own = Path("/home/us/.local/state/card-cannon/journal.db")
    assert default_path({}) == own
    assert default_path({"XDG_STATE_HOME": "/x"}) == Path("/x/card-cannon/journal.db")
    assert default_path({"XDG_STATE_HOME": "relative"}) == own
    both = {"STATE_DIRECTORY": "/var/lib/card-cannon:/var/lib/b", "XDG_STATE_HOME": "/x"}
    assert default_path(both) == Path("/var/lib/card-cannon/journal.db")


def test_a_reader_finds_the_journal_of_the_service_if_there_is_no_own(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "SERVICE_FOLDER", tmp_path / "service")
    own = {"XDG_STATE_HOME": str(tmp_path)}
    assert place_to_read(own) == default_path(own)
    simulated = written(default_path(own).with_name("simulated.db"), ["press"])
    assert place_to_read(own) == simulated
    service = written(tmp_path / "service" / "journal.db", ["press"])
    assert place_to_read(own) == service
    written(default_path(own), ["press"])
    assert place_to_read(own) == default_path(own)
