"""Opens a launcher without its controller, for bring-up and calibration; and simulated hands.

On real hardware the steps wait for a person. On a simulated launcher `SimulatedHands` do what the
person is asked to, so that the commands can be tried, and faults planted, without a launcher.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from cannon import app, telling
from cannon.bringup.rig import Rig
from cannon.core.events import EXIT
from cannon.devices.ports import DeviceFault
from cannon.errors import EXIT_WRONG_CONFIGURATION, CannonError
from cannon.settings.controlling import feed_plan

if TYPE_CHECKING:
    from cannon.settings.cannon_toml import CannonToml
    from cannon.settings.texts import Texts
    from cannon.twin.twin import Twin

STACK = 83
HAND_S = 0.4  # how long a hand takes
TOLD_BYTES = 25  # of its name that a Pico tells
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Place(NamedTuple):
    """Where the launcher is: simulated, behind the port `bridge`, or on the pins of `chip`."""

    simulate: bool
    bridge: str
    chip: str


def settings(config: str | None, board: str | None, place: Place) -> CannonToml:
    """The settings with the board that is meant. Raises ConfigurationError."""
    from cannon.settings.cannon_toml import BRIDGE_BOARD, CannonToml, load_settings

    found = load_settings(config)
    if not board and place.bridge and found.board == CannonToml().board:
        board = BRIDGE_BOARD
    return msgspec.structs.replace(found, board=board) if board else found


@contextmanager
def opened(
    plan: app.Plan, place: Place, texts: Texts
) -> Iterator[tuple[Rig, SimulatedHands | None]]:
    """A rig on the launcher of `plan`, and the hands if it is simulated. Motor off at the end.

    SIGINT, SIGTERM and SIGHUP switch the motor off at once, and come out as KeyboardInterrupt.
    Raises CannonError if the hardware cannot be had, or fails.
    """
    if place.simulate:
        twin = app.simulated(plan, stack=STACK)
        try:
            yield rig_on(twin), SimulatedHands(twin)
        finally:
            twin.launcher.close()
        return
    if place.bridge:
        held = app.open_on_bridge(plan, place.bridge, 0, _say)
        _refuse_another_board(plan, held)
    else:
        held = app.open_on_pins(plan, place.chip)
    board, launcher = plan.board, held.launcher
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        _off_at_signals(launcher.off)
        yield Rig(board, launcher, held.events, time.monotonic, feed_plan(board)), None
    except DeviceFault as fault:
        raise CannonError(telling.cause(texts, fault.cause), str(fault)) from fault
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # nothing may come between now
        try:
            launcher.off()
        finally:
            held.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def _refuse_another_board(plan: app.Plan, held: app.Opened) -> None:
    """What is asked and measured depends on the board, so the Pico must be flashed for it."""
    link = getattr(held.launcher, "link", None)
    flashed = link.board.name if link is not None and link.board is not None else plan.board.name
    if flashed != plan.board.name.encode()[:TOLD_BYTES].decode(errors="ignore"):
        held.close()
        raise CannonError(
            f"The Pico is flashed for {flashed}, but the settings name {plan.board.name}.",
            f"--board {flashed}; or put the other one onto it: cannon flash",
            exit_code=EXIT_WRONG_CONFIGURATION,
        )


def _off_at_signals(off: Callable[[], None]) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        off()
        raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, stop)


def _say(line: str) -> None:
    click.echo(line, err=True)


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
        self.sees = True
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

    def _light_blinked(self) -> bool:
        return self.sees

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
