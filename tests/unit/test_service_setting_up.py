"""How the project sets itself up: no way around the system's Python, nothing half made left behind,
and no second process that would inherit open pins."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cannon.service.unit import Service, unit

PROJECT = Path(__file__).parents[2]
OURS = ("cannon", "firmware_bridge", "hardware")
SCRIPTS = ("Makefile", ".ci/run", "tests/lanes.sh")


def sources() -> Iterator[Path]:
    for package in OURS:
        yield from (PROJECT / package).rglob("*.py")


def guides() -> Iterator[Path]:
    yield from PROJECT.glob("*.md")
    for folder in (*OURS, "tests"):
        yield from (PROJECT / folder).rglob("*.md")


def test_no_script_and_no_guide_goes_round_the_systems_python() -> None:
    scripts = [*map(PROJECT.joinpath, SCRIPTS), *(PROJECT / "tests/lanes").iterdir(), *sources()]
    pages = list(guides())
    assert PROJECT / "README.md" in pages
    assert PROJECT / "hardware/builds/launcher-pi/README.md" in pages
    for path in [*scripts, *pages]:
        text = path.read_text()
        assert "break-system-packages" not in text, path
        assert "sudo pip" not in text, path


@pytest.mark.parametrize("half_made", [True, False])
def test_a_venv_that_cannot_be_made_is_told_of_and_not_left_half_made(
    tmp_path: Path, half_made: bool
) -> None:
    """As on a Raspberry Pi OS Lite without the package python3-venv; made well the next time."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(PROJECT / name, tmp_path)
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -m ] || exit 0\n{"mkdir -p .venv/bin" if half_made else ":"}\n'
        "echo 'ensurepip is not available'; exit 1\n"
    )
    python.chmod(0o755)
    done = subprocess.run(
        ["make", "play", f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "sudo apt install python3-venv" in done.stdout
    assert not (tmp_path / ".venv").exists()


def test_no_process_is_forked_that_would_inherit_the_pins() -> None:
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not any(name.split(".")[0] == "multiprocessing" for name in names), path
            forks = isinstance(node, ast.Attribute) and node.attr in ("fork", "forkpty")
            assert not forks, path


def test_the_service_needs_no_network() -> None:
    text = unit(Service("/opt/python", "/usr/bin/python3", "card-cannon"))
    assert "network" not in text.partition("[Service]")[0]
