"""The service manager is told that the launcher lives only while it does; and how a start waits."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cannon.core.commands import FORWARD, Run
from cannon.core.events import BUTTON, LID, Event
from cannon.devices.gpio import GpioLauncher
from cannon.devices.guard import LATE_S, GuardThread
from cannon.devices.pins import NOTIFIER, edges_arrive
from cannon.devices.ports import Signals
from cannon.errors import CannonError, NotYet
from cannon.service.manager import Manager
from cannon.service.patience import AGAIN_S, START_S, patiently, start_s
from cannon.service.watchdog import Watchdog
from cannon.twin.pins import TwinPins, VirtualClock
from hardware import load_board


class Systemd:
    """The manager's end of the socket."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.setblocking(False)

    def heard(self) -> list[list[str]]:
        """What was told since the last call, one list of lines for each message."""
        messages = []
        while True:
            try:
                messages.append(self._socket.recv(4096).decode().split("\n"))
            except BlockingIOError:
                return messages

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    made = Systemd(tmp_path)
    yield made
    made.close()


class Patient:
    """A launcher as the watchdog sees it."""

    def __init__(self, systemd: Systemd | None = None, watchdog_usec: str = "3000000") -> None:
        self.turns = 0
        self.sickness = ""
        self.state = "ready"
        self.offs = 0
        self.told: list[str] = []
        environment = {"WATCHDOG_USEC": watchdog_usec}
        if systemd is not None:
            environment["NOTIFY_SOCKET"] = systemd.address
        self.watchdog = Watchdog(
            Manager(environment),
            turns=lambda: self.turns,
            sick=lambda: self.sickness,
            off=self._off,
            on_sick=self.told.append,
            status=lambda: self.state,
        )

    def look(self, turned: bool = True) -> None:
        self.turns += turned
        self.watchdog.look()

    def _off(self) -> None:
        self.offs += 1


# --- the manager -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["path", "abstract"])
def test_lines_go_to_the_managers_socket(tmp_path: Path, name: str) -> None:
    address = str(tmp_path / "s") if name == "path" else f"@cannon-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(address.replace("@", "\0", 1))
        Manager({"NOTIFY_SOCKET": address}).tell("READY=1", "STATUS=Ready – press the button")
        assert ear.recv(100).decode() == "READY=1\nSTATUS=Ready – press the button"


def test_without_a_manager_nothing_is_told_and_nothing_fails() -> None:
    manager = Manager({"WATCHDOG_USEC": "3000000"})
    manager.tell("READY=1")
    assert not manager.there
    assert manager.watchdog_s is None


def test_a_manager_that_has_gone_is_no_error(tmp_path: Path) -> None:
    Manager({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).tell("READY=1")


@pytest.mark.parametrize(
    ("environment", "watchdog_s"),
    [
        ({"WATCHDOG_USEC": "3000000"}, 3.0),
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}, 3.0),
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_time(environment: dict[str, str], watchdog_s: float | None) -> None:
    assert Manager({"NOTIFY_SOCKET": "/x", **environment}).watchdog_s == watchdog_s


# --- the watchdog ----------------------------------------------------------------------------


def test_ready_is_told_when_the_loop_has_turned_and_not_before(systemd: Systemd) -> None:
    patient = Patient(systemd)
    patient.look(turned=False)
    assert systemd.heard() == []
    assert patient.offs == 0
    patient.look()
    assert systemd.heard() == [["READY=1", "WATCHDOG=1", "STATUS=ready"]]
    patient.look()
    assert systemd.heard() == [["WATCHDOG=1"]]


def test_a_launcher_that_starts_sick_is_not_ready(systemd: Systemd) -> None:
    patient = Patient(systemd)
    patient.sickness = "deaf"
    patient.look()
    assert systemd.heard() == []


def test_a_loop_that_does_not_turn_is_not_petted_and_the_motor_is_cut(systemd: Systemd) -> None:
    patient = Patient(systemd)
    patient.look()
    systemd.heard()
    patient.look(turned=False)
    patient.look(turned=False)
    assert systemd.heard() == []
    assert patient.offs == 2
    assert patient.told == []  # it could not be told: the loop does not turn
    patient.look()
    assert systemd.heard() == [["WATCHDOG=1"]]


def test_a_sickness_is_not_petted_and_told_once(systemd: Systemd) -> None:
    patient = Patient(systemd)
    patient.look()
    systemd.heard()
    patient.sickness = "the thread has ended"
    patient.look()
    patient.look()
    assert systemd.heard() == []
    assert patient.offs == 2
    assert patient.told == ["the thread has ended"]


def test_a_launcher_that_cannot_be_asked_is_sick(systemd: Systemd) -> None:
    patient = Patient(systemd)
    patient.look()
    systemd.heard()

    def gone() -> str:
        raise OSError("no such device")

    patient.watchdog._sick = gone
    patient.look()
    assert systemd.heard() == []
    assert patient.told == ["OSError('no such device')"]


def test_the_state_is_told_when_it_changes(systemd: Systemd) -> None:
    patient = Patient(systemd)
    patient.look()
    systemd.heard()
    patient.state = "lid_open"
    patient.look()
    patient.look()
    assert systemd.heard() == [["WATCHDOG=1", "STATUS=lid_open"], ["WATCHDOG=1"]]


def test_looks_often_enough_for_the_manager(systemd: Systemd) -> None:
    assert Patient(systemd).watchdog.look_s == 0.75
    assert Patient().watchdog.look_s == 1.0


def test_its_thread_looks_and_says_goodbye(systemd: Systemd) -> None:
    """With a time so short that the looks follow each other; the test waits for what it needs."""
    patient = Patient(systemd, watchdog_usec="4000")
    looked = threading.Event()
    patient.watchdog._status = lambda: looked.set() or "ready"  # type: ignore[func-returns-value]
    patient.turns = 1
    with patient.watchdog:
        assert looked.wait(timeout=60)
    heard = systemd.heard()
    assert heard[0] == ["READY=1", "WATCHDOG=1", "STATUS=ready"]
    assert heard[-1] == ["STOPPING=1"]


# --- what makes a launcher sick --------------------------------------------------------------


class OnMock:
    """A launcher on mock pins whose edges can be silenced."""

    def __init__(self) -> None:
        self.board = load_board("launcher-pi")
        self.clock = VirtualClock()
        self.pins = TwinPins(self.clock)
        self.events: list[Event] = []
        self.move(LID, False)
        self.move(BUTTON, False)
        self.pins.drive(22, False)
        self.launcher = GpioLauncher(
            self.board,
            self.pins,
            Signals({}, {}, {}),
            self.clock,
            self.events.append,
            wait=self._dark,
        )

    def move(self, name: str, active: bool) -> None:
        switch = {LID: self.board.lid, BUTTON: self.board.button}[name]
        self.pins.drive(switch.pin, active == switch.active_high)

    def _dark(self, for_s: float) -> None:
        self.pins.drive(22, not self.pins.pin(26).state)


def test_inputs_whose_edges_stop_coming_are_found_at_the_second_change() -> None:
    mock = OnMock()
    inputs = mock.launcher.inputs
    assert inputs.deaf() == ""
    mock.pins.deaf = True
    mock.move(LID, True)
    assert inputs.deaf() == ""  # one edge may be lost in a storm
    assert inputs.deaf() == ""
    mock.move(LID, False)
    assert inputs.deaf() == LID
    mock.launcher.close()


def test_inputs_that_hear_are_never_called_deaf() -> None:
    mock = OnMock()
    for _ in range(10):
        mock.move(BUTTON, True)
        assert mock.launcher.inputs.deaf() == ""
        mock.move(BUTTON, False)
        assert mock.launcher.inputs.deaf() == ""
    mock.launcher.close()


def test_one_lost_edge_is_forgiven_at_the_next_one_that_comes() -> None:
    mock = OnMock()
    inputs = mock.launcher.inputs
    for _ in range(5):
        mock.pins.deaf = True
        mock.move(LID, True)
        mock.pins.deaf = False
        assert inputs.deaf() == ""
        mock.move(LID, False)
        mock.move(LID, True)
        mock.move(LID, False)
        assert inputs.deaf() == ""
    mock.launcher.close()


def test_edges_arrive_only_while_lgpios_thread_lives() -> None:
    going = threading.Event()
    notifier = type(NOTIFIER, (threading.Thread,), {"run": lambda self: going.wait()})
    before = edges_arrive()  # lgpio itself may be loaded in this process
    thread = notifier(daemon=True)
    thread.start()
    assert edges_arrive()
    going.set()
    thread.join()
    assert edges_arrive() == before


def test_a_guard_that_is_stuck_or_dead_does_not_work() -> None:
    mock = OnMock()
    guard, going_on = mock.launcher.guard, threading.Event()
    thread = GuardThread(guard, mock.clock)
    guard.check = lambda now: going_on.wait() and None  # type: ignore[method-assign,func-returns-value]
    mock.launcher.do(Run(FORWARD, 1.0, 0.5))
    mock.clock.now = 0.5 + LATE_S / 2
    assert thread.works
    mock.clock.now = 0.5 + 2 * LATE_S
    assert not thread.works
    mock.launcher.close()
    assert thread.works  # nothing runs
    going_on.set()
    thread.close()
    assert not thread.works


# --- the whole program -----------------------------------------------------------------------


def test_a_service_says_ready_pets_and_stops_without_a_trace(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.settimeout(60)
        service = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "400000", "CANNON_LANG": "en"}
        command = ["-m", "cannon", "play", "--simulate", "--journal", str(tmp_path / "j.db")]
        program = subprocess.Popen(
            [sys.executable, *command],
            env=os.environ | service,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert systemd.recv(1000).decode().split("\n")[:2] == ["READY=1", "WATCHDOG=1"]
        while b"WATCHDOG=1" not in systemd.recv(1000):
            pass
        program.send_signal(signal.SIGTERM)
        said, _ = program.communicate(timeout=60)
        assert program.returncode == 0
        assert "Traceback" not in said
        told = b""
        while told != b"STOPPING=1":
            told = systemd.recv(1000)


# --- patience --------------------------------------------------------------------------------


class Late:
    """Something that is there only at a certain time; the time is virtual."""

    def __init__(self, at: float, troubles: Callable[[float], NotYet | CannonError]) -> None:
        self.now = 0.0
        self.at = at
        self.troubles = troubles
        self.told: list[str] = []

    def begin(self) -> str:
        if self.now < self.at:
            raise self.troubles(self.now)
        return f"there at {self.now}"

    def wait(self, for_s: float = START_S) -> str:
        return patiently(self.begin, for_s, self._tell, lambda: self.now, self._sleep)

    def _tell(self, trouble: NotYet) -> None:
        self.told.append(trouble.what)

    def _sleep(self, for_s: float) -> None:
        assert for_s == AGAIN_S
        self.now += for_s


def missing(now: float) -> NotYet:
    return NotYet("no_chip", "no chip")


def test_what_is_late_is_waited_for_and_told_once() -> None:
    late = Late(10.0, missing)
    assert late.wait() == "there at 10.0"
    assert late.told == ["no chip"]


def test_each_kind_of_trouble_is_told_once() -> None:
    def troubles(now: float) -> NotYet:
        if now < 3:
            return missing(now)
        return NotYet("no_rights", "no rights") if now < 6 else NotYet("lines_busy", "busy")

    late = Late(9.0, troubles)
    late.wait()
    assert late.told == ["no chip", "no rights", "busy"]


def test_after_its_time_it_fails_with_the_last_trouble() -> None:
    late = Late(1000.0, missing)
    with pytest.raises(NotYet, match="no chip"):
        late.wait()
    assert late.now == START_S


def test_without_patience_it_fails_at_once_and_tells_nothing() -> None:
    late = Late(1000.0, missing)
    with pytest.raises(NotYet):
        late.wait(for_s=0)
    assert (late.now, late.told) == (0.0, [])


def test_what_will_not_get_better_is_not_waited_for() -> None:
    late = Late(1000.0, lambda now: CannonError("no lgpio"))
    with pytest.raises(CannonError, match="no lgpio"):
        late.wait()
    assert late.now == 0.0


def test_who_waits_and_who_does_not(tmp_path: Path) -> None:
    pi, pc = tmp_path / "pi", tmp_path / "pc"
    pi.write_bytes(b"Raspberry Pi 5 Model B Rev 1.0\0")
    pc.write_bytes(b"Some other board\0")
    assert start_s({}, pi) == START_S
    assert start_s({}, pc) == 0
    assert start_s({}, tmp_path / "none") == 0
    assert start_s({"NOTIFY_SOCKET": "/run/systemd/notify"}, tmp_path / "none") == START_S
    assert start_s({"CANNON_START_S": "2"}, pc) == 2
    assert start_s({"CANNON_START_S": "0", "NOTIFY_SOCKET": "/run/systemd/notify"}, pi) == 0
