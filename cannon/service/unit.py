"""The files that make the launcher a service: for systemd, udev and polkit. Only text.

What the unit's lines are for stands in the unit. What may die, and what then switches the motor
off, stands in the README as a table; `ExecStopPost=` is half of it.
"""

from __future__ import annotations

from typing import NamedTuple

NAME = "cannon.service"
UNIT = f"/etc/systemd/system/{NAME}"
RULES = "/etc/udev/rules.d/60-card-cannon.rules"
OFF = "/usr/local/lib/card-cannon/off.py"
POWER_OFF = "/etc/polkit-1/rules.d/60-card-cannon.rules"
FOLDER = "card-cannon"  # below /run and /var/lib
GPIO, SERIAL = "gpio", "dialout"  # the groups that own the devices
RISING_PAUSES = 254  # systemd that can wait longer before each restart

USB_PORTS = ("char-166", "char-188")
"""Of ttyACM and ttyUSB. By number: systemd finds no name of a driver that comes with the cable."""
BOARD_PORTS = ("char-ttyAMA", "char-ttyS")
"""The UARTs on the header, as /dev/serial0. What this kernel has not, systemd leaves out. ttyS has
the number of the consoles too, so they are for those who ask for a port by name."""

WATCHDOG_S = 3
"""A frozen program is ended after this; the motor may run that long if only this stops it."""


class Service(NamedTuple):
    """What a unit is made of.

    `python` is the interpreter that has the project installed; `off_python` is one that runs OFF,
    for which any will do and that of the system is best. `options` is what `cannon play` is
    started with, `writes` are folders outside of /var/lib that it must write to, `in_home`: it
    needs to read home folders, `in_tmp`: it needs to read /tmp. `ports` are device groups of serial
    ports beside those on USB, as systemd names them.
    """

    python: str
    off_python: str
    user: str
    options: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    in_home: bool = False
    in_tmp: bool = False
    ports: tuple[str, ...] = ()
    systemd: int = 0


def quoted(word: str) -> str:
    """A word for a command line in a unit: whatever is in it is meant as it stands."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    safe = all(letter.isalnum() or letter in "/._-+=:,@" for letter in word)
    return plain if word and safe else f'"{plain}"'


def unit(service: Service) -> str:
    """The unit file."""
    play = [service.python, "-I", "-m", "cannon", "play", *service.options]
    off = [service.off_python, "-I", "-S", OFF]
    devices = "\n".join(
        f"DeviceAllow={group} rw" for group in ("char-gpiochip", *USB_PORTS, *service.ports)
    )
    writes = " ".join(["/run/lock", *map(_path, service.writes)])
    rising = "RestartSteps=5\nRestartMaxDelaySec=60\n" if service.systemd >= RISING_PAUSES else ""
    return f"""\
# Written by `cannon install`, which writes it anew each time; changes: systemctl edit {NAME}
[Unit]
Description=Card cannon, the controller of a card launcher
StartLimitIntervalSec=0

[Service]
ExecStart={_command(play)}
# Whatever ends the program, all outputs are off then: the kernel may leave them as they were. It
# is done by a copy that only root can change, as root (+), without the time that walls take.
ExecStopPost=+{_command(off)}
# It says itself when it is ready, and is ended if it does not say often enough that it lives.
Type=notify
NotifyAccess=main
WatchdogSec={WATCHDOG_S}
# A start waits up to 30 s for a late GPIO chip. A stop takes a moment, but what ExecStopPost= does
# must not be cut short on a busy computer. A hung program has a second to die; a dump helps nobody.
TimeoutStartSec=60
TimeoutStopSec=15
TimeoutAbortSec=1
LimitCORE=0
# It comes back after every failure but wrong use (2) and wrong settings (78).
Restart=on-failure
RestartSec=5
{rising}RestartPreventExitStatus=2 78
# Among the last to be ended when memory is short, among the first to get the processor.
OOMScoreAdjust=-500
Nice=-10
CPUWeight=1000

User={service.user}
Group={GPIO}
SupplementaryGroups={SERIAL}
UMask=0027
RuntimeDirectory={FOLDER}
RuntimeDirectoryMode=0750
StateDirectory={FOLDER}
WorkingDirectory=/run/{FOLDER}
Environment=LG_WD=/run/{FOLDER} GPIOZERO_PIN_FACTORY=lgpio

# What it may do: GPIO chips, serial ports, its folders, the network for its page.
DevicePolicy=closed
{devices}
ProtectSystem=strict
ReadWritePaths={writes}
ProtectHome={"read-only" if service.in_home else "yes"}
PrivateTmp={"no" if service.in_tmp else "yes"}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
CapabilityBoundingSet=
NoNewPrivileges=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallFilter=setpriority
SystemCallErrorNumber=EPERM
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictNamespaces=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RemoveIPC=yes

[Install]
WantedBy=multi-user.target
"""


def rules() -> str:
    """The udev rules: who may use GPIO chips and a Pico, and that modem software lets it be."""
    return f"""\
# Written by `cannon install`.
SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="{GPIO}", MODE="0660"
SUBSYSTEM=="tty", ATTRS{{idVendor}}=="2e8a", GROUP="{SERIAL}", MODE="0660", \
ENV{{ID_MM_DEVICE_IGNORE}}="1"
"""


def _command(words: list[str]) -> str:
    """A command line. systemd takes a program by a strange path only as an argument of another."""
    if any(letter in words[0] for letter in "\"'\\$"):
        words = ["/usr/bin/env", *words]
    return " ".join(map(quoted, words))


def power_off_rule(user: str) -> str:
    """The polkit rule that lets the service switch the computer off, where the page may do that."""
    return f"""\
// Written by `cannon install`, because cannon.toml says [web] shutdown = true.
polkit.addRule(function(action, subject) {{
    if (action.id.indexOf("org.freedesktop.login1.power-off") == 0 && subject.user == "{user}") {{
        return polkit.Result.YES;
    }}
}});
"""


def _path(path: str) -> str:
    return quoted(path).replace("$$", "$")  # here nothing is done to dollar signs
