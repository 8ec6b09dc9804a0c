"""`cannon play --web` as a program: address, PIN, restart with new settings, power cut."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cannon.cli.play import _settings as settings_of
from cannon.errors import EXIT_WRONG_USE, CannonError
from cannon.page.opening import address_of, bound
from tests.web.playing import Client, free_port, is_there
from tests.web.tools import PATIENCE_S, wait_until

CANNON = Path(sys.executable).parent / "cannon"
EIGHT = 'about = "eight cards on every press"\nchances = [1.0]\n[[cards]]\nweights = { 8 = 1 }\n'
PIN = "97531"


class Program:
    """`cannon play --simulate --web` in a folder; output goes to `log`."""

    def __init__(self, folder, *options, pin=PIN):
        self.port = free_port()
        self.log = folder / "log"
        (folder / "eight.toml").write_text(EIGHT)
        (folder / "cannon.toml").write_text(f'[web]\npin = "{pin}"\n')
        command = [CANNON, "play", "--simulate", "--seed", "1", "--journal", folder / "journal.db"]
        command += ["--web", f"127.0.0.1:{self.port}", "--config", folder / "cannon.toml"]
        environment = {**os.environ, "CANNON_LANG": "en"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *options], stdout=log, stderr=log, cwd=folder, env=environment
            )

    def __enter__(self):
        wait_until(self.shows_the_launcher)
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)

    def shows_the_launcher(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return Client(self.port).parts["launcher"]["state"] == "ready"
        except (OSError, ValueError):
            return False

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE_S)


def children(pid):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(word) for task in tasks for word in (task / "children").read_text().split()]


def test_the_address_is_told_and_the_pin_is_not_and_the_page_ends_with_the_program(tmp_path):
    with Program(tmp_path) as program:
        assert Client(program.port).get("hello")["local"] is True
        log = program.log.read_text()
        pages = children(program.process.pid)
        assert len(pages) == 1
        program.kill()
        wait_until(lambda: not is_there(pages[0]))
    assert f"http://127.0.0.1:{program.port}/" in log
    assert PIN not in log
    assert "on this machine only" in log


def test_a_port_in_use_is_told_in_two_lines(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [CANNON, "play", "--simulate", "--journal", tmp_path / "j.db", "--web", where],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            cwd=tmp_path,
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    told = done.stderr.strip().splitlines()[-2:]
    assert f"cannot be opened on {where}" in told[0]
    assert "--web HOST:PORT" in told[1]


def test_no_address_is_wrong_use():
    with pytest.raises(CannonError, match="'here:there' is no address") as told:
        bound("here:there")
    assert told.value.exit_code == EXIT_WRONG_USE
    assert "HOST:PORT" in told.value.fix


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        (":8080", ("0.0.0.0", 8080)),
        ("cannon.local", ("cannon.local", 8080)),
        ("[::1]:9000", ("::1", 9000)),
        ("[::]", ("::", 8080)),
        ("", ("0.0.0.0", 8080)),
    ],
)
def test_addresses(text, address):
    assert address_of(text) == address


@pytest.mark.parametrize("text", ["a:b", "1:2:3", "[::1", "[::1]9", "x:70000", "x:-1"])
def test_no_addresses(text):
    with pytest.raises(ValueError):
        address_of(text)


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("cannon.page.opening.find_spec", lambda name: None)
    with pytest.raises(CannonError, match="starlette") as told:
        bound("127.0.0.1:0")
    assert "card-cannon[web]" in told.value.fix


def test_new_settings_start_the_launcher_anew_and_are_kept(tmp_path):
    with Program(tmp_path) as program:
        phone = Client(program.port)
        assert phone.get("odds")["model"] == "measured"
        phone.act(do="start", edition="extreme", players=["A", "B"], dealer="B", first="red 5")
        assert phone.post("pair", pin=PIN)[0] == 200
        assert phone.post("settings", values={"odds": "even", "suspense_s": 1})[0] == 200
        wait_until(lambda: changed(program, phone))
        assert phone.table["stage"] == "play"
        assert phone.get("settings")["values"]["suspense_s"] == 1
        assert phone.get("hello")["paired"] is True
        assert phone.parts["launcher"]["presses"] == 0  # nothing was fired by it
    assert 'odds = "even"' in (tmp_path / "changes.toml").read_text()
    given = dict.fromkeys(("board", "bridge"), None) | {"journal": str(tmp_path / "journal.db")}
    for odds, model in ((None, "even"), ("rare", "rare")):  # the command line lies above it
        settings = settings_of(str(tmp_path / "cannon.toml"), True, {**given, "odds": odds})
        assert settings.odds == model


def changed(program, phone):
    try:
        return phone.get("odds")["model"] == "even"
    except (OSError, ValueError):
        assert program.process.poll() is None
        return False


def test_power_cut_in_mid_penalty(tmp_path):
    """Cards were coming when all went dark: they are taken, the press stays owed, and goes on.

    Where no PIN is set none is made up for a log, and nobody can pair.
    """
    eight = ("--odds", str(tmp_path / "eight.toml"))
    with Program(tmp_path, *eight, pin="") as program:
        phone = Client(program.port)
        assert phone.get("hello")["can_pair"] is False
        assert not re.search(r"\b\d{6}\b", program.log.read_text())
        phone.act(do="start", edition="extreme", players=["A", "B", "C"], dealer="C", first="red 5")
        phone.act(do="lay", by="A", card="red hit-2")
        phone.post("hand", do="press")
        wait_until(lambda: phone.owed == [("B", 1)])
        wait_until(lambda: phone.parts["launcher"]["state"] == "ready")
        phone.post("hand", do="press")
        wait_until(lambda: (phone.parts["launcher"]["cards"] or 0) >= 2)
        program.kill()
    with Program(tmp_path, *eight) as program:
        phone = Client(program.port)
        wait_until(lambda: hand_of(phone, "B") > 15)
        assert phone.owed == [("B", 1)]
        before = hand_of(phone, "B")
        assert 17 <= before < 23
        owed = phone.parts["launcher"]["owed"]
        assert before + owed == 23
        assert phone.parts["launcher"]["state"] == "ready"  # and fires nothing by itself
        phone.post("hand", do="press")
        wait_until(lambda: phone.owed == [])
        assert hand_of(phone, "B") == 23
        assert phone.table["turn"] == "C"


def hand_of(phone, name):
    return next(one["hand"] for one in phone.table["players"] if one["name"] == name)
