"""The doctor's checks of what is kept: settings, disk, history; and of the clock."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from cannon.service.finding import Case, Finding, bad, not_here, well

ROOM_BYTES = 50 * 1024 * 1024
MADE_IN = 2025  # no clock that is right says less


def settings(case: Case) -> Finding:
    """Whether the settings and the files they name are right."""
    if case.wrong_settings:
        return bad(case.wrong_settings, "change that line; nothing starts before it is right")
    name = case.board.name if case.board else ""
    return well(f"all of it can be used; the board is {name}")


def disk(case: Case) -> Finding:
    """Whether there is a place for the history, with room, that is kept when power goes."""
    machine, folder = case.machine, str(Path(case.journal).parent)
    kind, options = machine.mount(folder)
    fix = 'name another place in cannon.toml: [journal] path = "..."'
    if "ro" in options.split(","):
        return bad(f"{folder} is on a read-only disk: play goes on, history is lost", fix)
    if kind in ("overlay", "tmpfs", "ramfs"):
        return bad(f"{folder} is in memory ({kind}): history is lost when power goes", fix)
    try:
        free = machine.free_bytes(folder)
    except OSError as error:
        return bad(f"{folder}: {error.strerror}", fix)
    if free < ROOM_BYTES:
        return bad(f"only {free // 1024 // 1024} MB are free in {folder}", "sudo apt clean; df -h")
    return well(f"{free // 1024 // 1024} MB are free in {folder}")


def journal(case: Case) -> Finding:
    """Whether the history can be read, and is whole."""
    path = case.machine.at(case.journal)
    if not path.exists():
        return not_here(f"no history yet at {case.journal}")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            (found,) = file.execute("PRAGMA quick_check(1)").fetchone()
            (records,) = file.execute("SELECT count(*) FROM records").fetchone()
    except sqlite3.OperationalError as error:
        about = case.machine.about(case.journal)
        whose = f" ({about.user}:{about.group} {about.mode:04o})" if about else ""
        fix = f"sudo adduser {case.machine.user} gpio, then log in again; or use sudo"
        return bad(f"{case.journal}{whose} cannot be read: {error}", fix)
    except sqlite3.DatabaseError as error:
        found, records = str(error), 0
    if found != "ok":
        fix = "nothing: the next start moves it aside and begins a new one"
        return bad(f"{case.journal} is broken: {found}", fix)
    return well(f"{records} records in {case.journal}")


def clock(case: Case) -> Finding:
    """Whether the clock can be right. Play does not need it, the times in the history do."""
    year = case.machine.year
    if year < MADE_IN:
        fix = "connect it to a network once, or: sudo date -s '2026-01-31 20:00'"
        return bad(f"the clock says {year}: the history will have wrong times", fix)
    ran = case.machine.run("timedatectl", "show", "--value", "-p", "NTPSynchronized")
    if ran.well and ran.said == "no":
        return well("not set by the network yet; the history's times may be wrong, play is not")
    return well("set by the network" if ran.said == "yes" else f"says {year}")


CHECKS = {"settings": settings, "disk": disk, "journal": journal, "clock": clock}
