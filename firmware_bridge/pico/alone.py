"""Plays without a host: a press, a decision by the odds, cards or none. Needs no file from anyone.

Cards that a cut-short shot still owes come with the next press, in place of a new decision. A jam,
an empty hopper or a fault is acknowledged by opening and closing the lid, or by holding the button.
Where the odds stand is kept over a restart, so that switching off and on gives nobody an advantage.
"""

import json
import random

import default_odds
import messages as m
import model
import store
from odds import Odds

HOLD = 2000


class Alone:
    """The stand-alone game of `launcher`."""

    def __init__(self, launcher):
        self._launcher = launcher
        self._held_since = None
        self._unsaved = False
        self.owed = 0
        self.presses = self.launches = self.cards = 0
        kept = store.read(store.MODEL)
        if kept is None or not model.is_sound(kept, m.UNKNOWN_COUNT - 1):
            kept = default_odds.MODEL
        self._odds_of(kept)

    @property
    def name(self):
        """The name of the odds model that is played with."""
        return self._model["name"]

    def keep(self, data):
        """Plays with another model from now on and after every start. False: it is not sound."""
        try:
            new = json.loads(bytes(data).decode())
        except (ValueError, UnicodeError):
            return False
        if not model.is_sound(new, m.UNKNOWN_COUNT - 1):
            return False
        try:
            store.write(store.MODEL, new)
        except OSError:
            return False
        self._odds_of(new)
        return True

    def begin(self):
        """From now on we play."""
        self._held_since = None
        self._say_ready()

    # --- what happens --------------------------------------------------------------------------

    def button(self, down, now):
        """The button, settled."""
        self._held_since = now if down and self._launcher.fault else None
        if down:
            self._press(now)

    def lid(self, is_open):
        """The lid, settled."""
        if is_open:
            self._odds.lid_opened()
        else:
            self._launcher.clear()
            self._say_ready()

    def fed(self, now):
        """A feed is over and has settled."""
        launcher, mover = self._launcher, self._launcher.mover
        if mover.cards != m.UNKNOWN_COUNT:
            self.cards += mover.cards
            self.owed = max(0, mover.wanted - mover.cards)
        if mover.reason in ("stalled", "timeout"):
            hopper = launcher.inputs.all[m.HOPPER]
            full = hopper.raw if hopper else mover.cards != 0 or mover.marks & m.BLOCKED
            self._sound("jam" if full or mover.reason == "timeout" else "empty")

    def step(self, now):
        """Measures a held button, and saves what is to be saved while the motor is off."""
        if self._held_since is not None and now - self._held_since >= HOLD:
            self._held_since = None
            if not self._launcher.lid.level and self._launcher.clear():
                self._say_ready()
        if self._unsaved and not self._launcher.mover.motion:
            self.save()

    def save(self):
        """Keeps where the odds stand. A flash that cannot be written costs that, not the game."""
        self._unsaved = False
        state = {"model": self.name, "odds": self._odds.state(), "owed": self.owed}
        try:
            store.write(store.STATE, state)
        except OSError:
            self._launcher.exceptions += 1

    # --- a press -------------------------------------------------------------------------------

    def _press(self, now):
        launcher = self._launcher
        if launcher.mover.motion:
            return
        if self._refused():
            self._sound("refused")
            return
        self.presses += 1
        cards = self.owed or self._odds.press(random, now / 1000)
        self.owed = 0
        self._unsaved = True
        self._sound("ding")
        if cards:
            self.launches += 1
            launcher.feed_alone(cards, now)
        self._sound("cards" if cards else "nothing", after=True)

    def _refused(self):
        launcher = self._launcher
        beam, battery = launcher.inputs.all[m.EXIT], launcher.inputs.all[m.BATTERY]
        hopper = launcher.inputs.all[m.HOPPER]
        return (
            launcher.fault
            or launcher.lid.level
            or launcher.inputs.lid.read()
            or beam
            and beam.raw  # a card sticks out: it is to be taken first
            or battery
            and battery.raw
            or hopper
            and not hopper.raw
        )

    # --- small things --------------------------------------------------------------------------

    def _odds_of(self, new):
        """Begins with a model, where its odds stood if that is known."""
        self._model = new
        kept = store.read(store.STATE)
        try:
            if kept["model"] != new["name"]:
                raise ValueError
            self._odds = Odds(new, kept["odds"])
            self.owed = min(int(kept["owed"]), m.UNKNOWN_COUNT - 1)
        except (TypeError, KeyError, ValueError):
            self._odds = Odds(new)
            self.owed = 0
        self._odds.powered_on()

    def _say_ready(self):
        """The beep: lid closed and on; or the word that there is nothing to feed."""
        launcher = self._launcher
        hopper = launcher.inputs.all[m.HOPPER]
        if not launcher.lid.level:
            empty = hopper and not hopper.raw
            self._sound("fault" if launcher.fault else "empty" if empty else "beep")

    def _sound(self, name, after=False):
        self._launcher.beeper.play(name, after, self._launcher.now)
