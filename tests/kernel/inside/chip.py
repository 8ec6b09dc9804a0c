"""A GPIO chip of gpio-sim: makes one, moves its input lines like a finger, reads its lines.

To programs it is a real /dev/gpiochip. A line that a finger has touched once follows the finger
alone, as a contact to ground does; an untouched one follows the pull a program asks for.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path
from types import TracebackType

CONFIG = Path("/sys/kernel/config/gpio-sim")
_numbers = itertools.count()


class Chip:
    """One chip with the lines of a Raspberry Pi, there until `remove` or the end of `with`.

    `number` is that of /dev/gpiochipN, `base` the kernel's number of line 0, as traces show it.
    """

    def __init__(self, lines: int = 28, label: str = "pinctrl-bcm2711") -> None:
        if not CONFIG.exists():
            mount = ["mount", "-t", "configfs", "configfs", "/sys/kernel/config"]
            subprocess.run(mount, check=True)
        self._config = CONFIG / f"chip{os.getpid()}-{next(_numbers)}"
        bank = self._config / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(f"{lines}\n")
        (bank / "label").write_text(f"{label}\n")
        (self._config / "live").write_text("1\n")
        name = (bank / "chip_name").read_text().strip()
        device = (self._config / "dev_name").read_text().strip()
        self._sysfs = Path("/sys/devices/platform") / device / name
        self.number = int(name.removeprefix("gpiochip"))
        self.base = int(next((self._sysfs.parent / "gpio").glob("gpiochip*/base")).read_text())
        self._pulls: dict[int, int] = {}
        self._values: dict[int, int] = {}

    def __enter__(self) -> Chip:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.remove()

    def pull(self, line: int, level: int) -> None:
        """Move an input line to this level (0 or 1) and hold it there."""
        if line not in self._pulls:
            self._pulls[line] = os.open(self.path(line), os.O_WRONLY)
        os.pwrite(self._pulls[line], b"pull-up" if level else b"pull-down", 0)

    def path(self, line: int) -> Path:
        """The file that moves a line, for processes of their own."""
        return self._sysfs / f"sim_gpio{line}/pull"

    def level(self, line: int) -> int:
        """The level of a line now: 0 or 1."""
        if line not in self._values:
            self._values[line] = os.open(self._sysfs / f"sim_gpio{line}/value", os.O_RDONLY)
        return int(os.pread(self._values[line], 2, 0))

    def remove(self) -> None:
        """Take the chip away, also from under a program that uses it. May be called twice."""
        for descriptor in (*self._pulls.values(), *self._values.values()):
            os.close(descriptor)
        self._pulls, self._values = {}, {}
        if self._config.exists():
            (self._config / "live").write_text("0\n")
            (self._config / "bank0").rmdir()
            self._config.rmdir()
