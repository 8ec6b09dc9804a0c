"""The launchers that the contract is held against, each with hands and eyes at its hardware.

How to add a launcher: write a class with the outside of `Rig` below, made of a folder that it may
use, and put it into RIGS under a name. Everything happens in virtual or stepped time, in the
thread of the test. `set` and the eyes (`motor`, `sounding`, `lit`) are at the hardware's end: what
a finger moves, and what someone who stands beside it sees and hears; never what the launcher
believes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from cannon import app
from cannon.core.commands import FORWARD, Command, Feed, Run
from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Edge, Event
from cannon.devices.bridge import BridgeLauncher
from cannon.devices.gpio import GpioLauncher
from cannon.devices.ports import Launcher
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.controlling import controller_settings
from hardware import load_board
from hardware.board import Board, Output
from tests.firmware import lane
from tests.unit.device_tools import SIGNALS, Clock, LoggedPins, Posted

STEP_S = 0.001
LIGHT = Output(pin=16)


class Rig(Protocol):
    """A launcher, open and with its lid closed, and its surroundings.

    `posted` are the events since the last look. `inputs` are the names that `set` knows: at least
    button and lid. `move` is a command that moves cards for less than a second.
    """

    launcher: Launcher
    posted: Posted
    inputs: tuple[str, ...]
    move: Command

    def set(self, name: str, active: bool) -> None:
        """A hand moves an input."""

    def pass_time(self, for_s: float, turning: bool = True) -> None:
        """Time passes; with `turning` the control loop's part is done: `tick`, when it is due."""

    def motor(self) -> int:
        """1 forward, -1 reverse, 0 off; what turns it."""

    def sounding(self) -> bool:
        """Whether the beeper is on."""

    def lit(self) -> bool | None:
        """Whether the light is on; None if this rig has no eye for it."""

    def break_down(self) -> None:
        """From now on the hardware does not answer: its chip or its cable is gone."""

    def close(self) -> None:
        """The launcher is closed, and all that belongs to the rig."""


def _inputs(board: Board) -> dict[str, Any]:
    parts = {
        BUTTON: board.button,
        LID: board.lid,
        EXIT: board.exit_sensor,
        HOPPER: board.hopper_sensor,
        BATTERY: board.low_battery,
    }
    return {name: part for name, part in parts.items() if part is not None}


class OnPins:
    """The launcher on mock pins, as it is on real ones."""

    def __init__(self, name: str, pwm: bool) -> None:
        self.board = msgspec.structs.replace(load_board(name), light=LIGHT)
        self.pins = LoggedPins(pwm)
        self.clock = Clock(self.pins.ticks())
        self.posted = Posted()
        self._parts = _inputs(self.board)
        self.inputs = tuple(self._parts)
        self.move: Command = Run(FORWARD, 1.0, 0.5)
        self.launcher = GpioLauncher(
            self.board, self.pins, SIGNALS, self.clock, self.posted, self._see_the_emitter
        )
        for name in self._parts:
            self.set(name, name == HOPPER)
        self.posted.clear()

    def set(self, name: str, active: bool) -> None:
        part = self._parts[name]
        self.pins.drive(part.pin, active == part.active_high)

    def pass_time(self, for_s: float, turning: bool = True) -> None:
        end = self.clock.now + for_s
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + STEP_S)
            self.launcher.guard.check(self.clock.now)
            if turning:
                self.launcher.tick(self.clock.now)

    def motor(self) -> int:
        backward = self.board.motor.backward
        back = 0 if backward is None else self.pins.state(backward)
        return int(self.pins.state(self.board.motor.forward) > 0) - int(back > 0)

    def sounding(self) -> bool:
        return bool(self.pins.state(self.board.beeper.pin) > 0)

    def lit(self) -> bool | None:
        return bool(self.pins.state(LIGHT.pin))

    def break_down(self) -> None:
        self.pins.gone = True

    def close(self) -> None:
        self.pins.gone = False
        self.launcher.close()
        self.pins.reset()

    def _see_the_emitter(self, seconds: float) -> None:
        sensor = self.board.exit_sensor
        self.set(EXIT, not self.pins.state(sensor.emitter))


class Simulated:
    """The launcher of the digital twin, with its mechanism, without its control loop."""

    def __init__(self) -> None:
        board = msgspec.structs.replace(load_board("diy-pi"), light=LIGHT)
        plan = app.plan(CannonToml(board="diy-pi"), seed=1)
        self.twin = app.simulated(plan._replace(board=board))
        self.posted = Posted()
        self.inputs = tuple(_inputs(board))
        self.move: Command = Run(FORWARD, 1.0, 0.5)
        self.launcher = self.twin.launcher
        self._board = board

    def set(self, name: str, active: bool) -> None:
        self.twin.wires.set(name, active)
        self._take()

    def pass_time(self, for_s: float, turning: bool = True) -> None:
        twin, end = self.twin, self.twin.clock.now + for_s
        while twin.clock.now < end:
            twin.clock.now = min(end, twin.clock.now + STEP_S)
            while twin.agenda.next_at is not None and twin.agenda.next_at <= twin.clock.now:
                twin.agenda.do_next()
            twin.launcher.guard.check(twin.clock.now)
            if turning:
                twin.launcher.tick(twin.clock.now)
        self._take()

    def motor(self) -> int:
        motor = self._board.motor
        forward, back = (self.twin.pins.pin(pin).state for pin in (motor.forward, motor.backward))
        return int(forward > 0) - int(back > 0)

    def sounding(self) -> bool:
        return bool(self.twin.pins.pin(self._board.beeper.pin).state > 0)

    def lit(self) -> bool | None:
        return bool(self.twin.pins.pin(LIGHT.pin).state)

    def break_down(self) -> None:
        for pin in self._board.pins().values():
            self.twin.pins.break_pin(pin)

    def close(self) -> None:
        for pin in self._board.pins().values():
            self.twin.pins.mend_pin(pin)
        self.launcher.close()

    def _take(self) -> None:
        for event in self.twin.events.take():
            self.posted(event)


class OnBridge:
    """The launcher behind a microcontroller: its real firmware in MicroPython, over a real port."""

    def __init__(self, folder: Path) -> None:
        self.pico = lane.Pico(folder).start()
        self.rig = lane.Rig(self.pico)
        self.posted = Posted()
        self.inputs = (BUTTON, LID, BATTERY)
        self.move: Command = Feed(2)
        plan = controller_settings(self.pico.board, CannonToml()).plan
        self.launcher = BridgeLauncher(self._link, self.posted, self.rig.clock, plan)
        self.rig.up()
        self.pass_time(0.2)
        self.posted.clear()

    def set(self, name: str, active: bool) -> None:
        self.pico.hand({BUTTON: "press"}.get(name, name), int(active))

    def pass_time(self, for_s: float, turning: bool = True) -> None:
        self.rig.before_step = self.launcher.tick if turning else lambda now: None
        self.rig.step(1000 * for_s, step_ms=1 if for_s < 0.05 else None)

    def motor(self) -> int:
        driven = self.pico.driven if self.rig.plugged else 0
        return (driven > 0) - (driven < 0)

    def sounding(self) -> bool:
        return bool(self.pico.sounds and self.pico.sounds[-1][1])

    def lit(self) -> bool | None:
        return None

    def break_down(self) -> None:
        self.rig.unplug()

    def close(self) -> None:
        self.launcher.close()
        self.rig.close()

    def _link(self, on_event: Callable[[Any], None]) -> Any:
        self.rig.on_event = on_event
        return self.rig.link


RIGS: dict[str, Callable[[Path], Any]] = {
    "gpio with PWM": lambda folder: OnPins("launcher-pi", pwm=True),
    "gpio without PWM": lambda folder: OnPins("launcher-pi-basic", pwm=False),
    "simulated": lambda folder: Simulated(),
    "bridge": OnBridge,
}
WITH_LIGHT = [name for name in RIGS if name != "bridge"]  # those with an eye for it


def edges(events: list[Event]) -> list[tuple[str, bool]]:
    """Input and level of each edge among the events."""
    return [(event.input, event.active) for event in events if isinstance(event, Edge)]
