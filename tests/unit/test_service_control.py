"""Commands reach the launcher that runs, and none of them moves anything."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cannon.cli import main
from cannon.core import records
from cannon.core.commands import Feed, Off, Record, Run
from cannon.core.controller import Controller
from cannon.core.events import CancelRest, Event, Failure, Levels, Press, Request, Start
from cannon.core.odds import Odds
from cannon.devices.ports import Capabilities
from cannon.errors import CannonError
from cannon.service import control
from cannon.service.control import REQUESTS, Control, ask, socket_path, socket_paths
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.controlling import controller_settings
from cannon.settings.odds_models import compile_model, load_odds
from hardware import load_board

PATIENCE_S = 30.0  # no test waits that long unless it fails


class Running:
    """A controller whose loop turns at once in the caller's thread. `broken`: it does not turn."""

    def __init__(self, owed: int = 0) -> None:
        self.controller = Controller(
            controller_settings(load_board("launcher-pi"), CannonToml()),
            Capabilities(counts=True, retracts=True),
            Odds(compile_model(load_odds("measured"))),
            Random(1),
            owed=owed,
        )
        self.turns = 0
        self.broken = False
        self.offs = 0
        self.done: list[Any] = []
        self.post(Start(Levels(exit=False, battery=False)))

    def post(self, event: Event) -> None:
        if not self.broken:
            self.turns += 2
            self.done += self.controller.handle(event, float(self.turns))

    def control(self, path: Path) -> Control:
        return Control(
            path, self.post, lambda: self.turns, self.controller.snapshot, self.switch_off
        )

    def switch_off(self) -> None:
        self.offs += 1


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Where nobody else's launcher is found."""
    monkeypatch.setattr(control, "FOLDER", "card-cannon-test")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("CANNON_LANG", "en")
    return {"XDG_RUNTIME_DIR": str(tmp_path)}


@pytest.fixture
def running(environment: dict[str, str]) -> Iterator[Running]:
    made = Running(owed=3)
    with made.control(socket_path(environment)):
        yield made


def say(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err


# --- asking ----------------------------------------------------------------------------------


def test_acknowledge_clears_a_fault_and_says_so_on_record(
    running: Running, environment: dict[str, str]
) -> None:
    running.post(Failure("motor", "a wire is off"))
    before, now = ask("acknowledge", environment)
    assert (before.state, before.cause) == ("fault", "motor")
    assert (now.state, now.cause) == ("ready", "")
    assert Record(records.CLEARED, {"cause": "motor", "source": "command"}) in running.done


def test_nothing_that_can_be_asked_for_moves_the_motor(
    running: Running, environment: dict[str, str]
) -> None:
    for do in [*REQUESTS, "status", *REQUESTS]:
        ask(do, environment)
    assert not [command for command in running.done if isinstance(command, Run | Feed)]
    assert running.controller.snapshot().presses == 0


def test_cancel_gives_up_what_is_owed(running: Running, environment: dict[str, str]) -> None:
    before, now = ask("cancel", environment)
    assert (before.owed, now.owed) == (3, 0)
    assert Record(records.WAIVED, {"cards": 3, "source": "command"}) in running.done


def test_off_in_the_middle_of_a_feed_is_a_fault_that_waits_for_a_person(
    running: Running, environment: dict[str, str]
) -> None:
    running.post(CancelRest("test"))
    running.post(Request(cards=3))
    running.post(Press("test"))
    assert running.controller.state == "feeding"
    done = len(running.done)
    before, now = ask("off", environment)
    assert running.offs == 1
    assert (before.state, now.state, now.cause) == ("feeding", "fault", "switched_off")
    assert isinstance(running.done[done], Off)
    fault = {"cause": "switched_off", "detail": "command"}
    assert Record(records.FAULT, fault) in running.done
    running.post(Press("test"))
    _, now = ask("acknowledge", environment)
    assert now.state == "ready"
    moves = [command for command in running.done[done:] if isinstance(command, Run | Feed)]
    assert moves == []


def test_off_does_not_wait_for_a_loop_that_is_stuck(
    running: Running, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "TURNS_S", 0.01)
    running.broken = True
    with pytest.raises(CannonError, match="the control loop does not answer"):
        ask("off", environment)
    assert running.offs == 1


def test_status_changes_nothing(running: Running, environment: dict[str, str]) -> None:
    turns = running.turns
    before, now = ask("status", environment)
    assert before == now == running.controller.snapshot()
    assert running.turns == turns


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b'{"do": "press"}\n', "unknown request 'press'"),
        (b'{"do": "fire"}\n', "unknown request 'fire'"),
        (b"{}\n", "unknown request ''"),
        (b'{"do": 1}\n', "not a request"),
        (b"GET / HTTP/1.1\n", "not a request"),
        (b"\xff\xfe\n", "not a request"),
        (b"", "not a request"),
        (b'{"do": "' + b"x" * 5000 + b'"}\n', "not a request"),
    ],
)
def test_anything_else_is_refused(
    running: Running, environment: dict[str, str], line: bytes, error: str
) -> None:
    done = len(running.done)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        channel.connect(str(socket_path(environment)))
        channel.sendall(line)
        channel.shutdown(socket.SHUT_WR)
        answer = json.loads(channel.makefile().readline())
    assert answer == {"ok": False, "error": error}
    assert len(running.done) == done
    ask("status", environment)  # and the next one is heard


def test_who_connects_and_leaves_disturbs_nobody(
    running: Running, environment: dict[str, str]
) -> None:
    for _ in range(10):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.connect(str(socket_path(environment)))
    assert ask("status", environment)[1].state == "ready"


def test_a_loop_that_is_stuck_is_told_from_one_that_has_done_it(
    running: Running, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "TURNS_S", 0.01)
    running.broken = True
    with pytest.raises(CannonError, match="the control loop does not answer"):
        ask("acknowledge", environment)


def test_status_is_answered_while_the_loop_is_stuck(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a press: no answer waits for a turn that does not end."""
    running, stuck, let_go = Running(), threading.Event(), threading.Event()

    def hang(*given: object) -> int:
        stuck.set()
        assert let_go.wait(PATIENCE_S)
        return 0

    monkeypatch.setattr(running.controller.odds, "press", hang)
    loop = threading.Thread(target=running.post, args=(Press("button"),))
    loop.start()
    try:
        assert stuck.wait(PATIENCE_S)
        with running.control(socket_path(environment)):
            before, now = ask("status", environment)
        assert not let_go.is_set()
        assert before == now
        assert now.state == "ready"
    finally:
        let_go.set()
        loop.join(PATIENCE_S)
    assert not loop.is_alive()


# --- the socket ------------------------------------------------------------------------------


def test_the_socket_is_for_user_and_group_only(
    running: Running, environment: dict[str, str]
) -> None:
    assert socket_path(environment).stat().st_mode & 0o777 == 0o660


def test_the_service_has_it_in_its_runtime_folder() -> None:
    service = {"RUNTIME_DIRECTORY": "/run/card-cannon", "XDG_RUNTIME_DIR": "/run/user/0"}
    assert socket_path(service) == Path("/run/card-cannon/control")
    assert socket_path(service) in socket_paths({})


def test_it_is_gone_with_the_launcher(environment: dict[str, str]) -> None:
    path = socket_path(environment)
    with Running().control(path):
        assert path.exists()
    assert not path.exists()
    with pytest.raises(CannonError, match="No launcher runs on this computer"):
        ask("status", environment)


def test_one_that_a_killed_launcher_left_behind_is_replaced(environment: dict[str, str]) -> None:
    path = socket_path(environment)
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(path))
    assert path.exists()
    with Running().control(path):
        assert ask("status", environment)[1].state == "ready"


def test_a_second_launcher_does_not_take_the_first_ones_place(
    running: Running, environment: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with Running(owed=99).control(socket_path(environment)):
        assert "another launcher listens there" in caplog.text
        assert ask("status", environment)[1].owed == 3
    assert ask("status", environment)[1].owed == 3


def test_without_a_place_for_it_the_launcher_plays_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    with Running().control(tmp_path / "file" / "control"):
        assert "no commands are taken" in caplog.text


# --- the commands ----------------------------------------------------------------------------


def test_cannon_acknowledge(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    running.post(Failure("motor"))
    code, out, _ = say("acknowledge", capsys)
    assert (code, out.splitlines()) == (
        0,
        ["Ready – press the button", "3 cards are still owed"],
    )
    assert say("acknowledge", capsys)[1].splitlines()[0] == "There is nothing to acknowledge."


def test_cannon_rest(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    assert "3 cards are still owed" in say("rest deliver", capsys)[1]
    assert "3 cards are no longer owed" in say("rest cancel", capsys)[1]
    assert say("rest cancel", capsys)[1].splitlines()[0] == "No cards are owed."
    assert say("rest fire", capsys)[0] == 2


def test_cannon_status(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    running.post(Failure("motor"))
    lines = say("status", capsys)[1].splitlines()
    assert lines[0] == "Fault"
    assert lines[1].startswith("The motor could not be driven.")
    code, out, _ = say("status --json", capsys)
    assert code == 0
    assert json.loads(out) == running.controller.snapshot()._asdict() | {"hints": []}


def test_without_a_launcher_the_commands_say_how_to_start_one(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ("acknowledge", "rest cancel", "status"):
        code, _, err = say(words, capsys)
        assert code == 1
        assert "sudo systemctl start cannon" in err


def test_a_program_that_runs_is_reached(tmp_path: Path) -> None:
    own = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path), "CANNON_LANG": "en"}
    own["NOTIFY_SOCKET"] = str(tmp_path / "notify")
    cannon = [sys.executable, "-m", "cannon"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(own["NOTIFY_SOCKET"])
        systemd.settimeout(60)
        program = subprocess.Popen(
            [*cannon, "play", "--simulate", "--journal", str(tmp_path / "j.db")],
            env=own,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
        )
        try:
            assert systemd.recv(1000).startswith(b"READY=1")
            status = subprocess.run(
                [*cannon, "status"], env=own, capture_output=True, text=True, check=True
            )
        finally:
            program.send_signal(signal.SIGTERM)
            assert program.wait(timeout=60) == 0
    assert status.stdout.splitlines()[0] == "Ready – press the button"
    assert not (tmp_path / "card-cannon" / "control").exists()
