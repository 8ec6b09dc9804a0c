"""A healthy Raspberry Pi for the doctor to look at, and all that its checks can say."""

from __future__ import annotations

import ast
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from service_tools import PYTHON, FakeMachine

from cannon.service import checks, doctor
from cannon.service.doctor import Checked, examine
from cannon.service.finding import Case
from cannon.service.installing import off_source
from cannon.service.lines import GpioChip
from cannon.service.machine import About, Package
from cannon.service.unit import OFF, RULES, UNIT, Service, rules, unit
from cannon.settings.texts import Texts
from firmware_bridge.ports import VENDOR, Found, PortInfo
from firmware_bridge.reports import Board as OnPico
from hardware import Board, load_board

ENGLISH = Texts("en")
JOURNAL = "/var/lib/card-cannon/journal.db"
LGPIO = "def gpiochip_open(gpiochip):\n"
CHIP = GpioChip("/dev/gpiochip0", "pinctrl-rp1", 54)
PICO = PortInfo("/dev/ttyACM0", VENDOR, "E66", "Pico")
ON_PICO = OnPico((1, 2, 0), 7, 9, 3, 100, 1500, 900, 3000, 400, 300, 9, "E66", "launcher-pico-usb")
STATE = {
    "ActiveState": "active",
    "SubState": "running",
    "UnitFileState": "enabled",
    "NeedDaemonReload": "no",
    "Result": "success",
    "NRestarts": "0",
    "ExecMainStatus": "0",
    "WatchdogUSec": "3s",
}


class Pi(FakeMachine):
    """A healthy Raspberry Pi 5 with the service installed, as its user pi sees it."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, user="pi", environment={"LG_WD": "/tmp"})
        self.board = "launcher-pi"
        self.rewired: Callable[[Board], Board] = lambda board: board
        self.wrong_settings = ""
        self.put("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
        self.put("/proc/sys/kernel/osrelease", "6.12.25+rpt-rpi-2712\n")
        self.put("/proc/self/mountinfo", "22 1 8:2 / / rw,noatime - ext4 /dev/root rw\n")
        self.put("/etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
        self.put("/etc/passwd", "root:x:0:0::/root:/bin/bash\npi:x:1000:1000::/home/pi:/bin/bash\n")
        self.put("/etc/group", "gpio:x:997:pi\ndialout:x:20:pi\n")
        self.put("/boot/firmware/config.txt", "# a comment\ndtparam=strict_gpiod\n")
        self.put("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs", "N\n")
        self.put("/sys/devices/platform/soc@1/soc@1:firmware/get_throttled", "0\n")
        self.put("/dev/watchdog0")
        self.put("/dev/gpiochip0")
        self.put("/tmp/x")
        self.put("/run/systemd/system/x")
        self.put(PYTHON.executable)
        self.put(
            f"{PYTHON.prefix}/pyvenv.cfg",
            "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n",
        )
        self.put(UNIT, unit(Service(PYTHON.executable, "/usr/bin/python3", "card-cannon")))
        self.put(RULES, rules())
        self.put(OFF, off_source())
        self.at(JOURNAL).parent.mkdir(parents=True)
        with sqlite3.connect(self.at(JOURNAL)) as file:
            file.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, data TEXT)")
            file.executemany("INSERT INTO records (data) VALUES (?)", [("x" * 500,)] * 50)
        file.close()
        self.gpio_chips = [CHIP, GpioChip("/dev/gpiochip10", "gpio-brcmstb@107d508500", 32)]
        site = "/opt/card-cannon/lib/python3.11/site-packages"
        self.packages = {
            "lgpio": Package("0.2.2.0", f"{site}/lgpio.py", LGPIO),
            "gpiozero": Package("2.0.1.post3", f"{site}/gpiozero/__init__.py", ""),
            "pyserial": Package("3.5", f"{site}/serial/__init__.py", ""),
        }
        self.serial_ports = [PICO]
        self.boards = {PICO.device: Found(PICO.device, ON_PICO, None)}
        self.put(PICO.device)
        self.owners[PICO.device] = About("root", "dialout", 0o660)
        self.service()
        self.answer("systemctl show --value -p RuntimeWatchdogUSec", "1min")
        self.answer("systemctl is-active --quiet ModemManager")
        self.answer("timedatectl", "yes")

    def service(self, **state: str) -> None:
        """What systemd says of the service."""
        said = "\n".join(f"{key}={value}" for key, value in (STATE | state).items())
        self.answer("systemctl show cannon.service", said)

    def case(self) -> Case:
        board = None if self.wrong_settings else self.rewired(load_board(self.board))
        return Case(self, board, self.wrong_settings, JOURNAL)

    def found(self) -> list[Checked]:
        """What the doctor finds wrong."""
        return [checked for checked in examine(self.case(), ENGLISH) if not checked.ok]

    def finding(self, name: str) -> Checked:
        """The one thing that is found, which must be of that check."""
        found = self.found()
        assert [checked.name for checked in found] == [name]
        assert found[0].fix
        return found[0]


MAKERS = {"well": ("said",), "bad": ("said",), "not_here": ("said",), "said": ("said", "fix")}


def made() -> Iterator[tuple[str, str, set[str] | None]]:
    """All that the checks say: by what, the code, and the values given; None where those are not
    to be seen in the code."""
    for path in [Path(doctor.__file__), *Path(checks.__path__[0]).glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS:
                given = {word.arg or "" for word in node.keywords}
                for code in codes(node.args[0]):
                    yield node.func.id, code, None if "" in given else given  # type: ignore[attr-defined]


def codes(node: ast.expr) -> list[str]:
    """What a code can be, where it is written down as it is or as one of two."""
    if isinstance(node, ast.IfExp):
        return codes(node.body) + codes(node.orelse)
    return [str(node.value)] if isinstance(node, ast.Constant) else []
