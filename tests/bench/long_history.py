"""What a press costs with no shots on record, and with a million.

The loop of the simulated launcher with the real journal; the cost is the control thread's: what
the journal's own thread does, nobody waits for.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from cannon import app
from cannon.core import states
from cannon.core.commands import Record
from cannon.journal import Journal
from cannon.settings.cannon_toml import CannonToml
from tests.bench.measure import middle, result

SHOTS = 1_000_000
ROUNDS = 10
PRESSES = 200


def run() -> list[dict[str, Any]]:
    """Rounds of presses against both journals, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        journals = [
            _journal(Path(folder) / "none.db", 0),
            _journal(Path(folder) / "many.db", SHOTS),
        ]
        costs: list[list[float]] = [[], []]
        for number in range(ROUNDS):
            for which, journal in enumerate(journals):
                costs[which].append(_cost(journal, number))
        for journal in journals:
            journal.close(30)
    return [result("long_history.press", middle(costs[1]), middle(costs[0]), 1.1, "s", shots=SHOTS)]


def _journal(path: Path, shots: int) -> Journal:
    """A journal with so many presses, each with its outcome."""
    Journal.open(path).close(30)
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "INSERT INTO records (wall_time, kind, shot, data) VALUES (?, ?, ?, ?)",
            (
                (0.0, kind, number, '{"decided": 0, "rest": 0, "delivered": 0, "owed": 0}')
                for number in range(1, shots + 1)
                for kind in ("press", "outcome")
            ),
        )
    return Journal.open(path)


def _cost(journal: Journal, seed: int) -> float:
    """Seconds of the control thread's CPU time for one press."""

    def write(record: Record) -> None:
        journal.write(record.kind, record.data, record.press)

    resumed = app.resume(journal, "measured", counts=True)
    twin = app.simulated(app.plan(CannonToml(), seed), resumed, write)
    twin.start()
    controller = twin.loop.controller
    began, first = time.thread_time(), controller.snapshot().presses
    while controller.snapshot().presses < first + PRESSES:
        twin.run(0.3)
        if controller.state == states.READY:
            twin.mechanism.stack = 83
            twin.press()
            twin.run(0.2)
    cost = (time.thread_time() - began) / PRESSES
    twin.stop()
    journal.flush(30)
    return cost
