"""The computer as the doctor and the installer see it: its files, commands, users and chips.

Everything they know of it comes through here, so that tests can give them another one: a folder
in place of the root, answers in place of commands.
"""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from cannon.service import lines
from cannon.service.lines import GpioChip
from firmware_bridge.ports import Found, PortInfo, identify, list_ports

COMMAND_S = 120.0  # a start of the service may wait for its hardware


class Ran(NamedTuple):
    """How a command ended: 127 if there is none of that name; `said` is what it printed."""

    code: int
    said: str

    @property
    def well(self) -> bool:
        """Whether it ended with 0."""
        return self.code == 0


class About(NamedTuple):
    """Whose a file is, and its permission bits."""

    user: str
    group: str
    mode: int


class Package(NamedTuple):
    """An installed package: its version, where its module is, and what the module's text says."""

    version: str
    path: str
    text: str


class Python(NamedTuple):
    """The Python that runs this. `base` is where its venv comes from; the same where none is."""

    executable: str
    version: tuple[int, int, int]
    prefix: str
    base: str
    bits: int


def run(*command: str) -> Ran:
    """Runs a command on this computer, without a terminal."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_S,
            check=False,
        )
    except FileNotFoundError:
        return Ran(127, "")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Ran(1, str(error))
    return Ran(done.returncode, done.stdout.decode(errors="replace").strip())


def package(name: str, module: str) -> Package | None:
    """What is installed under that name for the running interpreter. Nothing is imported."""
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
    found = find_spec(module)
    if found is None or found.origin is None:
        return None
    path = Path(found.origin)
    return Package(version, str(path), path.read_text(errors="replace"))


def free_bytes(path: Path) -> int:
    """The room that is left where `path` is or will be."""
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free


def this_python() -> Python:
    """The running interpreter."""
    version = sys.version_info
    bits = 64 if sys.maxsize > 2**32 else 32
    numbers = (version.major, version.minor, version.micro)
    return Python(sys.executable, numbers, sys.prefix, sys.base_prefix, bits)


class Machine:
    """One computer. All paths given and returned are as on that computer, absolute."""

    def __init__(
        self,
        root: Path = Path("/"),
        environment: Mapping[str, str] = os.environ,
        run: Callable[..., Ran] = run,
        chips: Callable[[], list[GpioChip]] = lines.chips,
        holder: Callable[[str, int], str | None] = lines.holder,
        about: Callable[[Path], About] | None = None,
        python: Python | None = None,
        package: Callable[[str, str], Package | None] = package,
        ports: Callable[[], list[PortInfo]] = list_ports,
        identify: Callable[[str], Found] = identify,
        free_bytes: Callable[[Path], int] = free_bytes,
        year: int | None = None,
        user: str | None = None,
        cwd: str | None = None,
    ) -> None:
        self.root = root
        self.environment = environment
        self.run = run
        self.chips = chips
        self.holder = holder
        self._about = about or _about
        self.python = python or this_python()
        self.package = package
        self.ports = ports
        self.identify = identify
        self._free_bytes = free_bytes
        self.year = year or datetime.now(UTC).year
        self.user = user or user_name(os.geteuid())
        self.cwd = cwd or str(Path.cwd())

    def at(self, path: str) -> Path:
        """Where that path of the computer is."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str | None:
        """A file's content without trailing zeros and white space; None if it cannot be read."""
        try:
            return self.at(path).read_text(errors="replace").rstrip("\0\n ")
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether there is something at that path."""
        return self.at(path).exists()

    def glob(self, pattern: str) -> list[str]:
        """The paths that match, sorted."""
        found = self.root.glob(pattern.lstrip("/"))
        return sorted(f"/{path.relative_to(self.root)}" for path in found)

    def about(self, path: str) -> About | None:
        """Whose a file is; None if there is none."""
        try:
            return self._about(self.at(path))
        except OSError:
            return None

    def whose(self, path: str) -> str:
        """Owner, group and mode of a file, as in root:gpio 0660; ? if there is none."""
        about = self.about(path)
        return f"{about.user}:{about.group} {about.mode:04o}" if about else "?"

    def free_bytes(self, path: str) -> int:
        """The room that is left there. Raises OSError."""
        return self._free_bytes(self.at(path))

    def writable(self, path: str) -> bool:
        """Whether this user may make files in that folder."""
        return os.access(self.at(path), os.W_OK | os.X_OK)

    def usable(self, path: str) -> bool:
        """Whether this program may read and write that file, as it runs now."""
        return os.access(self.at(path), os.R_OK | os.W_OK)

    def mount(self, path: str) -> tuple[str, str]:
        """Kind and options ("rw,noatime") of the file system that `path` is on; "" if unknown."""
        deepest, found = -1, ("", "")
        for line in (self.text("/proc/self/mountinfo") or "").splitlines():
            before, _, after = line.partition(" - ")
            fields = before.split()
            point = Path(fields[4])
            if Path(path).is_relative_to(point) and len(point.parts) >= deepest:
                deepest, found = len(point.parts), (after.split()[0], fields[5])
        return found

    def users(self) -> list[str]:
        """The names in /etc/passwd."""
        return list(self.homes())

    def homes(self) -> dict[str, str]:
        """The home folders of the users in /etc/passwd, by their names."""
        rows = [line.split(":") for line in (self.text("/etc/passwd") or "").splitlines()]
        return {row[0]: row[5] if len(row) > 5 else "" for row in rows}

    def groups(self) -> dict[str, list[str]]:
        """The groups in /etc/group with their members."""
        found = {}
        for line in (self.text("/etc/group") or "").splitlines():
            name, *rest = line.split(":")
            found[name] = [member for member in rest[-1].split(",") if member] if rest else []
        return found

    def has_group(self, name: str) -> bool:
        """Whether this user is in that group, by /etc/group, or is root."""
        return self.user == "root" or self.user in self.groups().get(name, [])


def user_name(number: int) -> str:
    """The name of a user, or the number where there is none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def group_name(number: int) -> str:
    """The name of a group, or the number where there is none."""
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _about(path: Path) -> About:
    status = path.stat()
    return About(user_name(status.st_uid), group_name(status.st_gid), status.st_mode & 0o7777)
