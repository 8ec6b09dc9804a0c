"""The firmware's own files in the real MicroPython interpreter, on a pseudo-terminal.

`Pico` is the board: a process that can be started, killed, unplugged and plugged in under another
name, with hands on its button and lid, and a diary of what its motor did. Around the firmware are
stand-in modules (`standin/`) with a mechanism behind the pins.

`Rig` joins it to the host's real link, both in stepped time: the board and the host live in the
same virtual milliseconds, so nothing depends on how busy the machine is.
"""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import tty
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from cannon.core.commands import Record
from cannon.core.controller import Controller
from cannon.core.events import Start
from cannon.core.odds import Odds
from cannon.devices.bridge import BridgeLauncher
from cannon.firmware import board_pins, firmware_for
from cannon.loop import ControlLoop, EventQueue
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.controlling import controller_settings
from cannon.settings.odds_models import compile_model, load_odds
from cannon.settings.signals import load_signals
from firmware_bridge import messages as m
from firmware_bridge import reports
from firmware_bridge.events import Event
from firmware_bridge.frames import Decoder, encode
from firmware_bridge.link import Down, Link, Up
from firmware_bridge.ports import Port, PortInfo, open_port, why_not
from firmware_bridge.session import PROBE
from hardware import Board, load_board
from tests.firmware.micropython import MICROPYTHON

STANDIN = Path(__file__).parent / "standin"
SERIAL = bytes.fromhex("e6614103e7452b2f")
ANSWER_S = 60.0  # for the board's process; only a broken one needs so long
PICO_HEAP_KB = 192

# Milliseconds. `pick` and `pass` of a card spread evenly over `spread` more.
PHYSICS = {
    "spin_up": 60,
    "coast": 15,
    "pick": 45,
    "pass": 80,
    "spread": 12,
    "stack": 1000,
    "jam_at": 0,
}
QUICK = PHYSICS | {"spin_up": 5, "coast": 2, "pick": 5, "pass": 12, "spread": 3}


class Drive(NamedTuple):
    """The motor is driven with so many percent, backwards below 0, from that time on."""

    ms: float
    percent: int


def write_firmware(folder: Path, board: Board, odds: str = "measured") -> None:
    """Puts the firmware for `board` into `folder`, as `cannon flash` puts it on a chip."""
    folder.mkdir(parents=True, exist_ok=True)
    model = compile_model(load_odds(odds))
    for name, content in firmware_for(board, model, load_signals()).files.items():
        (folder / name).write_bytes(content)


class Pico:
    """One board. `folder` holds its flash, which `bare` leaves empty.

    `clock` is "stepped" or "real"; `program` runs at the start, by default one that starts the
    flash's main.py.
    """

    def __init__(
        self,
        folder: Path,
        board: str | Board = "launcher-pico",
        clock: str = "stepped",
        physics: dict[str, int] = PHYSICS,
        odds: str = "measured",
        heap_kb: int = 2048,
        seed: int = 1,
        bare: bool = False,
        program: Path | None = None,
        **config: Any,
    ) -> None:
        self.flash = folder / "flash"
        self.board = load_board(board) if isinstance(board, str) else board
        if bare:
            self.flash.mkdir()
        else:
            write_firmware(self.flash, self.board, odds)
        self._program = program or STANDIN / "chip.py"
        self._folder = folder
        self._heap_kb = heap_kb
        self._boots = 0
        self._config = {
            "clock": clock,
            "physics": physics,
            "seed": seed,
            "serial": list(SERIAL),
            "reset_cause": 1,
            "lid_open": False,
            "sensor_deaf": False,
            "hard_timers": True,
            "idle_ms": 4,
            "slow": 1,
            "chip": "Raspberry Pi Pico with RP2040",
        } | config
        self.port = str(folder / "ttyACM0")
        self.drives: list[Drive] = []
        self.sounds: list[tuple[float, int]] = []
        self.sound_duty = 0  # of the last tone, in %
        self.cards_out = 0
        self.ends: list[str] = []  # how its runs have ended
        self.now_ms = 0.0
        self.pieces = 0
        self.marked: float | None = None
        self._lines = b""
        self._plugged = False
        self._process: subprocess.Popen[bytes] | None = None

    # --- power and plug --------------------------------------------------------------------------

    def start(self, port: str | None = None) -> Pico:
        """Power on, plugged in at `port` (a name in the test's folder)."""
        if port is not None:
            self.port = str(self._folder / port)
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        Path(self.port).unlink(missing_ok=True)
        Path(self.port).symlink_to(os.ttyname(self._slave))
        self._plugged = True
        self._run()
        return self

    def kill(self) -> None:
        """Power off; the port goes with it."""
        self._end_run()
        if self._plugged:
            self._plugged = False
            os.close(self._master)
            os.close(self._slave)
            Path(self.port).unlink(missing_ok=True)

    def reset(self) -> None:
        """Starts anew, so quickly that the port stays."""
        self._end_run()
        self._run()

    def _run(self) -> None:
        asked, self._commands = os.pipe()
        self._reports, told = os.pipe()
        pins = board_pins(self.board)
        self._boots += 1
        config = self._config | {
            "control_in": asked,
            "control_out": told,
            "seed": self._config["seed"] * 1000 + self._boots,
            "board": {
                "motor": pins.motor,
                "inputs": pins.inputs,
                "emitter": pins.emitter,
                "beeper": pins.beeper,
                "light": pins.light,
            },
        }
        self._process = subprocess.Popen(
            [MICROPYTHON, "-X", f"heapsize={self._heap_kb}k", str(self._program)],
            stdin=self._master,
            stdout=self._master,
            stderr=subprocess.PIPE,
            cwd=self.flash,
            env={"MICROPYPATH": f"{STANDIN}:{self.flash}:.frozen", "STANDIN": json.dumps(config)},
            pass_fds=(asked, told),
        )
        os.close(asked)
        os.close(told)
        self.now_ms = 0.0
        self.pieces = 0
        self._lines = b""
        self.drives.append(Drive(0.0, 0))

    def _end_run(self) -> None:
        """The motor's pins fall back to low with the end of the run, as the chip's do."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            _, said = process.communicate()
            os.close(self._commands)
            os.close(self._reports)
            assert said == b"", said.decode()

    def wait_for_end(self) -> int:
        """Waits until the firmware ends by itself; returns its exit code."""
        assert self._process is not None
        code = self._process.wait(timeout=ANSWER_S)
        self._read(0)
        return code

    def mark(self) -> float:
        """Real time: the board's clock now, in ms."""
        self.marked = None
        self._tell("mark")
        while self.marked is None:
            self._read(ANSWER_S)
        return self.marked

    # --- hands -----------------------------------------------------------------------------------

    def hand(self, command: str, *numbers: int) -> None:
        """A command to the stand-in, see `standin/world.py`; in stepped time at the next step."""
        self._tell(" ".join([command, *map(str, numbers)]))

    # --- time ------------------------------------------------------------------------------------

    def go(self, to_ms: float, bytes_written: int = 0) -> None:
        """Stepped time: lets the board live until `to_ms`."""
        self._tell(f"go {round(to_ms * 1000)} {bytes_written}")
        while self.now_ms < to_ms:
            self._read(ANSWER_S)

    def look(self, for_s: float = 0.0) -> None:
        """Real time: takes what the board has reported, after waiting for it up to `for_s`."""
        self._read(for_s)

    @property
    def driven(self) -> int:
        """Percent of the motor's drive now."""
        return self.drives[-1].percent

    def on_spans(self) -> list[tuple[float, float]]:
        """From when to when the motor was on."""
        spans, on = [], None
        for drive in self.drives:
            if drive.percent and on is None:
                on = drive.ms
            elif not drive.percent and on is not None:
                spans.append((on, drive.ms))
                on = None
        return spans

    def _tell(self, line: str) -> None:
        os.write(self._commands, line.encode() + b"\n")

    def _read(self, wait_s: float) -> None:
        readable, _, _ = select.select([self._reports], [], [], wait_s)
        if not readable:
            if wait_s >= ANSWER_S:
                raise AssertionError("the board's process hangs: " + self._why())
            return
        data = os.read(self._reports, 65536)
        if not data:
            if wait_s:
                raise AssertionError("the board's process has ended: " + self._why())
            return
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            self._take(line.decode().split())

    def _take(self, words: list[str]) -> None:
        what, us = words[0], int(words[1])
        match what:
            case "at":
                self.now_ms, self.pieces = us / 1000, int(words[2])
            case "drive":
                self.drives.append(Drive(us / 1000, int(words[2])))
            case "out":
                self.cards_out += 1
            case "mark":
                self.marked = us / 1000
            case "sound":
                self.sounds.append((us / 1000, int(words[2])))
                if self.sounds[-1][1]:
                    self.sound_duty = int(words[3])
            case _:
                self.ends.append(what)
                if what == "broken":
                    raise AssertionError(" ".join(words))

    def _why(self) -> str:
        process, self._process = self._process, None
        assert process is not None
        process.kill()
        _, said = process.communicate()
        return said.decode() or f"exit code {process.returncode}"


class RawHost:
    """Frames by hand, in stepped time: what no decent host would send, and what none would miss."""

    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self.now_ms = 0.0
        self.reading = True
        self.frames: list[tuple[int, int, bytes]] = []
        self._decoder = Decoder()
        self._port = os.open(pico.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._written = self._read = 0
        self._sequence = 0

    def write(self, data: bytes) -> None:
        """Raw bytes."""
        while data:
            written = os.write(self._port, data[:1024])
            self._written += written
            data = data[written:]
            if data:
                self.step(1)

    def step(self, ms: float) -> list[tuple[int, int, bytes]]:
        """Lets time pass; returns the frames that came."""
        seen = len(self.frames)
        self.now_ms += ms
        self.pico.go(self.now_ms, self._written)
        while self.reading and self._read < 16 * self.pico.pieces:
            select.select([self._port], [], [], ANSWER_S)
            data = os.read(self._port, 65536)
            self._read += len(data)
            self.frames += self._decoder.feed(data)
        return self.frames[seen:]

    def send(self, kind: int, form: str = "<", *values: Any, rest: bytes = b"") -> int:
        """Sends a command; returns its sequence number."""
        self._sequence = self._sequence % 255 + 1
        self.write(encode(kind, self._sequence, struct.pack(form, *values) + rest))
        return self._sequence

    def ask(self, kind: int, form: str = "<", *values: Any, rest: bytes = b"") -> str:
        """Sends a command and returns the result."""
        number = self.send(kind, form, *values, rest=rest)
        for _ in range(1000):
            for answer, sequence, payload in self.step(1):
                if answer == m.DONE and sequence == number:
                    result = reports.done(payload)
                    assert result is not None
                    return result[0]
        raise AssertionError("no answer")

    def hello(self) -> reports.Board:
        """Greets the board."""
        self.step(1 if self.now_ms else 30)
        self.write(PROBE)
        return self._heard(m.BOARD, reports.board)

    def take(self) -> RawHost:
        """Greets and takes the board."""
        assert self.ask(m.TAKE, m.TAKE_FORM, self.hello().boot) == "ok"
        return self

    def status(self) -> reports.Status:
        """Asks for the status."""
        self.send(m.ASK)
        return self._heard(m.STATUS, reports.status)

    def tally(self) -> reports.Tally:
        """Asks for the counters."""
        self.send(m.COUNTS)
        return self._heard(m.TALLY, reports.tally)

    def _heard(self, wanted: int, parse: Callable[[bytes], Any]) -> Any:
        for _ in range(300):
            for kind, _, payload in self.step(1):
                if kind == wanted:
                    return parse(payload)
        raise AssertionError("no answer")

    def close(self) -> None:
        os.close(self._port)


class Rig:
    """A Pico and the host's link to it, in the same virtual time."""

    STEP_MS = 10

    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self.now_ms = 0.0
        self.events: list[Event | Up | Down] = []
        self.on_event: Callable[[Any], None] = lambda event: None
        self._power_on_ms = 0.0
        self._sent_before = self._received_before = 0
        self.plugged: list[Pico] = [pico]
        self.cut = False  # the cable is out, the board lives on
        self.spoil: Callable[[bytes], bytes] = bytes  # what the cable does to bytes
        self.link = Link(
            pico.port,
            self._event,
            clock=self.clock,
            opener=self._open,
            ports=self._ports,
        )
        self.before_step: Callable[[float], Any] = lambda now: None

    def clock(self) -> float:
        """The virtual time, in seconds."""
        return self.now_ms / 1000

    def step(self, ms: float, step_ms: float | None = None) -> list[Any]:
        """Lets time pass for both; returns the events of that time."""
        seen = len(self.events)
        end = self.now_ms + ms
        while self.now_ms < end:
            self.now_ms = min(end, self.now_ms + (step_ms or self.STEP_MS))
            self.before_step(self.now_ms / 1000)
            self.link.pump()
            if self.pico in self.plugged:
                self.pico.go(self.now_ms - self._power_on_ms, self._sent())
                self._receive_all()
        return self.events[seen:]

    def until(self, happened: Callable[[], Any], within_ms: float = 60_000) -> Any:
        """Lets time pass until something has happened."""
        end = self.now_ms + within_ms
        while not (result := happened()):
            assert self.now_ms < end, f"it did not happen: {self.events[-5:]}"
            self.step(self.STEP_MS)
        return result

    def up(self) -> Up:
        """Lets time pass until the link is up."""
        seen = len(self.events)
        return self.until(lambda: [e for e in self.events[seen:] if isinstance(e, Up)])[0]

    def unplug(self) -> None:
        """Power off and port gone."""
        self.pico.kill()
        self.plugged.clear()

    def plug(self, port: str | None = None) -> None:
        """Power on, perhaps at another port."""
        self.pico.start(port)
        self.plugged.append(self.pico)
        self._power_on_ms = self.now_ms
        self._sent_before = self.link.bytes_sent

    def reset(self) -> None:
        """The board starts anew, so quickly that the port stays."""
        self.pico.reset()
        self._power_on_ms = self.now_ms
        self._sent_before = self.link.bytes_sent
        self._received_before = self.link.bytes_received

    def of(self, kind: type) -> list[Any]:
        """The events of that kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def close(self) -> None:
        self.link.close()
        self.pico.kill()

    def _open(self, device: str) -> Port:
        if self.cut:
            raise why_not(device, FileNotFoundError(2, "the cable is out"))
        port = open_port(device, read_s=0)
        # What was written to a port that nobody had open is gone.
        self._received_before = self.link.bytes_received - 16 * self.pico.pieces
        return CuttablePort(port, self)

    def _sent(self) -> int:
        return self.link.bytes_sent - self._sent_before

    def _receive_all(self) -> None:
        """Takes what the board has written by now, however long the kernel takes to bring it."""
        expected = 16 * self.pico.pieces + self._received_before
        for _ in range(10_000):
            if not self.link.connected or self.link.bytes_received >= expected:
                return
            select.select([self.pico._slave], [], [], 0.0005)
            self.link.pump()
        raise AssertionError("bytes were lost on the way to the host")

    def _event(self, event: Event | Up | Down) -> None:
        self.events.append(event)
        self.on_event(event)

    def _ports(self) -> list[PortInfo]:
        return [PortInfo(pico.port, 0x2E8A, SERIAL.hex().upper(), "") for pico in self.plugged]


class CuttablePort:
    """A port whose cable can be pulled, and can be a bad one."""

    def __init__(self, port: Port, rig: Rig) -> None:
        self._port = port
        self._rig = rig

    def reset_output_buffer(self) -> None:
        """What was written is on its way: the stepped time counts on its arrival."""

    def __getattr__(self, name: str) -> Any:
        if self._rig.cut and name == "in_waiting":
            raise OSError(5, "the cable is out")
        return getattr(self._port, name)

    def read(self, size: int) -> bytes:
        """Up to so many bytes, as the cable brings them."""
        if self._rig.cut:
            raise OSError(5, "the cable is out")
        return self._rig.spoil(self._port.read(size))

    def write(self, data: bytes) -> int | None:
        """Writes what the cable makes of it."""
        if self._rig.cut:
            raise OSError(5, "the cable is out")
        return self._port.write(self._rig.spoil(data))


class Game:
    """The whole program on a rig: controller, loop and bridge launcher, in stepped time."""

    def __init__(self, rig: Rig, decide: Callable[[int], int] | None = None, seed: int = 1) -> None:
        self.rig = rig
        self.pico = rig.pico
        self.records: list[Record] = []
        self.queue = EventQueue()
        board = rig.pico.board
        settings = controller_settings(board, CannonToml())
        self.launcher = BridgeLauncher(
            self._on_link, self.queue.post, rig.clock, settings.plan, settings.power
        )
        rig.up()
        model = compile_model(load_odds("measured"))
        odds: Any = Planned(decide) if decide else Odds(model)
        self.controller = Controller(settings, self.launcher.capabilities, odds, Random(seed))
        self.loop = ControlLoop(
            self.controller, self.launcher, self.queue, rig.clock, self.records.append
        )
        self.queue.post(Start(self.launcher.levels()))
        rig.before_step = self.loop.step
        rig.step(200)

    def press(self) -> None:
        """A finger on the button, for 60 ms."""
        self.pico.hand("tap", 60)
        self.rig.step(80)

    def until(self, *states: str, within_ms: float = 60_000) -> str:
        """Lets time pass until the controller is in one of these states."""
        self.rig.until(lambda: self.controller.state in states, within_ms)
        return self.controller.state

    def shoot(self) -> dict[str, Any]:
        """A press and all that follows; returns the outcome."""
        before = len(self.of("outcome"))
        self.rig.step(150)  # the slot must have been free for a moment
        self.press()
        self.rig.until(lambda: len(self.of("outcome")) > before)
        self.until("ready", "empty", "jammed", "fault", "lid_open")
        return self.of("outcome")[-1]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """What was put on record of that kind."""
        return [record.data for record in self.records if record.kind == kind]

    def _on_link(self, on_event: Callable[[Any], None]) -> Link:
        self.rig.on_event = on_event
        return self.rig.link


class Planned:
    """Odds that say what a test wants: `decide` is told the number of the press."""

    def __init__(self, decide: Callable[[int], int]) -> None:
        self._decide = decide
        self._presses = 0
        self.wait = 0

    def press(self, rng: Any, now_s: float) -> int:
        self._presses += 1
        return self._decide(self._presses)

    def lid_opened(self) -> None: ...

    def state(self) -> dict[str, int]:
        return {}
