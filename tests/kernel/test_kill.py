"""Each line of the README's table on safety is done for real: in the virtual machine with and
without persisting outputs, and with the firmware behind the bridge.

The lane fails where a run breaks a promise, or is not what the table says of yes, no and playing
on. Times are this machine's: they are judged by the promise, many times over. All trials of a run
are kept in .cache/kernel-lane/results.json; `python -m tests.kernel.matrix` makes them those that
the README tells of.
"""

from __future__ import annotations

import json

import pytest

from tests.kernel import matrix
from tests.kernel.bridge import column
from tests.kernel.inside.checks import kill
from tests.kernel.machines import Machines, Notes
from tests.kernel.matrix import BRIDGE, PERSIST, STRICT, Trial
from tests.kernel.vm.run import CACHE

pytestmark = pytest.mark.kernel

CELLS = [(key, name) for name in (BRIDGE, PERSIST, STRICT) for key in matrix.measured(name)]


def _keep(key: str, name: str, trials: list[Trial]) -> None:
    path = CACHE / "results.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept.setdefault(key, {})[name] = trials
    path.write_text(json.dumps(kept))


@pytest.mark.parametrize("cell", CELLS, ids=[f"{key}-{name}" for key, name in CELLS])
def test_in_the_middle_of_a_feed(cell: tuple[str, str], machines: Machines, notes: Notes) -> None:
    key, name = cell
    trials = machines.trials(key, name)
    if isinstance(trials, str):
        pytest.fail(trials, pytrace=False)
    _keep(key, name, trials)
    times = sorted(trial["off_s"] for trial in trials if trial["off_s"] is not None)
    spread = f"off after {times[0]:.3f} to {times[-1]:.3f} s" if times else "stays on"
    notes.append(f"{matrix.ROWS[key].what}, {name}: {len(trials)} times, {spread}")
    print(trials)
    assert matrix.problems(key, name, trials) == []


def test_nothing_of_the_table_is_left_out() -> None:
    assert set(matrix.measured(BRIDGE)) <= set(dir(column))
    for build in (PERSIST, STRICT):
        wanted = matrix.measured(build)
        done = [key for keys in kill.checks(wanted).values() for key in keys]
        assert sorted(done) == sorted(wanted)
    assert len(CELLS) > 40
