"""A launcher that lives for years: as many presses as fit ten minutes, with all that can befall it.

Virtual time, everything by chance; the seed is printed. No promise may be broken at any moment,
what was decided is delivered or owed, and the program does not grow.
"""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from cannon.core import states
from cannon.seeds import fresh_seed
from cannon.simulation import SimulatedProgram, load_scenario
from cannon.twin.running import Failed, _do
from cannon.twin.stage import Stage
from tests.share import share

PRESSES = 1_000_000
WALL_S = share(570)
ROUND = 1000  # presses between two looks at the promises
WARM_UP = 20_000  # presses, until every buffer that has a limit is full
LEAST = max(2 * WARM_UP, share(100_000))  # presses; a slow machine takes longer for them
GROWTH_KIB = 4096  # what the allocator may take for its own order


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_a_million_presses_in_the_field(record_property: Callable[[str, object], None]) -> None:
    logging.getLogger("cannon").setLevel(logging.CRITICAL)  # faults are meant to happen
    scenario = load_scenario("field")
    scenario.setup.seed = seed = fresh_seed()
    print("seed", seed)
    warm_kib, pressed, began = 0, 0, time.monotonic()
    with SimulatedProgram(scenario.setup, with_journal=False) as program:
        stage = Stage(program)
        stage.listens = stage.keeps_records = False
        failed: list[Failed] = []
        stage.begin([partial(_do, step, stage, failed) for step in scenario.before])
        while pressed < LEAST or (pressed < PRESSES and time.monotonic() < began + WALL_S):
            stage.person.play(ROUND)
            pressed += ROUND
            assert stage.violations() == []
            if pressed == WARM_UP:
                warm_kib = _memory_kib()
        grown_kib = _memory_kib() - warm_kib
        assert stage.state == states.READY, "whatever befell it, it has recovered"
        stage.switch_off()
        assert (stage.violations(), failed) == ([], [])
        account, virtual_s = stage.twin.account, stage.twin.clock.now
    record_property("seed", seed)
    record_property("presses", pressed)
    record_property("virtual seconds", round(virtual_s))
    record_property("KiB more memory", grown_kib)
    record_property("faults", dict(account.faults))
    assert account.presses >= LEAST
    assert account.decided == account.delivered + account.owed + account.waived
    assert sum(account.faults.values()) > 0
    assert grown_kib < GROWTH_KIB


def _memory_kib() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4
