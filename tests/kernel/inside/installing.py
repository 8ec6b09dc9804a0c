"""Installs the launcher on this machine: `cannon install`, its settings, its board, its chip."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from cannon.service.unit import NAME, UNIT
from hardware.loading import BOARDS
from tests.kernel.inside.chip import Chip
from tests.kernel.inside.service import systemctl

SETTINGS = Path("/etc/card-cannon/cannon.toml")
BOARD = SETTINGS.with_name("board.toml")
LIGHT = 16  # a pin that this board has free

CARDS = 12
"a feed of some seconds"
ODDS = "chances = [1.0]\nmax_blanks = 1\n[[cards]]\nweights = {{ {cards} = 1 }}\n"


def install_once() -> None:
    """`cannon install`, unless it was done on this machine before."""
    if Path(UNIT).exists():
        return
    _let_others_in(Path(sys.executable), Path(__file__))
    systemctl("daemon-reload")
    done = cannon("install")
    systemctl("stop", NAME)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + journal())


def write_board() -> None:
    """The board launcher-pi with a light, but with the sensor's own always on: its self-test wants
    an answer within milliseconds, which this slow machine has not always got."""
    BOARD.parent.mkdir(exist_ok=True)
    pins = (BOARDS / "launcher-pi.toml").read_text().partition("[wiring.")[0]
    kept = [line for line in pins.splitlines(True) if "emitter" not in line]
    BOARD.write_text("".join([*kept, f"[light]\npin = {LIGHT}\n"]))


def write_settings(more: str = "", sound: bool = False, cards: int = CARDS) -> None:
    """The owner's cannon.toml. Without sound: a beeper's tone keeps this slow machine busy."""
    odds = SETTINGS.with_name("always.toml")
    odds.write_text(ODDS.format(cards=cards))
    volume = "loud" if sound else "off"
    owed = '[play]\nowed = "command"\n'  # else the next press brings what a cut one owes
    SETTINGS.write_text(
        f'board = "{BOARD}"\nodds = "{odds}"\n{owed}[sound]\nvolume = "{volume}"\n{more}'
    )


def give_chip(chip: Chip) -> None:
    """What udev's rule does when a chip appears."""
    groups = [line.split(":")[0] for line in Path("/etc/group").read_text().splitlines()]
    if "gpio" not in groups:
        subprocess.run(["groupadd", "--system", "gpio"], check=True)
    path = Path(f"/dev/gpiochip{chip.number}")
    shutil.chown(path, group="gpio")
    path.chmod(0o660)


def cannon(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the project."""
    command = [sys.executable, "-m", "cannon", *words]
    return subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def show(name: str) -> str:
    """One property of the service."""
    return systemctl("show", "--value", f"--property={name}", NAME).strip()


def journal(since: str = "", output: str = "cat") -> str:
    """What the service and systemd said about it."""
    command = ["journalctl", "--no-pager", f"--output={output}", f"--unit={NAME}"]
    if since:
        command.append(f"--since={since}")
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _let_others_in(*paths: Path) -> None:
    """The user of the service has to get to Python and to the project, wherever they are."""
    for path in paths:
        for folder in {*path.parents, *path.resolve().parents}:
            folder.chmod(folder.stat().st_mode | 0o111)
