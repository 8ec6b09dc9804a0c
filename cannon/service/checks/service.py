"""The doctor's checks of the service: installed, running, watched, and how it ended last."""

from __future__ import annotations

from cannon.service.finding import Case, Finding, Said, bad, not_here, said, well
from cannon.service.installing import off_source
from cannon.service.unit import NAME, OFF, UNIT

LOG = f"journalctl -u {NAME} -n 50"
PROPERTIES = (
    "ActiveState,SubState,UnitFileState,NeedDaemonReload,"
    "Result,NRestarts,ExecMainStatus,WatchdogUSec"
)
ENDS = {
    "watchdog": said("end_watchdog"),
    "oom-kill": said("end_memory"),
    "signal": said("end_signal"),
    "core-dump": said("end_crash"),
    "timeout": said("end_timeout"),
    "start-limit-hit": said("end_too_often"),
}
EXITS = {
    "2": said("end_options"),
    "78": said("end_settings"),
    "203": said("end_no_program"),
    "216": said("end_no_group"),
    "217": said("end_no_user"),
}
"""Why it has ended, by systemd's result; by its exit code where that was what failed."""


def service(case: Case) -> Finding:
    """Whether the launcher is a service that starts with the computer, and runs."""
    machine = case.machine
    if not machine.exists("/run/systemd/system"):
        return not_here("no_systemd")
    unit = machine.text(UNIT)
    if unit is None:
        if not case.on_a_pi and case.drives_pins:
            return not_here("no_pi_no_service")
        return bad("service_missing", "sudo cannon install")
    program = _program(unit)
    if not machine.exists(program):
        return bad("program_gone", "sudo cannon install", program=program)
    if machine.text(OFF) != off_source().rstrip():
        return bad("off_outdated", "sudo cannon install", path=OFF)
    state = _properties(case)
    if state.get("NeedDaemonReload") == "yes":
        return bad("unit_changed", "sudo systemctl daemon-reload")
    if state.get("UnitFileState") != "enabled":
        return bad("not_enabled", f"sudo systemctl enable {NAME}")
    if state.get("ActiveState") != "active":
        words = f"{state.get('ActiveState')} ({state.get('SubState')})"
        return bad("does_not_run", f"sudo systemctl restart {NAME}; {LOG}", state=words)
    return well("service_runs")


def watchdog(case: Case) -> Finding:
    """Whether a launcher that hangs is ended."""
    if not case.machine.exists(UNIT):
        return not_here("no_service")
    usec = _properties(case).get("WatchdogUSec", "")
    if usec in ("", "0", "infinity"):
        return bad("no_watchdog", "sudo cannon install")
    return well("watched", after=usec)


def last_exits(case: Case) -> Finding:
    """How the service has ended, and how often it had to be started again."""
    if not case.machine.exists(UNIT):
        return not_here("no_service")
    state = _properties(case)
    result, restarts = state.get("Result", ""), state.get("NRestarts", "0")
    if result not in ("", "success"):
        return bad("ended_badly", LOG, why=_why(result, state.get("ExecMainStatus", "")))
    if restarts not in ("", "0"):
        return bad("restarted", LOG, times=restarts)
    return well("no_failure")


def _why(result: str, code: str) -> str | Said:
    if result == "exit-code":
        return EXITS.get(code, said("end_exit_code", code=code))
    return ENDS.get(result, result)


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
