"""Fixture `result`: what a check brought back from the virtual machine.

A test names its check by the mark `in_vm("module.function", build="persist" or "strict")`, the
function is in inside/checks/. The machines boot once for all collected tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.kernel import matrix
from tests.kernel.machines import Machines, Notes
from tests.kernel.vm.build import BUILDS
from tests.kernel.vm.debian import LaneError

_NOTES = pytest.StashKey[Notes]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "in_vm(check, build): the check whose result is wanted")
    config.stash[_NOTES] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("in_vm"):
            item.add_marker(pytest.mark.kernel)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash[_NOTES]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def machines(request: pytest.FixtureRequest) -> Iterator[Machines]:
    """All that runs in the background for the collected tests."""
    items = request.session.items
    marked = [_wanted(item) for item in items]
    cells = [_parameters(item).get("cell", ("", "")) for item in items]
    found = Machines(
        {
            build: list(dict.fromkeys(check for check, its in marked if its == build))
            for build in BUILDS
        },
        {name: [key for key, its in cells if its == name] for name in matrix.COLUMNS},
    )
    yield found
    found.close()


@pytest.fixture(scope="session")
def notes(request: pytest.FixtureRequest) -> Notes:
    """Lines that are shown at the end of the run: what was measured."""
    return request.config.stash[_NOTES]


@pytest.fixture
def result(request: pytest.FixtureRequest, machines: Machines) -> dict[str, Any]:
    """The value that this test's check returned; the test fails when it returned none."""
    check, build = _wanted(request.node)
    try:
        outcome = machines.outcome(build, check)
    except LaneError as error:
        pytest.fail(str(error), pytrace=False)
    if outcome.value is None:
        pytest.fail(f"{check} on the {build} build: {outcome.problem}", pytrace=False)
    return outcome.value


def _parameters(item: pytest.Item) -> dict[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def _wanted(item: pytest.Item) -> tuple[str, str]:
    mark = item.get_closest_marker("in_vm")
    return (mark.args[0], mark.kwargs["build"]) if mark else ("", "")
