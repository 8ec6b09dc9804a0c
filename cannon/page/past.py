"""What the journal's file tells, as the page shows it. Nothing where it cannot be read."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from cannon.companion.linking import EXACT
from cannon.journal.history import history
from cannon.journal.measured import Measured, measured
from cannon.journal.store import Trouble, open_to_read
from cannon.settings.texts import Texts

LAST_PRESSES = 60
_UNREADABLE = (sqlite3.Error, OSError, Trouble)


def counted(journal: str, model: str) -> Measured:
    """What came out under that model of odds."""
    try:
        with closing(open_to_read(Path(journal))) as connection:
            return measured(connection, model, EXACT)
    except _UNREADABLE:
        return Measured()


def presses(journal: str, texts: Texts) -> dict[str, Any]:
    """The last presses and events, these in words, and totals."""
    try:
        with closing(open_to_read(Path(journal))) as connection:
            shown: dict[str, Any] = msgspec.to_builtins(history(connection, journal, LAST_PRESSES))
    except _UNREADABLE:
        return {}
    for line in shown["lines"]:
        line["words"] = (
            "" if line["kind"] == "press" else _words(texts, line["kind"], line["detail"])
        )
    return shown


_DETAILS = {
    "refusal": "launcher.refused",
    "fault": "launcher.cause.title",
    "notice": "launcher.notice",
}
"""Where the words for the details of a line of the history are, by its kind."""


def _words(texts: Texts, kind: str, detail: str) -> str:
    """An event of the history in words. Codes that have none are for `cannon history`."""
    if kind == "lid":
        return texts(f"launcher.told.lid_{detail}")
    key = f"page.history.kind.{kind}"
    words = texts(key) if key in texts else kind
    code = f"{_DETAILS.get(kind, '')}.{detail.partition(' ')[0]}"
    if code in texts:
        with suppress(KeyError):  # its places are filled with what a line does not hold
            return f"{words}: {texts(code)}"
    return words
