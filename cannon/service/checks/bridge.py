"""The doctor's checks of the way to a microcontroller."""

from __future__ import annotations

from cannon.service.finding import Case, Finding, bad, not_here, well
from cannon.service.unit import RULES, SERIAL
from firmware_bridge.ports import VENDOR, Found
from firmware_bridge.reports import Tally


def bridge(case: Case) -> Finding:
    """Whether a microcontroller is plugged in, may be used, and answers."""
    if case.drives_pins:
        return not_here("the launcher hangs on this computer's pins")
    machine = case.machine
    if machine.package("pyserial", "serial") is None:
        fix = f"{machine.python.executable} -m pip install 'card-cannon[bridge]'"
        return bad("pyserial, which talks to the board, is not installed", fix)
    ports = [port for port in machine.ports() if port.vendor == VENDOR]
    if not ports:
        fix = "plug it in with a cable that carries data; to see it: lsusb -d 2e8a:"
        return bad("no Pico is plugged in", fix)
    said = []
    for port in ports:
        about = machine.about(port.device)
        whose = f"{port.device} ({about.user}:{about.group} {about.mode:04o})" if about else "gone"
        found = machine.identify(port.device)
        if found.board is not None:
            version = ".".join(map(str, found.board.version))
            counted = _counted(found.tally) if found.tally else ""
            return well(f"{found.board.name} with firmware {version} at {whose}{counted}")
        said.append(_problem(whose, found))
    return said[0]


def _counted(tally: Tally) -> str:
    return (
        f"; since its start {tally.frames} frames, {tally.dropped} damaged, {tally.unsent} unsent,"
        f" {tally.exceptions} exceptions; alone it plays {tally.odds}"
    )


def _problem(whose: str, found: Found) -> Finding:
    problem = found.problem
    assert problem is not None
    if problem.code == "in_use":
        return well(f"{whose} is in use, by the launcher that runs or by another program")
    return bad(f"{whose}: {problem.what}", problem.fix)


def modem_manager(case: Case) -> Finding:
    """Whether software for modems disturbs a Pico by asking it things."""
    if case.drives_pins:
        return not_here("the launcher hangs on this computer's pins")
    runs = case.machine.run("systemctl", "is-active", "--quiet", "ModemManager").well
    if runs and "ID_MM_DEVICE_IGNORE" not in (case.machine.text(RULES) or ""):
        return bad("ModemManager asks every new Pico whether it is a modem", "sudo cannon install")
    return well("nothing else talks to a Pico")


def serial_rights(case: Case) -> Finding:
    """Whether this user may use serial ports."""
    if case.drives_pins:
        return not_here("the launcher hangs on this computer's pins")
    user = case.machine.user
    if not case.machine.has_group(SERIAL):
        fix = f"sudo adduser {user} {SERIAL}  # then log out and in again"
        return bad(f"the user {user} is not in the group {SERIAL}", fix)
    return well(f"{user} may use serial ports")


CHECKS = {"bridge": bridge, "serial_rights": serial_rights, "modem_manager": modem_manager}
