"""Which port is the board's, and what is said of one that is not, or cannot be opened."""

from __future__ import annotations

import errno
import itertools
import os
import pty
import tty
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_bridge import messages as m
from firmware_bridge import ports
from firmware_bridge.errors import BridgeError
from firmware_bridge.frames import Decoder
from firmware_bridge.ports import AUTO, Found, PortInfo, choose, identify, port_of
from firmware_bridge.reports import Board
from firmware_bridge.session import PROBE
from tests.firmware.fake import FakeBoard, FakePort

BLUETOOTH = PortInfo("/dev/rfcomm0", None, None, "Bluetooth")
UART = PortInfo("/dev/ttyS0", None, None, "")
PRINTER = PortInfo("/dev/ttyUSB0", 0x1A86, None, "USB Serial")
PICO = PortInfo("/dev/ttyACM0", 0x2E8A, "E6614103E7452B2F", "Board in FS mode")
OTHER_PICO = PortInfo("/dev/ttyACM1", 0x2E8A, "E66118604B123456", "Board in FS mode")


def board(name: str = "launcher-pico") -> Board:
    limits = (500, 1500, 400, 2000, 1500, 300, 112)
    return Board((0, 1, 0), 1, 2, 3, *limits, "e6614103e7452b2f", name)


class Identified:
    """Says what is behind which port, and remembers who was asked."""

    def __init__(self, **boards: str) -> None:
        self.asked: list[str] = []
        self._boards = {f"/dev/{port}": name for port, name in boards.items()}

    def __call__(self, device: str) -> Found:
        self.asked.append(device)
        name = self._boards.get(device)
        if name is None:
            return Found(device, None, BridgeError("silent", f"no board answers on {device}", "?"))
        return Found(device, board(name), None)


def test_only_ports_of_our_vendor_are_asked() -> None:
    asked = Identified(ttyACM0="launcher-pico")
    everything = [BLUETOOTH, UART, PRINTER, PICO]
    assert choose(AUTO, lambda: everything, asked) == "/dev/ttyACM0"
    assert asked.asked == ["/dev/ttyACM0"]


def test_of_two_candidates_the_one_that_answers_is_taken() -> None:
    asked = Identified(ttyACM1="launcher-pico")
    assert choose(AUTO, lambda: [PICO, OTHER_PICO], asked) == "/dev/ttyACM1"


def test_two_boards_are_a_question_for_a_person() -> None:
    asked = Identified(ttyACM0="launcher-pico", ttyACM1="diy-pico")
    with pytest.raises(BridgeError) as caught:
        choose(AUTO, lambda: [PICO, OTHER_PICO], asked)
    assert caught.value.code == "several"
    assert "/dev/ttyACM0 (launcher-pico), /dev/ttyACM1 (diy-pico)" in caught.value.what
    assert "--bridge /dev/ttyACM0" in caught.value.fix


def test_no_candidate_and_no_answer_are_told_apart() -> None:
    with pytest.raises(BridgeError, match="no microcontroller found on USB"):
        choose(AUTO, lambda: [BLUETOOTH, UART], Identified())
    with pytest.raises(BridgeError, match="no board answers on /dev/ttyACM0"):
        choose(AUTO, lambda: [PICO], Identified())


def test_a_named_port_wins_over_everything_and_is_not_asked_first() -> None:
    asked = Identified(ttyACM0="launcher-pico")
    assert choose("/dev/serial0", lambda: [PICO], asked) == "/dev/serial0"
    assert asked.asked == []


def test_a_board_is_found_again_by_its_serial_number_in_any_case() -> None:
    assert port_of("e6614103e7452b2f", [UART, OTHER_PICO, PICO]) == "/dev/ttyACM0"
    assert port_of("0000000000000000", [UART, PICO]) is None
    assert port_of("", [UART, PICO]) is None


# --- what a device gets, and says ---------------------------------------------------------------


class Ticking:
    """A clock that goes on by 10 ms with every look at it."""

    def __init__(self) -> None:
        self._count = itertools.count()

    def __call__(self) -> float:
        return 0.01 * next(self._count)


def test_a_board_is_identified_and_not_taken() -> None:
    clock = Ticking()
    fake = FakeBoard(name="diy-pico")
    port = FakePort(fake, clock)
    found = identify("/dev/ttyACM0", lambda device: port, clock)
    assert found.board is not None
    assert found.board.name == "diy-pico"
    assert found.tally is not None
    assert (found.tally.frames, found.tally.odds) == (1, "measured")
    assert found.round_trip_s is not None
    assert fake.acts == []
    assert port.closed


class Recorder(FakePort):
    """A device that is no board: it answers with `says`."""

    def __init__(self, says: bytes, clock: Any) -> None:
        super().__init__(FakeBoard(), clock)
        self.says = says
        self.got = b""

    def write(self, data: bytes) -> int:
        self.got += data
        self.raw += self.says
        return len(data)


@pytest.mark.parametrize(
    ("says", "code"),
    [
        (b"", "silent"),
        (b"\r\n>>> ", "prompt"),
        (b"ok T:20.4\r\n", "silent"),
        (PROBE, "silent"),  # it only echoes
        (b"\xff" * 300, "silent"),
    ],
)
def test_a_foreign_device_gets_nothing_but_hello(says: bytes, code: str) -> None:
    clock = Ticking()
    port = Recorder(says, clock)
    found = identify("/dev/ttyACM0", lambda device: port, clock)
    assert found.board is None
    assert found.problem is not None
    assert found.problem.code == code
    assert port.got.replace(PROBE, b"") == b""
    assert {kind for kind, *_ in Decoder().feed(port.got)} == {m.HELLO}
    assert port.closed


def test_a_port_that_is_lost_while_it_is_asked_is_told() -> None:
    clock = Ticking()
    port = FakePort(FakeBoard(), clock)
    port.break_on = {"write"}
    found = identify("/dev/ttyACM0", lambda device: port, clock)
    assert found.problem is not None
    assert "was lost" in found.problem.what


# --- opening ------------------------------------------------------------------------------------


@pytest.fixture
def device() -> Any:
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_a_port_is_opened_for_us_alone_with_time_outs_and_dtr(device: str) -> None:
    port = ports.open_port(device)
    assert isinstance(port, serial.Serial)
    assert (port.exclusive, port.dtr, port.baudrate) == (True, True, 115_200)
    assert port.timeout is not None
    assert port.write_timeout is not None
    with pytest.raises(BridgeError) as caught:
        ports.open_port(device)
    assert caught.value.code == "in_use"
    assert "used by another process" in caught.value.what
    port.close()
    ports.open_port(device).close()


def test_nothing_is_opened_at_1200_baud(device: str) -> None:
    with pytest.raises(BridgeError, match="not opened at 1200 baud"):
        ports.open_port(device, baud=1200)


def test_a_missing_port_is_told(tmp_path: Path) -> None:
    with pytest.raises(BridgeError) as caught:
        ports.open_port(str(tmp_path / "ttyACM0"))
    assert caught.value.code == "no_port"
    assert "plug the board in" in caught.value.fix


def test_something_that_is_no_port_is_told(tmp_path: Path) -> None:
    plain = tmp_path / "file"
    plain.write_text("no port")
    with pytest.raises(BridgeError) as caught:
        ports.open_port(str(plain))
    assert caught.value.code == "port"


def test_missing_rights_name_owner_group_and_the_cure(tmp_path: Path) -> None:
    node = tmp_path / "ttyACM0"
    node.touch()
    node.chmod(0o660)
    group = ports.group(str(node))
    error = ports.why_not(str(node), PermissionError(errno.EACCES, "Permission denied"))
    assert error.code == "no_rights"
    assert f":{group} 0660" in error.what
    assert error.fix.startswith(f"sudo usermod -aG {group} ")


@pytest.mark.parametrize(
    ("platform", "name", "opened"),
    [
        ("darwin", "/dev/tty.usbmodem1", "/dev/cu.usbmodem1"),
        ("darwin", "/dev/cu.usbmodem1", "/dev/cu.usbmodem1"),
        ("linux", "/dev/ttyACM0", "/dev/ttyACM0"),
    ],
)
def test_on_a_mac_the_port_that_does_not_wait_is_opened(
    platform: str, name: str, opened: str
) -> None:
    assert ports.normal(name, platform) == opened


def test_the_ports_of_this_machine_can_be_listed() -> None:
    assert all(isinstance(info, PortInfo) for info in ports.list_ports())
