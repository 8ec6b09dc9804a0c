"""`cannon history`: lines, totals that add up, and reading beside a running launcher."""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cannon.cli import main
from cannon.journal import store
from cannon.journal.history import history
from tests.unit.journal_tools import PATIENCE_S, opened, written


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.db"


@pytest.fixture
def run(capsys, path):
    """Runs `cannon history ...`; gives its exit code, standard output and standard error."""

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["history", "--journal", str(path), *words])
        return (ended.value.code or 0, *capsys.readouterr())

    return run


def outcome(decided, rest, delivered, owed, reason="done", extra=0, suspects=0):
    return {
        "decided": decided,
        "rest": rest,
        "delivered": delivered,
        "owed": owed,
        "extra": extra,
        "suspects": suspects,
        "reason": reason,
    }


EVENING = [
    ("start", {"model": "measured", "seed": 7}, None),
    ("press", {"source": "button"}, 1),
    ("outcome", outcome(0, 0, 0, 0, "blank"), 1),
    ("press", {"source": "web"}, 2),
    ("intent", {"cards": 5}, 2),
    ("card", {"cards": 1, "suspects": 0}, 2),
    ("card", {"cards": 2, "suspects": 0}, 2),
    ("lid", {"open": True}, None),
    ("outcome", outcome(5, 0, 2, 3, "lid"), 2),
    ("refusal", {"reason": "lid_open", "source": "button"}, None),
    ("lid", {"open": False}, None),
    ("refill", {"source": "lid"}, None),
    ("protruding", {"delivered": 1, "extra": 0, "owed": 2}, 2),
    ("press", {"source": "button", "rest": True}, 3),
    ("intent", {"cards": 2}, 3),
    ("outcome", outcome(0, 2, 1, 1, "stalled"), 3),
    ("fault", {"cause": "no_feed", "detail": "[roller]"}, None),
    ("cleared", {"cause": "no_feed", "source": "button"}, None),
    ("waived", {"cards": 1, "source": "web"}, None),
    ("press", {"source": "button"}, 4),
    ("intent", {"cards": 3}, 4),
    ("outcome", outcome(3, 0, 3, 0, extra=1, suspects=1), 4),
    ("press", {"source": "button"}, 5),
    ("intent", {"cards": 4}, 5),
    ("outcome", outcome(4, 0, None, None), 5),
    ("press", {"source": "button"}, 6),
    ("intent", {"cards": 6}, 6),
    ("card", {"cards": 1, "suspects": 0}, 6),
]


@pytest.fixture
def evening(path):
    """The journal of an evening, still open: the launcher is running."""
    journal = opened(path)
    for record in EVENING:
        journal.write(*record)
    assert journal.flush(PATIENCE_S)
    yield journal
    journal.close(PATIENCE_S)


def test_the_totals_of_an_evening_add_up(run, evening):
    code, out, _ = run("--json")
    found = json.loads(out)
    assert code == 0
    assert found["totals"] == {
        "presses": 6,
        "launches": 4,
        "blanks": 1,
        "decided": 12,
        "delivered": 7,
        "owed": 0,
        "waived": 1,
        "unknown": 4,
        "extra": 1,
        "refusals": 1,
        "faults": 1,
        "refills": 1,
        "starts": 1,
        "records": len(EVENING),
        "faults_by_cause": {"no_feed": 1},
    }
    assert found["unfinished"] == {"shot": 6, "cards": 6, "rest": False, "cards_seen": 1}


def test_each_press_is_a_line_with_what_became_of_it(run, evening):
    _, out, _ = run("--json")
    lines = json.loads(out)["lines"]
    assert [line["seq"] for line in lines] == sorted(line["seq"] for line in lines)
    keys = ("shot", "source", "decided", "rest", "delivered", "owed", "unknown", "detail")
    presses = [tuple(line[key] for key in keys) for line in lines if line["kind"] == "press"]
    assert presses == [
        (1, "button", 0, 0, 0, 0, 0, "blank"),
        (2, "web", 5, 0, 3, 2, 0, "lid"),  # the card that stuck out was taken later
        (3, "button", 0, 2, 1, 1, 0, "stalled"),
        (4, "button", 3, 0, 3, 0, 0, "done"),
        (5, "button", 4, 0, None, None, 4, "done"),
        (6, "button", None, None, None, None, None, "no outcome"),
    ]
    events = [(line["kind"], line["detail"]) for line in lines if line["kind"] != "press"]
    assert events == [
        ("start", "model=measured seed=7"),
        ("lid", "opened"),
        ("refusal", "lid_open"),
        ("lid", "closed"),
        ("refill", ""),
        ("fault", "no_feed [roller]"),
        ("cleared", "no_feed"),
        ("waived", "1 cards"),
    ]


def test_the_table_shows_the_same(run, evening, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    _, out, _ = run()
    text = " ".join(out.split())
    assert "12 cards decided = 7 delivered + 0 owed + 1 waived + 4 unknown; 1 came beyond" in text
    assert "6 presses: 4 launches, 1 blanks; 1 refused" in text
    assert "1 faults (no_feed 1), 1 refills, 1 starts" in text
    assert "Press 6 has no outcome: 6 cards to come, 1 seen so far." in text
    assert "no feed [roller]" in text and "stalled, 2 owed before" in text
    assert re.search(r"press 5 +4 +unknown +done", out)


def test_the_journal_is_found_where_cannon_toml_says(evening, path, monkeypatch, capsys):
    monkeypatch.chdir(path.parent)
    path.with_name("cannon.toml").write_text(f'[journal]\npath = "{path}"\n')
    with pytest.raises(SystemExit) as ended:
        main(["history", "--json", "--last", "0"])
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["journal"] == str(path)


def test_csv_has_one_row_a_line(run, evening):
    _, out, _ = run("--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 14
    second = next(row for row in rows if row["kind"] == "press" and row["shot"] == "2")
    assert (second["decided"], second["delivered"], second["owed"]) == ("5", "3", "2")
    assert rows[0]["decided"] == "" and rows[0]["time"][4] == "-"


def test_last_shows_the_last_presses_and_all_totals(run, evening):
    _, out, _ = run("--json", "--last", "2")
    found = json.loads(out)
    assert [line["shot"] for line in found["lines"]] == [5, 6]
    assert found["totals"]["presses"] == 6
    _, out, _ = run("--json", "--last", "0")
    assert json.loads(out)["lines"] == []
    _, out, _ = run("--json", "--last", "99")
    assert len(json.loads(out)["lines"]) == 14


def test_records_written_while_it_reads_are_not_half_in(evening, path):
    with closing(store.open_to_read(path)) as connection:
        before = history(connection, "")
        evening.write("outcome", outcome(6, 0, 6, 0), 6)
        assert evening.flush(PATIENCE_S)
        after = history(connection, "")
    assert before.unfinished is not None and after.unfinished is None
    assert after.totals.decided == before.totals.decided + 6


def test_the_wall_clock_does_not_order_the_lines(run, path):
    times = iter([2e9, 1e9, 1.5e9, 1e300])
    journal = opened(path, wall_clock=lambda: next(times))
    for shot in (1, 2, 3, 4):
        journal.write("press", {}, shot)
    journal.close(PATIENCE_S)
    _, out, _ = run("--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["shot"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["time"][:4] for row in rows] == ["2033", "2001", "2017", ""]


# --- what shots, takings and waivings may come together --------------------------------------


@st.composite
def accounts(draw):
    """Records as the controller makes them, and what is then owed."""
    entries, owed, sticking = [], 0, None
    for shot in range(1, draw(st.integers(1, 25)) + 1):
        rest = owed if draw(st.booleans()) else 0
        wanted = rest or draw(st.integers(0, 6))
        owed -= rest
        counted = draw(st.booleans())
        delivered = draw(st.integers(0, wanted)) if counted else None
        left = wanted - delivered if counted else None
        owed += left or 0
        entries.append(("press", {}, shot))
        entries.append(("outcome", outcome(0 if rest else wanted, rest, delivered, left), shot))
        sticking = shot if counted and draw(st.booleans()) else None
        if sticking is not None:
            taken = min(1, owed)
            owed -= taken
            entries.append(("protruding", {"delivered": taken, "extra": 1 - taken}, sticking))
        if owed and draw(st.booleans()):
            entries.append(("waived", {"cards": owed}, None))
            owed = 0
    return entries, owed


@given(accounts())
@settings(deadline=None)
def test_decided_is_delivered_and_owed_and_waived_and_unknown(given_accounts):
    entries, owed = given_accounts
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(store.SCHEMA)
        connection.executemany(
            "INSERT INTO records (wall_time, kind, shot, data) VALUES (0, ?, ?, ?)",
            [(kind, shot, json.dumps(data)) for kind, data, shot in entries],
        )
        totals = history(connection, "").totals
    assert totals.owed == owed
    parts = totals.delivered + totals.owed + totals.waived + totals.unknown
    assert totals.decided == parts


# --- what it refuses --------------------------------------------------------------------------


def test_no_journal_yet(run, path):
    code, out, err = run("--json")
    assert (code, out) == (1, "")
    assert "there is no journal yet" in err and not path.exists()


def test_a_newer_journal(run, path):
    written(path, ["press"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")
    before = path.read_bytes()
    code, _, err = run()
    assert code == 78 and "newer version" in err and "update cannon" in err
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", bytes(8192), b"hello\n" * 500])
def test_a_broken_journal_is_left_where_it_is(run, path, content):
    path.write_bytes(content)
    code, out, err = run()
    assert (code, out) == (1, "") and "cannot be read" in err and len(err.splitlines()) == 2
    assert path.read_bytes() == content


def test_damaged_data_costs_only_itself(run, evening, path):
    evening.close(PATIENCE_S)
    sound = path.read_bytes()
    assert sound.count(b'{"decided":3,') == 1
    path.write_bytes(sound.replace(b'{"decided":3,', b"#############"))
    code, out, _ = run("--json")
    assert code == 0
    totals = json.loads(out)["totals"]
    assert (totals["decided"], totals["presses"]) == (9, 6)


@pytest.mark.parametrize("words", [["--json", "--csv"], ["--last", "-1"], ["--last", "x"]])
def test_wrong_use(run, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "") and err


def test_faults_are_counted_by_cause_the_most_frequent_first(run, path):
    journal = opened(path)
    for cause in ("jam", "bridge_lost", "jam", "motor", "jam", "bridge_lost"):
        journal.write("fault", {"cause": cause, "detail": ""})
    journal.write("fault", {})
    assert journal.close(PATIENCE_S)
    _, out, _ = run("--json")
    totals = json.loads(out)["totals"]
    assert totals["faults"] == 7
    assert list(totals["faults_by_cause"].items()) == [
        ("jam", 3),
        ("bridge_lost", 2),
        ("?", 1),
        ("motor", 1),
    ]
