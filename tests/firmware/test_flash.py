"""`cannon flash`: bare MicroPython gets the firmware, a running firmware gets a new one."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cannon.firmware import firmware_for
from cannon.settings.odds_models import compile_model, load_odds
from cannon.settings.signals import load_signals
from firmware_bridge.errors import BridgeError
from firmware_bridge.flashing import flash
from firmware_bridge.ports import Found, identify
from hardware import load_board
from tests.firmware.lane import STANDIN, Pico
from tests.unit.test_bridge_ports import board

CANNON = Path(sys.executable).parent / "cannon"
RESET = 42


class Chip(Pico):
    """A board that starts anew by itself when it is reset, as a chip does."""

    def live(self) -> Chip:
        self._living = True
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()
        return self

    def _keep(self) -> None:
        while self._living and self._process is not None:
            if self._process.wait() == RESET and self._living:
                self._end_run()
                self._run()
            else:
                return

    def kill(self) -> None:
        self._living = False
        if self._process is not None:
            self._process.kill()
        self._keeper.join()
        super().kill()


@pytest.fixture
def chip(tmp_path: Path) -> Iterator[Callable[..., Chip]]:
    made: list[Chip] = []

    def make(**how: Any) -> Chip:
        folder = tmp_path / "chip"
        folder.mkdir()
        made.append(Chip(folder, clock="real", program=STANDIN / "rom.py", **how))
        made[-1].start()
        return made[-1].live()

    yield make
    for each in made:
        each.kill()


def run_flash(port: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CANNON, "flash", "--port", port, *options], capture_output=True, text=True, timeout=120
    )


def image(odds: str = "measured") -> Any:
    model = compile_model(load_odds(odds))
    return firmware_for(load_board("launcher-pico"), model, load_signals())


@pytest.mark.long
def test_bare_micropython_gets_the_firmware_and_runs_it(chip: Callable[..., Chip]) -> None:
    pico = chip(bare=True)
    assert identify(pico.port).problem.code == "prompt"
    done = run_flash(pico.port, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["board"] == "launcher-pico"
    assert result["version"] == "0.1.0"
    assert "RP2040" in result["chip"]
    expected = image()
    assert result["build"] == expected.build
    assert {p.name: p.read_bytes() for p in pico.flash.glob("*.py")} == expected.files
    assert identify(pico.port).board.build == expected.build


def test_a_running_firmware_gets_a_new_one(chip: Callable[..., Chip]) -> None:
    pico = chip()
    before = identify(pico.port)
    done = run_flash(pico.port, "--odds", "even")
    assert done.returncode == 0, done.stderr
    assert "runs firmware 0.1.0" in done.stderr
    assert "100%" in done.stderr
    after = identify(pico.port)
    assert after.board.build == image("even").build != before.board.build
    assert (before.tally.odds, after.tally.odds) == ("measured", "even")


def test_a_board_that_is_no_pico_is_left_alone(chip: Callable[..., Chip]) -> None:
    pico = chip(bare=True, chip="Generic ESP32 module with ESP32")
    done = run_flash(pico.port)
    assert done.returncode == 1
    assert "this is no Pico but a Generic ESP32 module" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(pico.flash.glob("*.py")) == []


def test_a_port_that_is_not_there_is_told() -> None:
    done = run_flash("/dev/ttyNOTHING")
    assert done.returncode == 1
    assert "there is no port /dev/ttyNOTHING" in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3


def test_a_board_without_a_pico_is_a_wrong_configuration() -> None:
    done = run_flash("auto", "--board", "diy-pi")
    assert done.returncode == 78
    assert "has no Pico" in done.stderr


def test_the_files_can_be_written_into_a_folder(tmp_path: Path) -> None:
    done = run_flash("auto", "--into", str(tmp_path / "image"), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["files"] == len(image().files)
    assert {p.name: p.read_bytes() for p in (tmp_path / "image").iterdir()} == image().files


# --- with a prompt of our own -------------------------------------------------------------------


class FakePrompt:
    """A board at its prompt that does as the test says."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {"main.py": b"old"}
        self.order: list[str] = []
        self.spoil = ""
        self.break_at = ""
        self.closed = False

    def run(self, code: str) -> bytes:
        if "uname" in code:
            return b"Raspberry Pi Pico 2 with RP2350\r\ne6614103e7452b2f\r\n"
        self.files.pop("main.py", None)
        return b""

    def write(self, name: str, content: bytes, progress: Callable[[int], None]) -> None:
        if name == self.break_at:
            raise BridgeError("prompt", "the cable is out", "try again")
        self.order.append(name)
        self.files[name] = content
        progress(len(content))

    def read(self, name: str) -> bytes:
        content = self.files[name]
        return content[:-1] + b"?" if name == self.spoil else content

    def restart(self) -> None:
        self.order.append("restart")

    def close(self) -> None:
        self.closed = True


def flashed(prompt: FakePrompt, progress: Callable[[int], None] = lambda size: None) -> Any:
    answers = iter([Found("/dev/x", None, BridgeError("prompt", "", ""))])
    return flash(
        "/dev/x",
        {"a.py": b"a" * 10, "main.py": b"new", "z.py": b"z" * 5},
        progress,
        open_prompt=lambda device: prompt,
        identify=lambda device: next(answers, Found(device, board(), None)),
        ports=list,
        sleep=lambda seconds: None,
    )


def test_main_comes_last_and_everything_is_read_back() -> None:
    prompt = FakePrompt()
    sizes: list[int] = []
    done = flashed(prompt, sizes.append)
    assert prompt.order == ["a.py", "z.py", "main.py", "restart"]
    assert sum(sizes) == 2 * 18
    assert (done.chip, done.files, done.size) == ("Raspberry Pi Pico 2 with RP2350", 3, 18)


def test_a_file_that_reads_back_wrong_is_told_and_nothing_is_started() -> None:
    prompt = FakePrompt()
    prompt.spoil = "z.py"
    with pytest.raises(BridgeError, match=r"z\.py reads back other than it was written"):
        flashed(prompt)
    assert "main.py" not in prompt.files
    assert "restart" not in prompt.order
    assert prompt.closed


def test_a_transfer_that_is_cut_short_leaves_a_board_that_does_nothing() -> None:
    prompt = FakePrompt()
    prompt.break_at = "z.py"
    with pytest.raises(BridgeError, match="the cable is out"):
        flashed(prompt)
    assert "main.py" not in prompt.files
    assert prompt.closed


@pytest.mark.parametrize("code", ["no_port", "in_use", "no_rights"])
def test_a_port_that_cannot_be_used_is_not_touched(code: str) -> None:
    with pytest.raises(BridgeError) as caught:
        flash(
            "/dev/x",
            {},
            lambda size: None,
            open_prompt=lambda device: pytest.fail("it was opened"),
            identify=lambda device: Found(device, None, BridgeError(code, "no", "do")),
            ports=list,
            sleep=lambda seconds: None,
        )
    assert caught.value.code == code
