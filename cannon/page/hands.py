"""What hands on the page can do to a simulated launcher, and the faults that they can plant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cannon.core.events import BATTERY, EXIT, LID
from cannon.web.wishes import Simulated

if TYPE_CHECKING:
    from cannon.twin.twin import Twin

HOLD_S = 2.5
FULL = 112  # cards of a game
FRESH = 83  # ... of which so many are in the launcher when four have been dealt seven
HAND_S = 0.6  # lid up, cards in, lid down: each takes a hand that long
WEAK_SPEED = 0.55
NOISE_PER_S, NOISE_S = 400.0, 150e-6
FREQUENT = 0.3


class Hands:
    """Does to the twin what is asked; `faults` are those that are planted now."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def do(self, twin: Twin, wish: Simulated) -> None:
        """In the twin's own thread."""
        if wish.do == "plant" and wish.fault is not None:
            self.plant(twin, wish.fault)
        elif wish.do == "mend":
            self.mend(twin)
        else:
            _DEEDS[wish.do](twin)

    def plant(self, twin: Twin, fault: str) -> None:
        """Something breaks, or goes wrong with the next card."""
        _FAULTS[fault](twin)
        lasting = fault in _MENDS
        if lasting and fault not in self.faults:
            self.faults.append(fault)

    def mend(self, twin: Twin) -> None:
        """All that was planted works again."""
        for fault in self.faults:
            _MENDS[fault](twin)
        self.faults = []


def _lid(twin: Twin) -> None:
    if twin.lid_open:
        twin.close_lid()
    else:
        twin.open_lid()


def _refill(twin: Twin) -> None:
    """Lid up, cards in, lid down, with the hands' own pace. Never more cards than there are."""
    cards = max(0, FRESH - twin.mechanism.stack)
    now = twin.clock.now
    twin.open_lid()
    twin.agenda.at(now + HAND_S, lambda: twin.load(cards))
    twin.agenda.at(now + 2 * HAND_S, twin.close_lid)


def _next_card(fault: str) -> Callable[[Twin], None]:
    """The next card that is drawn from the stack does that."""

    def plant(twin: Twin) -> None:
        twin.mechanism.plan[twin.mechanism.drawn + 1] = fault

    return plant


def _chance(name: str, chance: float) -> Callable[[Twin], None]:
    return lambda twin: setattr(twin.mechanism.physics, name, chance)


def _noise(per_s: float, longest_s: float) -> Callable[[Twin], None]:
    def set_noise(twin: Twin) -> None:
        twin.noise.per_s, twin.noise.longest_s = per_s, longest_s

    return set_noise


def _take_cards(twin: Twin) -> None:
    twin.load(-twin.mechanism.stack)


_DEEDS: dict[str, Callable[[Twin], object]] = {
    "press": lambda twin: twin.press(),
    "hold": lambda twin: twin.press(hold_s=HOLD_S),
    "lid": _lid,
    "refill": _refill,
    "take": lambda twin: twin.clear(),
}
_FAULTS: dict[str, Callable[[Twin], None]] = {
    "jam": _next_card("jams"),
    "stick": _next_card("sticks"),
    "empty": _take_cards,
    "misfeed": _chance("misfeed", FREQUENT),
    "double": _chance("double", FREQUENT),
    "sensor_blocked": lambda twin: twin.wires.stick(EXIT, True),
    "sensor_blind": lambda twin: twin.wires.stick(EXIT, False),
    "lid_wire": lambda twin: twin.cut_wire(LID),
    "weak_battery": lambda twin: twin.battery(WEAK_SPEED),
    "low_battery": lambda twin: twin.wires.set(BATTERY, True),
    "noise": _noise(NOISE_PER_S, NOISE_S),
}
_MENDS: dict[str, Callable[[Twin], None]] = {
    "misfeed": _chance("misfeed", 0.0),
    "double": _chance("double", 0.0),
    "sensor_blocked": lambda twin: twin.mend(EXIT),
    "sensor_blind": lambda twin: twin.mend(EXIT),
    "lid_wire": lambda twin: twin.mend(LID),
    "weak_battery": lambda twin: twin.battery(1.0),
    "low_battery": lambda twin: twin.wires.set(BATTERY, False),
    "noise": _noise(0.0, 0.0),
}
