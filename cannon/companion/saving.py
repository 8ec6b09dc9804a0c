"""Keeps a game as the list of its actions, one line of JSON each, safe against a power cut.

An action is confirmed once `append` has come back: the line is on the disk then. A line that was
torn by a power cut was never confirmed; it is cut off when the file is opened again, and so are the
zeros that a file system may put in its place.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from cannon.errors import CannonError
from cannon.settings import storage
from cannon.table.actions import Action, NotAnAction, read, write


class ActionFile:
    """The actions of one game in a file, which only one program at a time may have open.

    Raises CannonError if the file is in use, cannot be opened, or has a line that is no action.
    With `rescue` it goes on from the lines before such a line; `aside` is a copy of the whole then.
    """

    def __init__(self, path: Path, rescue: bool = False) -> None:
        self.path = path
        self.aside: Path | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("a+b", buffering=0)
            _lock(self._file)
        except BlockingIOError as error:
            fix = "close the other one, or give another --file"
            raise CannonError(f"{path}: another program has this game open", fix) from error
        except OSError as error:
            fix = "give a place that can be written with --file"
            raise CannonError(f"{path}: cannot be opened: {error.strerror}", fix) from error
        try:
            self.actions: list[Action] = self._confirmed(rescue)
            _sync_folder(path.parent)
        except OSError as error:
            self._file.close()
            fix = "give another place with --file"
            raise CannonError(f"{path}: cannot be read: {error.strerror}", fix) from error
        except BaseException:
            self._file.close()
            raise

    def append(self, action: Action) -> None:
        """Keeps `action`; it is on the disk when this returns. Raises OSError if it cannot be."""
        line = write(action).encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(end)
            raise
        self.actions.append(action)

    def clear(self) -> None:
        """Begins anew with no action."""
        self._file.truncate(0)
        os.fsync(self._file.fileno())
        self.actions = []

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> ActionFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _confirmed(self, rescue: bool) -> list[Action]:
        self._file.seek(0)
        content = self._file.read()
        lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
        actions: list[Action] = []
        for number, line in numbered(lines):
            try:
                actions.append(read(line))
            except NotAnAction as error:
                if not rescue:
                    fix = "take the line out, or give another file"
                    what = f"{self.path}: line {number} is not an action: {error}"
                    raise CannonError(what, fix) from None
                self.aside = _kept_aside(self.path, content)
                lines = lines[: number - 1]
                break
        good = sum(map(len, lines))
        if good != len(content):
            self._file.truncate(good)
        return actions


def _kept_aside(path: Path, content: bytes) -> Path:
    """A copy under a name of its own, beside those of earlier times; it is on the disk then."""
    names = (path.with_name(f"{path.name}.corrupt-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    storage.put(aside, content)
    return aside


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and the lines that say something: blank ones and those that begin with #
    say nothing."""
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(b"#"):
            yield number, stripped


def _lock(file: BinaryIO) -> None:
    """Lets no other program in; closes the file if there is one already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def usual_place(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a game is kept if nobody says otherwise."""
    state = environment.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "cannon" / "table.jsonl"
