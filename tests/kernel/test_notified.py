"""The real lgpio package with our inputs on it; needs no chip and no virtual machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernel.notified"],
        cwd=tmp_path_factory.mktemp("lgpio"),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stderr}\nneeds lgpio: pip install '.[pi]'"
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_an_exception_in_one_callback_is_told_and_all_inputs_live_on(
    result: dict[str, Any],
) -> None:
    assert result["told"] == [
        ["Failure", "input", "lid: RuntimeError('once')", True],
        ["Edge", "button", True, True],
        ["Edge", "lid", False, True],
    ]
    assert result["alive"]


def test_an_exception_in_a_callback_of_someone_elses_ends_all_edges_and_that_is_noticed(
    result: dict[str, Any],
) -> None:
    assert not result["after_a_bare_exception"]
