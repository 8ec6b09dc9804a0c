"""systemd's own tools judge the unit that `cannon install --dry-run` shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cannon.service.unit import NAME, Service, unit

pytestmark = pytest.mark.kernel

MOST_EXPOSED = 3.0


def shown(*options: str) -> str:
    """The unit in what the command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "cannon", "install", "--dry-run", "--user", "root", "--", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.partition(f"# /etc/systemd/system/{NAME}\n")[2].partition("\n# /etc/udev")[0]


def verified(text: str, folder: Path) -> str:
    """All that systemd-analyze has to say."""
    path = folder / NAME
    path.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return f"{done.stdout}{done.returncode}"


def elsewhere(folder: Path) -> Path:
    """The same Python by a path with all that a path may have."""
    place = folder / 'my "own" cannon, 50% & $HOME'
    place.mkdir()
    python = place / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return python


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--web", "0.0.0.0:8080"),
        ("--bridge", "/dev/serial0"),
        ("--odds", "/my odds/50% \"always\" $1 'x'.toml"),
    ],
)
def test_verify_has_nothing_to_say(tmp_path: Path, options: tuple[str, ...]) -> None:
    text = shown(*options)
    assert "ExecStart=" in text
    assert verified(text, tmp_path) == "0"


def test_verify_has_nothing_to_say_of_strange_paths(tmp_path: Path) -> None:
    python = str(elsewhere(tmp_path))
    text = unit(Service(python, python, "root", writes=(str(tmp_path),)))
    assert verified(text, tmp_path) == "0"


def test_verify_would_have_something_to_say(tmp_path: Path) -> None:
    text = shown().replace("ExecStart=", "ExecStart=/no/such/")
    assert "no/such" in verified(text, tmp_path)
    text = shown().replace("WatchdogSec=", "WatchdogSeconds=")
    assert "WatchdogSeconds" in verified(text, tmp_path)


def test_it_is_exposed_as_little_as_can_be(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text(shown())
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    print("exposure", found[1])
    assert float(found[1]) <= MOST_EXPOSED
