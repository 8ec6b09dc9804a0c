"""The doctor's checks of the way to a microcontroller."""

from __future__ import annotations

from cannon.service.finding import Case, Finding, Said, bad, not_here, said, well
from cannon.service.machine import Machine
from cannon.service.unit import RULES, SERIAL
from firmware_bridge.ports import VENDOR, Found, PortInfo
from firmware_bridge.reports import Board, Tally

FLASH = "cannon flash"
PROBLEMS: dict[str, tuple[str, str | Said]] = {
    "silent": ("pico_silent", said("right_port", command=FLASH)),
    "prompt": ("pico_bare", FLASH),
    "version": ("pico_other_version", FLASH),
    "no_rights": ("pico_closed", said("see_serial_rights")),
    "no_port": ("pico_gone", said("plug_in", command="lsusb -d 2e8a:")),
    "port": ("pico_lost", said("unplug")),
}
"""What is said of a port that cannot be used, by the code of the bridge's error."""


def bridge(case: Case) -> Finding:
    """Whether a microcontroller is plugged in, may be used, and answers."""
    if case.drives_pins:
        return not_here("on_pins")
    machine = case.machine
    if machine.package("pyserial", "serial") is None:
        fix = f"{machine.python.executable} -m pip install 'card-cannon[bridge]'"
        return bad("no_pyserial", fix)
    ports = _picos(machine)
    if not ports:
        return bad("no_pico", said("plug_in", command="lsusb -d 2e8a:"))
    problems = []
    for port in ports:
        whose = machine.whose(port.device)
        found = machine.identify(port.device)
        if found.board is not None:
            return well("pico", port=port.device, whose=whose, **_board(found.board, found.tally))
        problems.append(_problem(port.device, whose, found))
    return problems[0]


def _board(board: Board, tally: Tally | None) -> dict[str, str | Said]:
    counted: str | Said = ""
    if tally is not None:
        counted = said(
            "pico_counted",
            frames=tally.frames,
            dropped=tally.dropped,
            unsent=tally.unsent,
            exceptions=tally.exceptions,
            odds=tally.odds,
        )
    return {"name": board.name, "version": ".".join(map(str, board.version)), "counted": counted}


def _problem(port: str, whose: str, found: Found) -> Finding:
    problem = found.problem
    assert problem is not None
    if problem.code == "in_use":
        return well("pico_in_use", port=port, whose=whose)
    code, fix = PROBLEMS.get(problem.code, ("pico_problem", said("as_said", fix=problem.fix)))
    return bad(code, fix, port=port, whose=whose, what=problem.what)


def modem_manager(case: Case) -> Finding:
    """Whether software for modems disturbs a Pico by asking it things."""
    if case.drives_pins:
        return not_here("on_pins")
    runs = case.machine.run("systemctl", "is-active", "--quiet", "ModemManager").well
    if runs and "ID_MM_DEVICE_IGNORE" not in (case.machine.text(RULES) or ""):
        return bad("modem_manager_asks", "sudo cannon install")
    return well("pico_undisturbed")


def serial_rights(case: Case) -> Finding:
    """Whether this user may use the port of each Pico; without one, serial ports as they come."""
    if case.drives_pins:
        return not_here("on_pins")
    machine, user = case.machine, case.machine.user
    join = said("join_group", command=f"sudo adduser {user} {SERIAL}")
    ports = _picos(machine)
    closed = next((port.device for port in ports if not machine.usable(port.device)), None)
    if closed is None:
        if ports or machine.has_group(SERIAL):
            return well("serial_allowed", user=user)
        return bad("not_in_group", join, user=user, group=SERIAL)
    about, whose = machine.about(closed), machine.whose(closed)
    if about is None or about.group != SERIAL or not about.mode & 0o060:
        fix = said("install_for_port", command="sudo cannon install", group=SERIAL)
        return bad("port_closed", fix, user=user, port=closed, whose=whose)
    if machine.has_group(SERIAL):
        return bad("port_closed_yet", said("log_in_anew"), user=user, port=closed, group=SERIAL)
    return bad("not_in_group", join, user=user, group=SERIAL)


def _picos(machine: Machine) -> list[PortInfo]:
    return [port for port in machine.ports() if port.vendor == VENDOR]


CHECKS = {"bridge": bridge, "serial_rights": serial_rights, "modem_manager": modem_manager}
