"""Presses a model of odds many times and keeps count; the counterpart of `cannon.core.chances`."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from cannon.core.odds import Odds

UNHURRIED_S = 60.0  # from press to press, so that no model takes them for rapid ones


@dataclass
class Drawn:
    """What came of some presses. A wait counts the presses since the last launch, this included."""

    presses: int = 0
    longest_blank_streak: int = 0
    launches_by_wait: dict[int, int] = field(default_factory=dict)
    cards_by_wait: dict[int, int] = field(default_factory=dict)
    launches_by_count: dict[int, int] = field(default_factory=dict)

    @property
    def launches(self) -> int:
        return sum(self.launches_by_wait.values())

    @property
    def cards(self) -> int:
        return sum(self.cards_by_wait.values())

    @property
    def launch_share_by_wait(self) -> dict[int, float]:
        return {wait: n / self.launches for wait, n in sorted(self.launches_by_wait.items())}

    @property
    def mean_cards_by_wait(self) -> dict[int, float]:
        waits = sorted(self.launches_by_wait.items())
        return {wait: self.cards_by_wait[wait] / n for wait, n in waits}


class Drawing:
    """Presses one launcher's odds as often as asked, unhurried, lid closed and power on."""

    def __init__(self, model: dict[str, Any], rng: Random) -> None:
        self.drawn = Drawn()
        self._odds = Odds(model)
        self._rng = rng

    def press(self, times: int) -> None:
        """Presses `times` more. A million take about a second."""
        odds, rng, drawn = self._odds, self._rng, self.drawn
        by_wait, cards_by_wait = drawn.launches_by_wait, drawn.cards_by_wait
        by_count = drawn.launches_by_count
        for number in range(drawn.presses, drawn.presses + times):
            wait = odds.wait + 1
            cards = odds.press(rng, number * UNHURRIED_S)
            if cards:
                by_wait[wait] = by_wait.get(wait, 0) + 1
                cards_by_wait[wait] = cards_by_wait.get(wait, 0) + cards
                by_count[cards] = by_count.get(cards, 0) + 1
            elif wait > drawn.longest_blank_streak:
                drawn.longest_blank_streak = wait
        drawn.presses += times
