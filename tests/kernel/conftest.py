"""Fixture `result`: what a check brought back from the virtual machine.

A test names its check by the mark `in_vm("module.function", build="persist" or "strict")`, the
function is in inside/checks/. The machine of a build boots once for all collected tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel.vm.debian import LaneError
from tests.kernel.vm.run import Outcome, run

TIMEOUT_S = 420


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "in_vm(check, build): the check whose result is wanted")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("in_vm"):
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest) -> Callable[[str], dict[str, Outcome]]:
    """All outcomes of a build by check; boots its machine at the first call."""
    booted: dict[str, dict[str, Outcome]] = {}

    def of(build: str) -> dict[str, Outcome]:
        if build not in booted:
            wanted = [_wanted(item) for item in request.session.items]
            checks = dict.fromkeys(check for check, its_build in wanted if its_build == build)
            booted[build] = run(build, list(checks), name=build, timeout_s=TIMEOUT_S)
        return booted[build]

    return of


@pytest.fixture
def result(
    request: pytest.FixtureRequest, outcomes: Callable[[str], dict[str, Outcome]]
) -> dict[str, Any]:
    """The value that this test's check returned; the test fails when it returned none."""
    check, build = _wanted(request.node)
    try:
        outcome = outcomes(build)[check]
    except LaneError as error:
        pytest.fail(str(error), pytrace=False)
    if outcome.value is None:
        pytest.fail(f"{check} on the {build} build: {outcome.problem}", pytrace=False)
    return outcome.value


def _wanted(item: pytest.Item) -> tuple[str, str]:
    mark = item.get_closest_marker("in_vm")
    return (mark.args[0], mark.kwargs["build"]) if mark else ("", "")
