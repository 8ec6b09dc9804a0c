"""The doctor's checks of the Raspberry Pi: its model, its pins, its supply, its firmware."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cannon.service import off, power
from cannon.service.finding import Case, Finding, bad, not_here, well
from cannon.service.lines import GpioChip, header_chip
from hardware import config_txt_conflicts
from hardware.header import load_header

NO_PI = "no Raspberry Pi"
PERSISTING = ("pinctrl_rp1", "pinctrl_bcm2835")  # kernel modules with that parameter
KNOWS_STRICT = (6, 6)  # Raspberry Pi's kernels since then have the parameter
GPIO_LINE = re.compile(r"^gpio=([0-9,\-]+)=(\S+)")


def computer(case: Case) -> Finding:
    """Which computer and kernel this is."""
    release = case.machine.text("/proc/sys/kernel/osrelease") or "unknown"
    if not case.on_a_pi:
        return not_here(f"{NO_PI}{f', but {case.model}' if case.model else ''}; kernel {release}")
    return well(f"{case.model}, kernel {release}")


def gpio_chip(case: Case) -> Finding:
    """The chip that drives the header, by its label: its number has changed between kernels."""
    chips = case.machine.chips()
    found = header_chip(chips)
    if found is not None:
        return well(f"{found.path} is {found.label}")
    if not case.drives_pins:
        return not_here("the launcher hangs on a microcontroller")
    if any(chip.label is None for chip in chips):
        return bad(
            "the GPIO chips are closed to this user, so none could be looked at", "see gpio_rights"
        )
    seen = "; ".join(f"{chip.path} is {chip.label}" for chip in chips) or "no /dev/gpiochip*"
    if not case.on_a_pi:
        return not_here(seen)
    return bad(
        f"no chip with the label of a Raspberry Pi's header: {seen}", "sudo dmesg | grep pinctrl"
    )


def gpio_rights(case: Case) -> Finding:
    """Whether this user may use the GPIO chips."""
    machine, chips = case.machine, case.machine.chips()
    if not chips:
        return not_here("no /dev/gpiochip*")
    closed = next((chip for chip in chips if chip.label is None), None)
    if closed is None:
        return well(f"{machine.user} may use {', '.join(chip.path for chip in chips)}")
    about = machine.about(closed.path)
    whose = f"{about.user}:{about.group} {about.mode:04o}" if about else "gone"
    detail = f"the user {machine.user} may not use {closed.path} ({whose})"
    if about is None or about.group == "root" or not about.mode & 0o060:
        return bad(detail, "sudo cannon install  # gives the chips to the group gpio")
    if machine.user in machine.groups().get(about.group, []):
        return bad(
            f"{detail}, but is in the group {about.group}", "log out and in again, or restart"
        )
    return bad(detail, f"sudo adduser {machine.user} {about.group}  # then log out and in again")


def lines(case: Case) -> Finding:
    """Who holds the lines that the board uses."""
    chip, board = header_chip(case.machine.chips()), case.board
    if board is None or not case.drives_pins:
        return not_here("no board on this computer's pins")
    if chip is None:
        return not_here("no GPIO chip of a Raspberry Pi that may be looked at")
    ours = _running(case)
    held = list(_held(case, chip))
    if held and ours and all(holder in ("lg", "cannon-off") for _, _, holder in held):
        return well(f"the launcher that runs, process {ours}, holds {len(held)} lines")
    strange = [f"GPIO{line} ({role}) by {holder}" for role, line, holder in held]
    if not strange:
        return well(f"the {len(board.pins())} lines of {board.name} are free")
    fix = f"end that program, or take its line out of {case.config_txt[0]}: gpioinfo {chip.path}"
    return bad(f"others hold lines of {board.name}: {', '.join(strange)}", fix)


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
            return well(f"{module} lets go of the outputs of a program that was killed")
        if keeps == "Y":
            if "dtparam=strict_gpiod" in (content or "").splitlines():
                return bad(f"strict_gpiod is in {fix_path}, but not in force yet", "sudo reboot")
            return bad(
                "a program that is killed with the motor on leaves it on: this kernel keeps "
                "outputs as they are. Only the service then switches it off, a moment later",
                f"echo dtparam=strict_gpiod | sudo tee -a {fix_path} && sudo reboot",
            )
    if not case.on_a_pi or not case.drives_pins:
        return not_here(NO_PI if not case.on_a_pi else "the launcher hangs on a microcontroller")
    detail = "this kernel does not say whether outputs stay on when their program is killed"
    if case.kernel < KNOWS_STRICT:
        return bad(f"{detail}; those of its age do", "sudo apt update && sudo apt full-upgrade")
    return bad(detail, "take it that they do, and see the README on what switches the motor off")


def motor_at_boot(case: Case) -> Finding:
    """What the motor's pins are before any program runs: pulled up, they would start it."""
    if case.board is None or not case.drives_pins:
        return not_here("no board on this computer's pins")
    header, (path, content) = load_header("pi"), case.config_txt
    motor = {role: line for role, line in case.board.pins().items() if role.startswith("motor.")}
    high = []
    for role, line in motor.items():
        pin = header.gpio(line)
        level: str | None = pin.boot if pin else None
        why = "the chip"
        for words, setting in _gpio_settings(content or "", line):
            level, why = _level(words, level), f"`{setting}` in {path}"
        if level == "high":
            high.append(f"GPIO{line} ({role}) by {why}")
    if not high:
        return well(f"{', '.join(f'GPIO{line}' for line in motor.values())} are low")
    numbers = ",".join(str(line) for line in motor.values())
    fix = f"echo gpio={numbers}=ip,pd | sudo tee -a {path} && sudo reboot"
    return bad(f"high until a program runs: {', '.join(high)}; the motor may start", fix)


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
        return not_here("no config.txt of a Raspberry Pi, or no board on its pins")
    conflicts = config_txt_conflicts(case.board, content)
    if not conflicts:
        return well(f"nothing in {path} claims a pin of {case.board.name}")
    return bad("; ".join(problem.what for problem in conflicts), conflicts[0].fix)


def supply(case: Case) -> Finding:
    """Whether the Pi's own supply holds, and whether it gets too hot."""
    bits = power.throttled(case.machine.root)
    if bits is None:
        return not_here(NO_PI)
    since = bits >> power.SINCE_START
    when = [
        (bits & power.UNDER_VOLTAGE, "too little power now"),
        (since & power.UNDER_VOLTAGE, "too little power since the last start"),
        (bits & power.THROTTLED, "slowed down now"),
        (since & power.THROTTLED, "slowed down since the last start"),
        (bits & power.HOT, "too hot now"),
    ]
    said = [text for bit, text in when if bit]
    if not said:
        return well("enough power, not too hot")
    fix = "a supply made for this Pi, on a short cable, and another one for the motor"
    if not (bits | since) & power.UNDER_VOLTAGE:
        fix = "a heat sink, or air around the Pi"
    return bad(f"{', '.join(said)} (0x{bits:x})", fix)


def hardware_watchdog(case: Case) -> Finding:
    """Whether the Pi starts anew when its kernel is frozen."""
    if not case.machine.exists("/dev/watchdog0"):
        return not_here("no hardware watchdog")
    ran = case.machine.run("systemctl", "show", "--value", "-p", "RuntimeWatchdogUSec")
    if ran.well and ran.said not in ("", "0", "infinity"):
        return well(f"a frozen kernel starts anew after {ran.said}")
    folder = "/etc/systemd/system.conf.d"
    fix = (
        f"sudo mkdir -p {folder} && printf '[Manager]\\nRuntimeWatchdogSec=15\\n' | "
        f"sudo tee {folder}/60-watchdog.conf && sudo systemctl daemon-reexec"
    )
    return bad("a frozen kernel stays frozen, with the outputs as they are", fix)


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
