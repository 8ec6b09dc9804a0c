"""Hints at worn cards, weak batteries and a mechanism that wants care, from the last feeds."""

from __future__ import annotations

from collections import deque

WORN_SHARE = 0.10  # retries per card; about 0.02 was measured on new decks
WORN_CARDS = 50  # cards looked back on
STALLED_SHOTS = 3  # ... of
RECENT_SHOTS = 10


class Health:
    """Remembers the last feeds and says when a person should look after the launcher."""

    def __init__(self) -> None:
        self._cards: deque[bool] = deque(maxlen=WORN_CARDS)
        self._shots: deque[bool] = deque(maxlen=RECENT_SHOTS)
        self.hints: frozenset[str] = frozenset()

    def add(self, cards: int, retries: int, stalled: bool, slow: bool) -> frozenset[str]:
        """Takes one counted feed; returns the hints that are new since the last one."""
        self._cards.extend([True] * retries + [False] * max(0, cards - retries))
        self._shots.append(stalled)
        hints = set()
        if len(self._cards) >= WORN_CARDS / 2 and sum(self._cards) > WORN_SHARE * len(self._cards):
            hints.add("worn_cards")
        if sum(self._shots) >= STALLED_SHOTS:
            hints.add("needs_care")
        if slow:
            hints.add("low_power")
        new = frozenset(hints) - self.hints
        self.hints = frozenset(hints)
        return new
