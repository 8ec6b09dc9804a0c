"""What a journal says of the odds: after how many presses cards were decided, and how many.

Only runs with the given model count, and only presses that were left to the odds: neither such as
brought a rest, nor such as somebody asked a number for.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from cannon.journal.reading import data_of

MOST_RECORDS = 200_000  # looked back on; a thousand evenings


@dataclass
class Measured:
    """Counts over presses. A wait counts the presses since the last launch, this included.

    `delivered` of `decided` cards came out, over the shots that were counted.
    """

    presses: int = 0
    launches_by_wait: dict[int, int] = field(default_factory=dict)
    cards_by_wait: dict[int, int] = field(default_factory=dict)
    launches_by_count: dict[int, int] = field(default_factory=dict)
    decided: int = 0
    delivered: int = 0

    @property
    def launches(self) -> int:
        return sum(self.launches_by_wait.values())


def measured(connection: sqlite3.Connection, model: str, asked_for: str) -> Measured:
    """Counts the presses of runs with `model`. Purposes that begin with `asked_for` named a number
    of cards, past the odds."""
    found = Measured()
    ours = False
    waits: dict[int, int] = {}
    rows = connection.execute(
        "SELECT * FROM (SELECT seq, kind, shot, data FROM records "
        "WHERE kind IN ('start', 'press', 'outcome') ORDER BY seq DESC LIMIT ?) ORDER BY seq",
        (MOST_RECORDS,),
    )
    for _, kind, shot, text in rows:
        data = data_of(text)
        if kind == "start":
            ours = data.get("model") == model
        elif kind == "press":
            left_to_odds = not (data.get("rest") or str(data.get("purpose")).startswith(asked_for))
            if ours and left_to_odds:
                waits[shot] = data.get("wait") or 0
        elif shot in waits:
            _add(found, waits.pop(shot), data.get("decided") or 0, data)
    return found


def _add(found: Measured, wait: int, decided: int, data: dict[str, object]) -> None:
    found.presses += 1
    if not decided:
        return
    found.launches_by_wait[wait] = found.launches_by_wait.get(wait, 0) + 1
    found.cards_by_wait[wait] = found.cards_by_wait.get(wait, 0) + decided
    found.launches_by_count[decided] = found.launches_by_count.get(decided, 0) + 1
    delivered = data.get("delivered")
    if isinstance(delivered, int):
        found.decided += decided
        found.delivered += delivered
