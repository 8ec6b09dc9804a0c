"""The doctor's checks of the Raspberry Pi: its model, its pins, its supply, its firmware."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cannon.service import off, power
from cannon.service.finding import Case, Finding, Said, bad, not_here, said, well
from cannon.service.lines import GpioChip, header_chip
from hardware import config_txt_claims
from hardware.checks.config_txt import Claim
from hardware.header import load_header

PERSISTING = ("pinctrl_rp1", "pinctrl_bcm2835")  # kernel modules with that parameter
KNOWS_STRICT = (6, 6)  # Raspberry Pi's kernels since then have the parameter
GPIO_LINE = re.compile(r"^gpio=([0-9,\-]+)=(\S+)")


def computer(case: Case) -> Finding:
    """Which computer and kernel this is."""
    release = case.machine.text("/proc/sys/kernel/osrelease") or "?"
    if case.on_a_pi:
        return well("computer", model=case.model, kernel=release)
    if case.model:
        return not_here("other_computer", model=case.model, kernel=release)
    return not_here("no_pi_but", kernel=release)


def gpio_chip(case: Case) -> Finding:
    """The chip that drives the header, by its label: its number has changed between kernels."""
    chips = case.machine.chips()
    found = header_chip(chips)
    if found is not None:
        return well("chip", path=found.path, label=found.label or "")
    if not case.drives_pins:
        return not_here("on_bridge")
    if any(chip.label is None for chip in chips):
        return bad("chips_closed", said("see_gpio_rights"))
    seen = [said("chip", path=chip.path, label=chip.label or "") for chip in chips]
    if not case.on_a_pi:
        return not_here("other_chips", seen=seen) if seen else not_here("no_chip")
    return bad("no_header_chip", "sudo dmesg | grep pinctrl", seen=seen or [said("no_chip")])


def gpio_rights(case: Case) -> Finding:
    """Whether this user may use the GPIO chips."""
    machine, chips = case.machine, case.machine.chips()
    if not chips:
        return not_here("no_chip")
    closed = next((chip for chip in chips if chip.label is None), None)
    if closed is None:
        return well("chips_open", user=machine.user, chips=[chip.path for chip in chips])
    about = machine.about(closed.path)
    values = {"user": machine.user, "path": closed.path, "whose": machine.whose(closed.path)}
    if about is None or about.group == "root" or not about.mode & 0o060:
        return bad(
            "chip_closed", said("install_for_group", command="sudo cannon install"), **values
        )
    if machine.user in machine.groups().get(about.group, []):
        return bad("chip_closed_yet", said("log_in_anew"), **values, group=about.group)
    join = said("join_group", command=f"sudo adduser {machine.user} {about.group}")
    return bad("chip_closed", join, **values)


def lines(case: Case) -> Finding:
    """Who holds the lines that the board uses."""
    chip, board = header_chip(case.machine.chips()), case.board
    if board is None or not case.drives_pins:
        return not_here("no_board_here")
    if chip is None:
        return not_here("no_open_chip")
    ours = _running(case)
    held = list(_held(case, chip))
    if held and ours and all(holder in ("lg", "cannon-off") for _, _, holder in held):
        return well("lines_ours", process=ours, lines=len(held))
    strange = [said("line_by", line=line, role=role, by=by) for role, line, by in held]
    if not strange:
        return well("lines_free", lines=len(board.pins()), board=board.name)
    fix = said("end_program", path=case.config_txt[0], command=f"gpioinfo {chip.path}")
    return bad("lines_held", fix, board=board.name, strange=strange)


def _held(case: Case, chip: GpioChip) -> Iterator[tuple[str, int, str]]:
    assert case.board is not None
    for role, line in case.board.pins().items():
        holder = case.machine.holder(chip.path, line)
        if holder is not None:
            yield role, line, holder


def _running(case: Case) -> str:
    """The process that has driven the pins last, if it still runs."""
    for record in off.RECORDS:
        process = (case.machine.text(record) or "").partition("\n")[0]
        command = case.machine.text(f"/proc/{process}/cmdline") if process.isdigit() else None
        if command and "cannon" in command:
            return process
    return ""


def outputs_after_death(case: Case) -> Finding:
    """Whether the kernel leaves outputs as they are when their program is killed."""
    fix_path, content = case.config_txt
    for module in PERSISTING:
        keeps = case.machine.text(f"/sys/module/{module}/parameters/persist_gpio_outputs")
        if keeps == "N":
            return well("outputs_let_go", module=module)
        if keeps == "Y":
            if "dtparam=strict_gpiod" in (content or "").splitlines():
                return bad("strict_waits", "sudo reboot", path=fix_path)
            fix = f"echo dtparam=strict_gpiod | sudo tee -a {fix_path} && sudo reboot"
            return bad("outputs_persist", fix)
    if not case.on_a_pi:
        return not_here("no_pi")
    if not case.drives_pins:
        return not_here("on_bridge")
    if case.kernel < KNOWS_STRICT:
        return bad("outputs_old_kernel", "sudo apt update && sudo apt full-upgrade")
    return bad("outputs_unknown", said("take_it_they_do"))


def motor_at_boot(case: Case) -> Finding:
    """What the motor's pins are before any program runs: pulled up, they would start it."""
    if case.board is None or not case.drives_pins:
        return not_here("no_board_here")
    header, (path, content) = load_header("pi"), case.config_txt
    motor = {role: line for role, line in case.board.pins().items() if role.startswith("motor.")}
    high = []
    for role, line in motor.items():
        pin = header.gpio(line)
        level: str | None = pin.boot if pin else None
        why = said("by_chip")
        for words, setting in _gpio_settings(content or "", line):
            level, why = _level(words, level), said("by_setting", setting=setting, path=path)
        if level == "high":
            high.append(said("line_by", line=line, role=role, by=why))
    if not high:
        return well("motor_low", pins=[f"GPIO{line}" for line in motor.values()])
    numbers = ",".join(str(line) for line in motor.values())
    fix = f"echo gpio={numbers}=ip,pd | sudo tee -a {path} && sudo reboot"
    return bad("motor_high", fix, pins=high)


def _gpio_settings(content: str, line: int) -> Iterator[tuple[list[str], str]]:
    """The words that config.txt has for a pin, as in gpio=17-21,23=op,dh; in order."""
    for setting in content.splitlines():
        match = GPIO_LINE.match(setting.strip())
        if match and any(line in _span(part) for part in match[1].split(",")):
            yield match[2].split(","), setting.strip()


def _span(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first or 0), int(last or first or 0) + 1)


def _level(words: list[str], level: str | None) -> str | None:
    for word in words:
        level = {"dh": "high", "pu": "high", "dl": "low", "pd": "low"}.get(word, level)
    return level


def config_txt(case: Case) -> Finding:
    """Whether an interface or overlay in config.txt claims a pin of the board."""
    path, content = case.config_txt
    if content is None or case.board is None or not case.drives_pins:
        return not_here("no_config_txt")
    claims = config_txt_claims(case.board, content)
    if not claims:
        return well("no_claim", path=path, board=case.board.name)
    overlay = not claims[0].taken_for
    fix = said("move_overlay", path=path) if overlay else said("take_away", path=path)
    return bad("claims", fix, claims=[_claim(claim) for claim in claims])


def _claim(claim: Claim) -> Said:
    setting, pin, taken_for, role = claim
    if not taken_for:
        return said("claim_by_overlay", setting=setting, pin=pin, role=role)
    return said("claim_by_bus", setting=setting, pin=pin, taken_for=taken_for, role=role)


def supply(case: Case) -> Finding:
    """Whether the Pi's own supply holds, and whether it gets too hot."""
    bits = power.throttled(case.machine.root)
    if bits is None:
        return not_here("no_pi")
    since = bits >> power.SINCE_START
    when = [
        (bits & power.UNDER_VOLTAGE, said("power_low_now")),
        (since & power.UNDER_VOLTAGE, said("power_low_since")),
        (bits & power.THROTTLED, said("slowed_now")),
        (since & power.THROTTLED, said("slowed_since")),
        (bits & power.HOT, said("hot_now")),
    ]
    troubles = [trouble for bit, trouble in when if bit]
    if not troubles:
        return well("supply_holds")
    low = (bits | since) & power.UNDER_VOLTAGE
    fix = said("better_supply") if low else said("heat_sink")
    return bad("supply_troubles", fix, troubles=troubles, bits=f"0x{bits:x}")


def hardware_watchdog(case: Case) -> Finding:
    """Whether the Pi starts anew when its kernel is frozen."""
    if not case.machine.exists("/dev/watchdog0"):
        return not_here("no_hardware_watchdog")
    ran = case.machine.run("systemctl", "show", "--value", "-p", "RuntimeWatchdogUSec")
    if ran.well and ran.said not in ("", "0", "infinity"):
        return well("kernel_watched", after=ran.said)
    folder = "/etc/systemd/system.conf.d"
    fix = (
        f"sudo mkdir -p {folder} && printf '[Manager]\\nRuntimeWatchdogSec=15\\n' | "
        f"sudo tee {folder}/60-watchdog.conf && sudo systemctl daemon-reexec"
    )
    return bad("kernel_not_watched", fix)


CHECKS = {
    "computer": computer,
    "gpio_chip": gpio_chip,
    "gpio_rights": gpio_rights,
    "lines": lines,
    "outputs_after_death": outputs_after_death,
    "motor_at_boot": motor_at_boot,
    "config_txt": config_txt,
    "supply": supply,
    "hardware_watchdog": hardware_watchdog,
}
