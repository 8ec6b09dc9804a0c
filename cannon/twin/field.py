"""What happens to launchers in the field: mishaps by chance, for long random runs.

`Field` decides before each press which mishaps befall it. Each of them is planned on the twin's
agenda and goes by again by itself; the person at the launcher only sees what a person sees. The
mechanism's own faults (misfeeds, doubles, jams) are not here but in `mechanism.Physics`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cannon.core.events import BATTERY, BUTTON, EXIT, LID
from cannon.twin.mechanism import FULL_STACK
from cannon.twin.twin import Twin

SHOT_S = 2.0  # a mishap during a shot happens within that time of the press
FULL_SPEED = 1.0
WORN_OUT_SPEED = 0.4  # of a motor whose cells are used up
LOW_BATTERY_SPEED = 0.55  # the board's detector tells from here on


class Field:
    """The chances of mishaps per press, and what has happened so far."""

    def __init__(self, twin: Twin) -> None:
        self.chances: dict[str, float] = {}
        self.happened: Counter[str] = Counter()
        self.cards_per_battery = 0  # 0: the cells stay fresh
        self._twin = twin
        self._cards_on_battery = 0
        twin.mechanism.on_card = self._card_out

    def before_press(self) -> None:
        """Lets chance decide what happens around the next press."""
        for name, chance in self.chances.items():
            if self._twin.rng.random() < chance:
                self.happened[name] += 1
                MISHAPS[name](self._twin)

    def fresh_battery(self) -> None:
        """A hand changes the motor's cells."""
        if self.cards_per_battery and self._cards_on_battery:
            self._cards_on_battery = 0
            self.happened["fresh-battery"] += 1
            self._sag()

    def _card_out(self, cards: int) -> None:
        if self.cards_per_battery:
            self._cards_on_battery += cards
            if self._cards_on_battery % FULL_STACK == 0:
                self._sag()

    def _sag(self) -> None:
        used = min(1.0, self._cards_on_battery / self.cards_per_battery)
        speed = FULL_SPEED - used * (FULL_SPEED - WORN_OUT_SPEED)
        self._twin.battery(speed)
        self._twin.wires.set(BATTERY, speed < LOW_BATTERY_SPEED)


def _soon(twin: Twin, act: Callable[[], None], within_s: float = SHOT_S) -> None:
    twin.agenda.at(twin.clock.now + within_s * twin.rng.random(), act)


def _stuck(twin: Twin, name: str, active: bool, least_s: float, most_s: float) -> None:
    """The input reads `active` for a while, from soon on."""
    if not twin.wires.has(name):
        return
    for_s = least_s + (most_s - least_s) * twin.rng.random()

    def begin() -> None:
        twin.wires.stick(name, active)
        twin.agenda.at(twin.clock.now + for_s, lambda: twin.mend(name))

    _soon(twin, begin)


def _loose_lid_wire(twin: Twin) -> None:
    """The lid's plug has lost contact for a moment."""
    for_s = 0.01 + 2 * twin.rng.random()

    def begin() -> None:
        twin.cut_wire(LID)
        twin.agenda.at(twin.clock.now + for_s, lambda: twin.mend(LID))

    _soon(twin, begin)


def _flicker(twin: Twin) -> None:
    """Light falls through the slot: the sensor jumps about for a moment, up to 6 ms at a time."""
    if twin.wires.has(EXIT):
        for _ in range(30):
            _soon(twin, lambda: twin.noise.spike(EXIT, 0.006 * twin.rng.random()), within_s=0.5)


def _rattle(twin: Twin) -> None:
    """Somebody knocks at the launcher, and the lid's switch chatters."""

    def begin() -> None:
        for _ in range(6):
            _soon(twin, lambda: twin.noise.spike(LID, 0.003 * twin.rng.random()), within_s=0.1)

    _soon(twin, begin)


def _tap(twin: Twin) -> None:
    """A touch too short for a press."""
    twin.press(hold_s=0.002, bounces=False)


def _edges_lost(twin: Twin) -> None:
    """The library brings no edges for a while."""
    twin.pins.deaf = True
    twin.agenda.at(twin.clock.now + 5.0, lambda: setattr(twin.pins, "deaf", False))


def _twice(twin: Twin) -> None:
    """The finger comes back 80 ms after the press."""
    twin.agenda.at(twin.clock.now + 0.020, lambda: twin.press(hold_s=0.03))
    twin.agenda.at(twin.clock.now + 0.100, lambda: twin.press(hold_s=0.03))


MISHAPS: dict[str, Callable[[Twin], None]] = {
    "lid-opened": lambda twin: _soon(twin, twin.open_lid),
    "press-in-shot": lambda twin: _soon(twin, twin.press),
    "press-twice": _twice,
    "short-tap": _tap,
    "stuck-button": lambda twin: _stuck(twin, BUTTON, True, 1.0, 40.0),
    "rattled-lid": _rattle,
    "loose-lid-wire": _loose_lid_wire,
    "flickering-sensor": _flicker,
    "blocked-sensor": lambda twin: _stuck(twin, EXIT, True, 0.01, 15.0),
    "blinded-sensor": lambda twin: _stuck(twin, EXIT, False, 0.01, 15.0),
    "frozen-loop": lambda twin: _soon(twin, lambda: twin.freeze(0.5 * twin.rng.random())),
    "lost-edges": _edges_lost,
}
