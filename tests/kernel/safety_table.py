"""The README's table of what may happen in the middle of a feed, in words made of results.

Times are rounded up: those without a microcontroller come from an emulated processor, several times
slower than a Raspberry Pi, and only their order means something.
"""

from __future__ import annotations

import math
import textwrap

from tests.kernel.matrix import COLUMNS, NOWHERE, ROWS, SAME, STAYS_ON, As, Results

PLAYS_ON = "plays on"
FOLLOWS = "†"
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)


def table(results: Results) -> str:
    """The table for the README, and what is to be said of it."""
    lines = [
        "| in the middle of a feed | " + " | ".join(COLUMNS.values()) + " |",
        "|" + "---|" * (1 + len(COLUMNS)),
    ]
    for key, row in ROWS.items():
        cells = [cell(key, column, results) for column in COLUMNS]
        lines.append(f"| {row.what} | {' | '.join(cells)} |")
    done = [len(trials) for row in results.values() for trials in row.values()]
    words = textwrap.fill(_words(sum(done), min(done)), 100, break_on_hyphens=False)
    return "\n".join([*lines, "", words]) + "\n"


def _words(times: int, least: int) -> str:
    """What holds for the whole table."""
    return (
        f"Done for real, {times} times: each cell at least {least} times, at a random moment of a "
        f"feed, with the motor on; but not those with {NOWHERE} {SAME} {FOLLOWS}. No shot came by "
        "itself afterwards, no record that was on the disk was lost, and what is owed was known. "
        "What a full disk does not take waits until it does; what a broken one does not take is "
        "lost when the program ends, and cards that had come count as owed then. Times are rounded "
        "up; without a microcontroller they are those of an emulated computer, slower than a "
        f"Raspberry Pi. {SAME} is as on the left: there the program itself switches off, or plays "
        f"on. {FOLLOWS} follows from how outputs and circuit are made, or from another cell: "
        f"{_followed()}."
    )


def _followed() -> str:
    """Which rows follow from which others."""
    found: dict[str, list[str]] = {}
    for key, row in ROWS.items():
        for instead in row.instead.values():
            if isinstance(instead, As) and instead.key != key:
                found.setdefault(instead.key, []).append(f"“{row.what}”")
    return ", ".join(
        f"{' and '.join(dict.fromkeys(rows))} from “{ROWS[key].what}”"
        for key, rows in found.items()
    )


def cell(key: str, column: str, results: Results) -> str:
    """One cell of the table."""
    row, instead = ROWS[key], ROWS[key].instead.get(column)
    if isinstance(instead, As):
        return f"{cell(*instead, results)} {FOLLOWS}"
    if instead is not None:
        return instead if instead in (NOWHERE, SAME) else f"{instead} {FOLLOWS}"
    if row.plays_on:
        return PLAYS_ON
    if column in row.stays_on:
        return STAYS_ON
    return f"{row.says} {rounded(max(trial['off_s'] for trial in results[key][column]))}"


def rounded(seconds: float) -> str:
    """Rounded up to one of STEPS of a power of ten, at least 10 ms."""
    milliseconds = max(10.0, seconds * 1000)
    power = 10 ** math.floor(math.log10(milliseconds))
    up = next(step * power for step in STEPS if milliseconds <= step * power)
    return f"{up / 1000:g} s" if up >= 1000 else f"{up:g} ms"
