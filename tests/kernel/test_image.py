"""What the machine is built of, without building it."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from tests.kernel.vm import build
from tests.kernel.vm.debian import Kernel, LaneError


def test_packages_are_installed_by_one_machine_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> Kernel:
        with (tmp_path / "lock").open("w") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        raise LaneError("as on a computer without dpkg")

    monkeypatch.setattr(build, "installed_kernel", asked)
    with pytest.raises(LaneError, match="without dpkg"):
        build.image(tmp_path)
    with (tmp_path / "lock").open("w") as lock:  # let go of, so that the next one can try
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
