"""A host that plays with a microcontroller, its history on its own disk, until its power is cut."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

from tests.kernel.inside.installing import ODDS
from tests.kernel.inside.job import SHARE
from tests.kernel.inside.service import Service
from tests.kernel.inside.strikes import DISK
from tests.kernel.matrix import BRIDGE, CARDS

CUT_AFTER_S = 900
TOLD = "told.jsonl"
HERE = Path("/run/disk")
JOURNAL = HERE / "history.db"
ALWAYS, OWN = Path("/run/always.toml"), Path("/run/cannon.toml")
LOOK_S = 0.05
# As a service it waits for a board that is late.
UNIT = f"""\
[Service]
Type=notify
ExecStart={sys.executable} -m cannon play --bridge /dev/ttyS1 --journal {JOURNAL} \
    --odds {ALWAYS} --config {OWN}
Environment=XDG_RUNTIME_DIR=/run
TimeoutStartSec=300
Nice=-10
"""


def plays() -> NoReturn:
    """Tells line by line: whether the history is sound before anybody has touched it, then each
    record as soon as it can be read, which is when it has been committed."""
    HERE.mkdir()
    subprocess.run(["mount", "-t", "ext4", str(DISK), str(HERE)], check=True)
    with (SHARE / TOLD).open("w") as told:
        _tell(told, _soundness())
        _write_settings()
        with Service("powered.service", UNIT) as service:
            service.start()
            with closing(sqlite3.connect(f"{JOURNAL.as_uri()}?mode=ro", uri=True)) as journal:
                last = 0
                while True:
                    for record in _records(journal, last):
                        _tell(told, record)
                        last = record[0]
                    time.sleep(LOOK_S)


def _soundness() -> str:
    """What SQLite says of a copy: to look at a history that was cut short changes it."""
    if not JOURNAL.exists():
        return "ok"
    copy = Path(shutil.copytree(HERE, "/run/copy"), JOURNAL.name)
    with closing(sqlite3.connect(copy)) as journal:
        found: str = journal.execute("PRAGMA integrity_check").fetchone()[0]
    return found


def _write_settings() -> None:
    ALWAYS.write_text(ODDS.format(cards=CARDS[BRIDGE]))
    OWN.write_text('[play]\nowed = "command"\n')  # else the next press brings the rest of a cut one


def _records(journal: sqlite3.Connection, last: int) -> list[list[Any]]:
    rows = journal.execute(
        "SELECT seq, kind, shot, data FROM records WHERE seq > ? ORDER BY seq", (last,)
    ).fetchall()
    return [[seq, kind, shot, json.loads(data)] for seq, kind, shot, data in rows]


def _tell(told: Any, what: object) -> None:
    told.write(json.dumps(what) + "\n")
    told.flush()
    os.fsync(told.fileno())
