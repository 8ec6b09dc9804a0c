"""Moves cards: one feed or one run at a time, from its start to its end.

A feed goes by the core's plan (`feeding`), the very file that the Raspberry Pi uses. Every run of
the motor needs a lease; who moves things renews it (see `motor`). What became of the last feed
stays here until the next one: shot, wanted, cards, suspects, reason, marks, retries.
"""

from counting import CardCounter
from feeding import DONE, SETTLE, Feed, FeedPlan
from messages import BLOCKED, SLOW, UNKNOWN_COUNT

FEED, RUN = 1, 2


class Mover:
    """`lid` is the settled lid. `on_card(suspect)`, `on_fed(now)` and `on_ran(reason)` are told."""

    def __init__(self, motor, lid, plan, counting):
        self._motor = motor
        self._lid = lid
        self._plan = plan  # the values of a FeedPlan, by name
        self._counting = counting  # None for a board without an exit sensor
        self.motion = 0  # FEED or RUN while something moves or settles
        self._feed = None
        self._power = 100
        self._held = False  # the lid has cut the motor, perhaps by a spike only
        self.shot = self.wanted = self.cards = self.suspects = 0
        self.reason = ""
        self.marks = self.retries = 0
        self.on_card = self.on_fed = self.on_ran = None

    @property
    def moving(self):
        """Whether the motor may still turn: a feed that settles is no longer moving."""
        return self.motion == RUN or self.motion == FEED and self._feed.phase != SETTLE

    def feed(self, shot, wanted, power, stall, cap, retract, blocked, now):
        """Begins a feed; times as in FEED of the protocol. `blocked`: the beam's level."""
        plan = dict(self._plan)
        plan.update(stall=stall, retract=retract, max_shot=cap, per_card=0)
        counter = None
        if self._counting:
            counter = CardCounter(*self._counting, blocked, now)
        self.shot, self.wanted, self.reason = shot, wanted, ""
        self.cards = 0 if counter else UNKNOWN_COUNT
        self.suspects = self.marks = self.retries = 0
        self._power = power
        self._cap_end = now + cap
        self._held = False
        self._feed = Feed(FeedPlan(**plan), wanted, counter)
        self.motion = FEED
        self._order(self._feed.begin(now), now)

    def run(self, direction, power, ms):
        """Begins a run. Returns "", or why it did not begin."""
        refusal = self._motor.run(direction, power, ms)
        if not refusal:
            self.motion = RUN
        return refusal

    def beam(self, blocked, at, now):
        """A raw edge of the exit sensor."""
        if self.motion == FEED:
            self._order(self._feed.beam(blocked, at, now), now)

    def stop(self, reason, now):
        """Motor off, now. A feed settles and ends with `reason`."""
        self._motor.off()
        if self.motion == RUN:
            self._ran(reason)
        elif self.motion == FEED:
            self._held = False
            self._end(reason, now)

    def give_up(self, now):
        """Something broke in the middle of it: what moved has ended, as far as it was counted."""
        self._motor.off()
        motion, self.motion, self._feed = self.motion, 0, None
        if motion == RUN:
            self._ran("fault")
        elif motion == FEED:
            self.reason = "fault"
            self.on_fed(now)

    def step(self, now):
        """Lets time pass: takes notice of cuts, and goes on with what is due."""
        if self.motion == RUN:
            if not self._motor.direction:
                self._ran(self._motor.cut)
        elif self.motion == FEED:
            cut = self._motor.cut
            if cut and not self._motor.direction:
                self._motor.cut = ""
                self._was_cut(cut, now)
            if self._held:
                self._look_at_lid(now)
            self._order(self._feed.tick(now), now)

    def _was_cut(self, reason, now):
        if reason == "lid":
            self._held = True
            self._order(self._feed.hold(now), now)
        elif reason == "time":
            self._order(self._feed.ran_out(now), now)
        else:
            self._end(reason, now)

    def _end(self, reason, now):
        """Ends the feed, unless it had all it wanted and was only drawing back."""
        self._order(self._feed.stop(self._feed.reason or reason, now), now)

    def _look_at_lid(self, now):
        """Was it the lid, or a spike? The settled lid's time for opening decides."""
        lid = self._lid
        if lid.level:
            self._held = False
            self._end("lid", now)
        elif not lid.raw and now - lid.since >= lid.rise:
            self._held = False
            self._order(self._feed.resume(now), now)

    def _order(self, orders, now):
        """Carries out what the feed has ordered, and looks what has become of it."""
        for direction, limit in orders:
            if not direction:
                self._motor.off()
                continue
            left = self._cap_end - now
            refusal = "timeout" if left <= 0 else ""
            if not refusal:
                refusal = self._motor.run(direction, self._power, min(limit, left))
            if refusal:
                self._was_cut("fault" if refusal == "limits" else refusal, now)
                break
        self._look(now)

    def _look(self, now):
        feed = self._feed
        if feed is None:
            return
        if feed.counter:
            counted = feed.cards - self.cards
            suspect = feed.suspects > self.suspects
            self.cards, self.suspects = feed.cards, feed.suspects
            if counted:
                self.on_card(suspect)
        if feed.phase == DONE:
            self._feed = None
            self.motion = 0
            self.reason = feed.reason
            self.marks = (BLOCKED if feed.blocked else 0) | (SLOW if feed.slow else 0)
            self.retries = feed.retries_used
            self.on_fed(now)

    def _ran(self, reason):
        self.motion = 0
        self._motor.cut = ""
        self.on_ran(reason)
