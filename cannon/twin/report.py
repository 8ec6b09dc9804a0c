"""Sums up a simulated run, for people and for programs."""

from __future__ import annotations

from typing import Any

from cannon.twin.running import Result
from cannon.twin.stage import Stage


def report(stage: Stage, result: Result, seed: int, wall_s: float) -> dict[str, Any]:
    """The figures of a run. Cards that were given up count as owed; None is unknown.

    Same seed, same figures, but for `wall_s` and `presses_per_s`.
    """
    account, twin = stage.twin.account, stage.twin
    counted = account.delivered is not None
    found: dict[str, Any] = {
        "presses": account.presses,
        "launches": account.launches,
        "blanks": account.blanks,
        "rests": account.rests,
        "cards_decided": account.decided,
        "cards_delivered": account.delivered,
        "cards_owed": account.owed + account.waived if counted else None,
        "cards_extra": account.extra if counted else None,
        "cards_suspect": account.suspects if counted else None,
        "cards_out": twin.mechanism.out,
        "refills": account.refills,
        "refusals": dict(sorted(account.refusals.items())),
        "faults": dict(sorted(account.faults.items())),
        "notices": dict(sorted(account.notices.items())),
        "mishaps": dict(sorted(stage.field.happened.items())),
        "invariant_violations": account.violation_count,
        "board": twin.board.name,
        "seed": seed,
        "virtual_s": round(twin.clock.now, 3),
        "wall_s": round(wall_s, 3),
        "presses_per_s": round(account.presses / wall_s, 1) if wall_s else None,
    }
    if result.expectations:
        found["expectations"] = result.expectations
    if result.failed:
        found["failed"] = [str(failed) for failed in result.failed]
    return found
