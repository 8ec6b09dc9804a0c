"""Keeps a small text that the program itself writes, safe against a power cut at any moment.

Every copy begins with a line that has its number and a checksum of the rest. At any moment there
is a whole copy on the disk: where a file can be renamed at one stroke, PATH is replaced by a new
file, and the one before stays as PATH.last; on vfat, where it cannot, PATH.1 and PATH.2 are
written in turn, never the newer one. What people write by hand does not belong here.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from pathlib import Path
from typing import NamedTuple

FAT = ("vfat", "msdos", "exfat")
MOUNTS = Path("/proc/self/mountinfo")
MARK = "# Written by the program, not by hand. Number {}, {} bytes, checksum {:08x}.\n"
_MARK = re.compile(rb"# [^\n]* Number (\d+), (\d+) bytes, checksum ([0-9a-f]{8})\.\n")


class Kept(NamedTuple):
    """What was found: the text, None if no copy is whole; `damaged`: the newest copy was not."""

    text: str | None
    damaged: bool


NOTHING = Kept(None, damaged=False)


def save(path: Path, text: str, fat: bool | None = None) -> None:
    """Puts `text` in the place of what was kept; it is on the disk when this returns.

    `fat` says on what file system `path` is, None to find out. Raises OSError; what was kept
    before is kept then.
    """
    if _is_fat(path) if fat is None else fat:
        _save_in_turn(path, text)
    else:
        _replace(path, text)


def load(path: Path, fat: bool | None = None) -> Kept:
    """The newest whole copy. Raises OSError if there is one that cannot be read, as for lack of
    rights; where there cannot be one, because the folder is none, nothing is kept.

    A damaged copy is put right if that can be, so that the damage is found only once.
    """
    if _is_fat(path) if fat is None else fat:
        copies = [_copy(slot) for slot in _slots(path)]
        damaged = any(copy is not None and copy.text is None for copy in copies)
        best = max(copies, key=lambda copy: copy.number if copy else -1)
    else:
        best = _copy(path)
        damaged = best is not None and best.text is None
        if damaged:
            best = _copy(_beside(path, ".last"))
    if best is None or best.text is None:
        return Kept(None, damaged)
    if damaged:
        with contextlib.suppress(OSError):
            save(path, best.text, fat)
    return Kept(best.text, damaged)


def forget(path: Path) -> None:
    """Nothing is kept any more. Raises OSError."""
    for copy in (path, _beside(path, ".last"), *_slots(path)):
        copy.unlink(missing_ok=True)


def put(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replaces the file at one stroke: there is always the old or the new one. The new one is on
    the disk when this returns. Raises OSError."""
    new = _beside(path, ".new")
    _write(new, content, mode)
    os.replace(new, path)  # noqa: PTH105 - all that must be in order goes through os
    _sync_folder(path.parent)


# --- copies ----------------------------------------------------------------------------------


class _Copy(NamedTuple):
    """One file; `text` is None and `number` -1 if it is not whole."""

    text: str | None
    number: int


def _copy(path: Path) -> _Copy | None:
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    mark = _MARK.match(content)
    if mark is not None:
        body = content[mark.end() :]
        if int(mark[2]) == len(body) and int(mark[3], 16) == zlib.crc32(mark[1] + body):
            with contextlib.suppress(UnicodeDecodeError):
                return _Copy(body.decode(), int(mark[1]))
    return _Copy(None, -1)


def _marked(text: str, number: int) -> bytes:
    body = text.encode()
    checksum = zlib.crc32(str(number).encode() + body)
    return MARK.format(number, len(body), checksum).encode() + body


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    before = _copy(path)
    number = 1
    if before is not None and before.text is not None:
        number = before.number + 1
        put(_beside(path, ".last"), _marked(before.text, before.number))
    put(path, _marked(text, number))


def _save_in_turn(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = {slot: copy.number if (copy := _copy(slot)) else -1 for slot in _slots(path)}
    older = min(numbers, key=lambda slot: numbers[slot])
    _write(older, _marked(text, max(*numbers.values(), 0) + 1))
    _sync_folder(path.parent)


def _write(path: Path, content: bytes, mode: int = 0o644) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        written = 0
        while written < len(content):
            written += os.write(handle, content[written:])
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _slots(path: Path) -> tuple[Path, Path]:
    return _beside(path, ".1"), _beside(path, ".2")


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _is_fat(path: Path, mounts: Path = MOUNTS) -> bool:
    """Whether `path` is on a file system of the FAT family, by the innermost mount above it."""
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return False  # not Linux
    real, deepest, kind = path.absolute(), -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        point = Path(before.split()[4].encode().decode("unicode_escape"))
        if real.is_relative_to(point) and len(point.parts) >= deepest:
            deepest, kind = len(point.parts), after.split()[0]
    return kind in FAT
