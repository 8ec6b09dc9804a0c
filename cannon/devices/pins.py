"""Opens the real GPIO pins, through gpiozero's lgpio factory, and says clearly what is in the way.

No other factory is ever used instead: real pins are never replaced by others silently. The chip is
found by its label, since its number has changed between kernels.
"""

from __future__ import annotations

import fcntl
import grp
import os
import pwd
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cannon.errors import CannonError

if TYPE_CHECKING:
    from gpiozero.pins import Factory

# Labels of the chips that drive the 40-pin header, by the kernel's drivers.
HEADER_LABELS = ("pinctrl-rp1", "pinctrl-bcm2835", "pinctrl-bcm2711")
PI_REVISION = 0xC03114  # a Pi 4: used to lay out the header where the machine is no Pi
SIMULATE = "To try it without a Raspberry Pi: cannon play --simulate"


def open_pins(chip: str = "") -> Factory:
    """The pin factory on the header's GPIO chip, or on `chip`: a number, path or label.

    Raises CannonError with what to do when there is no lgpio, no chip, no right to use it, or no
    place where lgpio may put its files.
    """
    lgpio = _import_lgpio()
    number = _find_chip(lgpio, chip)
    from gpiozero.pins.lgpio import LGPIOFactory

    try:
        factory = LGPIOFactory(chip=number)
    except lgpio.error as error:
        raise CannonError(
            f"/dev/gpiochip{number} cannot be opened: {error}", _who(number)
        ) from None
    try:
        factory.board_info  # noqa: B018 - raises where the machine is no Pi
    except Exception:  # gpiozero raises several kinds here, none of them documented
        factory._get_revision = lambda: PI_REVISION
    return factory


def _import_lgpio() -> Any:
    folder = Path(os.environ.get("LG_WD") or Path.cwd())
    if not os.access(folder, os.W_OK) or not _takes_files(folder):
        raise CannonError(
            f"lgpio must be able to write in its working directory, but {folder} is not writable.",
            "Start it in a folder of your own, or set LG_WD to one: LG_WD=/tmp cannon play",
        )
    try:
        import lgpio
    except ImportError:
        raise CannonError(
            "lgpio, which moves the pins, is not installed for this Python.",
            "pip install 'card-cannon[pi]'; or sudo apt install python3-lgpio, in a venv made with "
            f"--system-site-packages. {SIMULATE}",
        ) from None
    if not hasattr(lgpio, "gpiochip_open"):
        raise CannonError(
            "The lgpio that is installed is an empty one.", "pip install 'lgpio>=0.2.2.0'"
        )
    return lgpio


def _takes_files(folder: Path) -> bool:
    """Whether files can really be made there: root may write to anything but a read-only disk."""
    probe = folder / f".cannon-{os.getpid()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _find_chip(lgpio: Any, wanted: str) -> int:
    looked_at = []
    locked = []
    for path in sorted(Path("/dev").glob("gpiochip*")):
        number = path.name.removeprefix("gpiochip")
        if not number.isdigit():
            continue
        try:
            handle = lgpio.gpiochip_open(int(number))
        except lgpio.error:
            locked.append(path)
            continue
        _, _, _, label = lgpio.gpio_get_chip_info(handle)
        lgpio.gpiochip_close(handle)
        looked_at.append(f"{path} is {label}")
        if wanted in (number, str(path), label) or (not wanted and label in HEADER_LABELS):
            return int(number)
    for path in locked:
        if wanted in ("", str(path), path.name.removeprefix("gpiochip")):
            raise _no_rights(path)
    seen = "; ".join(looked_at) or "no /dev/gpiochip* at all"
    what = f"the GPIO chip {wanted!r}" if wanted else "the GPIO chip of a Raspberry Pi"
    raise CannonError(f"There is no usable GPIO chip: looked for {what}, found {seen}.", SIMULATE)


def _no_rights(path: Path) -> CannonError:
    user = pwd.getpwuid(os.geteuid()).pw_name
    about = path.stat()
    try:
        group = grp.getgrgid(about.st_gid).gr_name
    except KeyError:
        group = str(about.st_gid)
    mode = stat.filemode(about.st_mode)
    return CannonError(
        f"The user {user} may not use {path} ({mode}, group {group}).",
        f"sudo adduser {user} {group}, then log in anew",
    )


def _who(number: int) -> str:
    return f"To see who uses its lines: gpioinfo gpiochip{number}"


class OneInstance:
    """Holds the lock by which only one program drives a launcher. Free it with `release`."""

    def __init__(self, folder: Path, name: str) -> None:
        """Takes the lock, or raises CannonError that names the process that has it."""
        self._path = folder / f"card-cannon-{name}.lock"
        self._file: TextIO | None = None
        file = self._path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            file.close()
            raise CannonError(
                f"The launcher is already running, as process {owner}.",
                f"Stop that one first: sudo systemctl stop cannon, or kill {owner}",
            ) from None
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file

    def release(self) -> None:
        """Lets the next one in. May be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None


def lock_folder() -> Path:
    """Where the lock is: the same place for every user of the machine."""
    for folder in (Path("/run/lock"), Path("/tmp")):
        if os.access(folder, os.W_OK):
            return folder
    raise CannonError("There is no writable place for a lock: neither /run/lock nor /tmp.")
