"""Switches every output of the launcher off, now, by the shortest path there is.

It is run when all else has died, so it needs no lgpio, no settings and no writable disk: the last
program that drove the launcher wrote down its outputs, motor first, before it claimed them (see
`cannon.devices.lock`). They are claimed low through the kernel. A line that another process holds
cannot be claimed: there the pin tool of Raspberry Pi OS, which goes round the kernel, is asked.

Runs as a module and as a file (`python -I -S off.py`), and so imports nothing of the project and
nothing heavy: it has to be as quick as a script of one line.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import sys

RECORDS = ("/run/lock/card-cannon-gpio.lock", "/tmp/card-cannon-gpio.lock")
PIN_TOOLS = ("pinctrl", "raspi-gpio")  # of Raspberry Pi OS since Bookworm, and before
HEADER_LABEL = "pinctrl-"  # what the labels of chips begin with that the pin tools number like us
LINES = 64  # no chip of ours has more

# struct gpio_v2_line_request of linux/gpio.h: offsets[64], consumer[32], flags, attributes (none:
# the outputs are low), num_lines, event_buffer_size, padding, fd.
REQUEST = struct.Struct("=64I32sQ264xII20xi")
GET_LINE = 0xC250B407
OUTPUT = 1 << 3


def recorded(paths: tuple[str, ...] = ()) -> list[tuple[str, str, list[int], str]]:
    """(chip, label, lines, process) of the outputs that were claimed last, by each record there is.

    A record is the number of the process in the first line; in the second the path of the chip,
    the lines, and its label. One that is torn or not ours counts as none.
    """
    found = []
    for path in paths or RECORDS:
        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to load
                process, outputs = file.read().split("\n")[:2]
            chip, numbers, label = outputs.split(" ", 2)
            lines = [int(number) for number in numbers.split(",")]
        except (OSError, ValueError):
            continue
        if chip.startswith("/dev/gpiochip") and all(0 <= line < LINES for line in lines):
            found.append((chip, label, lines, process))
    return found


def claim_low(chip: int, line: int) -> None:
    """Makes a line of the open chip an output at low; nobody else can change it before this
    process ends. Raises OSError: EBUSY if somebody holds it."""
    request = REQUEST.pack(line, *([0] * 63), b"cannon-off", OUTPUT, 1, 0, 0)
    fcntl.ioctl(chip, GET_LINE, bytearray(request))


def by_pin_tool(lines: list[int]) -> bool:
    """Sets GPIO numbers low by the system's pin tool. False if there is none or it fails."""
    for tool in PIN_TOOLS:
        command = [tool, "set", ",".join(map(str, lines)), "op", "dl"]
        try:
            process = os.posix_spawnp(tool, command, os.environ)
        except OSError:
            continue
        if os.waitpid(process, 0)[1] == 0:
            return True
    return False


def switch_off(chip: str, label: str, lines: list[int], process: str = "") -> str:
    """Switches off what it can, in the order given. Returns what could not be done, for people.

    `process` is the one that most likely holds the lines.
    """
    try:
        handle = os.open(chip, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"{chip} cannot be opened: {error.strerror}.{_rights(error)}"
    held, failed = [], []
    for line in lines:
        try:
            claim_low(handle, line)
        except OSError as error:
            if error.errno == errno.EBUSY:
                held.append(line)
            else:
                failed.append(f"GPIO{line}: {error.strerror}.{_rights(error)}")
    if held and not (label.startswith(HEADER_LABEL) and by_pin_tool(held)):
        names = ", ".join(f"GPIO{line}" for line in held)
        whom = f"sudo kill -KILL {process}" if process else f"sudo fuser -k {chip}"
        failed.append(
            f"{names} cannot be switched off: another process holds them, and there is no "
            f"{' or '.join(PIN_TOOLS)} that could.\nEnd that process, then try again: {whom}"
        )
    return "\n".join(failed)


def sockets() -> list[str]:
    """Where a launcher that runs listens, as in `cannon.service.control`."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    own = f"{runtime}/card-cannon" if runtime[:1] == "/" else f"/tmp/card-cannon-{os.getuid()}"
    return ["/run/card-cannon/control", f"{own}/control"]


def launcher_there() -> bool:
    """Whether a launcher may run that can be told."""
    return any(os.access(socket, os.F_OK) for socket in sockets())


def main() -> int:
    """Switches off all that is on record. 0 if all is off, 1 if not; says what is not."""
    failed = [said for outputs in recorded() if (said := switch_off(*outputs))]
    if failed:
        sys.stderr.write("cannon: " + "\n".join(failed) + "\n")
        return 1
    return 0


def _rights(error: OSError) -> str:
    return " Try it with sudo." if error.errno in (errno.EACCES, errno.EPERM) else ""


if __name__ == "__main__":
    sys.exit(main())
