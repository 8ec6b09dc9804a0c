"""Which threads come after those that stop the motor, and where."""

from __future__ import annotations

import os
from pathlib import Path
from threading import current_thread

import pytest

from cannon import live, priority
from cannon.journal import Journal, journal
from cannon.live import LivePins
from cannon.priority import give_way
from tests.unit.loop_tools import Looped


class System:
    """The niceness of the calling thread, as the system has it."""

    def __init__(self, niceness: int, allows: bool = True) -> None:
        self.niceness = niceness
        self.allows = allows

    def get(self, which: int, who: int) -> int:
        assert (which, who) == (os.PRIO_PROCESS, 0)
        return self.niceness

    def set(self, which: int, who: int, niceness: int) -> None:
        assert (which, who) == (os.PRIO_PROCESS, 0)
        if not self.allows:
            raise PermissionError(1, "Operation not permitted")
        self.niceness = niceness


def system(monkeypatch: pytest.MonkeyPatch, niceness: int, allows: bool = True) -> System:
    made = System(niceness, allows)
    monkeypatch.setattr(os, "getpriority", made.get)
    monkeypatch.setattr(os, "setpriority", made.set)
    priority._refused.cache_clear()
    return made


@pytest.mark.parametrize(
    ("before", "after"), [(-20, -10), (-10, 0), (-3, 0), (0, 0), (5, 5), (19, 19)]
)
def test_only_a_better_priority_is_given_up_and_never_the_usual_one(
    monkeypatch: pytest.MonkeyPatch, before: int, after: int
) -> None:
    made = system(monkeypatch, before)
    give_way()
    assert made.niceness == after


def test_a_sandbox_that_forbids_it_is_said_once_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    system(monkeypatch, -10, allows=False)
    give_way()
    give_way()
    assert [record.message for record in caplog.records] == [
        "loop and journal do not come after the threads that stop the motor: "
        "[Errno 1] Operation not permitted"
    ]


def test_loop_and_journal_give_way_in_their_own_threads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On the running service it is seen in the kernel lane."""
    gave_way: list[str] = []
    for module in (live, journal):
        monkeypatch.setattr(module, "give_way", lambda: gave_way.append(current_thread().name))
    launcher = LivePins(Looped(2).loop, lambda: None)
    launcher.start()
    launcher.stop()
    assert Journal.open(tmp_path / "journal.db").close()
    assert gave_way == ["control", "journal"]
