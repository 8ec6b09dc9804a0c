"""Sees one shot at a time through to its outcome, and keeps the account of the cards owed.

It feeds by `feeding.Feed` or, on a launcher that feeds by itself, by `remote.RemoteFeed`; it puts
on record what was counted and what became of it. It knows nothing of presses, odds and states:
those are the controller's. Times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Callable

from cannon.core import commands, events, feeding, records
from cannon.core.commands import Command, Off, Record, Run
from cannon.core.counting import CardCounter
from cannon.core.feeding import Feed
from cannon.core.health import Health
from cannon.core.remote import RemoteFeed
from cannon.core.shot import Outcome, Shot, outcome
from cannon.core.values import LauncherAbilities, Settings

FAILED = (feeding.STALLED, feeding.TIMEOUT)


class Shooter:
    """The feed of the present shot. `say` takes the commands, in order.

    `owed` cards are owed to the last presses; `sticking` is the press that a card in the slot
    belongs to, None if there is none; `health` looks back on the last feeds.
    """

    def __init__(
        self,
        settings: Settings,
        abilities: LauncherAbilities,
        say: Callable[[Command], None],
        owed: int,
    ) -> None:
        self._settings = settings
        self._abilities = abilities
        self._say = say
        self.owed = owed
        self.sticking: int | None = None
        self.health = Health()
        self.shot: Shot | None = None
        self._result: Outcome | None = None

    @property
    def feed(self) -> Feed | RemoteFeed | None:
        """The feed that runs."""
        return self.shot.feed if self.shot is not None else None

    @property
    def phase(self) -> str:
        """The phase of the feed that runs; DONE where none does."""
        feed = self.feed
        return feed.phase if feed is not None else feeding.DONE

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        feed = self.feed
        return feed.deadline if feed is not None else None

    def begin(self, shot: Shot, blocked: bool, now: float) -> None:
        """Starts to feed `shot`. `blocked`: what the exit sensor says just now; one that has
        cleared a moment ago must not count as blocked, no further edge would tell."""
        self.shot = shot
        self.sticking = None
        settings, counts = self._settings, self._abilities.counts
        if self._abilities.feeds_itself:
            shot.feed = RemoteFeed(settings.plan, shot.wanted, counts)
            self._say(commands.Feed(shot.wanted))
        else:
            times = (settings.min_blocked_s, settings.min_clear_s, settings.double_s)
            counter = CardCounter(*times, blocked, now) if counts else None
            shot.feed = Feed(settings.plan, shot.wanted, counter)
        self._fed(shot.feed.begin(now))

    def edge(self, blocked: bool, at: float, now: float) -> None:
        """A raw edge of the exit sensor."""
        if self.feed:
            self._fed(self.feed.beam(blocked, at, now))

    def tick(self, now: float) -> None:
        """Lets time pass to `now`."""
        feed = self.feed
        if feed is not None:
            self._fed(feed.tick(now))

    def hold(self, now: float) -> None:
        """The motor was cut for the lid, perhaps for a spike only."""
        if self.feed:
            self._fed(self.feed.hold(now))

    def resume(self, now: float) -> None:
        """It was a spike."""
        if self.feed:
            self._fed(self.feed.resume(now))

    def ran_out(self, now: float) -> None:
        """The motor guard ended a run at its limit."""
        if isinstance(self.feed, Feed):
            self._fed(self.feed.ran_out(now))

    def report(self, event: events.CardSeen | events.FeedEnded) -> None:
        """What a launcher that feeds by itself has to say. Late words on an old feed are none."""
        feed = self.feed
        if isinstance(feed, RemoteFeed):
            if isinstance(event, events.CardSeen):
                feed.seen(event)
            else:
                feed.ended(event)
            self._fed([])

    def abort(self, reason: str, now: float) -> None:
        """Motor off, whatever it does; a running feed settles and ends with `reason`."""
        self._say(Off())
        if self.feed:
            try:
                self._fed(self.feed.stop(reason, now))
            except Exception:
                self.shot = None  # a feed that cannot even be stopped gives no more orders
                raise

    def close(self, shot: Shot, reason: str) -> Outcome:
        """Ends `shot` as it stands, and puts its outcome on record."""
        self.shot = None
        result = outcome(shot, reason)
        self._say(Record(records.OUTCOME, result.data(), shot.press))
        self.owed += result.owed or 0
        self.sticking = shot.press if result.protruding else None
        if shot.feed is not None and result.delivered is not None:
            self._look_back(result, result.delivered)
        if self._settings.owed == "forget":
            self.waive("settings")
        return result

    def result(self) -> Outcome | None:
        """The outcome of a feed that ended since the last call."""
        result, self._result = self._result, None
        return result

    def take_owed(self) -> int:
        """The cards owed, which a shot now takes over."""
        owed, self.owed = self.owed, 0
        return owed

    def card_taken(self) -> None:
        """The card that stuck out was taken: it belongs to the press that brought it."""
        owed = min(1, self.owed)
        self.owed -= owed
        data = {"delivered": owed, "extra": 1 - owed, "owed": self.owed}
        self._say(Record(records.PROTRUDING, data, self.sticking))
        self.sticking = None

    def waive(self, source: str) -> None:
        """The cards owed are given up."""
        if self.owed:
            self._say(Record(records.WAIVED, {"cards": self.owed, "source": source}))
        self.owed = 0

    def _fed(self, orders: list[tuple[int, float]]) -> None:
        """Passes on what the feed ordered, records what it counted, closes it when it is done."""
        for direction, limit in orders:
            self._say(Run(direction, self._settings.power, limit) if direction else Off())
        shot, feed = self.shot, self.feed
        if shot is None or feed is None:
            return
        while feed.cards is not None and shot.cards_on_record < feed.cards:
            shot.cards_on_record += 1
            data = {"cards": shot.cards_on_record, "suspects": feed.suspects}
            self._say(Record(records.CARD, data, shot.press))
        if feed.phase == feeding.DONE:
            self._result = self.close(shot, feed.reason)

    def _look_back(self, result: Outcome, delivered: int) -> None:
        failed = result.reason in FAILED
        cards = delivered + result.extra
        for hint in sorted(self.health.add(cards, result.retries, failed, result.slow)):
            self._say(Record(records.NOTICE, {"code": hint}))
