"""Puts the firmware onto a board: to the prompt, files over, read back, start, HELLO.

The firmware turns Ctrl-C off, so a board that runs it is asked to stop at its prompt first; a board
with bare MicroPython is there already. `main.py` is taken away first and comes last: a transfer
that is cut short leaves a board that does nothing, and that can be given the firmware again.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from typing import Any, NamedTuple, Protocol

from firmware_bridge import messages as m
from firmware_bridge.errors import BridgeError
from firmware_bridge.events import Answered, Event
from firmware_bridge.ports import (
    Found,
    Port,
    PortInfo,
    close,
    identify,
    list_ports,
    open_port,
    port_of,
)
from firmware_bridge.session import GREETED, Session

MAIN = "main.py"
ANSWER_S = 10.0
RESTART_S = 15.0  # until a board that was started anew is back on USB
LOOK_AGAIN_S = 0.5
CHUNK = 1024

BARE = (
    "has it no MicroPython yet? Hold BOOTSEL while you plug it in, copy the .uf2 file for it from"
    " micropython.org/download onto the drive that appears, then run this again"
)

Progress = Callable[[int], None]
"""Is told how many bytes more have been done."""


class Prompt(Protocol):
    """A board at its MicroPython prompt. Every method raises BridgeError where it fails."""

    def run(self, code: str) -> bytes:
        """What `code` prints there."""
        ...

    def write(self, name: str, content: bytes, progress: Progress) -> None:
        """Writes a file."""
        ...

    def read(self, name: str) -> bytes:
        """Reads a file."""
        ...

    def restart(self) -> None:
        """Resets the chip and closes the port."""
        ...

    def close(self) -> None:
        """Closes the port."""
        ...


class Flashed(NamedTuple):
    """What is on the board now, and where it is."""

    found: Found
    chip: str
    files: int
    size: int


def flash(
    device: str,
    files: Mapping[str, bytes],
    progress: Progress,
    open_prompt: Callable[[str], Prompt] | None = None,
    identify: Callable[[str], Found] = identify,
    ports: Callable[[], Iterable[PortInfo]] = list_ports,
    opener: Callable[[str], Port] = open_port,
    sleep: Callable[[float], None] = time.sleep,
) -> Flashed:
    """Puts `files` onto the board at `device`. Raises BridgeError, with what to do.

    `progress` is told of each byte twice: when it was written, and when it was read back.
    """
    device = to_prompt(device, identify, ports, opener, sleep)
    prompt = (open_prompt or MpremotePrompt)(device)
    try:
        chip, serial = _chip(prompt)
        prompt.run(f"import os\nif {MAIN!r} in os.listdir(): os.remove({MAIN!r})")
        for name in sorted(files, key=lambda name: name == MAIN):
            _transfer(prompt, name, files[name], progress)
        prompt.restart()
    except BaseException:
        prompt.close()
        raise
    found = _back(device, serial, lambda found: found.board is not None, identify, ports, sleep)
    return Flashed(found, chip, len(files), sum(map(len, files.values())))


def to_prompt(
    device: str,
    identify: Callable[[str], Found] = identify,
    ports: Callable[[], Iterable[PortInfo]] = list_ports,
    opener: Callable[[str], Port] = open_port,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Brings a board that runs the firmware to its prompt. Returns the port, which may be another.

    A board that does not answer is left as it is: the prompt will show what it is.
    """
    found = identify(device)
    if found.board is None:
        problem = found.problem
        if problem is not None and problem.code not in ("prompt", "silent", "version"):
            raise problem
        return device
    _ask_for_prompt(opener(device))
    at_prompt = _back(
        device, found.board.serial, lambda found: _code(found) == "prompt", identify, ports, sleep
    )
    return at_prompt.port


def _ask_for_prompt(port: Port) -> None:
    session = Session(time.monotonic(), take=False)
    end = time.monotonic() + ANSWER_S
    asked = False
    try:
        while time.monotonic() < end:
            happened: list[Event] = session.tick(time.monotonic())
            if session.phase == GREETED and not asked:
                asked = True
                session.command(m.PROMPT, time.monotonic())
            port.write(session.outgoing())
            data = port.read(1) + port.read(port.in_waiting)
            happened += session.receive(data, time.monotonic())
            for event in happened:
                if isinstance(event, Answered) and event.kind == m.PROMPT:
                    if event.result == "busy":
                        fix = "wait until the motor has stopped, then try again"
                        raise BridgeError("busy", "the board is in the middle of a shot", fix)
                    return
    except OSError as error:
        raise BridgeError("port", f"the port was lost: {error}", "try again") from error
    finally:
        close(port, forget=False)
    raise BridgeError("silent", "the board does not stop for the update", "unplug it and try again")


def _chip(prompt: Prompt) -> tuple[str, str]:
    """What the board is, in MicroPython's words, and its number."""
    code = "import os, machine\nprint(os.uname().machine)\nprint(machine.unique_id().hex())"
    chip, _, serial = prompt.run(code).decode(errors="replace").strip().partition("\n")
    if "RP2" not in chip:
        what = f"this is no Pico but a {chip.strip()}"
        raise BridgeError("chip", what, "the firmware runs on a Pico or a Pico 2")
    return chip.strip(), serial.strip()


def _transfer(prompt: Prompt, name: str, content: bytes, progress: Progress) -> None:
    prompt.write(name, content, progress)
    if prompt.read(name) != content:
        fix = "try again; if it stays so, the flash of the board is worn out or full"
        raise BridgeError("verify", f"{name} reads back other than it was written", fix)
    progress(len(content))


def _back(
    device: str,
    serial: str,
    wanted: Callable[[Found], bool],
    identify: Callable[[str], Found],
    ports: Callable[[], Iterable[PortInfo]],
    sleep: Callable[[float], None],
) -> Found:
    """What is found of the board after its start, when it is as `wanted`."""
    found = Found(device, None, None)
    for _ in range(round(RESTART_S / LOOK_AGAIN_S)):
        sleep(LOOK_AGAIN_S)
        found = identify(port_of(serial, ports()) or device)
        if wanted(found):
            return found
    raise BridgeError(
        "restart",
        f"the board did not come back on {found.port}",
        "unplug it, plug it in, try again",
    )


def _code(found: Found) -> str:
    return found.problem.code if found.problem else ""


class MpremotePrompt:
    """A board at its prompt, by the means of mpremote (extra `flash`)."""

    def __init__(self, device: str) -> None:
        try:
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            fix = "pip install 'card-cannon[flash]'"
            raise BridgeError("mpremote", "mpremote is not installed", fix) from None
        self._transport: Any = self._try(lambda: SerialTransport(device))
        self._transport.serial.timeout = ANSWER_S  # mpremote itself would wait without end
        self._transport.serial.write_timeout = ANSWER_S
        self._try(self._transport.enter_raw_repl)

    def run(self, code: str) -> bytes:
        return bytes(self._try(lambda: self._transport.exec(code)))

    def write(self, name: str, content: bytes, progress: Progress) -> None:
        done = 0

        def tell(written: int, total: int) -> None:
            nonlocal done
            progress(written - done)
            done = written

        self._try(lambda: self._transport.fs_writefile(name, content, CHUNK, tell))

    def read(self, name: str) -> bytes:
        return bytes(self._try(lambda: self._transport.fs_readfile(name, CHUNK)))

    def restart(self) -> None:
        reset = "import machine\nmachine.reset()"
        self._try(lambda: self._transport.exec_raw_no_follow(reset))
        self.close()

    def close(self) -> None:
        try:
            self._transport.close()
        except OSError:
            return  # the board is gone already: it starts anew

    @staticmethod
    def _try(act: Callable[[], Any]) -> Any:
        """mpremote prints what it does not understand; that is no output of ours."""
        from mpremote.transport import TransportError

        try:
            with redirect_stdout(io.StringIO()):
                return act()
        except (TransportError, OSError) as error:
            what = f"the board does not do as it is told: {error}"
            raise BridgeError("prompt", what, BARE) from error
