"""A computer in a folder: files, users, chips and answers of commands, for doctor and installer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cannon.service.lines import GpioChip
from cannon.service.machine import About, Machine, Package, Python, Ran
from firmware_bridge.ports import Found, PortInfo

PYTHON = Python("/opt/card-cannon/bin/python", (3, 11, 2), "/opt/card-cannon", "/usr", 64)


class FakeMachine(Machine):
    """A machine whose parts can be planted. `answers` are by the beginning of the command."""

    def __init__(
        self,
        root: Path,
        environment: Mapping[str, str] | None = None,
        python: Python = PYTHON,
        user: str = "root",
    ) -> None:
        self.answers: dict[str, Ran] = {}
        self.ran: list[str] = []
        self.owners: dict[str, About] = {}
        self.gpio_chips: list[GpioChip] = []
        self.held: dict[int, str] = {}
        self.packages: dict[str, Package] = {}
        self.serial_ports: list[PortInfo] = []
        self.boards: dict[str, Found] = {}
        self.free = 10**10
        self.closed_folders: set[str] = set()
        self.closed_files: set[str] = set()
        super().__init__(
            root.resolve(),
            environment or {},
            run=self._run,
            chips=lambda: list(self.gpio_chips),
            holder=lambda chip, line: self.held.get(line),
            about=self._owner,
            python=python,
            package=lambda name, module: self.packages.get(name),
            ports=lambda: list(self.serial_ports),
            identify=lambda device: self.boards[device],
            free_bytes=lambda path: self.free,
            year=2026,
            user=user,
            cwd="/run/card-cannon",
        )

    def writable(self, path: str) -> bool:
        """Whether the test has not closed it: root may write anywhere."""
        return path not in self.closed_folders and self.exists(path)

    def usable(self, path: str) -> bool:
        """Whether its group or everybody may, unless the test has closed it."""
        about = self.about(path)
        if about is None or path in self.closed_files:
            return False
        by_group = about.mode & 0o060 == 0o060 and self.has_group(about.group)
        return by_group or about.mode & 0o006 == 0o006 or self.user == "root"

    def put(self, path: str, text: str = "") -> None:
        """Makes a file."""
        self.at(path).parent.mkdir(parents=True, exist_ok=True)
        self.at(path).write_text(text)

    def answer(self, command: str, said: str = "", code: int = 0) -> None:
        """What commands that begin so will say; the longest beginning counts."""
        self.answers[command] = Ran(code, said)

    def _run(self, *command: str) -> Ran:
        whole = " ".join(command)
        self.ran.append(whole)
        fitting = [beginning for beginning in self.answers if whole.startswith(beginning)]
        return self.answers[max(fitting, key=len)] if fitting else Ran(127, "")

    def _owner(self, path: Path) -> About:
        inside = f"/{path.relative_to(self.root)}"
        path.stat()
        return self.owners.get(inside, About("root", "root", 0o755))
