"""`cannon history`: what happened, from the journal. Reads only; the launcher may be running."""

from __future__ import annotations

import csv
import os
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from cannon.errors import CannonError
from cannon.journal import NEWER, newer_error, place_to_read
from cannon.journal.history import History, Line, Totals, history
from cannon.journal.store import open_to_read, trouble_of
from cannon.settings.cannon_toml import load_settings

if TYPE_CHECKING:
    from rich.table import Table

LAST_SHOWN = 20


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with every press.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table for a spreadsheet.")
@click.option(
    "--last",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Only the last N presses and what happened since (else {LAST_SHOWN}, or all as data).",
)
@click.option("--journal", type=click.Path(path_type=Path), metavar="F", help="Another journal.")
def command(as_json: bool, as_csv: bool, last: int | None, journal: Path | None) -> None:
    """Shows what happened: presses and their cards, refusals, faults, refills, and totals.

    The totals are over the whole journal, whatever --last says.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other.")
    path = journal or _usual_place()
    if last is None and not (as_json or as_csv):
        last = LAST_SHOWN
    found = _read(path, last)
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
    elif as_csv:
        _write_csv(found)
    else:
        _print(found)


def _usual_place() -> Path:
    """Where cannon.toml says the journal is, else where it is if nothing is said."""
    said = load_settings().journal.path
    return Path(said).expanduser() if said else place_to_read(os.environ)


def _read(path: Path, last: int | None) -> History:
    try:
        with closing(open_to_read(path)) as connection:
            return history(connection, str(path), last)
    except Exception as error:
        trouble = trouble_of(error, path)
        if trouble.code == NEWER:
            raise newer_error(path) from error
        if not path.exists():
            fix = "play first, or name another one with --journal"
            raise CannonError(f"{path}: there is no journal yet", fix) from error
        what = f"{path}: the journal cannot be read: {trouble.detail}"
        raise CannonError(what, "cannon play moves a broken one aside and begins anew") from error


def _write_csv(found: History) -> None:
    names = [field.name for field in msgspec.structs.fields(Line)]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["time", *names])
    for line in found.lines:
        values = [getattr(line, name) for name in names]
        time = _time(line)
        writer.writerow(
            [
                time.isoformat(" ", "seconds") if time else "",
                *("" if v is None else v for v in values),
            ]
        )


def _print(found: History) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_table(found.lines))
    if found.unfinished is not None:
        shot = found.unfinished
        console.print(
            f"Press {shot.shot} has no outcome: {shot.cards} cards to come, "
            f"{shot.cards_seen} seen so far. It is not in the totals."
        )
    for line in _sums(found.totals):
        console.print(line)
    console.print(f"[dim]{found.journal}[/dim]", soft_wrap=True)


def _table(lines: list[Line]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("time", no_wrap=True)
    table.add_column("what", no_wrap=True)
    for heading in ("decided", "delivered", "owed"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("how")
    for line in lines:
        time = _time(line)
        table.add_row(
            f"{time:%Y-%m-%d %H:%M:%S}" if time else "?",
            f"press {line.shot}" if line.kind == "press" else line.kind,
            _cell(line.decided),
            "unknown" if line.unknown else _cell(line.delivered),
            _cell(line.owed),
            escape(_how(line)),
        )
    return table


def _cell(count: int | None) -> str:
    return "" if count is None else str(count)


def _how(line: Line) -> str:
    words = [line.detail.replace("_", " ")]
    if line.rest:
        words.append(f"{line.rest} owed before")
    if line.extra:
        words.append(f"{line.extra} more than wanted")
    if line.suspects:
        words.append(f"{line.suspects} perhaps two")
    if line.source not in (None, "", "button"):
        words.append(f"by {line.source}")
    return ", ".join(word for word in words if word)


def _sums(totals: Totals) -> list[str]:
    by_cause = ", ".join(f"{cause} {count}" for cause, count in totals.faults_by_cause.items())
    return [
        f"{totals.presses} presses: {totals.launches} launches, {totals.blanks} blanks; "
        f"{totals.refusals} refused",
        f"{totals.decided} cards decided = {totals.delivered} delivered + {totals.owed} owed "
        f"+ {totals.waived} waived + {totals.unknown} unknown; {totals.extra} came beyond that",
        f"{totals.faults} faults{f' ({by_cause})' if by_cause else ''}, "
        f"{totals.refills} refills, {totals.starts} starts",
    ]


def _time(line: Line) -> datetime | None:
    """What the wall clock said then, in the time of here. It may be wrong; the order is not."""
    try:
        return datetime.fromtimestamp(line.wall_time, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return None
