"""All that the doctor can find wrong is planted once: a table of faults, by what it then says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from doctor_tools import JOURNAL, PICO, Pi, made
from service_tools import PYTHON

from cannon.service.checks.bridge import PROBLEMS
from cannon.service.checks.service import ENDS, EXITS
from cannon.service.doctor import examine
from cannon.service.finding import Said
from cannon.service.lines import GpioChip
from cannon.service.machine import About, Package
from cannon.service.unit import OFF, RULES, UNIT
from firmware_bridge.errors import BridgeError
from firmware_bridge.ports import Found
from hardware import Board

Plant = Callable[[Pi], Any]

CONFIG = "/boot/firmware/config.txt"
KEEPS = "/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs"
KERNEL = "/proc/sys/kernel/osrelease"
MOUNTS = "/proc/self/mountinfo"
HEAT = "/sys/devices/platform/soc@1/soc@1:firmware/get_throttled"


def put(path: str, text: str) -> Plant:
    return lambda pi: pi.put(path, text)


def port_of(group: str) -> Plant:
    return lambda pi: pi.owners.update({PICO.device: About("root", group, 0o660)})


def gone(*paths: str) -> Plant:
    return lambda pi: [pi.at(path).unlink() for path in paths]


def having(**what: Any) -> Plant:
    """The computer has something else."""
    return lambda pi: [setattr(pi, name, value) for name, value in what.items()]


def service(**state: str) -> Plant:
    return lambda pi: pi.service(**state)


def without(package: str, board: str = "launcher-pi") -> Plant:
    return both(having(board=board), lambda pi: pi.packages.pop(package))


def version(package: str, number: str) -> Plant:
    return lambda pi: pi.packages.update({package: Package(number, "/x", "")})


def both(*plants: Plant) -> Plant:
    return lambda pi: [plant(pi) for plant in plants]


def chip_of(group: str, mode: int) -> Plant:
    """A GPIO chip that this user may not open."""
    closed = having(gpio_chips=[GpioChip("/dev/gpiochip0", None)])
    return both(closed, lambda pi: pi.owners.update({"/dev/gpiochip0": About("root", group, mode)}))


def answering(code: str) -> Plant:
    """A Pico whose port is in that trouble."""
    found = Found(PICO.device, None, BridgeError(code, "it is so", "do this"))
    return having(board="launcher-pico-usb", boards={PICO.device: found})


def rewired(part: str, **pins: int) -> Plant:
    def change(board: Board) -> Board:
        changed = msgspec.structs.replace(getattr(board, part), **pins)
        return msgspec.structs.replace(board, **{part: changed})

    return having(rewired=change)


def a_folder_for_the_journal(pi: Pi) -> None:
    pi.at(JOURNAL).unlink()
    pi.at(JOURNAL).mkdir()


def a_disk_that_fails(pi: Pi) -> None:
    def fails(path: Path) -> int:
        raise OSError(5, "Input/output error")

    pi._free_bytes = fails


PLANTED: dict[str, Plant] = {
    # The Raspberry Pi
    "no_header_chip chip": having(gpio_chips=[GpioChip("/dev/gpiochip0", "mcp23017", 8)]),
    "no_chip": having(gpio_chips=[]),
    "chips_closed see_gpio_rights chip_closed install_for_group": chip_of("root", 0o600),
    "chip_closed_yet log_in_anew": chip_of("gpio", 0o660),
    "join_group": chip_of("video", 0o660),
    "lines_held line_by end_program": having(held={23: "gpioset"}),
    "strict_waits": put(KEEPS, "Y"),
    "outputs_persist": both(put(KEEPS, "Y"), put(CONFIG, "")),
    "outputs_old_kernel": both(gone(KEEPS), put(KERNEL, "6.1.21-v8+")),
    "outputs_unknown take_it_they_do": gone(KEEPS),
    "motor_high by_setting": put(CONFIG, "gpio=23=pu"),
    "by_chip": rewired("motor", forward=6),
    "claims claim_by_overlay move_overlay": put(CONFIG, "dtoverlay=w1-gpio,gpiopin=17"),
    "claim_by_bus take_away": both(put(CONFIG, "dtparam=i2s=on"), rewired("button", pin=18)),
    "supply_troubles power_low_now power_low_since better_supply": put(HEAT, "10001"),
    "slowed_now slowed_since hot_now heat_sink": put(HEAT, "4000c"),
    "kernel_not_watched": lambda pi: pi.answer("systemctl show --value -p RuntimeWatchdogUSec"),
    # Python and its libraries
    "python_old newer_python": having(python=PYTHON._replace(version=(3, 9, 2), prefix="/usr")),
    "venv_old make_anew": having(python=PYTHON._replace(version=(3, 13, 5))),
    "no_lgpio": without("lgpio"),
    "lgpio_empty": version("lgpio", "0.0.0.2"),
    "rpi_gpio_blind": version("RPi.GPIO", "0.7.1"),
    "other_pin_factory": having(environment={"LG_WD": "/tmp", "GPIOZERO_PIN_FACTORY": "mock"}),
    "no_gpiozero": without("gpiozero"),
    "gpiozero_old": version("gpiozero", "1.6.2"),
    "folder_closed working_folder": having(environment={}, closed_folders={"/run/card-cannon"}),
    # The microcontroller
    "no_pyserial": without("pyserial", "launcher-pico-usb"),
    "no_pico plug_in": having(board="launcher-pico-usb", serial_ports=[]),
    "pico_problem as_said": answering("baud"),
    **{
        " ".join([code, fix.code] if isinstance(fix, Said) else [code]): answering(trouble)
        for trouble, (code, fix) in PROBLEMS.items()
    },
    "modem_manager_asks": both(having(board="launcher-pico-usb"), put(RULES, "")),
    "not_in_group": both(having(board="launcher-pico-usb"), put("/etc/group", "dialout:x:20:\n")),
    "port_closed install_for_port": both(having(board="launcher-pico-usb"), port_of("plugdev")),
    "port_closed_yet": having(board="launcher-pico-usb", closed_files={PICO.device}),
    # What is kept
    "wrong_settings change_settings": having(wrong_settings="cannon.toml: it is wrong"),
    "disk_read_only another_place": put(MOUNTS, "22 1 8:2 / / ro - ext4 /dev/root ro"),
    "disk_in_memory": put(MOUNTS, "22 1 8:2 / / rw - overlay overlay rw"),
    "disk_unreadable": a_disk_that_fails,
    "disk_full": having(free=1024),
    "history_closed join_or_sudo": a_folder_for_the_journal,
    "history_broken moved_aside": put(JOURNAL, "this is no database, but long enough for one" * 9),
    "clock_wrong set_clock": having(year=1970),
    # The service
    "service_missing": gone(UNIT),
    "program_gone": gone(PYTHON.executable),
    "off_outdated": put(OFF, "# an older one"),
    "unit_changed": service(NeedDaemonReload="yes"),
    "not_enabled": service(UnitFileState="disabled"),
    "does_not_run": service(ActiveState="inactive"),
    "no_watchdog": service(WatchdogUSec="0"),
    "restarted": service(NRestarts="4"),
    "ended_badly": service(Result="resources"),
    "end_exit_code": service(Result="exit-code", ExecMainStatus="1"),
    **{end.code: service(Result=result) for result, end in ENDS.items()},
    **{end.code: service(Result="exit-code", ExecMainStatus=code) for code, end in EXITS.items()},
    # The doctor itself
    "check_failed report_it": having(board="launcher-pico-usb", boards={}),
}
"""What is said of a fault, by codes; and the fault."""
WELL = {"unknown_system", "pico_counted"}  # parts of what is said where nothing is wrong


def wrong(pi: Pi) -> tuple[set[str], list[str]]:
    """The codes that are said of all that is wrong, and the fixes."""
    heard: list[str] = []
    codes: set[str] = set()
    fixes = []

    def say(key: str, /, **values: object) -> str:
        heard.append(key.rpartition(".")[2])
        return key

    for one in examine(pi.case(), say):
        if not one.ok:
            codes.update(heard)
            fixes.append(one.fix)
        heard.clear()
    return codes, fixes


@pytest.mark.parametrize("said", PLANTED)
def test_a_fault_is_found_and_has_a_fix(said: str, tmp_path: Path) -> None:
    healthy, planted = Pi(tmp_path / "healthy"), Pi(tmp_path / "planted")
    assert wrong(healthy) == (set(), [])
    PLANTED[said](planted)
    codes, fixes = wrong(planted)
    assert set(said.split()) <= codes
    assert all(fixes)


def test_all_that_can_be_said_of_a_fault_is_planted() -> None:
    by_name = {code for maker, code, _ in made() if maker in ("bad", "said")}
    by_table = {code for code, _ in PROBLEMS.values()} | {"pico_problem"}
    planted = {code for said in PLANTED for code in said.split()}
    assert planted == (by_name | by_table) - WELL
