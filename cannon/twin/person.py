"""The person at the launcher: presses when it is ready, and does what it asks for.

Sees what a person sees, the state on the page or by light and sound; knows nothing of the faults
that scenarios plan.
"""

from __future__ import annotations

from collections.abc import Callable

from cannon.core import states
from cannon.core.events import Acknowledge
from cannon.twin.field import Field
from cannon.twin.twin import Twin

MOVING = (states.SUSPENSE, states.FEEDING, states.RETRACTING)
SHOT_LIMIT_S = 120.0
ATTEMPTS = 200  # so many answers to the launcher's state without a press, and the person gives up
IN_THE_SLOT = ("sensor_blocked", "protruding")  # refusals that ask for a look into it
ACK_HOLD_S = 2.6
QUIET_PRESSES = 10  # at the end


class GivesUp(Exception):
    """Whatever the person does, the launcher takes no press."""


class Person:
    """Presses, refills and clears. `pause_s` is the usual time between two presses; `refill`
    cards are in the hopper after a refill."""

    def __init__(self, twin: Twin, field: Field) -> None:
        self.pause_s = 1.0
        self.refill = 83
        self._lively = False  # whether mishaps may happen
        self._twin = twin
        self._field = field
        self._answers: dict[str, Callable[[], None]] = {
            states.READY: self._press,
            states.LID_OPEN: self._close_lid,
            states.EMPTY: self._refill,
            states.JAMMED: self._clear_jam,
            states.SETTLING: self._take_card,
            states.FAULT: self._acknowledge,
        }

    def play(self, presses: int, pressed: Callable[[int], None] = lambda presses: None) -> None:
        """Plays until so many more presses have been taken and answered.

        The last ones are without mishaps, as some of those press too. `pressed` is told how many
        there have been. Raises GivesUp.
        """
        account = self._twin.account
        first, attempts = account.presses, 0
        while account.presses - first < presses:
            before = account.presses
            self._lively = presses - (before - first) > QUIET_PRESSES
            self._answer()
            attempts = 0 if account.presses > before else attempts + 1
            if attempts == ATTEMPTS:
                raise GivesUp(f"after {ATTEMPTS} tries the launcher is still {self._state}")
            pressed(account.presses - first)
        self.calm()

    def calm(self) -> None:
        """Does what the launcher asks for until it is ready, or pressing is all that is left."""
        for _ in range(ATTEMPTS):
            self._watch()
            if self._state == states.READY and self._twin.account.settled:
                return
            if self._state in self._answers and self._state != states.READY:
                self._answers[self._state]()
            else:
                self._twin.run(0.5)
        raise GivesUp(f"after {ATTEMPTS} tries the launcher is still {self._state}")

    @property
    def _state(self) -> str:
        return self._twin.loop.controller.state

    def _answer(self) -> None:
        """One look at the launcher, and what a person does then."""
        self._watch()
        answer = self._answers.get(self._state)
        if answer is None:
            self._twin.run(0.5)
        else:
            answer()

    def _watch(self) -> None:
        """Waits while cards come."""
        controller = self._twin.loop.controller
        self._twin.run(SHOT_LIMIT_S, lambda: controller.state not in MOVING)
        if controller.state == states.SETTLING:
            self._twin.run(0.5, lambda: controller.state != states.SETTLING)

    def _pause(self, usual_s: float) -> None:
        self._twin.run(usual_s * (0.5 + self._twin.rng.random()))

    def _press(self) -> None:
        self._pause(self.pause_s)
        if self._state != states.READY:
            return
        if self._field.cards_per_battery and self._needs_battery():
            self._field.fresh_battery()
        if self._lively:
            self._field.before_press()
        self._twin.press()
        self._twin.run(0.1)
        if self._twin.loop.controller.snapshot().refusal in IN_THE_SLOT:
            self._take_card()

    def _needs_battery(self) -> bool:
        seen = self._twin.loop.controller.snapshot()
        return seen.battery_low or "low_power" in seen.hints

    def _close_lid(self) -> None:
        self._pause(self.pause_s)
        self._twin.close_lid()
        self._twin.run(0.3)

    def _refill(self) -> None:
        missing = max(0, self.refill - self._twin.mechanism.stack)
        self._with_lid_open(lambda: self._twin.load(missing))

    def _clear_jam(self) -> None:
        if self._twin.loop.controller.snapshot().cause == "slow":
            self._field.fresh_battery()
        self._with_lid_open(self._take_card)

    def _with_lid_open(self, act: Callable[[], None]) -> None:
        self._twin.open_lid()
        self._pause(self.pause_s)
        act()
        self._close_lid()

    def _take_card(self) -> None:
        self._pause(self.pause_s)
        self._twin.clear()
        self._twin.run(0.3)

    def _acknowledge(self) -> None:
        self._pause(self.pause_s)
        self._twin.press(hold_s=ACK_HOLD_S)
        self._twin.run(ACK_HOLD_S + 0.1)
        if self._state == states.FAULT:  # a stuck button cannot be held; the page can
            self._twin.events.post(Acknowledge("page"))
            self._twin.run(0.1)
