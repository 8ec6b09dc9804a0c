"""`cannon off`: what it switches off, in which order, and what it says where it cannot."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cannon.devices.lock import OneInstance
from cannon.errors import CannonError
from cannon.service import off
from hardware import load_board

CHIP, LABEL = "/dev/gpiochip0", "pinctrl-bcm2711"
HEAVY = {"re", "pathlib", "typing", "enum", "subprocess", "json", "tomllib", "click", "msgspec"}


class Lines:
    """Stands in for the kernel: which lines were claimed low, and which are held by others."""

    def __init__(self, held: dict[int, int]) -> None:
        self.claimed: list[int] = []
        self._held = held

    def claim(self, chip: int, line: int) -> None:
        if line in self._held:
            raise OSError(self._held[line], os.strerror(self._held[line]))
        self.claimed.append(line)


def lines(monkeypatch: pytest.MonkeyPatch, held: dict[int, int] | None = None) -> Lines:
    made = Lines(held or {})
    monkeypatch.setattr(off, "claim_low", made.claim)
    return made


def pin_tool(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, exit_code: int) -> Path:
    """A pin tool on the PATH that notes what it was told."""
    said = folder / "said"
    tool = folder / name
    tool.write_text(f'#!/bin/sh\necho "$0 $@" >> {said}\nexit {exit_code}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return said


@pytest.fixture
def chip(tmp_path: Path) -> str:
    path = tmp_path / "gpiochip0"
    path.touch()
    return str(path)


def record(folder: Path, text: str) -> tuple[str, ...]:
    path = folder / "card-cannon-gpio.lock"
    path.write_text(text)
    return (str(path),)


# --- the record ------------------------------------------------------------------------------


def test_reads_what_the_lock_has_on_record(tmp_path: Path) -> None:
    lock = OneInstance(tmp_path, "gpio")
    lock.record(CHIP, [23, 24, 25, 26, 12], "gpio-sim with spaces")
    lock.release()
    assert off.recorded((str(tmp_path / "card-cannon-gpio.lock"),)) == [
        (CHIP, "gpio-sim with spaces", [23, 24, 25, 26, 12], str(os.getpid()))
    ]


def test_a_start_that_fails_early_keeps_the_last_record(tmp_path: Path) -> None:
    first = OneInstance(tmp_path, "gpio")
    first.record(CHIP, [23], LABEL)
    first.release()
    OneInstance(tmp_path, "gpio").release()
    assert [found[:3] for found in off.recorded((str(tmp_path / "card-cannon-gpio.lock"),))] == [
        (CHIP, LABEL, [23])
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "123\n",
        "123\n/dev/gpiochip0 ",
        f"123\n{CHIP} 23,",
        f"123\n{CHIP} 23,x {LABEL}\n",
        f"123\n/dev/sda 23 {LABEL}\n",
        f"123\n{CHIP} 64 {LABEL}\n",
        f"123\n{CHIP} -1 {LABEL}\n",
        "\0\0\0\0",
    ],
)
def test_a_torn_or_foreign_record_counts_as_none(tmp_path: Path, text: str) -> None:
    assert off.recorded(record(tmp_path, text)) == []


def test_every_cut_of_a_record_is_no_other_record(tmp_path: Path) -> None:
    whole = f"123\n{CHIP} 23,24 {LABEL}\n"
    for end in range(len(whole)):
        for found in off.recorded(record(tmp_path, whole[:end])):
            assert found[0] == CHIP
            assert found[2] == [23, 24]


def test_the_record_is_where_the_lock_is() -> None:
    assert all(Path(path).name == "card-cannon-gpio.lock" for path in off.RECORDS)
    assert [str(Path(path).parent) for path in off.RECORDS] == ["/run/lock", "/tmp"]


# --- the lock --------------------------------------------------------------------------------


def test_a_second_instance_is_told_who_has_the_lock(tmp_path: Path) -> None:
    lock = OneInstance(tmp_path, "gpio")
    lock.record(CHIP, [23], LABEL)
    with pytest.raises(CannonError, match=f"already running, as process {os.getpid()}\\."):
        OneInstance(tmp_path, "gpio")
    lock.release()
    OneInstance(tmp_path, "gpio").release()


def test_the_lock_is_open_to_the_next_user_whoever_made_it(tmp_path: Path) -> None:
    OneInstance(tmp_path, "gpio").release()
    assert (tmp_path / "card-cannon-gpio.lock").stat().st_mode & 0o777 == 0o666


def test_a_lock_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "card-cannon-gpio.lock").mkdir()
    with pytest.raises(CannonError, match=r"card-cannon-gpio\.lock: cannot be opened"):
        OneInstance(tmp_path, "gpio")


# --- the outputs -----------------------------------------------------------------------------


def test_the_motor_comes_first() -> None:
    assert load_board("launcher-pi").outputs()[:3] == [23, 24, 25]
    assert sorted(load_board("launcher-pi").outputs()) == [12, 23, 24, 25, 26]


def test_claims_every_line_low_in_order(chip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = lines(monkeypatch)
    assert off.switch_off(chip, LABEL, [23, 24, 12]) == ""
    assert claimed.claimed == [23, 24, 12]


def test_the_request_is_the_kernels_struct(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, bytes]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda *request: asked.append(request))
    off.claim_low(7, 23)
    ((handle, what, request),) = asked
    # _IOWR(0xB4, 0x07, struct gpio_v2_line_request of 592 bytes)
    assert (handle, what, len(request)) == (7, 3 << 30 | 592 << 16 | 0xB4 << 8 | 7, 592)
    assert int.from_bytes(request[0:4], "little") == 23
    assert request[256:266] == b"cannon-off"
    assert int.from_bytes(request[288:296], "little") == 8  # GPIO_V2_LINE_FLAG_OUTPUT
    assert int.from_bytes(request[560:564], "little") == 1  # one line
    assert not any(request[296:560])  # no attributes: no level of 1


def test_held_lines_are_switched_off_by_the_pin_tool(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed = lines(monkeypatch, {23: errno.EBUSY, 24: errno.EBUSY})
    said = pin_tool(tmp_path, monkeypatch, "pinctrl", 0)
    assert off.switch_off(chip, LABEL, [23, 24, 12], "99") == ""
    assert claimed.claimed == [12]
    assert said.read_text() == f"{tmp_path}/pinctrl set 23,24 op dl\n"


def test_an_older_system_has_another_pin_tool(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, {23: errno.EBUSY})
    said = pin_tool(tmp_path, monkeypatch, "raspi-gpio", 0)
    assert off.switch_off(chip, LABEL, [23]) == ""
    assert "raspi-gpio set 23 op dl" in said.read_text()


@pytest.mark.parametrize("name", ["pinctrl", "nothing"])
def test_says_what_stays_on_and_whom_to_end(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lines(monkeypatch, {23: errno.EBUSY})
    pin_tool(tmp_path, monkeypatch, name, 1)
    said = off.switch_off(chip, LABEL, [23, 12], "99")
    assert said.startswith("GPIO23 cannot be switched off: another process holds them")
    assert "sudo kill -KILL 99" in said


def test_the_pin_tool_is_not_asked_for_a_chip_it_does_not_number(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, {23: errno.EBUSY})
    said = pin_tool(tmp_path, monkeypatch, "pinctrl", 0)
    assert "GPIO23 cannot be switched off" in off.switch_off(chip, "mcp23017", [23])
    assert not said.exists()


def test_one_line_that_fails_does_not_keep_the_others_on(
    chip: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed = lines(monkeypatch, {23: errno.EPERM})
    assert off.switch_off(chip, LABEL, [23, 24]) == (
        "GPIO23: Operation not permitted. Try it with sudo."
    )
    assert claimed.claimed == [24]


def test_a_chip_that_is_gone_is_named() -> None:
    assert off.switch_off("/dev/gpiochip999", LABEL, [23]) == (
        "/dev/gpiochip999 cannot be opened: No such file or directory."
    )


def test_exit_code_and_message(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claimed = lines(monkeypatch)
    monkeypatch.setattr(off, "recorded", lambda: [(chip, LABEL, [23], "1")])
    assert off.main() == 0
    assert claimed.claimed == [23]
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(off, "recorded", lambda: [("/dev/gpiochip999", LABEL, [23], "1")])
    assert off.main() == 1
    assert capsys.readouterr().err.startswith("cannon: /dev/gpiochip999 cannot be opened")


# --- how light it is -------------------------------------------------------------------------

MODULES = """
import sys
before = set(sys.modules)
from cannon.service import off
off.RECORDS = (sys.argv[1],)
from cannon.cli import main
try:
    main(["off"])
except SystemExit as end:
    assert end.code == 1, end.code
print(*sorted(set(sys.modules) - before))
"""


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    (path,) = record(tmp_path, f"1\n/dev/gpiochip999 23 {LABEL}\n")
    done = subprocess.run(
        [sys.executable, "-c", MODULES, path], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "cannon.service.off" in loaded
    assert not loaded & HEAVY
    assert {name for name in loaded if not name.startswith("cannon")} <= {
        "__future__", "errno", "fcntl", "_struct", "struct", "collections", "collections.abc",
        "itertools", "keyword", "operator", "reprlib", "_collections", "_operator",
    }  # fmt: skip


def test_runs_as_a_file_without_any_package(tmp_path: Path) -> None:
    """As the service runs it: nothing of the project or of site-packages can be imported."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(off.__file__)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)
