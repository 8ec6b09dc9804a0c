"""The doctor finds each fault that is planted, with its fix, and nothing on a healthy computer."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest
from doctor_tools import CHIP, ENGLISH, JOURNAL, LGPIO, MAKERS, PICO, Pi, made
from service_tools import PYTHON, FakeMachine

from cannon.cli import main
from cannon.service import doctor
from cannon.service import machine as real_machine
from cannon.service.checks.bridge import PROBLEMS
from cannon.service.doctor import CHECKS, examine
from cannon.service.finding import Case
from cannon.service.lines import GpioChip
from cannon.service.machine import About, Package
from cannon.service.unit import OFF, RULES, UNIT, Service, unit
from cannon.settings.texts import Texts, entries
from firmware_bridge.errors import BridgeError
from firmware_bridge.ports import Found
from hardware import load_board


@pytest.fixture
def pi(tmp_path: Path) -> Pi:
    return Pi(tmp_path)


# --- nothing wrong ---------------------------------------------------------------------------


def test_a_healthy_pi_has_nothing(pi: Pi) -> None:
    assert pi.found() == []
    said = {checked.name: checked.detail for checked in examine(pi.case(), ENGLISH)}
    assert said["computer"] == "Raspberry Pi 5 Model B Rev 1.0, kernel 6.12.25+rpt-rpi-2712"
    assert said["gpio_chip"] == "/dev/gpiochip0 is pinctrl-rp1"
    assert said["lgpio"] == "lgpio 0.2.2.0 of a wheel"
    assert said["journal"] == f"50 records in {JOURNAL}"


def test_a_healthy_pi_with_a_pico_has_nothing(pi: Pi) -> None:
    pi.board = "launcher-pico-usb"
    pi.gpio_chips = []
    del pi.packages["lgpio"]
    assert pi.found() == []
    said = {checked.name: checked.detail for checked in examine(pi.case(), ENGLISH)}
    assert said["bridge"] == (
        "launcher-pico-usb with firmware 1.2.0 at /dev/ttyACM0 (root:dialout 0660)"
    )


def test_a_computer_that_is_no_pi_has_nothing_and_most_is_not_here(tmp_path: Path) -> None:
    pc = FakeMachine(tmp_path, user="ann")
    pc.packages["gpiozero"] = Package("2.0.1.post3", "", "")
    pc.put("/run/card-cannon/x")
    checked = list(examine(Case(pc, load_board("launcher-pi"), "", JOURNAL), ENGLISH))
    assert [one.name for one in checked if not one.ok] == []
    assert len([one for one in checked if one.detail.startswith("not here")]) > len(checked) / 2


# --- faults of the Pi ------------------------------------------------------------------------


def test_no_chip_of_the_header(pi: Pi) -> None:
    pi.gpio_chips = [GpioChip("/dev/gpiochip0", "raspberrypi-exp-gpio", 8)]
    assert "/dev/gpiochip0 is raspberrypi-exp-gpio" in pi.finding("gpio_chip").detail


@pytest.mark.parametrize("number", [0, 4])
def test_the_chip_is_found_whatever_its_number(pi: Pi, number: int) -> None:
    pi.gpio_chips = [
        GpioChip("/dev/gpiochip1", "gpio-brcmstb@107d508500", 32),
        CHIP._replace(path=f"/dev/gpiochip{number}"),
    ]
    assert pi.found() == []


def test_not_in_the_group(pi: Pi) -> None:
    pi.put("/etc/group", "gpio:x:997:\ndialout:x:20:pi\n")
    pi.gpio_chips = [GpioChip("/dev/gpiochip0", None)]
    pi.owners["/dev/gpiochip0"] = About("root", "gpio", 0o660)
    rights = next(checked for checked in pi.found() if checked.name == "gpio_rights")
    assert rights.detail == "the user pi may not use /dev/gpiochip0 (root:gpio 0660)"
    assert rights.fix.startswith("sudo adduser pi gpio")


def test_a_chip_that_only_root_may_use(pi: Pi) -> None:
    pi.gpio_chips = [GpioChip("/dev/gpiochip0", None)]
    pi.owners["/dev/gpiochip0"] = About("root", "root", 0o600)
    rights = next(checked for checked in pi.found() if checked.name == "gpio_rights")
    assert "root:root 0600" in rights.detail
    assert rights.fix.startswith("sudo cannon install")


def test_in_the_group_but_not_logged_in_anew(pi: Pi) -> None:
    pi.gpio_chips = [GpioChip("/dev/gpiochip0", None)]
    pi.owners["/dev/gpiochip0"] = About("root", "gpio", 0o660)
    rights = next(checked for checked in pi.found() if checked.name == "gpio_rights")
    assert rights.fix.startswith("log out and in again")


def test_a_line_that_another_program_holds(pi: Pi) -> None:
    pi.held = {23: "gpioset"}
    found = pi.finding("lines")
    assert "GPIO23 (motor.forward) by gpioset" in found.detail
    assert "gpioinfo /dev/gpiochip0" in found.fix


def test_lines_held_by_the_launcher_that_runs_are_no_fault(pi: Pi) -> None:
    pi.held = {23: "lg", 17: "lg"}
    pi.put("/run/lock/card-cannon-gpio.lock", "77\n/dev/gpiochip0 23 pinctrl-rp1\n")
    assert [checked.name for checked in pi.found()] == ["lines"]  # there is no process 77
    pi.put("/proc/77/cmdline", "/opt/card-cannon/bin/python\0-m\0cannon\0play\0")
    assert pi.found() == []


@pytest.mark.parametrize("module", ["pinctrl_rp1", "pinctrl_bcm2835"])
def test_outputs_that_persist(pi: Pi, module: str) -> None:
    pi.at("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs").unlink()
    pi.put(f"/sys/module/{module}/parameters/persist_gpio_outputs", "Y\n")
    pi.put("/boot/firmware/config.txt", "")
    found = pi.finding("outputs_after_death")
    assert "killed with the motor on leaves it on" in found.detail
    assert found.fix == (
        "echo dtparam=strict_gpiod | sudo tee -a /boot/firmware/config.txt && sudo reboot"
    )


def test_strict_outputs_that_wait_for_a_restart(pi: Pi) -> None:
    pi.put("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs", "Y\n")
    assert pi.finding("outputs_after_death").fix == "sudo reboot"


def test_a_kernel_too_old_to_say(pi: Pi) -> None:
    pi.at("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs").unlink()
    pi.put("/proc/sys/kernel/osrelease", "6.1.21-v8+\n")
    assert "full-upgrade" in pi.finding("outputs_after_death").fix


@pytest.mark.parametrize("setting", ["gpio=23=pu", "gpio=20-25=op,dh", "gpio=4,23=ip,pu"])
def test_a_motor_pin_that_is_high_at_boot(pi: Pi, setting: str) -> None:
    pi.put("/boot/firmware/config.txt", f"dtparam=strict_gpiod\n{setting}\n")
    found = pi.finding("motor_at_boot")
    assert f"GPIO23 (motor.forward) by `{setting}`" in found.detail
    assert "gpio=23,24,25=ip,pd" in found.fix


def test_a_later_line_of_config_txt_wins(pi: Pi) -> None:
    lines = "gpio=23=op,dh\ngpio=23=ip,pd\ngpio=2=pu\n"
    pi.put("/boot/firmware/config.txt", f"dtparam=strict_gpiod\n{lines}")
    assert pi.found() == []


def test_an_interface_that_claims_a_pin(pi: Pi) -> None:
    pi.put("/boot/firmware/config.txt", "dtparam=strict_gpiod\ndtoverlay=w1-gpio,gpiopin=17\n")
    assert "GPIO17" in pi.finding("config_txt").detail


@pytest.mark.parametrize(
    ("bits", "said", "fix"),
    [
        ("50005", "too little power now, too little power since the last start", "a supply made"),
        ("50000", "too little power since the last start", "a supply made"),
        ("40004", "slowed down now, slowed down since the last start", "a heat sink"),
        ("8", "too hot now", "a heat sink"),
    ],
)
def test_too_little_power_or_too_hot(pi: Pi, bits: str, said: str, fix: str) -> None:
    pi.put("/sys/devices/platform/soc@1/soc@1:firmware/get_throttled", f"{bits}\n")
    found = pi.finding("supply")
    assert found.detail.startswith(said)
    assert found.fix.startswith(fix)


def test_no_watchdog_for_a_frozen_kernel(pi: Pi) -> None:
    pi.answer("systemctl show --value -p RuntimeWatchdogUSec", "0")
    assert "RuntimeWatchdogSec=15" in pi.finding("hardware_watchdog").fix


# --- faults of Python ------------------------------------------------------------------------


def test_a_python_that_is_too_old(pi: Pi) -> None:
    pi.python = PYTHON._replace(version=(3, 9, 2), prefix="/usr")
    assert "3.9.2 is too old" in pi.finding("python").detail


def test_a_venv_from_before_an_upgrade(pi: Pi) -> None:
    pi.python = PYTHON._replace(version=(3, 13, 5))
    found = pi.finding("venv")
    assert found.detail == "/opt/card-cannon was made with Python 3.11.2, but runs 3.13"
    assert "rm -r /opt/card-cannon" in found.fix


def test_lgpio_is_missing(pi: Pi) -> None:
    del pi.packages["lgpio"]
    assert pi.finding("lgpio").fix == f"{PYTHON.executable} -m pip install 'lgpio>=0.2.2.0'"


def test_lgpio_is_missing_on_trixie_which_has_no_wheel(pi: Pi) -> None:
    del pi.packages["lgpio"]
    pi.python = PYTHON._replace(version=(3, 13, 5))
    cfg = "include-system-site-packages = {}\nversion = 3.13.5\n"
    pi.put(f"{PYTHON.prefix}/pyvenv.cfg", cfg.format("false"))
    fix = pi.finding("lgpio").fix
    assert "apt install python3-lgpio" in fix
    assert "--system-site-packages" in fix
    pi.put(f"{PYTHON.prefix}/pyvenv.cfg", cfg.format("true"))
    assert pi.finding("lgpio").fix == "sudo apt install python3-lgpio"


def test_a_system_of_32_bits_is_as_good(pi: Pi) -> None:
    """There is a wheel of lgpio for it, too: linux_armv7l."""
    pi.python = PYTHON._replace(bits=32)
    assert pi.found() == []
    said = {checked.name: checked.detail for checked in examine(pi.case(), ENGLISH)}
    assert said["system"] == "Debian GNU/Linux 12 (bookworm), Python of 32 bits"
    del pi.packages["lgpio"]
    assert pi.finding("lgpio").fix == f"{PYTHON.executable} -m pip install 'lgpio>=0.2.2.0'"


def test_lgpio_is_the_empty_one(pi: Pi) -> None:
    pi.packages["lgpio"] = Package("0.0.0.2", "/x/site-packages/lgpio/__init__.py", "")
    assert "0.0.0.2) is an empty one" in pi.finding("lgpio").detail


def test_debians_lgpio_is_as_good(pi: Pi) -> None:
    pi.packages["lgpio"] = Package("0.2.2.0", "/usr/lib/python3/dist-packages/lgpio.py", LGPIO)
    assert pi.found() == []


@pytest.mark.parametrize(
    ("path", "fix"),
    [("/x/site-packages/RPi.py", "uninstall"), ("/usr/lib/python3/dist-packages/x", "rpi-lgpio")],
)
def test_an_rpi_gpio_that_is_broken_by_the_kernel(pi: Pi, path: str, fix: str) -> None:
    pi.packages["RPi.GPIO"] = Package("0.7.1", path, "")
    found = pi.finding("rpi_gpio")
    assert "RPi.GPIO 0.7.1 sees no edges on kernel 6.12" in found.detail
    assert fix in found.fix
    pi.put("/proc/sys/kernel/osrelease", "6.1.21-v8+\n")
    assert "rpi_gpio" not in [checked.name for checked in pi.found()]


@pytest.mark.parametrize("factory", ["mock", "native", "rpigpio"])
def test_another_pin_factory_is_asked_for(pi: Pi, factory: str) -> None:
    pi.environment = {"LG_WD": "/tmp", "GPIOZERO_PIN_FACTORY": factory}
    assert f"GPIOZERO_PIN_FACTORY={factory}" in pi.finding("pin_factory").detail


def test_a_gpiozero_that_does_not_know_the_pi_5(pi: Pi) -> None:
    pi.packages["gpiozero"] = Package("1.6.2", "/x", "")
    assert "gpiozero 1.6.2" in pi.finding("pin_factory").detail


def test_a_working_folder_that_cannot_be_written_to(pi: Pi) -> None:
    pi.environment = {}
    pi.put("/run/card-cannon/x")
    assert pi.found() == []
    pi.closed_folders = {"/run/card-cannon"}
    found = pi.finding("working_folder")
    assert "/run/card-cannon (the working folder) cannot be written to" in found.detail
    assert "LG_WD=" in found.fix


# --- faults of the bridge --------------------------------------------------------------------


@pytest.fixture
def pico(pi: Pi) -> Pi:
    pi.board = "launcher-pico-usb"
    return pi


def test_no_pico_is_plugged_in(pico: Pi) -> None:
    pico.serial_ports = [PICO._replace(vendor=0x0403)]
    assert "carries data" in pico.finding("bridge").fix


def test_a_pico_that_does_not_answer(pico: Pi) -> None:
    problem = BridgeError("silent", "no board answers on /dev/ttyACM0", "cannon flash")
    pico.boards = {PICO.device: Found(PICO.device, None, problem)}
    found = pico.finding("bridge")
    assert found.detail == "no board answers on /dev/ttyACM0 (root:dialout 0660)"
    assert found.fix.endswith("cannon flash")


def test_a_pico_that_the_launcher_uses_is_no_fault(pico: Pi) -> None:
    problem = BridgeError("in_use", "/dev/ttyACM0 is used by another process", "stop it")
    pico.boards = {PICO.device: Found(PICO.device, None, problem)}
    assert pico.found() == []


def test_not_in_the_group_of_serial_ports(pico: Pi) -> None:
    pico.put("/etc/group", "gpio:x:997:pi\ndialout:x:20:ann\n")
    assert pico.finding("serial_rights").fix.startswith("sudo adduser pi dialout")
    pico.serial_ports = []
    assert pico.found()[-1].fix.startswith("sudo adduser pi dialout")


@pytest.mark.parametrize(
    "port", [About("root", "plugdev", 0o660), About("root", "dialout", 0o600)], ids=str
)
def test_a_port_of_another_group_is_no_dead_end(pico: Pi, port: About) -> None:
    """As on a system that gives it to plugdev, and lets in by that who sits before the screen."""
    pico.owners[PICO.device] = port
    problem = BridgeError("no_rights", "no right to use /dev/ttyACM0", "see cannon doctor")
    pico.boards = {PICO.device: Found(PICO.device, None, problem)}
    bridge, rights = pico.found()
    assert (bridge.name, bridge.fix) == ("bridge", "see serial rights")
    assert rights.name == "serial_rights"
    assert f"(root:{port.group} 0{port.mode:o})" in rights.detail
    assert rights.fix.startswith("sudo cannon install  #")


def test_who_was_put_into_the_group_just_now_has_to_log_in_anew(pico: Pi) -> None:
    pico.closed_files = {PICO.device}
    assert "log out" in pico.finding("serial_rights").fix


def test_a_port_of_another_group_that_this_user_is_in_is_well(pico: Pi) -> None:
    pico.owners[PICO.device] = About("root", "plugdev", 0o660)
    pico.put("/etc/group", "gpio:x:997:pi\nplugdev:x:46:pi\n")
    assert pico.found() == []


def test_pyserial_is_missing(pico: Pi) -> None:
    del pico.packages["pyserial"]
    assert "card-cannon[bridge]" in pico.finding("bridge").fix


def test_modem_manager_disturbs_the_pico(pico: Pi) -> None:
    pico.put(RULES, "")
    assert pico.finding("modem_manager").fix == "sudo cannon install"


# --- faults of what is kept ------------------------------------------------------------------


def test_wrong_settings(pi: Pi) -> None:
    pi.wrong_settings = "cannon.toml: play.suspense_s: must be <= 10"
    assert pi.finding("settings").detail == pi.wrong_settings


def test_a_read_only_disk(pi: Pi) -> None:
    pi.put("/proc/self/mountinfo", "22 1 8:2 / / ro,noatime - ext4 /dev/root ro\n")
    assert "read-only" in pi.finding("disk").detail


def test_an_overlay_that_forgets(pi: Pi) -> None:
    pi.put("/proc/self/mountinfo", "22 1 8:2 / / rw - overlay overlay rw\n")
    assert "in memory (overlay)" in pi.finding("disk").detail
    pi.put(
        "/proc/self/mountinfo",
        "22 1 8:2 / / rw - overlay overlay rw\n23 22 8:3 / /var/lib/card-cannon rw - ext4 x rw\n",
    )
    assert pi.found() == []


def test_a_full_disk(pi: Pi) -> None:
    pi.free = 3 * 1024 * 1024
    assert pi.finding("disk").detail == "only 3 MB are free in /var/lib/card-cannon"


@pytest.mark.parametrize("damage", ["middle", "cut", "text"])
def test_a_broken_journal(pi: Pi, damage: str) -> None:
    path = pi.at(JOURNAL)
    content = path.read_bytes()
    path.write_bytes(
        {
            "middle": content[:4096] + b"\xff" * 8192 + content[12288:],
            "cut": content[: len(content) // 2],
            "text": b"this is no database, but long enough to be looked at as one" * 9,
        }[damage]
    )
    assert "is broken" in pi.finding("journal").detail


def test_a_clock_without_a_battery(pi: Pi) -> None:
    pi.year = 1970
    assert "the clock says 1970" in pi.finding("clock").detail


# --- faults of the service -------------------------------------------------------------------


def test_no_service(pi: Pi) -> None:
    pi.at(UNIT).unlink()
    assert pi.finding("service").fix == "sudo cannon install"


def test_a_service_whose_program_was_moved(pi: Pi) -> None:
    moved = "/opt/my cannon/bin/python"
    pi.put(UNIT, unit(Service(moved, "/usr/bin/python3", "card-cannon")))
    assert pi.finding("service").detail == f"its program {moved} is gone"
    pi.put(moved)
    assert pi.found() == []


def test_a_switch_off_from_before_an_update(pi: Pi) -> None:
    pi.put(OFF, "# an older one")
    assert pi.finding("service").detail == f"{OFF} is not of this version"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"UnitFileState": "disabled"}, "does not start with the computer"),
        ({"ActiveState": "inactive", "SubState": "dead"}, "does not run: inactive (dead)"),
        ({"ActiveState": "activating", "SubState": "auto-restart"}, "(auto-restart)"),
        ({"NeedDaemonReload": "yes"}, "not read since"),
    ],
)
def test_a_service_that_does_not_run(pi: Pi, state: dict[str, str], said: str) -> None:
    pi.service(**state)
    assert said in pi.finding("service").detail


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"Result": "watchdog"}, "its watchdog has ended it"),
        ({"Result": "oom-kill"}, "the memory was full"),
        ({"Result": "signal"}, "killed by a signal"),
        ({"Result": "exit-code", "ExecMainStatus": "78"}, "its settings are wrong"),
        ({"Result": "exit-code", "ExecMainStatus": "1"}, "failed with exit code 1"),
        ({"Result": "exit-code", "ExecMainStatus": "203"}, "not where it was"),
        ({"NRestarts": "4"}, "started again 4 times"),
    ],
)
def test_how_it_ended_last(pi: Pi, state: dict[str, str], said: str) -> None:
    pi.service(**state)
    found = pi.finding("last_exits")
    assert said in found.detail
    assert found.fix.startswith("journalctl -u cannon")


def test_a_unit_without_a_watchdog(pi: Pi) -> None:
    pi.service(WatchdogUSec="0")
    assert pi.finding("watchdog").fix == "sudo cannon install"


# --- its words -------------------------------------------------------------------------------


def test_all_that_is_said_has_a_text_with_places_for_its_values() -> None:
    said = list(made())
    assert len(said) > 120
    texts = entries("en")
    for maker, code, given in said:
        keys = [key for kind in MAKERS[maker] if (key := f"doctor.{kind}.{code}") in texts]
        assert len(keys) == 1, code
        filled = string.Formatter().parse(str(texts[keys[0]]))
        places = {name for _, name, _, _ in filled if name}
        assert given is None or places == given, code
    for code, fix in PROBLEMS.values():
        assert f"doctor.said.{code}" in texts
        assert isinstance(fix, str) or f"doctor.fix.{fix.code}" in texts


def test_in_danish_the_same_is_found_with_the_same_commands(pi: Pi) -> None:
    danish = Texts("da")
    well = {one.name: one.detail for one in examine(pi.case(), danish)}
    assert (well["supply"], well["clock"]) == ("strøm nok, ikke for varm", "stillet af nettet")
    pi.put("/sys/devices/platform/soc@1/soc@1:firmware/get_throttled", "10001\n")
    pi.put("/boot/firmware/config.txt", "dtparam=strict_gpiod\ngpio=23=pu\n")
    pi.service(Result="exit-code", ExecMainStatus="203")
    found = {one.name: one for one in examine(pi.case(), danish) if not one.ok}
    low = "for lidt strøm nu, for lidt strøm siden sidste start (0x10001)"
    assert found["supply"].detail == low
    assert found["motor_at_boot"].detail == (
        "høje, indtil et program kører: GPIO23 (motor.forward) af `gpio=23=pu` i "
        "/boot/firmware/config.txt; motoren kan starte"
    )
    assert found["last_exits"].detail == "sidste gang: dets program er ikke, hvor det var"
    english = {one.name: one for one in examine(pi.case(), ENGLISH) if not one.ok}
    assert found.keys() == english.keys()
    assert found["motor_at_boot"].fix == english["motor_at_boot"].fix
    assert found["last_exits"].fix == english["last_exits"].fix


def test_the_command_speaks_the_language_of_its_reader(
    pi: Pi, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real_machine, "Machine", lambda: pi)
    monkeypatch.setenv("CANNON_LANG", "da")
    with pytest.raises(SystemExit):
        main(["doctor", "--board", "launcher-pi"])
    lines = capsys.readouterr().out.splitlines()
    assert "ok  ur: stillet af nettet" in lines
    assert lines[-1] == "Alt er, som det skal være."


def test_a_language_that_there_is_not_is_a_finding(
    pi: Pi, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real_machine, "Machine", lambda: pi)
    monkeypatch.setenv("CANNON_LANG", "sv")
    with pytest.raises(SystemExit):
        main(["doctor"])
    wrong = "FIX settings: CANNON_LANG: no language 'sv'; there are da, en"
    assert wrong in capsys.readouterr().out


# --- the doctor itself -----------------------------------------------------------------------


def test_every_check_says_what_it_looks_at() -> None:
    assert len(CHECKS) >= 15
    assert all(check.__doc__ for check in CHECKS.values())
    assert all(re.fullmatch(r"[a-z_]+", name) for name in CHECKS)


def test_a_check_that_fails_is_a_finding_and_the_others_go_on(
    pi: Pi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(case: Case) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(doctor.CHECKS, "clock", wrong)
    assert "this check failed: ZeroDivisionError()" in pi.finding("clock").detail


def test_the_command_as_json_and_as_lines(
    pi: Pi, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real_machine, "Machine", lambda: pi)
    pi.year = 1970
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--json", "--board", "launcher-pi"])
    assert ended.value.code == 1
    out = capsys.readouterr().out
    checks = json.loads(out)["checks"]
    assert out.count("\n") == 1
    assert [check["name"] for check in checks] == list(CHECKS)
    assert all(list(check) == ["name", "ok", "detail", "fix"] for check in checks)
    assert [check["name"] for check in checks if not check["ok"]] == ["clock"]
    with pytest.raises(SystemExit):
        main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"1 of {len(CHECKS)} checks found something"
    assert "FIX clock: the clock says 1970: the history will have wrong times" in lines


def test_the_journal_that_is_meant_can_be_named(
    pi: Pi, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real_machine, "Machine", lambda: pi)
    pi.put("/srv/other.db", "this is no database, but long enough to be looked at as one" * 9)
    with pytest.raises(SystemExit):
        main(["doctor", "--json", "--board", "launcher-pi", "--journal", "/srv/other.db"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert "/srv/other.db" in checks["journal"]["detail"]
    assert not checks["journal"]["ok"]


def test_it_works_on_this_very_computer(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--json"])
    assert ended.value.code in (None, 0, 1)
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert not [check for check in checks if "this check failed" in check["detail"]]
