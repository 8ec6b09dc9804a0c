"""The machines that a run of the lane needs: booted at once, in the background, two at a time.

Most rows of the matrix with a bridge need none; they are done in the host meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from tests.kernel.bridge import column
from tests.kernel.inside.checks import kill
from tests.kernel.matrix import BRIDGE, PERSIST, STRICT, Trial
from tests.kernel.vm.run import Outcome, run

BOOT_S = 300
CHECK_S = 600
ROW_S = 600
"limits for a computer that does much else; on an idle one a row takes half a minute"
AT_ONCE = 2
FIRST = "kill"  # the name of a machine that does nothing but rows of the matrix
BESIDE = ":watched"  # rows that another one does, so that both take about as long
BRIDGES_AT_ONCE = 2
"they wait most of the time"

Notes = list[str]
"""Lines that are shown at the end of a run: what was measured."""


class Machines:
    """What machines and boards bring back for the collected tests; all works in the background."""

    def __init__(self, checks: Mapping[str, list[str]], rows: Mapping[str, list[str]]) -> None:
        """`checks` by build, `rows` of the matrix by column."""
        self._rows = {build: kill.checks(rows[build]) for build in (PERSIST, STRICT)}
        self._machines = ThreadPoolExecutor(AT_ONCE)
        self._boards = ThreadPoolExecutor(BRIDGES_AT_ONCE)
        persist, strict = self._rows[PERSIST], self._rows[STRICT]
        beside = {check: keys for check, keys in persist.items() if BESIDE in check}
        first = {check: keys for check, keys in persist.items() if check not in beside}
        # The longest first.
        booted = {
            FIRST: self._boot(FIRST, PERSIST, [], first),
            PERSIST: self._boot(PERSIST, PERSIST, checks[PERSIST], beside),
            STRICT: self._boot(STRICT, STRICT, checks[STRICT], strict),
        }
        self._own = {PERSIST: booted[PERSIST], STRICT: booted[STRICT]}
        self._kills = {
            (PERSIST, check): booted[PERSIST if check in beside else FIRST] for check in persist
        } | {(STRICT, check): booted[STRICT] for check in strict}
        self._bridge: dict[str, Future[list[Trial]]] = {
            key: self._for_board(key).submit(getattr(column, key)) for key in rows[BRIDGE]
        }

    def outcome(self, build: str, check: str) -> Outcome:
        """What a check brought back. Raises LaneError when there can be no machine."""
        return self._own[build].result()[check]

    def trials(self, key: str, name: str) -> list[Trial] | str:
        """The trials of a cell of the matrix, or why there are none. Raises LaneError."""
        if name == BRIDGE:
            return self._bridge[key].result()
        check = next(check for check, keys in self._rows[name].items() if key in keys)
        outcome = self._kills[name, check].result()[check]
        if outcome.value is None:
            return f"{check} on the {name} build: {outcome.problem}"
        found: list[Trial] | str = outcome.value[key]
        return found

    def close(self) -> None:
        """Nothing more is begun."""
        self._machines.shutdown(wait=False, cancel_futures=True)
        self._boards.shutdown(wait=False, cancel_futures=True)

    def _for_board(self, key: str) -> ThreadPoolExecutor:
        """Where a row with a microcontroller is done: its host may be a machine, too."""
        return self._machines if key in column.IN_A_MACHINE else self._boards

    def _boot(
        self, name: str, build: str, own: list[str], rows: dict[str, list[str]]
    ) -> Future[dict[str, Outcome]]:
        limits = dict.fromkeys(own, CHECK_S)
        limits |= {check: ROW_S * len(keys) for check, keys in rows.items()}
        return self._machines.submit(_run, name, build, limits)


def _run(name: str, build: str, limits: dict[str, int]) -> dict[str, Outcome]:
    if not limits:
        return {}
    return run(build, limits, name=name, timeout_s=BOOT_S + sum(limits.values()))
