"""The launcher's mechanism: motor, roller, stack of cards and the slot with its beam.

Distances are measured as motor time at full speed, in seconds: a card is drawn from the stack for
`pick_s`, then passes the beam for `pass_s`. The motor comes up to speed evenly within `spin_up_s`
and coasts to rest within `coast_s`. Figures: the middle of what public builds report (spin-up
50 to 100 ms, a card at the sensor 80 to 90 ms, a gap of about 40 ms at full speed, 2.2 % misfeeds
on new decks). All of it is a model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from cannon.twin.agenda import Agenda
from cannon.twin.pins import VirtualClock


@dataclass
class Physics:
    """How this mechanism moves cards. Times in seconds at full speed, chances from 0 to 1."""

    spin_up_s: float = 0.070
    coast_s: float = 0.020
    pick_s: float = 0.045
    pass_s: float = 0.085
    full_stack_s: float = 0.040  # added to `pick_s` under the weight of 112 cards
    jitter: float = 0.08  # relative spread of a card's times
    speed: float = 1.0  # 1 with fresh batteries
    misfeed: float = 0.0  # chance that the roller slips on a card until the motor starts again
    double: float = 0.0  # chance that the next card comes along, touching this one
    jam: float = 0.0  # chance that a card sticks in the beam
    jam_frees: float = 0.6  # chance that a reverse run frees it
    stick: float = 0.0  # chance that a card stops in the slot, its end in the beam


FULL_STACK = 112
IN_VAIN_S = 0.1  # a shorter run does not yet move a card that slips

# What a card can be planned to do.
SLIPS = "slips"  # the roller slips on it once, until the motor starts again
DOUBLE = "double"  # the next one comes along, touching it
JAMS = "jams"  # it sticks in the beam until a hand takes it out
FREES = "frees"  # ... until a reverse run frees it
STICKS = "sticks"  # it stops in the slot, its end in the beam
FAULTS = (SLIPS, DOUBLE, JAMS, FREES, STICKS)
LAST = 0  # in a plan: the last card of the stack


class Mechanism:
    """Moves cards as the motor is driven. `beam(blocked)` is told what the exit sensor sees.

    `stack` cards are in the hopper; `out` have left the slot. A card that sticks stays until
    `clear` takes it out. `plan` says what the n-th card that is drawn will do, whatever the
    chances are; `on_loaded` is told when the hopper has become empty, or is no longer.
    """

    def __init__(
        self,
        physics: Physics,
        stack: int,
        agenda: Agenda,
        clock: VirtualClock,
        rng: Random,
        beam: Callable[[bool], None],
    ) -> None:
        self.physics = physics
        self.stack = stack
        self.out = 0
        self.drawn = 0
        self.swapped = False  # the motor's two wires
        self.turned = 0  # the way it turned last
        self.plan: dict[int, str] = {}
        self._agenda = agenda
        self._clock = clock
        self._rng = rng
        self._beam = beam
        self._drive = 0.0  # signed speed that the motor is driven to
        self._since = 0.0
        self._from = 0.0  # signed speed it had then
        self._at = 0.0  # distance of the present card then
        self._plan = 0  # counts the changes, so that old entries on the agenda are void
        self._card: _Card | None = None
        self.blocked = False
        self.on_card: Callable[[int], None] = lambda cards: None
        self.loaded = stack > 0
        self.on_loaded: Callable[[bool], None] = lambda loaded: None

    # --- the motor ---------------------------------------------------------------------------

    def drive(self, direction: int, power: float) -> None:
        """The motor's outputs have changed: 1 forward, -1 reverse, 0 off."""
        now = self._clock.now
        target = direction * power * self.physics.speed * (-1 if self.swapped else 1)
        if target == self._drive:
            return
        self.turned = (target > 0) - (target < 0) or self.turned
        self._at, speed = self._position(now)
        if self._card and self._drive > 0 and now - self._since > IN_VAIN_S:
            self._card.slips = False  # after a push in vain the roller grips when it starts anew
        if target < 0 and self._card and self._card.jammed and not self._card.past_roller:
            self._card.jammed = self._rng.random() >= self._card.frees
        self._from, self._since, self._drive = speed, now, target
        self._schedule()

    def load(self, cards: int) -> None:
        """Puts cards into the hopper."""
        self.stack += cards
        self._look_into_hopper()

    def unload(self) -> int:
        """A hand takes all cards out of the hopper. Returns how many that were."""
        self.clear()
        cards, self.stack = self.stack, 0
        self._look_into_hopper()
        return cards

    def clear(self) -> int:
        """A hand takes the card out of the slot. Returns how many cards it was."""
        card, self._card = self._card, None
        taken = 0
        if card is not None and self.blocked:
            taken = card.sheets
            self.out += taken
        elif card is not None:
            self.stack += card.sheets  # it was still in the hopper
            self.drawn -= card.sheets
        self._restart(0.0)
        self._plan += 1
        self._see(False)
        self._look_into_hopper()
        return taken

    # --- where the card is -------------------------------------------------------------------

    def _position(self, now: float) -> tuple[float, float]:
        """Distance of the present card and signed speed at `now`."""
        time = now - self._since
        ramp = self._ramp_s()
        if time >= ramp:
            run = (self._from + self._drive) / 2 * ramp + self._drive * (time - ramp)
            speed = self._drive
        else:
            speed = self._from + (self._drive - self._from) * time / ramp
            run = (self._from + speed) / 2 * time
        card = self._card
        if card is None or card.slips or card.jammed:
            return self._at, speed
        return max(0.0, self._at + run), speed

    def _ramp_s(self) -> float:
        """How long the present change of speed takes: even acceleration, even coasting."""
        full_s = self.physics.spin_up_s if self._drive else self.physics.coast_s
        if self._drive == self._from:
            return 0.0
        return abs(self._drive - self._from) / self.physics.speed * full_s

    def _restart(self, at: float) -> None:
        """Counts distance and time anew from here: the present card is at `at`."""
        now = self._clock.now
        _, speed = self._position(now)
        self._at, self._from, self._since = at, speed, now

    # --- what happens on the way --------------------------------------------------------------

    def _schedule(self) -> None:
        """Puts the next thing that the beam will see on the agenda."""
        self._plan += 1
        moving_on = self._drive > 0 or self._from > 0
        if self._card is None:
            if not moving_on or not self.stack:
                return
            self._card = self._draw()
            self._at = 0.0
        card = self._card
        if card.slips or card.jammed:
            return
        mark = self._next_mark(card, moving_on)
        if mark is None:
            return
        time = self._time_to(abs(mark - self._at))
        if time is not None:
            plan = self._plan
            self._agenda.at(self._since + time, lambda: self._reached(plan, mark))

    def _next_mark(self, card: _Card, moving_on: bool) -> float | None:
        """The next place on the card's way where something happens: it reaches the beam, sticks,
        or leaves the beam; on the way back it clears the beam."""
        if not moving_on:
            return card.pick_s if self._at > card.pick_s + 1e-9 else None
        at = self._at + 1e-9
        if at < card.pick_s:
            return card.pick_s
        if card.sticks_at is not None and at < card.sticks_at:
            return card.sticks_at
        end = card.pick_s + card.pass_s
        return end if at < end else None

    def _time_to(self, distance: float) -> float | None:
        """How long after `_since` the distance is covered; None: never at this drive."""
        ramp, start, end = self._ramp_s(), abs(self._from), abs(self._drive)
        if self._from * self._drive < 0:
            start = 0.0
        in_ramp = (start + end) / 2 * ramp
        if distance > in_ramp:
            return ramp + (distance - in_ramp) / end if end else None
        # start*t + (end-start)/(2*ramp)*t^2 = distance
        a, b = (end - start) / (2 * ramp), start
        if abs(a) < 1e-12:
            return distance / b if b else None
        root = b * b + 4 * a * distance
        return float((-b + max(0.0, root) ** 0.5) / (2 * a))

    def _reached(self, plan: int, mark: float) -> None:
        card = self._card
        if plan != self._plan or card is None:
            return
        self._restart(mark)
        if mark == card.pick_s:
            self._see(self._from > 0)
        elif mark == card.sticks_at:
            card.jammed, card.sticks_at = True, None
        else:
            self._leave(card)
        self._schedule()

    def _leave(self, card: _Card) -> None:
        self._card = None
        self.out += card.sheets
        self._see(False)
        self.on_card(card.sheets)

    def _draw(self) -> _Card:
        """Takes the bottom card; the plan or chance decides what it will do."""
        physics, rng = self.physics, self._rng
        planned = self.plan.get(LAST if self.stack == 1 else self.drawn + 1)
        double = planned == DOUBLE or (physics.double and rng.random() < physics.double)
        sheets = 2 if double and self.stack > 1 else 1
        self.stack -= sheets
        self.drawn += sheets
        spread = 1 + physics.jitter * (2 * rng.random() - 1)
        pick = (physics.pick_s + physics.full_stack_s * self.stack / FULL_STACK) * spread
        passing = physics.pass_s * spread
        if sheets == 2:  # one behind the other if planned, else with some overlap
            passing *= 2.0 if planned else 1.4 + 0.6 * rng.random()
        card = _Card(sheets, pick, passing)
        card.slips = planned == SLIPS or (physics.misfeed > 0 and rng.random() < physics.misfeed)
        jams = planned in (JAMS, FREES) or (physics.jam > 0 and rng.random() < physics.jam)
        if jams:
            card.sticks_at = pick + passing * (0.2 + 0.5 * rng.random())
        elif planned == STICKS or (physics.stick > 0 and rng.random() < physics.stick):
            card.sticks_at, card.past_roller = pick + passing * 0.95, True
        card.frees = {JAMS: 0.0, FREES: 1.0}.get(planned or "", physics.jam_frees)
        return card

    def _see(self, blocked: bool) -> None:
        if blocked != self.blocked:
            self.blocked = blocked
            self._beam(blocked)
            self._look_into_hopper()

    def _look_into_hopper(self) -> None:
        loaded = self.stack > 0 or (self._card is not None and not self.blocked)
        if loaded != self.loaded:
            self.loaded = loaded
            self.on_loaded(loaded)


class _Card:
    """The card under the roller: one sheet, or two that come together."""

    __slots__ = (
        "frees",
        "jammed",
        "pass_s",
        "past_roller",
        "pick_s",
        "sheets",
        "slips",
        "sticks_at",
    )

    def __init__(self, sheets: int, pick_s: float, pass_s: float) -> None:
        self.sheets = sheets
        self.pick_s = pick_s
        self.pass_s = pass_s
        self.slips = False
        self.frees = 0.0  # chance that a reverse run frees it once it has jammed
        self.jammed = False
        self.past_roller = False
        self.sticks_at: float | None = None
