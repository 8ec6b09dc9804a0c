"""Opens the real GPIO pins, through gpiozero's lgpio factory, and says clearly what is in the way.

No other factory is ever used instead: real pins are never replaced by others silently. The chip is
found by its label, since its number has changed between kernels.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cannon.errors import CannonError, NotYet
from hardware.chips import HEADER_LABELS

if TYPE_CHECKING:
    from gpiozero.pins import Factory

PI_REVISION = 0xC03114  # a Pi 4: used to lay out the header where the machine is no Pi
GROUP_RW = stat.S_IRGRP | stat.S_IWGRP
HELD = 1 << 0  # of lgpio's line flags: in use, by the kernel or by a program
NOTIFIER = "_callback_thread"  # lgpio's class of that thread; it has no name of its own
SIMULATE = "To try it without a Raspberry Pi: cannon play --simulate"
DEV = Path("/dev")


class Pins(NamedTuple):
    """An open GPIO chip: the factory for devices, the path of the chip, and its label."""

    factory: Factory
    chip: str
    label: str


def open_pins(chip: str = "") -> Pins:
    """The pins on the header's GPIO chip, or on `chip`: a number, path or label.

    Raises NotYet where there is no chip, or no right to use it: both come late when the computer
    starts. Raises CannonError with what to do where there is no lgpio, or no place where it may
    put its files.
    """
    lgpio = _import_lgpio()
    number, label = _find_chip(lgpio, chip)
    from gpiozero.pins.lgpio import LGPIOFactory

    from cannon.devices.lgpio_pin import launcher_pin

    path = f"/dev/gpiochip{number}"
    try:
        factory = LGPIOFactory(chip=number)
    except lgpio.error as error:
        what = f"{path} cannot be opened: {error}."
        raise NotYet("chip_busy", what, f"To see who uses its lines: gpioinfo {path}") from None
    factory.pin_class = launcher_pin()
    try:
        factory.board_info  # noqa: B018 - raises where the machine is no Pi
    except Exception:  # gpiozero raises several kinds here, none of them documented
        factory._get_revision = lambda: PI_REVISION
    return Pins(factory, path, label)


@contextmanager
def claiming(pins: Pins, roles: Mapping[str, int]) -> Iterator[None]:
    """Inside, devices may be made on `pins`; on a failure the chip is closed.

    Raises NotYet, naming the lines and their holders, where another program holds some, or has let
    go of them since.
    """
    import lgpio

    try:
        yield
    except lgpio.error as error:
        pins.factory.close()
        held = _holders(lgpio, pins.chip, roles)
        if not held and lgpio.error_text(lgpio.GPIO_BUSY) not in str(error):
            raise CannonError(f"{pins.chip}: {error}", "sudo dmesg | tail") from error
        names = ", ".join(held) or "they have just let go"
        what = f"Other programs hold lines of {pins.chip}: {names}."
        fix = f"End them; to see them: gpioinfo {pins.chip}; sudo fuser -v {pins.chip}"
        raise NotYet("lines_busy", what, fix) from None
    except BaseException:
        pins.factory.close()
        raise


def _holders(lgpio: Any, chip: str, roles: Mapping[str, int]) -> list[str]:
    """Which of the lines are held now, with their roles and the names of the holders."""
    handle = lgpio.gpiochip_open(int(chip.removeprefix("/dev/gpiochip")))
    held = []
    for role, line in roles.items():
        _, _, flags, _, holder = lgpio.gpio_get_line_info(handle, line)
        if flags & HELD:
            held.append(f"GPIO{line} ({role}) by {holder or 'the kernel'}")
    lgpio.gpiochip_close(handle)
    return held


def edges_arrive() -> bool:
    """Whether the thread is alive in which lgpio brings all edges. One exception ends it."""
    return any(type(thread).__name__ == NOTIFIER for thread in threading.enumerate())


def _import_lgpio() -> Any:
    try:
        folder = Path(os.environ.get("LG_WD") or Path.cwd())
    except FileNotFoundError:
        raise CannonError("The folder it was started in is gone.", "cd to one that is.") from None
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


def _find_chip(lgpio: Any, wanted: str) -> tuple[int, str]:
    """Number and label of the chip."""
    looked_at = []
    locked = []
    for path in sorted(DEV.glob("gpiochip*")):
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
            return int(number), label
    for path in locked:
        if wanted in ("", str(path), path.name.removeprefix("gpiochip")):
            raise _no_rights(path)
    seen = "; ".join(looked_at) or "no /dev/gpiochip* at all"
    what = f"the GPIO chip {wanted!r}" if wanted else "the GPIO chip of a Raspberry Pi"
    what = f"There is no usable GPIO chip: looked for {what}, found {seen}."
    raise NotYet("no_chip", what, SIMULATE)


def _no_rights(path: Path) -> NotYet:
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = str(os.geteuid())
    about = path.stat()
    try:
        group = grp.getgrgid(about.st_gid).gr_name
    except KeyError:
        group = str(about.st_gid)
    mode = stat.filemode(about.st_mode)
    shared = about.st_mode & GROUP_RW == GROUP_RW and about.st_gid != 0
    rule = "sudo cannon install lets the group gpio use it; then "
    return NotYet(
        "no_rights",
        f"The user {user} may not use {path} ({mode}, group {group}).",
        f"{'' if shared else rule}sudo adduser {user} {group if shared else 'gpio'}, log in anew",
    )
