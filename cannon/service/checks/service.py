"""The doctor's checks of the service: installed, running, watched, and how it ended last."""

from __future__ import annotations

from cannon.service.finding import Case, Finding, bad, not_here, well
from cannon.service.installing import off_source
from cannon.service.unit import NAME, OFF, UNIT

LOG = f"journalctl -u {NAME} -n 50"
PROPERTIES = (
    "ActiveState,SubState,UnitFileState,NeedDaemonReload,"
    "Result,NRestarts,ExecMainStatus,WatchdogUSec"
)
ENDS = {
    "watchdog": "it hung, and its watchdog has ended it",
    "oom-kill": "the memory was full",
    "signal": "it was killed by a signal",
    "core-dump": "it crashed",
    "timeout": "it did not start or stop in time",
    "start-limit-hit": "it failed too often in a row",
    "exit-code": "it failed",
}
EXITS = {
    2: "it was started with wrong options",
    78: "its settings are wrong: see the check settings",
    203: "its program is not where it was",
    216: "its group is not there",
    217: "its user is not there",
}


def service(case: Case) -> Finding:
    """Whether the launcher is a service that starts with the computer, and runs."""
    machine = case.machine
    if not machine.exists("/run/systemd/system"):
        return not_here("no systemd")
    unit = machine.text(UNIT)
    if unit is None:
        if not case.on_a_pi and case.drives_pins:
            return not_here("no Raspberry Pi, no service")
        return bad(
            "not installed: nothing starts the launcher, and nothing switches the motor off when "
            "its program is killed",
            "sudo cannon install",
        )
    program = _program(unit)
    if not machine.exists(program):
        return bad(f"its program {program} is gone", "sudo cannon install")
    if machine.text(OFF) != off_source().rstrip():
        return bad(f"{OFF} is not of this version", "sudo cannon install")
    state = _properties(case)
    if state.get("NeedDaemonReload") == "yes":
        return bad("its unit was changed and not read since", "sudo systemctl daemon-reload")
    if state.get("UnitFileState") != "enabled":
        return bad("it does not start with the computer", f"sudo systemctl enable {NAME}")
    if state.get("ActiveState") != "active":
        words = f"{state.get('ActiveState')} ({state.get('SubState')})"
        return bad(f"it does not run: {words}", f"sudo systemctl restart {NAME}; {LOG}")
    return well("starts with the computer, and runs")


def watchdog(case: Case) -> Finding:
    """Whether a launcher that hangs is ended."""
    if not case.machine.exists(UNIT):
        return not_here("no service")
    usec = _properties(case).get("WatchdogUSec", "")
    if usec in ("", "0", "infinity"):
        return bad("the unit has no watchdog: one that hangs hangs for ever", "sudo cannon install")
    return well(f"one that hangs is ended after {usec}")


def last_exits(case: Case) -> Finding:
    """How the service has ended, and how often it had to be started again."""
    if not case.machine.exists(UNIT):
        return not_here("no service")
    state = _properties(case)
    result, restarts = state.get("Result", ""), state.get("NRestarts", "0")
    if result not in ("", "success"):
        code = int(state.get("ExecMainStatus") or 0)
        why = ENDS.get(result, result)
        if result == "exit-code":
            why = EXITS.get(code, f"it failed with exit code {code}")
        return bad(f"last time {why}", LOG)
    if restarts not in ("", "0"):
        return bad(f"it had to be started again {restarts} times", LOG)
    return well("no failure since the computer or the service was started")


def _properties(case: Case) -> dict[str, str]:
    said = case.machine.run("systemctl", "show", NAME, "-p", PROPERTIES).said
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def _program(unit: str) -> str:
    """The first word of ExecStart=."""
    for line in unit.splitlines():
        if line.startswith("ExecStart="):
            words = line.removeprefix("ExecStart=")
            if words.startswith('"'):
                return words[1:].partition('"')[0].replace("%%", "%").replace("$$", "$")
            return words.partition(" ")[0]
    return ""


CHECKS = {"service": service, "watchdog": watchdog, "last_exits": last_exits}
