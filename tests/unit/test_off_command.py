"""`cannon off` as a command: for the launcher that runs, a board behind a port, pins."""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cannon.cli import main
from cannon.errors import CannonError
from cannon.service import control, lines, off
from cannon.service.control import NoLauncher, socket_path, socket_paths
from cannon.service.lines import GpioChip
from cannon.service.stopping import stop_boards
from firmware_bridge import messages as m
from firmware_bridge.errors import BridgeError
from firmware_bridge.ports import AUTO, PortInfo, open_port
from firmware_bridge.stopping import stop
from hardware import load_board
from tests.firmware.fake import FakeBoard, FakePort
from tests.unit.test_bridge_ports import PICO, PRINTER, Ticking
from tests.unit.test_service_control import Running

PI = "pinctrl-bcm2711"
Say = Callable[..., tuple[object, str, str]]


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """`cannon off` where nobody else's launcher, record or settings are found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(control, "FOLDER", "card-cannon-test")
    monkeypatch.setattr(off, "sockets", lambda: list(map(str, socket_paths(os.environ))))
    monkeypatch.setattr(off, "RECORDS", (str(tmp_path / "record"),))

    def run(*words: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["off", *words])
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return run


@pytest.fixture
def running(say: Say) -> Iterator[Running]:
    """A launcher that listens."""
    made = Running()
    with made.control(socket_path(os.environ)):
        yield made


@pytest.fixture
def claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines that were switched off, on one of two chips."""
    low: list[int] = []
    for number in (0, 1):
        (tmp_path / f"gpiochip{number}").touch()
    chips = [
        GpioChip(str(tmp_path / "gpiochip0"), PI, 58),
        GpioChip(str(tmp_path / "gpiochip1"), "mcp23017", 16),
    ]
    monkeypatch.setattr(lines, "chips", lambda: chips)
    monkeypatch.setattr(off, "claim_low", lambda chip, line: low.append(line))
    return low


class OnPort:
    """A fake board that plays alone behind a real serial port, a pseudo-terminal."""

    def __init__(self) -> None:
        self.board = FakeBoard()
        self.board.moving = 7
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        while not self._ended.is_set():
            if select.select([self._master], [], [], 0.01)[0]:
                self.board.receive(os.read(self._master, 4096), time.monotonic())
            os.write(self._master, self.board.outgoing())

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


@pytest.fixture
def on_port() -> Iterator[OnPort]:
    made = OnPort()
    yield made
    made.close()


# --- the launcher that runs ------------------------------------------------------------------


@pytest.mark.parametrize("settings", ["", 'board = "launcher-pico-usb"\n'])
def test_a_launcher_that_runs_switches_off_and_stays_so(
    running: Running, say: Say, settings: str
) -> None:
    Path("cannon.toml").write_text(settings)
    code, out, err = say()
    assert (code, err) == (0, "")
    assert out == "The launcher that runs has switched off, until that is acknowledged.\n"
    assert running.offs == 1
    assert running.controller.snapshot().cause == "switched_off"


def test_after_the_pins_on_record_a_launcher_that_runs_is_told(
    running: Running, say: Say, claimed: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = (str(tmp_path / "gpiochip0"), PI, [23, 12], "1")
    monkeypatch.setattr(off, "recorded", lambda: [outputs])
    assert say()[0] == 0
    assert claimed == [23, 12]
    assert running.offs == 1
    assert running.controller.snapshot().cause == "switched_off"


def test_pins_on_record_that_stay_on_are_a_failure_though_the_launcher_was_told(
    running: Running, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(off, "recorded", lambda: [("/dev/gpiochip999", PI, [23], "1")])
    code, _, err = say()
    assert code == 1
    assert "/dev/gpiochip999 cannot be opened" in err
    assert running.controller.snapshot().cause == "switched_off"


def test_a_launcher_that_is_stuck_is_told_of(
    running: Running, say: Say, claimed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "TURNS_S", 0.01)
    running.broken = True
    code, _, err = say()
    assert code == 1
    assert "the control loop does not answer" in err
    assert "sudo systemctl restart cannon" in err
    assert running.offs == 1
    assert claimed == load_board("launcher-pi").outputs()


@pytest.mark.parametrize("runtime", ["/run/user/1000", "relative", None])
def test_both_know_where_a_launcher_listens(
    monkeypatch: pytest.MonkeyPatch, runtime: str | None
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    if runtime is not None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    assert off.sockets() == [str(path) for path in socket_paths(os.environ)]


# --- a board behind a port -------------------------------------------------------------------


@pytest.mark.parametrize("words", [(), ("--board", "launcher-pico-usb")])
def test_a_board_that_plays_alone_is_stopped(
    say: Say, on_port: OnPort, words: tuple[str, ...]
) -> None:
    assert say("--bridge", on_port.port, *words) == (0, "", "")
    assert on_port.board.moving is None
    assert on_port.board.acts == [("S", b"")]


def test_a_port_that_a_program_holds_which_is_not_told_is_a_failure_with_a_way_out(
    say: Say, on_port: OnPort
) -> None:
    held = open_port(on_port.port)
    code, _, err = say("--bridge", on_port.port)
    held.close()
    assert code == 1
    assert f"{on_port.port} is used by another process" in err
    assert f"sudo fuser -k {on_port.port}" in err
    assert "within half a second" in err
    assert on_port.board.moving == 7


def test_without_a_board_it_does_not_say_that_all_is_off(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    code, out, err = say("--board", "launcher-pico-usb")
    assert (code, out) == (1, "")
    assert "There is no microcontroller on USB here" in err
    assert "take out its batteries" in err


def test_every_board_that_is_plugged_in_is_stopped_and_each_failure_told() -> None:
    stopped = []
    ports = [PICO, PRINTER, PICO._replace(device="/dev/ttyACM1")]

    def stop(device: str) -> None:
        stopped.append(device)
        raise BridgeError("silent", f"no board answers on {device}", "is it the right port?")

    with pytest.raises(CannonError) as raised:
        stop_boards(AUTO, False, lambda: ports, stop)
    assert stopped == ["/dev/ttyACM0", "/dev/ttyACM1"]
    assert all(device in raised.value.what for device in stopped)


def test_what_the_launcher_holds_that_was_told_is_no_failure() -> None:
    def stop(device: str) -> None:
        raise BridgeError("in_use", f"{device} is used by another process", "stop it")

    stop_boards(AUTO, True, lambda: [PICO], stop)
    no_ports: list[PortInfo] = []
    stop_boards(AUTO, True, lambda: no_ports, stop)
    with pytest.raises(CannonError, match="used by another process"):
        stop_boards(AUTO, False, lambda: [PICO], stop)


def test_a_lost_answer_is_asked_for_again_and_a_deaf_board_is_told() -> None:
    clock, board = Ticking(), FakeBoard()
    board.moving, board.faults.drop_answers = 7, 1
    port = FakePort(board, clock)
    stop("/dev/ttyACM0", lambda device: port, clock)
    assert board.moving is None
    assert port.closed
    board.faults.refuse[m.STOP] = m.BUSY
    with pytest.raises(BridgeError, match="fake on /dev/ttyACM0 has not confirmed STOP"):
        stop("/dev/ttyACM0", lambda device: port, clock)
    board.faults.stalled = True
    with pytest.raises(BridgeError, match="no board answers on /dev/ttyACM0"):
        stop("/dev/ttyACM0", lambda device: port, clock)
    port.break_on = {"write"}
    with pytest.raises(BridgeError, match="/dev/ttyACM0 was lost"):
        stop("/dev/ttyACM0", lambda device: port, clock)


# --- this computer's pins --------------------------------------------------------------------


def test_without_a_record_the_outputs_are_those_of_the_settings(
    say: Say, claimed: list[int]
) -> None:
    assert say() == (0, "", "")
    assert claimed == load_board("launcher-pi").outputs()
    claimed.clear()
    Path("cannon.toml").write_text('board = "launcher-pi-basic"\n')
    assert say() == (0, "", "")
    assert claimed == load_board("launcher-pi-basic").outputs()


def test_another_board_can_be_meant(say: Say, claimed: list[int]) -> None:
    assert say("--board", "diy-pi") == (0, "", "")
    assert claimed == load_board("diy-pi").outputs()


@pytest.mark.parametrize("wanted", ["1", "mcp23017"])
def test_another_chip_can_be_meant(
    say: Say, claimed: list[int], monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(off, "switch_off", lambda chip, *rest: asked.append(chip) or "")
    assert say("--chip", wanted) == (0, "", "")
    assert [Path(chip).name for chip in asked] == ["gpiochip1"]


def test_a_chip_that_is_not_there_is_told_with_those_that_are(
    say: Say, claimed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = say("--chip", "7")
    assert code == 1
    assert "There is no GPIO chip 7: found" in err
    assert f"gpiochip0 is {PI}" in err
    monkeypatch.setattr(lines, "chips", lambda: [GpioChip("/dev/gpiochip0", None)])
    assert "/dev/gpiochip0 is closed to this user" in say()[2]
    monkeypatch.setattr(lines, "chips", list)
    assert "There is no GPIO chip of a Raspberry Pi: found none." in say()[2]
    assert claimed == []


def test_lines_that_stay_on_are_told_with_what_to_do(
    say: Say, claimed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "GPIO23 cannot be switched off: another process holds them.\nEnd that process"
    monkeypatch.setattr(off, "switch_off", lambda *outputs: said)
    code, _, err = say()
    assert (code, err) == (1, f"cannon: {said}\n")


def test_who_is_not_there_is_told_from_who_may_not_be_asked(say: Say) -> None:
    with pytest.raises(NoLauncher, match="No launcher runs"):
        control.ask("off")
