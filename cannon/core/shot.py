"""One shot: a decision with its feed and outcome; and the account of cards that are still owed.

Pure values and arithmetic. The one rule behind it: what a shot wanted is what it delivered and
what it owes. A count comes from the sensor, or it is None: unknown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cannon.core.feeding import Feed
from cannon.core.remote import RemoteFeed


class Shot:
    """The answer to the press number `press`.

    `decided` cards are new by the odds or by request; `rest` cards were owed before and are tried
    again. Only one of both is not 0, except in a blank, where both are. `feed` is None until
    cards are moved.
    """

    def __init__(self, press: int, decided: int, rest: int) -> None:
        self.press = press
        self.decided = decided
        self.rest = rest
        self.feed: Feed | RemoteFeed | None = None
        self.cards_on_record = 0

    @property
    def wanted(self) -> int:
        """Cards that this shot shall bring out."""
        return self.decided + self.rest


class Outcome(NamedTuple):
    """What became of a shot; `delivered` and `owed` are None where nothing counts.

    Always wanted = delivered + owed. `extra` cards came beyond what was wanted. `protruding`: a
    card sticks in the slot and is not counted yet.
    """

    decided: int
    rest: int
    delivered: int | None
    owed: int | None
    extra: int
    suspects: int
    reason: str
    retries: int
    slow: bool
    protruding: bool

    def data(self) -> dict[str, Any]:
        """For the record."""
        return self._asdict()


def outcome(shot: Shot, reason: str) -> Outcome:
    """The outcome of `shot` as it stands now; `reason` is used where the feed has none."""
    feed = shot.feed
    if feed is None:
        return Outcome(
            shot.decided, shot.rest, 0, shot.wanted, 0, 0, reason, 0, slow=False, protruding=False
        )
    delivered = None if feed.cards is None else min(feed.cards, shot.wanted)
    return Outcome(
        decided=shot.decided,
        rest=shot.rest,
        delivered=delivered,
        owed=None if delivered is None else shot.wanted - delivered,
        extra=0 if feed.cards is None else max(0, feed.cards - shot.wanted),
        suspects=feed.suspects,
        reason=feed.reason or reason,
        retries=feed.retries_used,
        slow=feed.slow,
        protruding=feed.blocked,
    )
