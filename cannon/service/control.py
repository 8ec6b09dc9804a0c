"""How a command reaches the launcher that runs: a socket in its runtime folder.

A request is one line of JSON, {"do": "acknowledge"}; so is the answer, which tells the state
before and after. Nothing that can be asked for moves the motor: what is owed is only made ready
for the next press; OFF switches it off, and is a fault until it is acknowledged. Whoever may open
the socket (the service's group) may ask.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from cannon.core.events import Acknowledge, CancelRest, DeliverRest, Event, Failure, Refilled
from cannon.core.values import Snapshot
from cannon.errors import CannonError
from cannon.service.unit import FOLDER

STATUS, OFF = "status", "off"
REQUESTS: dict[str, Callable[[str], Event]] = {
    "acknowledge": Acknowledge,
    "deliver": DeliverRest,
    "cancel": CancelRest,
    "refilled": Refilled,
    OFF: lambda source: Failure("switched_off", source),
}
NAME = "control"
SOURCE = "command"  # on record as who asked
MODE = 0o660
LONGEST = 1024  # bytes of a request
PATIENCE_S = 1.0  # for a line from the other end
TURNS_S = 0.5  # the loop takes an event at once, and turns idly more often than this
TURN_POLL_S = 0.005

log = logging.getLogger(__name__)


class NoLauncher(CannonError):
    """There is nobody to ask."""


def socket_path(environment: Mapping[str, str]) -> Path:
    """Where the launcher that this process runs has its socket."""
    given = environment.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return (Path(given) if given else _own_folder(environment)) / NAME


def socket_paths(environment: Mapping[str, str]) -> list[Path]:
    """Where a launcher of this computer may have its socket: the service's, one's own."""
    return [Path("/run") / FOLDER / NAME, _own_folder(environment) / NAME]


def _own_folder(environment: Mapping[str, str]) -> Path:
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return Path(runtime) / FOLDER
    return Path("/tmp") / f"{FOLDER}-{os.getuid()}"


class Control:
    """Answers at `path`, in a thread of its own, between `with` and its end.

    `post` takes events for the controller, `turns` counts the turns of its loop, `off` switches
    the motor off from any thread, also where the loop does not turn. Without a socket the
    launcher plays on: trouble with it is only logged.
    """

    def __init__(
        self,
        path: Path,
        post: Callable[[Event], None],
        turns: Callable[[], int],
        snapshot: Callable[[], Snapshot],
        off: Callable[[], None],
    ) -> None:
        self._path = path
        self._post = post
        self._turns = turns
        self._snapshot = snapshot
        self._off = off
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._work, name="control-socket", daemon=True)

    def __enter__(self) -> Control:
        try:
            self._socket = self._listen()
        except OSError as error:
            log.warning("no commands are taken at %s: %s", self._path, error)
        else:
            self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._socket is None:
            return
        with contextlib.suppress(OSError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # ends the wait in the thread
        self._thread.join(timeout=1)
        self._socket.close()

    def answer(self, line: bytes) -> dict[str, Any]:
        """What a request is answered with; what was asked for has been done by then."""
        try:
            asked = msgspec.json.decode(line, type=dict[str, str]).get("do", "")
        except msgspec.DecodeError:
            return {"ok": False, "error": "not a request"}
        if asked == OFF:
            self._off()
        before, event = self._snapshot(), REQUESTS.get(asked)
        if event is not None:
            if not self._done(event(SOURCE)):
                return {"ok": False, "error": "the control loop does not answer"}
        elif asked != STATUS:
            return {"ok": False, "error": f"unknown request {asked!r}"}
        return {"ok": True, "before": before._asdict(), "now": self._snapshot()._asdict()}

    def _done(self, event: Event) -> bool:
        """Posts an event. Whether the loop has turned since: a turn that ran already may not
        have seen it, so two are waited for, unless the loop has nothing more to do."""
        turns, end = self._turns(), time.monotonic() + TURNS_S
        self._post(event)
        while self._turns() < turns + 2 and time.monotonic() < end:
            time.sleep(TURN_POLL_S)
        return self._turns() > turns

    def _listen(self) -> socket.socket:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._path.exists():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
                if other.connect_ex(str(self._path)) == 0:
                    raise OSError("another launcher listens there")
            self._path.unlink()
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(str(self._path))
            self._path.chmod(MODE)
            listening.listen(socket.SOMAXCONN)
        except OSError:
            listening.close()
            raise
        return listening

    def _work(self) -> None:
        assert self._socket is not None
        while True:
            try:
                channel, _ = self._socket.accept()
            except OSError:
                return  # closed
            with channel, contextlib.suppress(OSError):
                channel.settimeout(PATIENCE_S)
                with channel.makefile("rb") as lines:
                    answer = self.answer(lines.readline(LONGEST))
                channel.sendall(msgspec.json.encode(answer) + b"\n")


def ask(do: str, environment: Mapping[str, str] = os.environ) -> tuple[Snapshot, Snapshot]:
    """Asks the launcher that runs on this computer; returns its state before and after.

    Raises NoLauncher if there is none, CannonError if it may not be asked or does not do it.
    """
    refused = ""
    for path in socket_paths(environment):
        try:
            answer = _asked(path, do)
        except (FileNotFoundError, ConnectionRefusedError):
            continue
        except PermissionError:
            refused = refused or f"You may not use {path}."
            continue
        except (OSError, msgspec.DecodeError) as error:
            raise CannonError(f"{path}: no answer: {error}", "systemctl status cannon") from None
        if not answer.get("ok"):
            fix = "systemctl status cannon; to start it anew: sudo systemctl restart cannon"
            raise CannonError(f"The launcher says: {answer.get('error')}.", fix)
        try:
            return _snapshot(answer["before"]), _snapshot(answer["now"])
        except (KeyError, TypeError):
            what = "The launcher that runs is of another version."
            raise CannonError(what, "sudo systemctl restart cannon") from None
    if refused:
        raise CannonError(refused, "sudo adduser $USER gpio, then log in anew; or use sudo")
    fix = "Start it: sudo systemctl start cannon, or cannon play"
    raise NoLauncher("No launcher runs on this computer.", fix)


def _snapshot(data: dict[str, Any]) -> Snapshot:
    return Snapshot(**{**data, "hints": tuple(data["hints"])})


def _asked(path: Path, do: str) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        channel.settimeout(TURNS_S + 4 * PATIENCE_S)
        channel.connect(str(path))
        channel.sendall(msgspec.json.encode({"do": do}) + b"\n")
        with channel.makefile("rb") as lines:
            answer: dict[str, Any] = msgspec.json.decode(lines.readline(), type=dict[str, Any])
    return answer
