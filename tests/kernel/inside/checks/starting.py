"""The service from its installation to its end: boot, a late chip, wrong settings, doctor, gone."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from cannon.service.unit import NAME, OFF, RULES, UNIT
from tests.kernel.inside.installed import STATE, Installed
from tests.kernel.inside.installing import SETTINGS, cannon, show, write_settings
from tests.kernel.inside.service import systemctl
from tests.kernel.inside.subject import Subject
from tests.kernel.inside.watch import Watch

LATE_S = 10
AFTER_S = 8
"longer than a restart of this service takes"


def boot() -> dict[str, Any]:
    """The target that a computer boots into pulls the enabled service in; it beeps when ready."""
    with Installed(watched=True) as launcher, Watch(launcher.chip) as watch:
        write_settings(sound=True)
        systemctl("start", "--no-block", "multi-user.target")
        launcher.until_ready()
        beeper, beeps, end_s = launcher.board.beeper, 0, time.monotonic() + 5
        assert beeper is not None
        while time.monotonic() < end_s:
            beeps += sum(edge.line == beeper.pin for edge in watch.edges(0.5))
        return {
            "enabled": show("UnitFileState"),
            "active": show("ActiveState"),
            "status": show("StatusText"),
            "beeps": beeps > 10,
            "user": show("User"),
            "gave_way": _niceness(launcher.pid).count(0),
        }


def _niceness(pid: int) -> list[int]:
    """Of all its threads."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [os.getpriority(os.PRIO_PROCESS, int(task.name)) for task in tasks]


def late_chip() -> dict[str, Any]:
    """The GPIO chip appears ten seconds after the service was started."""
    with Installed() as launcher:
        launcher.chip.remove()
        systemctl("daemon-reload")
        systemctl("start", "--no-block", NAME)
        launcher.until_said("Waiting for it")
        time.sleep(LATE_S)
        launcher.new_chip()
        launcher.until_ready()
        return {
            "restarts": show("NRestarts"),
            "waits": launcher.said().count("Waiting for it"),
        }


def busy_line() -> dict[str, Any]:
    """Another program holds the lid's line when the service starts, and ends some time later."""
    with Installed() as launcher:
        with Subject.script("hold_high", launcher.chip.number, launcher.board.lid.pin) as other:
            other.wait_for("ready")
            systemctl("daemon-reload")
            systemctl("start", "--no-block", NAME)
            said = launcher.until_said("Waiting for it")
        launcher.until_ready()
        return {"said": said, "restarts": show("NRestarts")}


def wrong_settings() -> dict[str, Any]:
    """cannon.toml has two mistakes."""
    with Installed() as launcher:
        SETTINGS.write_text('board = "launcher-pie"\n[play]\nsuspense_s = 99\n')
        systemctl("daemon-reload")
        systemctl("start", NAME, check=False)
        time.sleep(AFTER_S)
        return {
            "state": show("ActiveState"),
            "exit_code": show("ExecMainStatus"),
            "restarts": show("NRestarts"),
            "said": launcher.said(),
        }


def doctor() -> dict[str, Any]:
    """What the doctor finds on this machine with the service running: as it is, then ill."""
    disk = Path("/run/lane/state")
    disk.mkdir(exist_ok=True)
    STATE.mkdir(exist_ok=True)
    subprocess.run(["mount", "--bind", str(disk), str(STATE)], check=True)  # the only real disk
    try:
        with Installed() as launcher:
            launcher.start()
            healthy = cannon("doctor", "--json")
            systemctl("disable", NAME)
            ill = cannon("doctor", "--json")
            systemctl("enable", NAME)
    finally:
        subprocess.run(["umount", str(STATE)], check=True)
    return {
        "healthy": [check for check in json.loads(healthy.stdout)["checks"] if not check["ok"]],
        "ill": [check["name"] for check in json.loads(ill.stdout)["checks"] if not check["ok"]],
        "exit_codes": [healthy.returncode, ill.returncode],
    }


def uninstall() -> dict[str, Any]:
    """The service is taken away while it runs; history and settings stay."""
    with Installed() as launcher:
        launcher.start()
        again = cannon("install").stdout
        done = cannon("uninstall")
        return {
            "again": again,
            "exit_code": done.returncode,
            "left": [path for path in (UNIT, RULES, OFF) if Path(path).exists()],
            "active": show("ActiveState"),
            "history": (STATE / "journal.db").exists(),
            "settings": SETTINGS.exists(),
        }


def stop() -> dict[str, Any]:
    """`systemctl stop` of a launcher that is idle."""
    with Installed() as launcher:
        launcher.start()
        systemctl("stop", NAME)
        return {
            "result": show("Result"),
            "state": show("ActiveState"),
            "exit_code": show("ExecMainStatus"),
            "traceback": "Traceback" in launcher.said(),
        }
