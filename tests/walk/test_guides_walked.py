"""A stranger walks through a guide: every line of its code blocks, typed in one terminal, in order.

The project comes as the ZIP that a person downloads, into an empty home; it is installed by the
guide's own lines, so what a wheel leaves out is missed here. Changed are only the lines for which
a launcher, a new computer or its whole system would be needed (`tests.guides`, and below): `sudo`
types what follows, packages are looked up and not installed, /etc and /var lie in the home.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.making import BUILDS
from tests.guides import adapted, blocks, ours

pytestmark = pytest.mark.walk

PROJECT = Path(__file__).parents[2]
SHIMS = {
    "sudo": '#!/bin/sh\nexec "$@"\n',
    "apt": (
        "#!/bin/sh\n"
        '[ "$1" = update ] && exit 0\n'
        'shift 2\nfor package in "$@"; do\n'
        '    [ "$package" = python3-lgpio ] && continue\n'
        '    apt-cache show "$package" >/dev/null || { echo "no package $package"; exit 1; }\n'
        "done\n"
    ),
    "adduser": '#!/bin/sh\ngetent group "$2" >/dev/null\n',
    "systemctl": '#!/bin/sh\n[ "$*" = "restart cannon" ]\n',
    "journalctl": '#!/bin/sh\n[ "$*" = "-u cannon -n 20" ]\n',
}
"""In place of what would change this computer; each still fails at what it does not know. The
package python3-lgpio is one of Raspberry Pi OS; Debian has it from 13 on."""
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
PLAYED = """
played() {
    : >play.log  # the last one said that it was ready, too
    "$@" 2>play.log </dev/null & player=$!
    until grep -q Ready play.log; do kill -0 $player || { cat play.log; exit 1; }; sleep 0.2; done
    [ -z "$meanwhile" ] || $meanwhile
    kill -TERM $player; wait $player
}
looked() { "$@" || [ $? -eq 1 ]; }
"""
"""To play until it is ready, and to ask a doctor who may well find something."""


def script(page: Path) -> str:
    """The page's lines as one shell script that stops at the first one that fails."""
    lines = ["set -eu", PLAYED, "meanwhile="]
    for line in blocks(page):
        words = ours(line)
        lines.append(f"echo {shlex.quote(f'$ {line}')}")
        lines.append(_typed(words) if words else _elsewhere(line))
    return "\n".join(lines) + "\n"


def _typed(words: list[str]) -> str:
    command = shlex.join(["cannon", *adapted(words)])
    if words[0] == "play":
        return f"played {command}"
    if words[0] == "status":
        return f"meanwhile={shlex.quote(command)} played cannon play --simulate"
    return f"looked {command}" if words[0] == "doctor" else command


def _elsewhere(line: str) -> str:
    return line.replace(" /etc/", ' "$HOME"/etc/').replace(" /var/", ' "$HOME"/var/')


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home with the download in it, and a PATH where nothing harms this computer."""
    downloads, shims = tmp_path / "Downloads", tmp_path / "shims"
    for folder in (downloads, shims, tmp_path / "var/lib/card-cannon", tmp_path / "run"):
        folder.mkdir(parents=True)
    archive = ["git", "archive", "--format=zip", "--prefix=card-cannon-main/", "HEAD"]
    with (downloads / "card-cannon-main.zip").open("wb") as file:
        subprocess.run(archive, cwd=PROJECT, stdout=file, check=True)
    for name, content in SHIMS.items():
        (shims / name).write_text(content)
        (shims / name).chmod(0o755)
    (shims / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    return tmp_path


@pytest.mark.parametrize("name", ["launcher-pi", "launcher-pico", "launcher-pico-usb", "diy-pi"])
def test_a_stranger_comes_from_the_download_to_play(name: str, home: Path) -> None:
    kept = ("PATH", "LANG", "PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE", *PROXIES)
    environment = {key: os.environ[key] for key in kept if key in os.environ}
    done = subprocess.run(
        ["bash", "-c", script(BUILDS / name / "README.md")],
        cwd=home,
        env=environment
        | {
            "HOME": str(home),
            "USER": "stranger",
            "PATH": f"{home / 'shims'}:{environment['PATH']}",
            "XDG_RUNTIME_DIR": str(home / "run"),
            "PIP_REQUIRE_VIRTUALENV": "1",  # as strict as a system whose Python is its own
            "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),
        },
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert (home / "card-cannon" / ".venv" / "bin" / "cannon").exists()
