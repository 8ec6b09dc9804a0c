"""A feed that a microcontroller carries out by itself, seen from the controller.

It has the outside of `feeding.Feed`, but orders nothing until it gives up: it is told what was
counted, and waits for the end with a time limit of its own. Times are monotonic seconds.
"""

from __future__ import annotations

from cannon.core import feeding
from cannon.core.events import CardSeen, FeedEnded

LINK_GRACE_S = 1.0  # for the microcontroller's answer, beyond the caps that it keeps itself


class RemoteFeed:
    """One feed of `wanted` cards on a launcher that feeds by itself."""

    def __init__(self, plan: feeding.FeedPlan, wanted: int, counts: bool) -> None:
        self.wanted = wanted
        self.phase = feeding.HELD
        self.reason = ""
        self.cards: int | None = 0 if counts else None
        self.suspects = 0
        self.blocked = False
        self.slow = False
        self.retries_used = 0
        self._limit_s = plan.max_shot + wanted * plan.per_card + LINK_GRACE_S
        self._settle_s = plan.settle + LINK_GRACE_S
        self.deadline: float | None = None

    def begin(self, now: float) -> list[tuple[int, float]]:
        """Starts to wait for what the microcontroller reports."""
        self.phase = feeding.PUSH
        self.deadline = now + self._limit_s
        return []

    def seen(self, event: CardSeen) -> None:
        """A card was counted. A count that goes back is not believed."""
        if self.cards is not None:
            self.cards = max(self.cards, event.cards)
            self.suspects += event.suspect

    def ended(self, event: FeedEnded) -> None:
        """The microcontroller says that it is done."""
        self.reason = self.reason or event.reason
        if self.cards is not None and event.cards is not None:
            self.cards = max(self.cards, event.cards)
        self.suspects = event.suspects
        self.blocked = event.blocked
        self.slow = event.slow
        self.retries_used = event.retries
        self.phase = feeding.DONE
        self.deadline = None

    def beam(self, blocked: bool, at: float, now: float) -> list[tuple[int, float]]:
        """The microcontroller counts; an edge that it passes on is only looked at."""
        return []

    def tick(self, now: float) -> list[tuple[int, float]]:
        """Lets time pass to `now`; at the deadline it gives up waiting, and orders off."""
        if self.deadline is None or now < self.deadline:
            return []
        self.reason = self.reason or feeding.TIMEOUT
        self.phase = feeding.DONE
        self.deadline = None
        return [(feeding.OFF, 0.0)]

    def hold(self, now: float) -> list[tuple[int, float]]:
        """The microcontroller judges its own lid."""
        return []

    def resume(self, now: float) -> list[tuple[int, float]]:
        """Nothing was held."""
        return []

    def stop(self, reason: str, now: float) -> list[tuple[int, float]]:
        """Ends the feed; what was counted until the motor stood is still waited for."""
        if self.phase not in (feeding.SETTLE, feeding.DONE):
            self.reason = reason
            self.phase = feeding.SETTLE
            self.deadline = now + self._settle_s
        return []
