"""Services under systemd, the VM's PID 1: written, started, asked, removed."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from types import TracebackType

UNITS = Path("/run/systemd/system")


class Service:
    """A unit file of this text, known to systemd between `with` and its end."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._path = UNITS / name
        UNITS.mkdir(exist_ok=True)
        self._path.write_text(text)
        systemctl("daemon-reload")

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        systemctl("kill", "--signal=KILL", self.name, check=False)
        systemctl("stop", self.name, check=False)
        systemctl("reset-failed", self.name, check=False)
        self._path.unlink()
        systemctl("daemon-reload")

    def start(self) -> None:
        """Start it and wait until it is ready."""
        systemctl("start", self.name)

    def get(self, name: str) -> str:
        """One property, as in `systemctl show`: ActiveState, MainPID, Result …"""
        return systemctl("show", "--value", f"--property={name}", self.name).strip()

    def wait_for(self, name: str, *values: str, timeout_s: float = 60) -> str:
        """Wait until a property has one of these values; returns the last one seen."""
        end_s = time.monotonic() + timeout_s
        while (value := self.get(name)) not in values and time.monotonic() < end_s:
            time.sleep(0.05)
        return value

    def journal(self) -> str:
        """What the service and systemd said about it."""
        command = ["journalctl", "--no-pager", "--output=cat", f"--unit={self.name}"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def systemctl(*arguments: str, check: bool = True) -> str:
    """Run systemctl; raises RuntimeError with its message when it fails."""
    done = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"systemctl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
