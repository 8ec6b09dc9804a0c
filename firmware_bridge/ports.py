"""Serial ports: which of them may be a board, how one is opened, and which one is ours.

A port is taken for a candidate by its USB vendor only; what it is, its answer to HELLO says. HELLO
is all that a device gets that has not answered it as our boards do.
"""

from __future__ import annotations

import contextlib
import errno
import grp
import pwd
import sys
import termios
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

from firmware_bridge import messages as m
from firmware_bridge.errors import BridgeError
from firmware_bridge.events import Greeted, Tallied
from firmware_bridge.reports import Board, Tally
from firmware_bridge.session import Session

AUTO = "auto"
VENDOR = 0x2E8A  # Raspberry Pi: Pico and Pico 2 with MicroPython
BAUD = 115_200  # of no meaning on USB. Never 1200: that sends a Pico into its boot loader
READ_S = 0.1
WRITE_S = 0.5
IDENTIFY_S = 1.5


class Port(Protocol):
    """What is used of pyserial's `Serial`."""

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read at once."""
        ...

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, when there are any, or after the read time-out."""
        ...

    def write(self, data: bytes) -> int | None:
        """Writes all of `data`, or raises after the write time-out."""
        ...

    def cancel_read(self) -> None:
        """Ends a `read` that waits, from another thread."""
        ...

    def reset_output_buffer(self) -> None:
        """Forgets what was written and not sent yet."""
        ...

    def close(self) -> None:
        """Closes the port."""
        ...


class PortInfo(NamedTuple):
    """A serial port that the system knows."""

    device: str
    vendor: int | None
    serial: str | None
    description: str


class Found(NamedTuple):
    """What is behind a port: a board with what it has counted, or the reason why not."""

    port: str
    board: Board | None
    problem: BridgeError | None
    tally: Tally | None = None
    round_trip_s: float | None = None


def list_ports() -> list[PortInfo]:
    """All serial ports of this machine."""
    from serial.tools.list_ports import comports

    return [
        PortInfo(info.device, info.vid, info.serial_number, info.description or "")
        for info in comports()
    ]


def open_port(device: str, baud: int = BAUD, dtr: bool = True, read_s: float = READ_S) -> Port:
    """Opens a port for us alone, with DTR set: a Pico sends nothing without. Raises BridgeError."""
    import serial

    if baud == 1200:
        raise BridgeError(
            "baud",
            f"{device} is not opened at 1200 baud",
            "that restarts a Pico in its boot loader; use 115200",
        )
    port = serial.Serial()
    port.port = normal(device)
    port.baudrate = baud
    port.timeout = read_s
    port.write_timeout = WRITE_S
    port.exclusive = True
    port.dtr = dtr
    try:
        port.open()
    except (OSError, ValueError, termios.error) as error:
        raise why_not(device, error) from error
    opened: Port = port
    return opened


def normal(device: str, platform: str = sys.platform) -> str:
    """The name to open: on a Mac the tty.* twin of a port waits for a carrier that never comes."""
    if platform == "darwin" and device.startswith("/dev/tty."):
        return device.replace("/dev/tty.", "/dev/cu.", 1)
    return device


def why_not(device: str, error: BaseException) -> BridgeError:
    """Why a port could not be opened, for people."""
    number = getattr(error, "errno", None)
    if number == errno.ENOENT or not Path(device).exists():
        fix = "plug the board in; `cannon doctor` lists the ports that there are"
        return BridgeError("no_port", f"there is no port {device}", fix)
    if number in (errno.EACCES, errno.EPERM):
        what = f"no right to use {device}: it belongs to {owner(device)}"
        fix = f"sudo usermod -aG {group(device)} $USER, then log in anew"
        return BridgeError("no_rights", what, fix)
    if number in (errno.EAGAIN, errno.EBUSY) or "exclusively lock" in str(error):
        what = f"{device} is used by another process"
        fix = f"stop it (a second cannon? a terminal?); `fuser {device}` names it"
        return BridgeError("in_use", what, fix)
    return BridgeError("port", f"{device} cannot be opened: {error}", "is it a serial port?")


def owner(device: str) -> str:
    """Owner, group and mode of a port, as text."""
    status = Path(device).stat()
    try:
        user = pwd.getpwuid(status.st_uid).pw_name
    except KeyError:
        user = str(status.st_uid)
    return f"{user}:{group(device)} {status.st_mode & 0o777:04o}"


def group(device: str) -> str:
    """The group that a port belongs to."""
    number = Path(device).stat().st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def identify(
    device: str,
    opener: Callable[[str], Port] = open_port,
    clock: Callable[[], float] = time.monotonic,
    for_s: float = IDENTIFY_S,
) -> Found:
    """Says HELLO to what is behind `device`; a board of ours is also asked what it has counted."""
    try:
        port = opener(device)
    except BridgeError as error:
        return Found(device, None, error)
    session = Session(clock(), take=False)
    tally = None
    end = clock() + for_s
    try:
        while tally is None and not session.prompt_seen and clock() < end:
            happened = session.tick(clock())
            port.write(session.outgoing())
            happened += session.receive(port.read(1) + port.read(port.in_waiting), clock())
            for event in happened:
                if isinstance(event, Greeted):
                    session.command(m.COUNTS, clock())
                elif isinstance(event, Tallied):
                    tally = event.tally
    except OSError as error:
        return Found(device, None, BridgeError("port", f"{device} was lost: {error}", "try again"))
    finally:
        close(port, forget=True)
    problem = None if session.board else no_board(device, session)
    trips = session.counters.round_trips_s
    return Found(device, session.board, problem, tally, trips[0] if trips else None)


def no_board(device: str, session: Session, dtr: bool = True) -> BridgeError:
    """What the silence, or the wrong answer, of a device means."""
    if session.prompt_seen:
        what = f"firmware not running: on {device} MicroPython waits at its prompt"
        return BridgeError("prompt", what, f"cannon flash --port {device}")
    if session.other_version is not None:
        what = f"the board on {device} speaks protocol {chr(session.other_version)}, we speak 1"
        return BridgeError("version", what, f"cannon flash --port {device}")
    what = f"no board answers on {device}"
    fix = "is it the right port, and is the firmware on the board? `cannon flash` puts it there"
    if not dtr:
        fix = "a Pico answers only with DTR set: open the port with DTR"
    return BridgeError("silent", what, fix)


def choose(
    wanted: str,
    ports: Callable[[], Iterable[PortInfo]] = list_ports,
    identify: Callable[[str], Found] = identify,
) -> str:
    """The port to use: `wanted` itself, or for "auto" the one with our board behind it.

    Raises BridgeError if there is none, or more than one.
    """
    if wanted != AUTO:
        return wanted
    candidates = [info.device for info in ports() if info.vendor == VENDOR]
    if not candidates:
        raise BridgeError(
            "no_port",
            "no microcontroller found on USB",
            "plug the Pico in with a data cable, or name its port: --bridge /dev/ttyACM0",
        )
    found = [identify(device) for device in candidates]
    boards = [each for each in found if each.board is not None]
    if len(boards) == 1:
        return boards[0].port
    if boards:
        names = ", ".join(f"{each.port} ({each.board.name})" for each in boards if each.board)
        fix = f"choose one: --bridge {boards[0].port}"
        raise BridgeError("several", f"several boards found: {names}", fix)
    problem = found[0].problem
    assert problem is not None
    raise problem


def port_of(serial: str, ports: Iterable[PortInfo]) -> str | None:
    """Where the board with this chip number is plugged in, if its USB serial number tells."""
    for info in ports:
        if info.serial and serial and info.serial.lower() == serial.lower():
            return info.device
    return None


def close(port: Port, forget: bool) -> None:
    """Closes a port that may be gone already.

    `forget` what was not sent yet: else closing waits, for long, for a board that reads no more.
    """
    with contextlib.suppress(OSError, termios.error):
        if forget:
            port.reset_output_buffer()
    with contextlib.suppress(OSError, termios.error):
        port.close()
