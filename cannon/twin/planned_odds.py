"""Odds that decide what a scenario says, so that it can say what must come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class PlannedOdds:
    """Decides these numbers of cards in turn, over and over. Used in place of `core.odds.Odds`."""

    def __init__(self, decisions: Sequence[int]) -> None:
        self._decisions = decisions
        self._next = 0
        self.wait = 0

    def press(self, rng: object, now_s: float) -> int:
        """The next number."""
        cards = self._decisions[self._next % len(self._decisions)]
        self._next += 1
        self.wait = 0 if cards else self.wait + 1
        return cards

    def lid_opened(self) -> None:
        """Changes nothing."""

    def powered_on(self) -> None:
        """Changes nothing."""

    def state(self) -> dict[str, Any]:
        """For the record; nothing is restored from it."""
        return {}
