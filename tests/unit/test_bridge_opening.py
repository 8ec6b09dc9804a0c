"""Opening the launcher behind a port: what is waited for, and what is said where it cannot be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cannon.core.commands import Feed
from cannon.devices.bridge import BridgeLauncher
from cannon.devices.bridge_opening import open_bridge
from cannon.errors import CannonError
from firmware_bridge import messages as m
from firmware_bridge.errors import BridgeError
from firmware_bridge.ports import open_port
from tests.firmware.fake import FakeBoard, FakePort
from tests.unit.test_bridge_launcher import PLAN

SPEED = 40.0  # of the clock here, so that half a minute is over soon


def clock() -> float:
    return SPEED * time.monotonic()


class PatientPort(FakePort):
    """Waits a moment for bytes, as a real port does."""

    def read(self, size: int) -> bytes:
        data = super().read(size)
        if not data and size == 1:
            time.sleep(0.002)
        return data


class Opening:
    """Opens a bridge to a fake board, with trouble on the way."""

    def __init__(self) -> None:
        self.board = FakeBoard()
        self.troubles: list[BridgeError] = []
        self.said: list[str] = []
        self.launcher: BridgeLauncher | None = None
        self.hangs = threading.Event()
        self.hangs.set()

    def __call__(self, wait_s: float = 0.0) -> BridgeLauncher:
        self.launcher = open_bridge(
            "/dev/ttyACM0",
            lambda event: None,
            PLAN,
            clock=clock,
            wait_s=wait_s,
            say=self.said.append,
            opener=self._open,
        )
        return self.launcher

    def _open(self, device: str) -> FakePort:
        self.hangs.wait()
        if self.troubles:
            raise self.troubles.pop(0)
        return PatientPort(self.board, clock)


@pytest.fixture
def opening() -> Iterator[Opening]:
    made = Opening()
    yield made
    made.hangs.set()
    if made.launcher is not None:
        made.launcher.close()


def trouble(code: str) -> BridgeError:
    return BridgeError(code, f"trouble: {code}", "do this")


def test_a_board_that_is_there_is_had_without_a_word(opening: Opening) -> None:
    launcher = opening()
    assert launcher.capabilities.feeds_itself
    assert launcher.levels().lid is False
    assert launcher.link.alive
    assert opening.said == []
    launcher.close()
    assert not launcher.link.alive


@pytest.mark.parametrize("code", ["no_port", "in_use", "no_rights"])
def test_what_may_be_over_soon_is_waited_for_and_told_once(opening: Opening, code: str) -> None:
    opening.troubles = [trouble(code)] * 3
    opening(wait_s=30.0)
    assert opening.said == [f"trouble: {code}"]


@pytest.mark.parametrize("code", ["prompt", "version", "several"])
def test_what_will_not_pass_by_itself_is_not_waited_for(opening: Opening, code: str) -> None:
    opening.troubles = [trouble(code)] * 1000
    with pytest.raises(CannonError) as caught:
        opening(wait_s=1e9)
    assert (caught.value.what, caught.value.fix) == (f"trouble: {code}", "do this")


def test_a_board_that_is_found_but_may_not_be_used_yet_is_waited_for(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As right after the start of the computer, where udev gives it to its group a bit later."""
    troubles = [trouble("no_rights")] * 2

    def choose(port: str) -> str:
        if troubles:
            raise troubles.pop()
        return port

    monkeypatch.setattr("cannon.devices.bridge_opening.choose", choose)
    assert opening(wait_s=1e9).link.up
    assert opening.said == ["trouble: no_rights"]


def test_without_patience_the_first_trouble_ends_it(opening: Opening) -> None:
    opening.troubles = [trouble("no_port")] * 1000
    with pytest.raises(CannonError, match="trouble: no_port"):
        opening(wait_s=0.0)


def test_a_silent_device_is_given_up(opening: Opening) -> None:
    opening.board.faults.stalled = True
    with pytest.raises(CannonError, match="no board answers on /dev/ttyACM0"):
        opening(wait_s=0.0)


def test_the_end_of_a_shot_that_the_board_plays_is_waited_for(opening: Opening) -> None:
    opening.board.faults.refuse[m.TAKE] = m.BUSY
    threading.Timer(0.1, opening.board.faults.refuse.clear).start()
    assert opening(wait_s=0.0).link.up


def test_a_board_that_stays_busy_is_given_up(opening: Opening) -> None:
    opening.board.faults.refuse[m.TAKE] = m.BUSY
    with pytest.raises(CannonError, match="busy and stays so"):
        opening(wait_s=0.0)


def test_a_port_that_does_not_open_is_given_up(opening: Opening) -> None:
    opening.hangs.clear()
    with pytest.raises(CannonError, match="/dev/ttyACM0 does not open"):
        opening(wait_s=1e9)


def test_auto_without_any_microcontroller_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.ports.list_ports", list)
    with pytest.raises(CannonError, match="no microcontroller found on USB"):
        open_bridge("auto", lambda event: None, PLAN, wait_s=0.0, say=lambda line: None)


def test_a_real_port_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CannonError) as caught:
        open_bridge(
            str(tmp_path / "ttyACM0"), lambda event: None, PLAN, wait_s=0.0, opener=open_port
        )
    assert "there is no port" in caught.value.what
    assert "plug the board in" in caught.value.fix


def test_a_launcher_that_was_opened_feeds(opening: Opening) -> None:
    launcher = opening()
    launcher.do(Feed(3))
    _until(lambda: opening.board.moving is not None)
    launcher.off()
    _until(lambda: opening.board.moving is None)
    assert opening.board.acts[-1][0] == "S"


def _until(happened: Callable[[], Any]) -> None:
    for _ in range(2000):
        if happened():
            return
        time.sleep(0.005)
    raise AssertionError("it did not happen")
