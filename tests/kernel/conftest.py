"""Fixture `result`: what a check brought back from the virtual machine.

A test names its check by the mark `in_vm("module.function", build="persist" or "strict")`, the
function is in inside/checks/. The machine of a build boots once for all collected tests.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.vm.debian import LaneError
from tests.kernel.vm.run import Outcome, run

BOOT_S = 180
PER_CHECK_S = 60


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "in_vm(check, build): the check whose result is wanted")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("in_vm"):
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def persist(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    """Outcomes by check from the machine whose outputs keep their level."""
    return _boot("persist", request.session)


@pytest.fixture(scope="session")
def strict(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    """Outcomes by check from the machine whose outputs fall back."""
    return _boot("strict", request.session)


@pytest.fixture
def result(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The value that this test's check returned; the test fails when it returned none."""
    check, build = _wanted(request.node)
    outcome: Outcome = request.getfixturevalue(build)[check]
    if outcome.value is None:
        pytest.fail(f"{check} on the {build} build: {outcome.problem}", pytrace=False)
    return outcome.value


def _boot(build: str, session: pytest.Session) -> dict[str, Outcome]:
    wanted = [_wanted(item) for item in session.items]
    checks = dict.fromkeys(check for check, its_build in wanted if its_build == build)
    timeout_s = BOOT_S + PER_CHECK_S * len(checks)
    try:
        return run(build, list(checks), name=build, timeout_s=timeout_s)
    except LaneError as error:
        pytest.fail(str(error), pytrace=False)


def _wanted(item: pytest.Item) -> tuple[str, str]:
    mark = item.get_closest_marker("in_vm")
    return (mark.args[0], mark.kwargs["build"]) if mark else ("", "")
