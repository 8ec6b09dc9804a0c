"""The lock by which only one program drives a launcher, and the record of what it drives.

The record is for whoever has to switch the outputs off when that program has died: it is written
before the outputs are claimed, and stays. `cannon off` reads it (see `cannon.service.off`).
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from cannon.errors import CannonError


class OneInstance:
    """Holds the lock called `name`. Free it with `release`."""

    def __init__(self, folder: Path, name: str) -> None:
        """Takes the lock, or raises CannonError that names the process that has it."""
        self._path = folder / f"card-cannon-{name}.lock"
        self._file: TextIO | None = None
        file = self._open()
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = file.readline().strip() or "unknown"
            file.close()
            raise CannonError(
                f"The launcher is already running, as process {owner}.",
                f"Stop that one first: sudo systemctl stop cannon, or kill {owner}",
            ) from None
        self._file = file
        outputs = file.read().partition("\n")[2]  # of the last one; they may still be on
        self._write(f"{os.getpid()}\n{outputs}")

    def record(self, chip: str, outputs: list[int], label: str) -> None:
        """Writes down which outputs are about to be claimed, the motor's first. `chip` is the
        path of the GPIO chip. Raises CannonError if that cannot be written."""
        lines = ",".join(map(str, outputs))
        self._write(f"{os.getpid()}\n{chip} {lines} {label}\n")

    def release(self) -> None:
        """Lets the next one in. May be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> TextIO:
        """The file, which everybody may write to: it may be another user's turn next time."""
        try:
            try:
                # Another user's file in such a folder must not be opened with O_CREAT.
                return self._path.open("r+", encoding="utf-8")
            except FileNotFoundError:
                file = self._path.open("a+", encoding="utf-8")
            if os.fstat(file.fileno()).st_uid == os.geteuid():
                os.fchmod(file.fileno(), 0o666)
        except OSError as error:
            raise CannonError(
                f"{self._path}: cannot be opened: {error.strerror}", f"sudo rm {self._path}"
            ) from None
        return file

    def _write(self, text: str) -> None:
        assert self._file is not None
        try:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            raise CannonError(
                f"{self._path}: cannot be written: {error.strerror}", "make room there: df -h"
            ) from None


def lock_folder() -> Path:
    """Where the lock is: the same place for every user of the machine."""
    for folder in (Path("/run/lock"), Path("/tmp")):
        if os.access(folder, os.W_OK):
            return folder
    raise CannonError("There is no writable place for a lock: neither /run/lock nor /tmp.")
