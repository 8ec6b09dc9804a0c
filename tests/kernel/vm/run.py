"""Boots the virtual machine once, lets it run a list of checks, brings their results back.

The guest sees the host's root read-only below a tmpfs, so it runs this very project from this very
path, by Debian's own Python; systemd is its PID 1. A directory is shared read-write: the job goes
in, results come out. The CPU is emulated (TCG) so that every machine gives the same: it is slow,
and only ratios of times measured in one run mean something. /dev/vda is a small disk with ext4.
"""

from __future__ import annotations

import fcntl
import json
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kernel.vm.build import Image, image
from tests.kernel.vm.debian import LaneError

ROOT = Path(__file__).parents[3]
CACHE = ROOT / ".cache/kernel-lane"
PYTHON = CACHE / "python/bin/python"  # made by tests/lanes/kernel.sh
COMPILED = ("cannon", "firmware_bridge", "hardware", "tests/kernel")
DISK_BYTES = 32 << 20

# gpiozero finds a Raspberry Pi by a line "Revision" in /proc/cpuinfo. The kernel prints there the
# CPU's name as the (emulated) CPU gives it, line break included: a Pi 4, in every mount of /proc.
PI_4 = "Raspberry Pi 4\nRevision\t: c03114"

# The processor's own cycle counter is no good here: on a busy host its rate is measured wrong, and
# the machine's seconds come out twice too short. Mitigations only cost time where nobody attacks.
KERNEL_OPTIONS = (
    "console=ttyS0 quiet panic=-1 tsc=unstable clocksource=hpet mitigations=off"
    " systemd.show_status=1"
)

# A launcher is before others here, and looks at its lines all the time: checks must come to their
# turn, too, and so must bare programs that it is compared with.
UNITS = {
    "lane.target": "[Unit]\nWants=lane.service systemd-journald.socket\n",
    "lane.service": (
        "[Unit]\nDefaultDependencies=no\n"
        "[Service]\nExecStart=/bin/sh /run/lane/start\n"
        "Nice=-10\nCPUWeight=1000\n"
        "StandardOutput=file:/run/lane/job.log\nStandardError=inherit\n"
        "ExecStopPost=/bin/systemctl poweroff --force --force\n"
    ),
}


@dataclass(frozen=True)
class Machine:
    """A machine that runs: its process, and the directory that it shares with the host."""

    process: subprocess.Popen[bytes]
    share: Path


@dataclass(frozen=True)
class Outcome:
    """What one check brought back: `value` if it ended well, else `problem`; `took_s` in the VM."""

    value: dict[str, Any] | None
    problem: str | None
    took_s: float | None


def run(
    build: str,
    checks: Mapping[str, float],
    *,
    name: str,
    timeout_s: float,
    cpus: int = 1,
) -> dict[str, Outcome]:
    """Boot with this build of gpio-sim, run the checks in order, return an outcome for each.

    `checks` are names as in "dying.sigkill", function `sigkill` of inside/checks/dying.py, with
    the seconds that each may take. What was said and logged stays in
    .cache/kernel-lane/run-NAME until the next run of that name. Raises `LaneError` when the
    machine cannot be built.
    """
    with booted(build, checks, name=name, cpus=cpus) as machine:
        started_s = time.monotonic()
        try:
            machine.process.wait(timeout_s)
            ended_itself = True
        except subprocess.TimeoutExpired:
            ended_itself = False
        (machine.share / "wall_s").write_text(f"{time.monotonic() - started_s:.1f}\n")
    return {check: _outcome(machine.share, check, ended_itself, timeout_s) for check in checks}


@contextmanager
def booted(
    build: str,
    checks: Mapping[str, float],
    *,
    name: str,
    cpus: int = 1,
    disk: Path | None = None,
    serial: Path | None = None,
) -> Iterator[Machine]:
    """A machine that has begun to boot, and to run the checks; killed at the end of `with`.

    `disk` keeps what the machine has written; without it there is an empty one. `serial` is a
    terminal of the host that the machine has as /dev/ttyS1. Raises `LaneError`.
    """
    if not PYTHON.exists():
        raise LaneError(f"there is no {PYTHON} yet; run: bash tests/lanes/kernel.sh --collect-only")
    kernel = image(CACHE)
    share = CACHE / f"run-{name}"
    with (CACHE / f"run-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one after the other where two have the same name
        _write_job(share, {"checks": dict(checks)})
        command = _command(kernel, build, share, cpus, disk or new_disk(share / "disk"))
        if serial:
            command += ["-serial", "chardev:board"]
            command += ["-chardev", f"serial,id=board,path={_escaped(serial)}"]
        with (share / "qemu.log").open("w") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield Machine(process, share)
        finally:
            process.kill()
            process.wait()


def new_disk(path: Path) -> Path:
    """An empty disk: a file with ext4 in it."""
    with path.open("wb") as file:
        file.truncate(DISK_BYTES)
    format_ = ["mkfs.ext4", "-q", "-E", "root_owner=0:0,lazy_itable_init=0", str(path)]
    subprocess.run(format_, check=True)
    return path


def _write_job(share: Path, job: dict[str, Any]) -> None:
    shutil.rmtree(share, ignore_errors=True)
    (share / "results").mkdir(parents=True)
    (share / "units").mkdir()
    (share / "job.json").write_text(json.dumps(job))
    # As pip leaves a program; a service may not do it for itself.
    subprocess.run([PYTHON, "-m", "compileall", "-q", *COMPILED], cwd=ROOT, check=True)
    (share / "project").write_text(str(ROOT))
    for unit, text in UNITS.items():
        (share / "units" / unit).write_text(text)
    start = [str(PYTHON), "-m", "tests.kernel.inside.job"]
    (share / "start").write_text(f"cd {shlex.quote(str(ROOT))} && exec {shlex.join(start)}\n")


def _command(image: Image, build: str, share: Path, cpus: int, disk: Path) -> list[str]:
    """The machine's disk holds what the machine was told that it holds, also when it is killed."""
    return [
        *("setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-accel", "tcg,thread=multi"),
        *("-smp", str(cpus), "-m", "1024", "-cpu", f"max,la57=off,model-id={PI_4}"),
        *("-display", "none", "-monitor", "none", "-nic", "none", "-no-reboot"),
        *("-serial", f"file:{_escaped(share / 'console.log')}"),
        *("-kernel", str(image.kernel), "-initrd", str(image.initramfs(build))),
        *("-append", KERNEL_OPTIONS),
        *("-virtfs", _shared(Path("/"), "host", "readonly=on,multidevs=remap")),
        *("-virtfs", _shared(share, "lane", "multidevs=remap")),
        *("-drive", f"file={_escaped(disk)},if=virtio,format=raw,cache=directsync"),
    ]


def _shared(path: Path, tag: str, options: str) -> str:
    return f"local,path={_escaped(path)},mount_tag={tag},security_model=none,{options}"


def _escaped(path: Path) -> str:
    return str(path).replace(",", ",,")


def _outcome(share: Path, check: str, ended_itself: bool, timeout_s: float) -> Outcome:
    result = share / "results" / f"{check}.json"
    if result.exists():
        return Outcome(**json.loads(result.read_text()))
    why = "ended" if ended_itself else f"was ended after {timeout_s:.0f} s"
    tails = [
        f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        for log in (share / "qemu.log", share / "console.log", share / "job.log")
        if log.exists()
    ]
    return Outcome(None, "\n".join([f"the VM {why} without a result of {check}", *tails]), None)
