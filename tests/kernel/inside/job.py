"""Runs in the virtual machine: the checks of one job, one after the other.

A check is a function in inside/checks/ that returns what it saw, as values that JSON knows;
judging is the host's part. It takes the words after a colon: MODULE.FUNCTION:WORD,WORD. Each runs
in a process of its own, forked because starting Python anew takes seconds on this machine. What it
prints goes to results/CHECK.log.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

SHARE = Path("/run/lane")
RESULTS = SHARE / "results"


def main() -> None:
    """Run all checks of the job that lies in the share."""
    job = json.loads((SHARE / "job.json").read_text())
    for check, timeout_s in job["checks"].items():
        started_s = time.monotonic()
        child = os.fork()
        if child == 0:
            _in_child(check)
        problem = _wait(child, timeout_s)
        value = None if problem else json.loads(_value_path(check).read_text())
        took_s = round(time.monotonic() - started_s, 2)
        result = {"value": value, "problem": problem and problem + _log(check), "took_s": took_s}
        (RESULTS / f"{check}.json").write_text(json.dumps(result))


def _in_child(check: str) -> NoReturn:
    os.setsid()
    log = os.open(_log_path(check), os.O_WRONLY | os.O_CREAT)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    code = 1
    try:
        function, words = _function(check)
        _value_path(check).write_text(json.dumps(function(*words)))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _function(check: str) -> tuple[Any, list[str]]:
    name, colon, words = check.partition(":")
    module, _, function = name.rpartition(".")
    found = getattr(importlib.import_module(f"tests.kernel.inside.checks.{module}"), function)
    return found, words.split(",") if colon else []


def _wait(child: int, timeout_s: float) -> str | None:
    """Wait for a check's end, then end all it has left behind; what went wrong, or None."""
    end_s = time.monotonic() + timeout_s
    problem = f"no end within {timeout_s} s"
    while time.monotonic() < end_s:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            problem = f"exit code {code}" if code else ""
            break
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):  # nothing is left of it
        os.killpg(child, signal.SIGKILL)
    return problem or None


def _value_path(check: str) -> Path:
    return Path("/run") / f"{check}.value"


def _log_path(check: str) -> Path:
    return RESULTS / f"{check}.log"


def _log(check: str) -> str:
    return "\n" + _log_path(check).read_text(errors="replace")


if __name__ == "__main__":
    main()
