"""The doctor's checks of what is kept: settings, disk, history; and of the clock."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from cannon.service.finding import Case, Finding, bad, not_here, said, well

ROOM_BYTES = 50 * 1024 * 1024
MADE_IN = 2025  # no clock that is right says less


def settings(case: Case) -> Finding:
    """Whether the settings and the files they name are right."""
    if case.wrong_settings:
        return bad("wrong_settings", said("change_settings"), wrong=case.wrong_settings)
    name = case.board.name if case.board else ""
    return well("settings_fit", board=name)


def disk(case: Case) -> Finding:
    """Whether there is a place for the history, with room, that is kept when power goes."""
    machine, folder = case.machine, str(Path(case.journal).parent)
    kind, options = machine.mount(folder)
    fix = said("another_place")
    if "ro" in options.split(","):
        return bad("disk_read_only", fix, folder=folder)
    if kind in ("overlay", "tmpfs", "ramfs"):
        return bad("disk_in_memory", fix, folder=folder, kind=kind)
    try:
        free = machine.free_bytes(folder)
    except OSError as error:
        return bad("disk_unreadable", fix, folder=folder, error=error.strerror or str(error))
    megabytes = free // 1024 // 1024
    if free < ROOM_BYTES:
        return bad("disk_full", "sudo apt clean; df -h", megabytes=megabytes, folder=folder)
    return well("disk_has_room", megabytes=megabytes, folder=folder)


def journal(case: Case) -> Finding:
    """Whether the history can be read, and is whole."""
    path = case.machine.at(case.journal)
    if not path.exists():
        return not_here("no_history", path=case.journal)
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            (found,) = file.execute("PRAGMA quick_check(1)").fetchone()
            (records,) = file.execute("SELECT count(*) FROM records").fetchone()
    except sqlite3.OperationalError as error:
        fix = said("join_or_sudo", command=f"sudo adduser {case.machine.user} gpio")
        whose = case.machine.whose(case.journal)
        return bad("history_closed", fix, path=case.journal, whose=whose, error=str(error))
    except sqlite3.DatabaseError as error:
        found, records = str(error), 0
    if found != "ok":
        return bad("history_broken", said("moved_aside"), path=case.journal, error=found)
    return well("history_whole", records=records, path=case.journal)


def clock(case: Case) -> Finding:
    """Whether the clock can be right. Play does not need it, the times in the history do."""
    year = case.machine.year
    if year < MADE_IN:
        fix = said("set_clock", command="sudo date -s '2026-01-31 20:00'")
        return bad("clock_wrong", fix, year=year)
    ran = case.machine.run("timedatectl", "show", "--value", "-p", "NTPSynchronized")
    if ran.well and ran.said == "no":
        return well("clock_not_set")
    return well("clock_set") if ran.said == "yes" else well("clock_says", year=year)


CHECKS = {"settings": settings, "disk": disk, "journal": journal, "clock": clock}
