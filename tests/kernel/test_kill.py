"""Each line of the README's table on safety is done for real: in the virtual machine with and
without persisting outputs, and with the firmware behind the bridge.

All trials of a run are kept in .cache/kernel-lane/results.json; `python -m tests.kernel.matrix`
makes them those that the README tells of.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.kernel import matrix
from tests.kernel.bridge import column
from tests.kernel.matrix import BRIDGE, PERSIST, STRICT, Trial
from tests.kernel.vm.debian import LaneError
from tests.kernel.vm.run import CACHE, Outcome, run

pytestmark = pytest.mark.kernel

ROW_S = 900
"a row takes a minute on an idle machine"
CELLS = [(key, name) for name in matrix.COLUMNS for key in matrix.measured(name)]
Seen = Callable[[str, str], list[Trial]]


@pytest.fixture(scope="module")
def seen(request: pytest.FixtureRequest) -> Seen:
    """The trials of a cell. Both machines run at once, at the first call, for all tests chosen."""
    chosen = [
        item.callspec.params["cell"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and "cell" in getattr(item, "callspec", item).params
    ]
    found: dict[tuple[str, str], Any] = {}

    def machine(build: str) -> None:
        rows = [key for key, name in chosen if name == build]
        checks = [f"kill.{key}" for key in rows]
        if not rows:
            return
        try:
            outcomes = run(
                build,
                checks,
                name=f"kill-{build}",
                timeout_s=ROW_S * len(rows),
                check_timeout_s=ROW_S,
            )
        except LaneError as error:
            outcomes = dict.fromkeys(checks, Outcome(None, str(error), None))
        for key, check in zip(rows, checks, strict=True):
            outcome = outcomes[check]
            found[key, build] = outcome.problem or outcome.value

    with ThreadPoolExecutor() as machines:
        list(machines.map(machine, (PERSIST, STRICT)))

    def of(key: str, name: str) -> list[Trial]:
        if (key, name) not in found:
            found[key, name] = getattr(column, key)()
        trials = found[key, name]
        if isinstance(trials, str):
            pytest.fail(trials, pytrace=False)
        _keep(key, name, trials)
        return trials

    return of


def _keep(key: str, name: str, trials: list[Trial]) -> None:
    path = CACHE / "results.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept.setdefault(key, {})[name] = trials
    path.write_text(json.dumps(kept))


@pytest.mark.parametrize("cell", CELLS, ids=[f"{key}-{name}" for key, name in CELLS])
def test_in_the_middle_of_a_feed(cell: tuple[str, str], seen: Seen) -> None:
    key, name = cell
    trials = seen(key, name)
    print(f"{matrix.ROWS[key].what}, {name}: {len(trials)} times, {trials}")
    assert matrix.problems(key, name, trials) == []


def test_nothing_of_the_table_is_left_out() -> None:
    assert set(matrix.measured(BRIDGE)) <= set(dir(column))
    assert len(CELLS) > 50
