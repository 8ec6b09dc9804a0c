"""What a start of the program has to know from the journal. Asked from its end, so it is quick.

All take an open connection; sqlite3.Error goes to the caller. Data that cannot be read as JSON
counts as empty.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from cannon.core import causes
from cannon.core.causes import Latched
from cannon.journal.store import ACCOUNTS, LATCHES

MOST_RUNS = 100


class Unfinished(msgspec.Struct, frozen=True):
    """A shot with an intent and no outcome: what it was to bring, and what was seen of it.

    `rest`: the cards were owed from an earlier shot. `cards_seen` is 0 where nothing counts.
    """

    shot: int
    cards: int
    rest: bool
    cards_seen: int


def data_of(text: str) -> dict[str, Any]:
    """The data of a record, from its JSON text."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def last_shot(connection: sqlite3.Connection) -> int:
    """The number of the last press on record, 0 if there is none."""
    row = connection.execute(
        "SELECT shot FROM records WHERE shot IS NOT NULL ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    return row[0] if row else 0


def owed(connection: sqlite3.Connection) -> int:
    """The cards that are still owed by what is on record; an unfinished shot is not in it."""
    rows = connection.execute(
        f"SELECT kind, data FROM records INDEXED BY accounts WHERE {ACCOUNTS}"
    )
    total = 0
    for kind, text in rows:
        data = data_of(text)
        if kind == "outcome":
            total += (data.get("owed") or 0) - (data.get("rest") or 0)
        elif kind == "protruding":
            total -= data.get("delivered") or 0
        else:
            total -= data.get("cards") or 0
    return max(0, total)


def unfinished(connection: sqlite3.Connection) -> Unfinished | None:
    """The shot that was cut short by the end of the program, if the last one was."""
    row = connection.execute(
        "SELECT seq, kind, shot, data FROM records WHERE kind IN ('intent', 'outcome') "
        "ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    if row is None or row[1] == "outcome":
        return None
    seq, _, shot, text = row
    seen = connection.execute(
        "SELECT data FROM records WHERE seq > ? AND kind = 'card' AND shot = ? "
        "ORDER BY seq DESC LIMIT 1",
        (seq, shot),
    ).fetchone()
    press = connection.execute(
        "SELECT data FROM records WHERE seq < ? AND kind = 'press' AND shot = ? "
        "ORDER BY seq DESC LIMIT 1",
        (seq, shot),
    ).fetchone()
    return Unfinished(
        shot=shot,
        cards=data_of(text).get("cards", 0),
        rest=bool(press and data_of(press[0]).get("rest")),
        cards_seen=data_of(seen[0]).get("cards", 0) if seen else 0,
    )


def last_odds_state(connection: sqlite3.Connection, model: str) -> Any:
    """Where the odds of this model stood last, as `Odds.state()` gave it; None if not known.

    A run belongs to the model that its start record names as `model`.
    """
    end = None
    starts = connection.execute(
        "SELECT seq, data FROM records INDEXED BY runs WHERE kind = 'start' "
        f"ORDER BY seq DESC LIMIT {MOST_RUNS}"
    )
    for seq, text in starts:
        if data_of(text).get("model") == model:
            row = connection.execute(
                "SELECT data FROM records WHERE seq > ? AND (? IS NULL OR seq < ?) "
                "AND kind IN ('press', 'stop') ORDER BY seq DESC LIMIT 1",
                (seq, end, end),
            ).fetchone()
            if row is not None:
                return data_of(row[0]).get("odds")
        end = seq
    return None


def latched(connection: sqlite3.Connection) -> Latched | None:
    """What has stopped the launcher and is not over by what is on record, with its first time.

    A `cleared` ends all; a lid that moved ends an empty hopper and a jam, but no fault.
    """
    found, lid_moved = None, False
    rows = connection.execute(
        "SELECT wall_time, kind, data FROM records INDEXED BY latches "
        f"WHERE {LATCHES} ORDER BY seq DESC"
    )
    for wall_time, kind, text in rows:
        if kind == "cleared":
            break
        if kind == "lid":
            lid_moved = True
            continue
        cause = causes.EMPTY if kind == "notice" else str(data_of(text).get("cause"))
        if lid_moved and cause in causes.ENDED_BY_LID:
            break
        if found is not None and cause != found.cause:
            break
        found = Latched(cause, wall_time)
    return found
