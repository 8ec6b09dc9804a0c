"""Makes the launcher a service of this computer, and takes the service away again.

First it is found out what is missing, as a list of changes; then they are made, or only shown.
What is as it should be is no change, so that doing it twice does nothing the second time. History
(/var/lib/card-cannon), settings (/etc/card-cannon) and the user stay when the service goes.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from cannon.errors import CannonError
from cannon.service import off
from cannon.service.machine import About, Machine
from cannon.service.unit import (
    BOARD_PORTS,
    GPIO,
    NAME,
    OFF,
    POWER_OFF,
    RULES,
    SERIAL,
    UNIT,
    Service,
    power_off_rule,
    quoted,
    rules,
    unit,
)
from firmware_bridge.ports import AUTO

USER = "card-cannon"
STATE = "/var/lib/card-cannon"
FILES = (UNIT, RULES, POWER_OFF, OFF)
PROGRAM = Path(off.__file__).resolve()  # a file of it, which tells where it is installed
SYSTEM_PYTHON = "/usr/bin/python3"
HOMES = ("/home", "/root", "/run/user")
TMPS = ("/tmp", "/var/tmp")
CLOSED_PROGRAM = (
    "Install it where others can read it: sudo python3 -m venv /opt/card-cannon && "
    "sudo /opt/card-cannon/bin/pip install 'card-cannon[pi]' && "
    "sudo /opt/card-cannon/bin/cannon install"
)
CLOSED_FILE = "Put it where others can read it, or say who runs the service: --user NAME"
ENTER, READ = 0o001, 0o004  # what others may do with a folder, with a file


class Change(NamedTuple):
    """One thing to do: a file to write (`content` None: to remove), or a command to run."""

    path: str = ""
    content: str | None = None
    command: tuple[str, ...] = ()

    def shown(self) -> str:
        """For people, and for shells."""
        if self.command:
            return f"$ {shlex.join(self.command)}"
        return f"# {self.path}\n{self.content}" if self.content is not None else f"$ rm {self.path}"


class Wish(NamedTuple):
    """What is asked for: `user` "" means a fitting one, `writes` are folders outside of STATE,
    `reads` files that it is told to read, `port` is that of a microcontroller, "" or "auto",
    `power_off`: the service may switch the computer off. A path may begin with ~, the user's home.
    """

    user: str = ""
    options: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    port: str = ""
    power_off: bool = False


def to_install(machine: Machine, wish: Wish) -> list[Change]:
    """What has to be done for the service to be there and run. Raises CannonError."""
    service = _service(machine, wish)
    wanted = {UNIT: unit(service), RULES: rules(), OFF: off_source()}
    if wish.power_off:
        wanted[POWER_OFF] = power_off_rule(service.user)
    files = [
        Change(path, text) for path, text in wanted.items() if machine.text(path) != text.rstrip()
    ]
    if not wish.power_off and machine.exists(POWER_OFF):
        files.append(Change(POWER_OFF))
    return [*_accounts(machine, service.user), *files, *_started(machine, files)]


def to_uninstall(machine: Machine) -> list[Change]:
    """What has to be done for the service to be gone."""
    if not any(machine.exists(path) for path in FILES):
        return []
    return [
        Change(command=("systemctl", "disable", "--now", NAME)),
        *(Change(path) for path in FILES if machine.exists(path)),
        Change(command=("rmdir", str(Path(OFF).parent))),
        Change(command=("systemctl", "daemon-reload")),
        *_rules_read(machine),
    ]


def make(machine: Machine, change: Change) -> None:
    """Makes one change. Raises CannonError."""
    if change.command:
        ran = machine.run(*change.command)
        if not ran.well:
            what = f"`{' '.join(change.command)}` failed: {ran.said or f'exit code {ran.code}'}"
            raise CannonError(what, f"sudo journalctl -u {NAME} -n 20; cannon doctor")
        return
    path = machine.at(change.path)
    try:
        if change.content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{path.name}.new")
            new.write_text(change.content)
            new.chmod(0o644)
            new.rename(path)
    except OSError as error:
        raise CannonError(f"{change.path}: {error.strerror}", "Run it with sudo.") from None


def _service(machine: Machine, wish: Wish) -> Service:
    python, program = machine.python.executable, str(PROGRAM)
    if not machine.exists(python):
        raise CannonError(f"There is no Python at {python!r}.", "Run it by its full path.")
    ran = machine.run(python, "-I", "-m", "cannon", "--version")
    if not ran.well:
        fix = "Install it into a venv, and run install with the venv's Python."
        raise CannonError(f"{python} cannot run cannon for another user: {ran.said}", fix)
    user = wish.user or _fitting_user(machine, [python, program], wish.reads)
    if user not in (USER, *machine.users()):
        raise CannonError(
            f"There is no user {user!r}.", f"sudo adduser {user}, or leave out --user"
        )
    home = machine.homes().get(user, STATE)
    writes = tuple(home + path[1:] if path.startswith("~/") else path for path in wish.writes)
    named = (python, machine.python.base, program, *wish.options, *wish.reads, *writes)
    paths = (*named, *(_real(machine, path) for path in (python, *wish.reads)))
    return Service(
        python=python,
        off_python=SYSTEM_PYTHON if _runs_off(machine) else python,
        user=user,
        options=wish.options,
        writes=writes,
        in_home=any(Path(path).is_relative_to(home) for path in paths for home in HOMES),
        in_tmp=any(Path(path).is_relative_to(tmp) for path in named for tmp in TMPS),
        ports=BOARD_PORTS if wish.port not in ("", AUTO) else (),
        systemd=_systemd_version(machine),
    )


def off_source() -> str:
    """What switches the outputs off: `cannon off` as a file of its own."""
    return Path(off.__file__).read_text(encoding="utf-8")


def _runs_off(machine: Machine) -> bool:
    """Whether the system's own Python can run that file."""
    return machine.run(SYSTEM_PYTHON, "-I", "-S", "-c", "import fcntl, struct").well


def _fitting_user(machine: Machine, program: list[str], reads: Iterable[str]) -> str:
    """A user of its own; or, where what it needs is in a home that is closed to others, its owner.

    Raises CannonError for what is closed to every user but root.
    """
    for path in (*program, *reads):
        closed = next(_closed(machine, path), None)
        if closed is None:
            continue
        about = machine.about(closed)
        if about is not None and about.user != "root":
            return about.user
        what = f"{closed} is closed to every user but root, and the service needs {path}."
        raise CannonError(what, CLOSED_PROGRAM if path in program else CLOSED_FILE)
    return USER


def _closed(machine: Machine, path: str) -> Iterator[str]:
    """The first folder on the way to `path`, or the file, that the service's own user cannot get
    through: only the groups of the devices are its own."""
    real = machine.at(path).resolve()
    for start in (machine.at(path), real):
        for part in [*reversed(start.parents), start]:
            if not part.is_relative_to(machine.root):
                continue
            inside = f"/{part.relative_to(machine.root)}"
            about = machine.about(inside)
            wanted = ENTER if part.is_dir() else READ
            if about is not None and not _lets_in(about) & wanted:
                yield inside
                return


def _lets_in(about: About) -> int:
    """What the service's own user may do with a file, as the bits of others."""
    return about.mode | (about.mode >> 3 if about.group in (GPIO, SERIAL) else 0)


def _real(machine: Machine, path: str) -> str:
    """Where a path leads to in the end."""
    real = machine.at(path).resolve()
    return f"/{real.relative_to(machine.root)}" if real.is_relative_to(machine.root) else str(real)


def _accounts(machine: Machine, user: str) -> Iterator[Change]:
    groups = machine.groups()
    for group in (GPIO, SERIAL):
        if group not in groups:
            yield Change(command=("groupadd", "--system", group))
    if user not in machine.users():
        yield Change(
            command=(
                *("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", STATE),
                *("--shell", "/usr/sbin/nologin", "--groups", f"{GPIO},{SERIAL}", user),
            )
        )


def _started(machine: Machine, files: list[Change]) -> Iterator[Change]:
    paths = [change.path for change in files]
    if UNIT in paths:
        yield Change(command=("systemctl", "daemon-reload"))
    if RULES in paths:
        yield from _rules_read(machine, "gpio", "tty")
    if not machine.run("systemctl", "is-enabled", "--quiet", NAME).well:
        yield Change(command=("systemctl", "enable", NAME))
    if UNIT in paths or not machine.run("systemctl", "is-active", "--quiet", NAME).well:
        yield Change(command=("systemctl", "restart", NAME))


def _rules_read(machine: Machine, *subsystems: str) -> Iterator[Change]:
    """Has udev read its rules anew and use them for these devices; where there is udev at all."""
    if machine.run("udevadm", "--version").well:
        yield Change(command=("udevadm", "control", "--reload"))
        for subsystem in subsystems:
            yield Change(command=("udevadm", "trigger", f"--subsystem-match={subsystem}"))


def _systemd_version(machine: Machine) -> int:
    """The number in "systemd 252 (252.38-1~deb12u1)"; 0 where it is not known."""
    words = machine.run("systemctl", "--version").said.split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def check_rights(machine: Machine) -> None:
    """Raises CannonError if this is not root, or not a computer with systemd."""
    if not machine.exists("/run/systemd/system"):
        what = "This computer is not run by systemd, so there can be no service."
        raise CannonError(what, "Start the launcher yourself: cannon play")
    if machine.user != "root":
        fix = f"sudo {quoted(machine.python.executable)} -m cannon install (or uninstall)"
        raise CannonError(f"The user {machine.user} may not do that.", fix)
