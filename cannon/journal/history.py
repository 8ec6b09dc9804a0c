"""Sums up a journal for people: one line for each press and each other thing that happened.

Order is that of the records, never that of the wall clock, which may jump. Totals are over the
whole journal, and they add up:  decided = delivered + owed + waived + unknown.  A shot that has
no outcome yet (it runs, or was cut short and nothing said so since) is in none of the five.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from cannon.journal.reading import Unfinished, data_of, unfinished
from cannon.journal.reading import owed as owed_now

# Kinds with a line of their own; the others belong to the line of their press.
EVENTS = ("waived", "refusal", "fault", "cleared", "lid", "refill", "notice", "start", "stop")


class Line(msgspec.Struct, kw_only=True):
    """A press with its outcome, or another event.

    `detail` says how a shot ended or what an event was. Of the cards `unknown` are those of which
    nobody counted how many came; they are then neither delivered nor owed. `rest` were owed by
    earlier shots. None: nothing to say about it, as in a press without outcome.
    """

    seq: int
    wall_time: float
    kind: str
    shot: int | None = None
    source: str | None = None
    detail: str = ""
    decided: int | None = None
    rest: int | None = None
    delivered: int | None = None
    owed: int | None = None
    unknown: int | None = None
    extra: int | None = None
    suspects: int | None = None


class Totals(msgspec.Struct):
    """Of the whole journal. `delivered` has no `extra` cards: those came beyond what was wanted.

    `faults` are counted by cause as well, jams and lost links among them.
    """

    presses: int
    launches: int
    blanks: int
    decided: int
    delivered: int
    owed: int
    waived: int
    unknown: int
    extra: int
    refusals: int
    faults: int
    refills: int
    starts: int
    records: int
    faults_by_cause: dict[str, int]


class History(msgspec.Struct):
    """What `cannon history` shows. `unfinished` is a shot without outcome, if the last is one."""

    journal: str
    totals: Totals
    unfinished: Unfinished | None
    lines: list[Line]


def history(connection: sqlite3.Connection, journal: str, last: int | None = None) -> History:
    """The history on record; `last`: only that many presses, and what happened since.

    Reads one state of the journal, whatever is written meanwhile.
    """
    connection.execute("BEGIN")
    try:
        return History(
            journal=journal,
            totals=_totals(connection),
            unfinished=unfinished(connection),
            lines=_lines(connection, _first_seq(connection, last)),
        )
    finally:
        connection.execute("ROLLBACK")


def _first_seq(connection: sqlite3.Connection, last: int | None) -> int:
    if last is None:
        return 0
    row = connection.execute(
        "SELECT seq FROM records WHERE kind = 'press' ORDER BY seq DESC LIMIT 1 OFFSET ?",
        (max(0, last - 1),),
    ).fetchone()
    if last == 0 or row is None:
        return 0 if last else _next_seq(connection)
    return int(row[0])


def _next_seq(connection: sqlite3.Connection) -> int:
    (seq,) = connection.execute("SELECT coalesce(max(seq), 0) + 1 FROM records").fetchone()
    return int(seq)


def _totals(connection: sqlite3.Connection) -> Totals:
    counts = dict(connection.execute("SELECT kind, count(*) FROM records GROUP BY kind"))
    launches, blanks, decided, known, unknown, extra = connection.execute(
        """
        SELECT
            coalesce(sum(decided + rest > 0), 0), coalesce(sum(decided + rest = 0), 0),
            coalesce(sum(decided), 0), coalesce(sum(delivered), 0),
            coalesce(sum(CASE WHEN delivered IS NULL THEN decided + rest END), 0),
            coalesce(sum(extra), 0)
        FROM (
            SELECT
                json_extract(data, '$.decided') AS decided, json_extract(data, '$.rest') AS rest,
                json_extract(data, '$.delivered') AS delivered,
                json_extract(data, '$.extra') AS extra
            FROM records WHERE kind = 'outcome' AND json_valid(data)
        )
        """
    ).fetchone()
    taken, taken_extra = _sums(connection, "protruding", "delivered", "extra")
    (waived,) = _sums(connection, "waived", "cards")
    return Totals(
        presses=counts.get("press", 0),
        launches=launches,
        blanks=blanks,
        decided=decided,
        delivered=known + taken,
        owed=owed_now(connection),
        waived=waived,
        unknown=unknown,
        extra=extra + taken_extra,
        refusals=counts.get("refusal", 0),
        faults=counts.get("fault", 0),
        refills=counts.get("refill", 0),
        starts=counts.get("start", 0),
        records=sum(counts.values()),
        faults_by_cause=dict(
            connection.execute(
                "SELECT coalesce(json_extract(data, '$.cause'), '?') AS cause, count(*) "
                "FROM records WHERE kind = 'fault' AND json_valid(data) "
                "GROUP BY cause ORDER BY count(*) DESC, cause"
            )
        ),
    )


def _sums(connection: sqlite3.Connection, kind: str, *keys: str) -> tuple[int, ...]:
    columns = ", ".join(f"coalesce(sum(json_extract(data, '$.{key}')), 0)" for key in keys)
    found = connection.execute(
        f"SELECT {columns} FROM records WHERE kind = ? AND json_valid(data)", (kind,)
    )
    return tuple(found.fetchone())


def _lines(connection: sqlite3.Connection, first_seq: int) -> list[Line]:
    lines: list[Line] = []
    presses: dict[int, Line] = {}
    rows = connection.execute(
        "SELECT seq, wall_time, kind, shot, data FROM records WHERE seq >= ? ORDER BY seq",
        (first_seq,),
    )
    for seq, wall_time, kind, shot, text in rows:
        data = data_of(text)
        press = presses.get(shot)
        if kind == "press":
            line = Line(seq=seq, wall_time=wall_time, kind=kind, shot=shot)
            line.source = data.get("source")
            presses[shot] = line
            lines.append(line)
        elif kind in EVENTS:
            line = Line(seq=seq, wall_time=wall_time, kind=kind, shot=shot)
            line.source, line.detail = data.get("source"), _detail(kind, data)
            lines.append(line)
        elif press is not None:
            _complete(press, kind, data)
    return lines


def _complete(line: Line, kind: str, data: dict[str, Any]) -> None:
    """Adds to the line of a press what a later record says about it."""
    if kind == "intent":
        line.detail = "no outcome"
    elif kind == "outcome":
        counted = data.get("delivered") is not None
        line.detail = data.get("reason") or ""
        line.decided, line.rest = data.get("decided"), data.get("rest")
        line.delivered, line.owed = data.get("delivered"), data.get("owed")
        line.unknown = 0 if counted else (line.decided or 0) + (line.rest or 0)
        line.extra, line.suspects = data.get("extra"), data.get("suspects")
    elif kind == "protruding":
        # The card that stuck out was taken: it went to this press after all.
        taken = data.get("delivered") or 0
        line.delivered, line.owed = (line.delivered or 0) + taken, (line.owed or 0) - taken
        line.extra = (line.extra or 0) + (data.get("extra") or 0)


def _detail(kind: str, data: dict[str, Any]) -> str:
    if kind == "lid":
        return "opened" if data.get("open") else "closed"
    if kind == "waived":
        return f"{data.get('cards')} cards"
    if kind == "start":
        return " ".join(f"{key}={value}" for key, value in data.items())
    words = (data.get(key) for key in ("reason", "cause", "code", "detail"))
    return " ".join(str(word) for word in words if word)
