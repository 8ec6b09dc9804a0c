"""Puts the launcher of a scenario together: the program side of `cannon.twin.stage`.

The journal is the real one, in a folder that is thrown away afterwards, on a disk with the
troubles that the scenario asks for; the wall clock is a simulated one.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from cannon import app
from cannon.core import records
from cannon.core.commands import Record
from cannon.journal import Journal, Notice, reading, store
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.scenarios import scenario_file
from cannon.twin.disk import Disk
from cannon.twin.planned_odds import PlannedOdds
from cannon.twin.scenario import Scenario, Setup, read_scenario
from cannon.twin.twin import Twin
from hardware.reading import convert

USUAL_SEED = 1
EVENING_S = 1_700_000_000.0  # the wall clock at second 0 of a scenario
PATIENCE_S = 10.0  # real seconds for the journal's thread; not used up unless something is wrong
RETRY_S = (0.005, 0.02)


def load_scenario(name_or_path: str) -> Scenario:
    """The scenario of that name, or at that path. Raises ConfigurationError with all that is
    wrong with it."""
    file = scenario_file(name_or_path)
    return read_scenario(file.text, str(file.path), file.path.stem)


def plan_of(setup: Setup) -> app.Plan:
    """Everything that `setup` names. Raises ConfigurationError with all that is wrong."""
    wanted: dict[str, Any] = dict(setup.settings)
    if setup.board:
        wanted["board"] = setup.board
    if setup.odds:
        wanted["odds"] = setup.odds
    settings = convert(wanted, CannonToml, "setting")
    return app.plan(settings, USUAL_SEED if setup.seed is None else setup.seed)


class SimulatedProgram:
    """A `Program` of the stage. Use it in a `with` statement: it has a folder of its own."""

    def __init__(self, setup: Setup, with_journal: bool) -> None:
        self.plan = plan_of(setup)
        self._stack = setup.stack
        self._odds = PlannedOdds(setup.decisions) if setup.decisions else None
        self._folder = tempfile.TemporaryDirectory(prefix="cannon-") if with_journal else None
        self._cuts = 0
        self._journal: Journal | None = None
        self._disk = Disk()
        self._told: set[str] = set()
        self._changed = threading.Condition()
        self._jumped_s = 0.0
        self._now: Callable[[], float] = lambda: 0.0

    @property
    def odds_name(self) -> str:
        """What decides: the name of a model, or "planned"."""
        return "planned" if self._odds else str(self.plan.odds["name"])

    def __enter__(self) -> SimulatedProgram:
        return self

    def __exit__(self, *error: object) -> None:
        if self._journal is not None:
            self._journal.close()
        if self._folder is not None:
            self._folder.cleanup()

    def first_start(self, write: Callable[[Record], None], prepare: Callable[[Twin], None]) -> Twin:
        """Makes the twin; `prepare` is done to it before its program comes up."""

        def set_up(twin: Twin) -> None:
            self._now = twin.clock
            prepare(twin)
            self._open_journal()

        return app.simulated(
            self.plan, write=write, odds=self._odds, stack=self._stack, prepare=set_up
        )

    def start_again(self, twin: Twin) -> None:
        """The program comes up on a twin whose program has ended or lost its power."""
        resumed = self._open_journal(counts=twin.board.exit_sensor is not None)
        if resumed.cut_short is not None:
            outcome = Record(records.OUTCOME, resumed.cut_short.data(), resumed.presses)
            twin.account.record(outcome)
        if not self._disk.had_trouble:
            twin.account.restarted(resumed.owed)
        twin.boot(app.controller_maker(self.plan, resumed, self._odds))

    def end(self, at_once: bool) -> None:
        """The program has ended, in good order or `at_once` by a power cut.

        What was put on record before a power cut is on the disk by then: the journal takes a few
        milliseconds. But nobody has closed the file.
        """
        journal = self._journal
        if journal is None:
            return
        if at_once:
            journal.flush(PATIENCE_S)
            before = self._path.parent
            self._cuts += 1
            shutil.copytree(before, self._path.parent)
        journal.close(PATIENCE_S)
        self._journal = None

    def put_on_file(self, record: Record) -> None:
        """Gives the journal a record."""
        if self._journal is not None:
            self._journal.write(record.kind, record.data, record.press)

    def on_file(self) -> list[Record]:
        """What the journal has on the disk."""
        self._let_write()
        with closing(store.open_to_read(self._path)) as connection:
            rows = connection.execute("SELECT kind, data, shot FROM records ORDER BY seq")
            return [Record(kind, reading.data_of(data), shot) for kind, data, shot in rows]

    def told(self, code: str) -> bool:
        """Whether the journal gives that notice; it is waited for, a few real seconds at most."""
        with self._changed:
            return self._changed.wait_for(lambda: code in self._told, PATIENCE_S)

    def disk(self, trouble: str) -> None:
        """The disk becomes "full", "read-only" or "well"; the file "broken" on it."""
        self._let_write()
        if trouble == "broken":
            self._disk.had_trouble = True
            self._path.parent.mkdir(exist_ok=True)
            self._path.write_bytes(b"not a database" * 1000)
        else:
            self._disk.become(trouble)

    def wall_clock(self, jump_s: float) -> None:
        """Somebody sets the wall clock."""
        self._jumped_s += jump_s

    def _let_write(self) -> None:
        """Waits until the journal has written what it was given, if it can."""
        if self._journal is not None and self._disk.well:
            self._journal.flush(PATIENCE_S)

    @property
    def _path(self) -> Path:
        assert self._folder is not None, "a scenario that asks for the journal has one"
        return Path(self._folder.name) / f"disk-{self._cuts}" / "journal.db"

    def _open_journal(self, counts: bool = True) -> app.Resumed:
        if self._folder is None:
            return app.NEW
        journal = Journal.open(
            self._path,
            on_notice=self._tell,
            wall_clock=lambda: EVENING_S + self._now() + self._jumped_s,
            retry_s=RETRY_S,
            connected=self._disk.connected,
        )
        self._journal = journal
        resumed = app.resume(journal, self.plan.odds["name"], counts)
        journal.write(*app.start_record(self.plan, simulated=True)[:2])
        return resumed

    def _tell(self, notice: Notice) -> None:
        with self._changed:
            self._told.add(notice.code)
            self._changed.notify_all()
