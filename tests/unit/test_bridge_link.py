"""The link: every kind of loss is one loss, the board is found again, nobody waits for the wire."""

from __future__ import annotations

import contextlib
import os
import pty
import threading
import time
import tty
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from firmware_bridge import messages as m
from firmware_bridge.errors import BridgeError
from firmware_bridge.events import Answered, EdgeSeen
from firmware_bridge.link import Down, Link, Up
from firmware_bridge.ports import PortInfo, open_port
from firmware_bridge.session import Misuse
from tests.firmware.fake import FakeBoard, FakePort

SERIAL = "E6614103E7452B2F"


class Bench:
    """A link to a fake board, in virtual time."""

    def __init__(self, device: str = "/dev/ttyACM0", dtr: bool = True) -> None:
        self.now = 10.0
        self.board = FakeBoard()
        self.events: list[Any] = []
        self.opened: list[str] = []
        self.at = device  # where the board is plugged in; "" = nowhere
        self.refusal: BridgeError | None = None
        self.port: FakePort | None = None
        self.dtr = dtr
        self.link = Link(device, self.events.append, lambda: self.now, self._open, self._ports, dtr)

    def step(self, seconds: float) -> list[Any]:
        seen = len(self.events)
        for _ in range(round(seconds / 0.005)):
            self.now += 0.005
            self.link.pump()
        return self.events[seen:]

    def up(self) -> Bench:
        assert [type(event) for event in self.step(0.2)][:1] == [Up]
        return self

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def _open(self, device: str) -> FakePort:
        self.opened.append(device)
        if self.refusal:
            raise self.refusal
        if device != self.at:
            raise BridgeError("no_port", f"there is no port {device}", "plug it in")
        self.port = FakePort(self.board, lambda: self.now, self.dtr)
        return self.port

    def _ports(self) -> list[PortInfo]:
        others = [PortInfo("/dev/ttyS0", None, None, "")]
        return others + ([PortInfo(self.at, 0x2E8A, SERIAL, "Pico")] if self.at else [])


# --- losing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", ["read", "write", "in_waiting", "deaf", "stalled", "restarted", "all at once"]
)
def test_every_loss_is_one_down_and_the_link_comes_back(how: str) -> None:
    bench = Bench().up()
    match how:
        case "deaf":
            bench.board.faults.deaf = True
        case "stalled":
            bench.board.faults.stalled = True
        case "restarted":
            bench.board.restart(0x7777, bench.now)
        case "all at once":
            bench.port.break_on = {"read", "write", "in_waiting"}
        case _:
            bench.port.break_on = {how}
            bench.board.edge(m.BUTTON, True, bench.now)
    bench.at = ""
    events = bench.step(1.5)
    assert len([e for e in events if isinstance(e, Down)]) == 1
    assert bench.link.downs == 1
    with pytest.raises(Misuse):
        bench.link.ask(lambda s, now: s.run(1, 100, 100, 500, now))
    bench.at = "/dev/ttyACM0"
    bench.board.faults.deaf = bench.board.faults.stalled = False
    events += bench.step(5.0)
    assert len([e for e in events if isinstance(e, Down)]) == 1
    assert len([e for e in events if isinstance(e, Up)]) == 1
    assert bench.link.up


@pytest.mark.parametrize(
    ("how", "reason"),
    [("read", "unplugged"), ("deaf", "unplugged"), ("stalled", "silent"), ("boot", "restarted")],
)
def test_a_down_says_what_it_was(how: str, reason: str) -> None:
    bench = Bench().up()
    if how == "read":
        bench.port.break_on = {"read"}
    elif how == "boot":
        bench.board.restart(0x7777, bench.now)
    else:
        setattr(bench.board.faults, how, True)
    bench.step(1.5)
    assert [down.reason for down in bench.of(Down)] == [reason]


def test_a_motion_asked_for_before_a_loss_is_not_asked_for_after_it() -> None:
    bench = Bench().up()
    bench.board.faults.drop_answers = 1
    bench.link.ask(lambda s, now: s.feed(1, 5, 100, 400, 4000, 0, 500, now))
    bench.step(0.05)
    bench.port.break_on = {"read"}
    bench.step(0.02)
    before = len(bench.board.acts)
    bench.step(5.0)
    assert bench.link.up
    assert "F" not in [act for act, _ in bench.board.acts[before:]]
    assert "R" not in [act for act, _ in bench.board.acts[before:]]


def test_a_board_that_has_not_been_restarted_is_recognised() -> None:
    bench = Bench().up()
    bench.port.break_on = {"read"}
    bench.step(1.0)
    bench.port.break_on = {"read"}
    bench.board.restart(0x4444, bench.now)
    bench.step(2.0)
    assert [up.again for up in bench.of(Up)] == [False, True, False]


# --- finding ------------------------------------------------------------------------------------


def test_a_board_that_comes_back_under_another_name_is_found_by_its_serial_number() -> None:
    bench = Bench().up()
    bench.at = ""
    bench.port.break_on = {"read"}
    bench.step(3.0)
    assert not bench.link.up
    bench.at = "/dev/ttyACM1"
    bench.step(5.0)
    assert bench.link.up
    assert bench.link.device == "/dev/ttyACM1"


def test_the_pauses_between_tries_grow_and_are_short_again_after_success() -> None:
    bench = Bench().up()
    bench.at = ""
    bench.port.break_on = {"read"}
    bench.opened.clear()
    bench.step(60.0)
    assert 14 <= len(bench.opened) <= 19  # 0.25 0.5 1 2 4 4 4 ...
    bench.at = "/dev/ttyACM0"
    bench.step(5.0)
    assert bench.link.up
    bench.port.break_on = {"read"}
    events = bench.step(0.5)
    assert [type(e) for e in events if isinstance(e, Up | Down)] == [Down, Up]


def test_a_port_that_no_list_knows_is_opened_and_asked_until_something_answers() -> None:
    """Such as /dev/serial0, with a board that gets its power a minute later."""
    bench = Bench("/dev/serial0")
    bench.board.faults.stalled = True
    bench.step(60.0)
    assert bench.opened == ["/dev/serial0"]
    assert bench.link.problem.code == "silent"
    bench.board.faults.stalled = False
    bench.step(0.5)
    assert bench.link.up
    assert bench.link.problem is None


def test_a_board_that_discards_what_comes_while_it_starts_is_found_when_it_listens() -> None:
    """As boards that are reset when their port is opened."""
    bench = Bench()
    bench.board.faults.stalled = True
    bench.step(2.5)
    assert bench.of(Up) == []
    bench.board.faults.stalled = False
    bench.step(0.5)
    assert bench.link.up
    assert [act for act, _ in bench.board.acts] == ["T"]


def test_the_prompt_is_told_from_silence() -> None:
    bench = Bench()
    bench.board.faults.stalled = True
    bench.step(0.02)
    bench.port.raw += b"\r\nMicroPython v1.26\r\n>>> "
    bench.step(0.1)
    assert bench.link.problem.code == "prompt"
    assert "firmware not running" in bench.link.problem.what
    assert "cannon flash" in bench.link.problem.fix


def test_silence_without_dtr_names_dtr() -> None:
    bench = Bench(dtr=False)
    bench.step(2.0)
    assert bench.link.problem.code == "silent"
    assert "DTR" in bench.link.problem.fix
    assert Bench(dtr=True).up().link.problem is None


def test_a_port_that_cannot_be_opened_is_tried_again() -> None:
    bench = Bench()
    bench.refusal = BridgeError("in_use", "used by another process", "stop it")
    bench.step(3.0)
    assert bench.link.problem.code == "in_use"
    assert 3 <= len(bench.opened) <= 5
    bench.refusal = None
    bench.step(5.0)
    assert bench.link.up


def test_half_a_frame_at_the_time_of_a_loss_is_forgotten() -> None:
    bench = Bench().up()
    bench.board.edge(m.BUTTON, True, bench.now)
    bench.board.tick(bench.now)
    bench.port.raw += bench.board.outgoing()[:5]
    bench.port.break_on = set()
    bench.step(0.01)
    bench.port.break_on = {"read"}
    bench.step(2.0)
    assert bench.link.up
    bench.board.edge(m.BUTTON, False, bench.now)
    seen = [e for e in bench.step(0.5) if isinstance(e, EdgeSeen)]
    assert [e.active for e in seen] == [False]


# --- on a real pseudo-terminal, with the link's own thread --------------------------------------


class Wired:
    """A link in its thread, and the other end of its pty with a fake board in another one."""

    def __init__(self) -> None:
        self.board = FakeBoard()
        self.events: list[Any] = []
        self.changed = threading.Condition()
        self.reads = True
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._ended = threading.Event()
        os.set_blocking(self._master, False)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self.link = Link(self.path, self._event, ports=list)
        self.link.start()

    def until(self, happened: Callable[[], Any], within_s: float = 30.0) -> Any:
        with self.changed:
            assert self.changed.wait_for(happened, within_s), self.events
            return happened()

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def cut(self) -> None:
        """Unplugs: the other end is closed."""
        self._ended.set()
        self._thread.join()
        os.close(self._slave)
        os.close(self._master)

    def close(self) -> None:
        self.link.close()
        if not self._ended.is_set():
            self.cut()

    def _serve(self) -> None:
        while not self._ended.wait(0.001):
            now = time.monotonic()
            if self.reads:
                with contextlib.suppress(BlockingIOError):
                    self.board.receive(os.read(self._master, 4096), now)
            self.board.tick(now)
            out = self.board.outgoing()
            if out:
                os.write(self._master, out)

    def _event(self, event: Any) -> None:
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()


@pytest.fixture
def wired() -> Iterator[Wired]:
    made = Wired()
    made.until(lambda: made.of(Up))
    yield made
    made.close()


def test_a_command_from_another_thread_is_answered(wired: Wired) -> None:
    ticket = wired.link.ask(lambda s, now: s.command(m.LIGHT, now, b"on"))
    answered = wired.until(lambda: [a for a in wired.of(Answered) if a.ticket == ticket])
    assert answered[0].result == "ok"


def test_an_unplugged_cable_is_one_down_and_the_thread_lives(wired: Wired) -> None:
    wired.cut()
    wired.until(lambda: wired.of(Down))
    assert wired.of(Down)[0].reason == "unplugged"
    with pytest.raises(Misuse):
        wired.link.ask(lambda s, now: s.command(m.LIGHT, now, b"on"))
    assert wired.link._thread.is_alive()
    assert len(wired.of(Down)) == 1


def test_a_board_that_never_reads_does_not_hold_up_who_commands(wired: Wired) -> None:
    """The kernel's buffer fills up, the write times out: a loss, and nobody has waited for it."""
    wired.reads = False
    big = bytes(50)
    for _ in range(20_000):
        try:
            wired.link.ask(lambda s, now: s._outbox.unnumbered(big + b"\0"))
        except Misuse:
            break  # the link is down already
    wired.until(lambda: wired.of(Down))
    assert wired.link._thread.is_alive()


def test_a_second_opener_is_told_that_the_port_is_in_use(wired: Wired) -> None:
    with pytest.raises(BridgeError, match="used by another process") as caught:
        open_port(wired.path)
    assert caught.value.code == "in_use"
    ticket = wired.link.ask(lambda s, now: s.command(m.LIGHT, now, b"on"))
    wired.until(lambda: [a for a in wired.of(Answered) if a.ticket == ticket])
    assert wired.of(Down) == []


def test_close_stops_the_board_and_lets_it_go() -> None:
    wired = Wired()
    wired.until(lambda: wired.of(Up))
    wired.link.ask(lambda s, now: s.bye(now))
    wired.link.close()
    for _ in range(3000):
        if ("B", b"") in wired.board.acts:
            break
        time.sleep(0.01)
    assert [act for act, _ in wired.board.acts][-2:] == ["S", "B"]
    wired.link.close()
    wired.close()


def test_a_bug_in_the_links_thread_is_a_loss_too(wired: Wired) -> None:
    wired.link._session.receive = None
    wired.until(lambda: wired.of(Down))
    assert wired.of(Down)[0].reason == "broken"
    assert not wired.link.up
