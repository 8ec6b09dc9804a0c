"""Debian's part of the kernel lane: its packages, and which kernel they belong to.

Installs what is missing, fetches single packages of one exact version without installing them.
Every problem is a `LaneError` whose text is one sentence for whoever runs the lane.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

HEADERS = "linux-headers-amd64"
PACKAGES = (
    "qemu-system-x86",
    HEADERS,
    "busybox-static",
    "cpio",
    "e2fsprogs",
    "kmod",
    "make",
    "patch",
    "systemd",
    "xz-utils",
)


class LaneError(Exception):
    """The lane cannot run here; the text says what is missing or does not fit."""


@dataclass(frozen=True)
class Kernel:
    """One Debian kernel: `release` as `uname -r` says it, `version` of its packages."""

    release: str
    version: str

    @property
    def source_package(self) -> str:
        """The package with the kernel's source, as in linux-source-6.1."""
        return "linux-source-" + ".".join(self.release.split(".")[:2])


def installed_kernel() -> Kernel:
    """The kernel whose headers are installed, after installing the packages that are missing."""
    _install_missing()
    depends = _output(["dpkg-query", "-W", "-f=${Depends}", HEADERS])
    found = re.search(r"linux-headers-(\S+)(?: \(= (\S+)\))?", depends)
    if not found:
        raise LaneError(f"{HEADERS} does not say which kernel it is for, it depends on: {depends}")
    release = found[1]
    version = _output(["dpkg-query", "-W", "-f=${Version}", f"linux-headers-{release}"])
    return Kernel(release, version)


def fetch(package: str, version: str, into: Path) -> Path:
    """Download the .deb of exactly this version into a directory; nothing is installed."""
    wanted = f"{package}={version}"
    into.mkdir(parents=True, exist_ok=True)
    if not _apt_download(wanted, into):
        _run_apt("update")
        if not _apt_download(wanted, into):
            raise LaneError(
                f"The installed kernel headers are version {version}, but Debian's archive no "
                f"longer has {package} in it; run: apt-get install {HEADERS}"
            )
    return next(into.glob(f"{package}_*.deb"))


def _install_missing() -> None:
    missing = [package for package in PACKAGES if not _is_installed(package)]
    if not missing:
        return
    if os.geteuid() != 0:
        raise LaneError("The kernel lane needs: sudo apt-get install " + " ".join(missing))
    _run_apt("update")
    _run_apt("install", "--yes", "--no-install-recommends", *missing)


def _is_installed(package: str) -> bool:
    query = ["dpkg-query", "-W", "-f=${db:Status-Status}", package]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise LaneError("The kernel lane runs on Debian only: there is no dpkg here") from None
    return done.stdout == "installed"


def _run_apt(*arguments: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "--quiet", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise LaneError(f"'{' '.join(command)}' failed: {' '.join(last)}")


def _apt_download(wanted: str, into: Path) -> bool:
    command = ["apt-get", "--quiet", "download", wanted]
    return subprocess.run(command, cwd=into, capture_output=True, check=False).returncode == 0


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
