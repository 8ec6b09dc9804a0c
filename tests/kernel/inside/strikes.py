"""What is done to a launcher in the middle of a feed, and what brings it back after that."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cannon.core.values import Snapshot
from cannon.errors import CannonError
from cannon.service.unit import NAME, WATCHDOG_S
from tests.kernel.inside.installed import FEED_S, STARTS_S, STATE, Installed
from tests.kernel.inside.installing import cannon
from tests.kernel.inside.service import systemctl
from tests.kernel.inside.signalled import Signalled
from tests.kernel.matrix import PERSIST, SLOW

WEB = "[web]\non = true\nport = 0\n"
FILLER = STATE / "filler"
DISK = Path("/dev/vda")
REAL = ("-t", "ext4", "-o", "errors=remount-ro", str(DISK))
TROUBLE = Path("/sys/fs/ext4") / DISK.name / "trigger_fs_error"
MENDED = 1  # e2fsck's exit code
SABOTAGE = Path("/run/sabotage")
# The same program, with the part that is named in the file broken by SIGUSR1.
SABOTAGED = f"""\
ExecStart=
ExecStart={sys.executable} -m tests.kernel.inside.subjects.sabotaged play
Environment=SABOTAGE={SABOTAGE}
"""
CGROUP = Path("/sys/fs/cgroup/system.slice") / NAME
RETRIES_S = 5
"a history that could not be written is tried again ever more rarely"

Strike = Callable[[Installed], float]
"""Does it, and returns the time just before."""


Back = Callable[[Installed], object]
"""Brings the launcher back."""


# --- how it comes back -----------------------------------------------------------------------


def by_itself(launcher: Installed) -> None:
    """systemd starts it again, or it has never gone."""


def by_a_start(launcher: Installed) -> None:
    """It has ended as it was told to."""
    systemctl("start", NAME)


def by_the_button(launcher: Installed) -> None:
    """A fault has to be acknowledged."""
    for _ in range(3):
        if launcher.state().state != "fault":
            return
        launcher.acknowledge()
        time.sleep(1)


def by_the_button_once_anew(launcher: Installed) -> None:
    """systemd starts it again, and the fault that it ended with is still to be acknowledged."""
    until(launcher, lambda now: now.state == "fault" and now.cause_since is None)
    by_the_button(launcher)


def until(launcher: Installed, true: Callable[[Snapshot], bool]) -> None:
    """Waits until it answers, and stands so. Raises RuntimeError."""
    end_s = time.monotonic() + STARTS_S
    while time.monotonic() < end_s:
        with contextlib.suppress(CannonError):
            if true(launcher.state()):
                return
        time.sleep(0.3)
    raise RuntimeError("it did not come back as it should")


# --- the program dies ------------------------------------------------------------------------


def kill_with(number: signal.Signals) -> Strike:
    """A signal to the program."""

    def strike(launcher: Installed) -> float:
        pid, at_s = launcher.pid, time.monotonic()
        os.kill(pid, number)
        return at_s

    return strike


def breaks(what: str) -> Strike:
    """A part of the sabotaged program breaks."""

    def strike(launcher: Installed) -> float:
        SABOTAGE.write_text(what)
        return kill_with(signal.SIGUSR1)(launcher)

    return strike


def unheard(launcher: Installed) -> float:
    """Feeds on, but systemd hears nothing more; the time is that when it ends the program."""
    pid = launcher.pid
    with Signalled(pid, signal.SIGABRT) as aborted:
        breaks("pets_stop")(launcher)
        return aborted.when(WATCHDOG_S * SLOW[PERSIST])


def told(verb: str) -> Strike:
    """What systemctl tells systemd; the time is that when systemd tells the program."""

    def strike(launcher: Installed) -> float:
        with Signalled(launcher.pid, signal.SIGTERM) as terminated:
            systemctl(verb, "--no-block", NAME)
            return terminated.when(FEED_S)

    return strike


def memory_ends(launcher: Installed) -> float:
    """The service may use less memory than it has in use."""
    in_use = next(
        int(line.split()[1])
        for line in (CGROUP / "memory.stat").read_text().splitlines()
        if line.startswith("anon ")
    )
    at_s = time.monotonic()
    (CGROUP / "memory.max").write_text(str(int(in_use * 0.7)))
    return at_s


def memory_is_there(launcher: Installed) -> None:
    """The service may use what it needs."""
    with contextlib.suppress(FileNotFoundError):  # gone with the processes
        (CGROUP / "memory.max").write_text("max")


# --- the program lives -----------------------------------------------------------------------


def reloaded(launcher: Installed) -> float:
    """systemctl reload, which is refused, and daemon-reload."""
    at_s = time.monotonic()
    systemctl("reload", NAME, check=False)
    systemctl("daemon-reload")
    return at_s


def second(launcher: Installed) -> float:
    """Somebody else starts the program too."""
    at_s = time.monotonic()
    assert "already running" in cannon("play", "--journal", "/tmp/second.db").stdout
    return at_s


def kill_page(launcher: Installed) -> float:
    """The page's process is killed."""
    while True:
        page, at_s = page_of(launcher), time.monotonic()
        with contextlib.suppress(ProcessLookupError):  # it was just then started anew
            os.kill(page, signal.SIGKILL)
            return at_s


def _pages(launcher: Installed) -> list[int]:
    children = Path(f"/proc/{launcher.pid}/task").glob("*/children")
    return [int(page) for each in children for page in each.read_text().split()]


def lives(pid: int) -> bool:
    """Whether the process runs; one that has ended need not have been waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def page_of(launcher: Installed) -> int:
    """The page's process, when there is one. It must come at its first try."""
    if "the page could not be started" in launcher.said():
        raise RuntimeError("the page could not be started")
    end_s = time.monotonic() + FEED_S
    while time.monotonic() < end_s:
        if found := _pages(launcher):
            return found[0]
        time.sleep(0.1)
    raise RuntimeError("there is no page")


# --- hands -----------------------------------------------------------------------------------


def open_lid(launcher: Installed) -> float:
    """The lid is opened."""
    return launcher.mechanism.set_lid(opened=True)


def close_lid(launcher: Installed) -> None:
    """The lid is closed."""
    launcher.mechanism.set_lid(opened=False)


def hold_button(launcher: Installed) -> float:
    """The button stays pressed."""
    return launcher.mechanism.set_button(pressed=True)


def let_go(launcher: Installed) -> None:
    """The button is free again."""
    time.sleep(3)  # held for so long it could mean something else
    launcher.mechanism.set_button(pressed=False)


def cut_sensor(launcher: Installed) -> float:
    """The exit sensor reports nothing more: the cut wire reads as a beam that is blocked."""
    at_s = time.monotonic()
    launcher.mechanism.cut_sensor(True)
    return at_s


def mend_sensor(launcher: Installed) -> None:
    """The wire is mended, and the lid was opened for it."""
    launcher.mechanism.cut_sensor(False)
    launcher.mechanism.set_lid(opened=True)
    time.sleep(1)
    launcher.mechanism.set_lid(opened=False)


# --- the disk --------------------------------------------------------------------------------


@contextmanager
def small_disk() -> Iterator[None]:
    """The history is on a disk that can be filled."""
    with _mounted("-t", "tmpfs", "-o", "size=16M", "tmpfs"):
        yield


@contextmanager
def real_disk() -> Iterator[None]:
    """The history is on the machine's own disk, with a file system that a trouble makes
    read-only."""
    with _mounted(*REAL):
        yield


@contextmanager
def _mounted(*what: str) -> Iterator[None]:
    STATE.mkdir(exist_ok=True)
    subprocess.run(["mount", *what, str(STATE)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(STATE)], check=True)


def fill_disk(launcher: Installed) -> float:
    """There is no more room for the history."""
    at_s = time.monotonic()
    with contextlib.suppress(OSError), FILLER.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 65536)
    return at_s


def empty_disk(launcher: Installed) -> None:
    """There is room again."""
    FILLER.unlink()
    time.sleep(RETRIES_S)


def spoil_disk(launcher: Installed) -> float:
    """The file system finds itself broken, as on a memory card that fails, and becomes read-only
    under the program that writes to it."""
    at_s = time.monotonic()
    TROUBLE.write_text("a test")
    return at_s


def mend_disk(launcher: Installed) -> None:
    """As a new start of the computer does it: the program is ended, the disk checked."""
    launcher.until_said("play goes on")
    systemctl("stop", NAME)
    subprocess.run(["umount", str(STATE)], check=True)
    checked = subprocess.run(["e2fsck", "-fy", str(DISK)], check=False)
    if checked.returncode not in (0, MENDED):
        raise RuntimeError(f"e2fsck: {checked.returncode}")
    subprocess.run(["mount", *REAL, str(STATE)], check=True)
    systemctl("start", NAME)
