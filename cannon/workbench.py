"""Opens a launcher without its controller, for bring-up and calibration; and simulated hands.

On real hardware the steps wait for a person. On a simulated launcher `SimulatedHands` do what the
person is asked to, so that the commands can be tried, and faults planted, without a launcher.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from cannon import app
from cannon.bringup.rig import Rig
from cannon.core.events import EXIT
from cannon.settings.controlling import feed_plan

if TYPE_CHECKING:
    from cannon.twin.twin import Twin

STACK = 83
HAND_S = 0.4  # how long a hand takes


class Place(NamedTuple):
    """Where the launcher is: simulated, behind the port `bridge`, or on the pins of `chip`."""

    simulate: bool
    bridge: str
    chip: str


@contextmanager
def opened(
    plan: app.Plan, place: Place, say: Callable[[str], None]
) -> Iterator[tuple[Rig, SimulatedHands | None]]:
    """A rig on the launcher of `plan`, and the hands if it is simulated. Motor off at the end.

    Raises CannonError if the hardware cannot be had.
    """
    if place.simulate:
        twin = app.simulated(plan, stack=STACK)
        try:
            yield rig_on(twin), SimulatedHands(twin)
        finally:
            twin.launcher.close()
        return
    if place.bridge:
        held = app.open_on_bridge(plan, place.bridge, 0, say)
    else:
        held = app.open_on_pins(plan, place.chip)
    try:
        rig = Rig(plan.board, held.launcher, held.events, time.monotonic, feed_plan(plan.board))
        yield rig, None
    finally:
        held.launcher.off()
        held.close()


def rig_on(twin: Twin) -> Rig:
    """A rig in the place of a twin's loop."""
    rig = Rig(twin.board, twin.launcher, twin.events, twin.clock, feed_plan(twin.board))
    rig.let_pass = twin.run
    twin.loop = rig  # type: ignore[assignment]
    return rig


class SimulatedHands:
    """Does what a person is asked to do, and answers by what there is to see."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.hears = True
        self._stowed = 0
        self._taken = 0

    def please(self, request: str) -> None:
        """Does it, a little later."""
        act = getattr(self, f"_{request}", None)
        if act is not None:
            self.twin.agenda.at(self.twin.clock.now + HAND_S, act)

    def ask(self, question: str, **values: object) -> bool:
        """Answers as a person would who sees the motor and counts the cards."""
        answer = getattr(self, f"_{question}", None)
        return True if answer is None else bool(answer(**values))

    def number(self, question: str) -> int:
        """Counts the cards that lie there, and takes them away."""
        came, self._taken = self.twin.mechanism.out - self._taken, self.twin.mechanism.out
        return came

    def _close_lid(self) -> None:
        if self.twin.lid_open:
            self.twin.close_lid()

    def _open_lid(self) -> None:
        self.twin.open_lid()

    _open_lid_now = _open_lid

    def _press_button(self) -> None:
        self.twin.press()

    def _card_in(self) -> None:
        self.twin.wires.set(EXIT, True)

    def _card_out(self) -> None:
        self.twin.wires.set(EXIT, False)

    def _no_cards(self) -> None:
        self._stowed += self.twin.mechanism.unload()
        self._close_lid()

    def _load_cards(self) -> None:
        self.twin.load(self._stowed or STACK)
        self._stowed = 0
        self._close_lid()

    def _heard_two_tunes(self) -> bool:
        return self.hears

    def _motor_turned(self) -> bool:
        return self.twin.mechanism.turned != 0

    def _turned_outward(self) -> bool:
        return self._turned() > 0

    def _turned_inward(self) -> bool:
        return self._turned() < 0

    def _turned(self) -> int:
        """Which way the roller turned last; asked once."""
        turned, self.twin.mechanism.turned = self.twin.mechanism.turned, 0
        return turned

    def _count_is_right(self, counted: int) -> bool:
        """Whether as many cards lie there as were counted; they are taken away."""
        return self.number("how_many") == counted

    def _one_card_came(self) -> bool:
        return self.number("how_many") == 1

    def _about_five_cards_came(self) -> bool:
        return 4 <= self.number("how_many") <= 6
