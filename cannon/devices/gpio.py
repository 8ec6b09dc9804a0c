"""The launcher on GPIO pins, through gpiozero: real pins, or mock ones in the simulation.

It opens the pins of a board, carries out commands, and reads levels. Which pins they are is the
pin factory's affair (see `cannon.devices.pins` for real ones, `cannon.twin` for mock ones).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

from gpiozero import Buzzer, DigitalOutputDevice, PWMOutputDevice
from gpiozero.pins import Factory

from cannon.core.commands import Command, Light, Off, Run, Sound
from cannon.core.deadlines import earliest
from cannon.core.events import Failure, Levels
from cannon.devices.guard import MotorGuard
from cannon.devices.inputs import Inputs
from cannon.devices.motor import MotorOutputs
from cannon.devices.players import LightPlayer, TunePlayer
from cannon.devices.ports import Capabilities, Clock, DeviceFault, Post, Signals
from hardware.board import Beeper, Board


class GpioLauncher:
    """A launcher on the pins of `board`. Give it to one loop; `close` it at the end.

    The guard is to be checked by a `GuardThread` or by virtual time; without that no run ends by
    itself, so whoever opens a launcher starts one of them before the first command.
    """

    def __init__(
        self,
        board: Board,
        pins: Factory,
        signals: Signals,
        clock: Clock,
        post: Post,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.capabilities = Capabilities(
            counts=board.exit_sensor is not None, retracts=board.motor.reversible
        )
        self._clock = clock
        self._open = ExitStack()
        try:
            motor = MotorOutputs(board.motor, pins)
            self._open.callback(motor.close)
            self.inputs = Inputs(board, pins, clock, post, lambda: self.guard.lid_edge())
            self._open.callback(self.inputs.close)
            self.guard = MotorGuard(
                motor,
                self.inputs.lid_is_open,
                clock,
                post,
                cap_s=board.motor.max_run_ms / 1000,
                # The controller keeps the board's dead time; half of it is still safe, and lets
                # the two differ by how late a thread may be.
                dead_s=board.motor.dead_time_ms / 2000,
                wait=wait,
            )
            self._open.callback(self.guard.close)
            self._tune = self._beeper(board.beeper, pins, signals)
            self._light = self._lamp(board, pins, signals)
            self._self_test(wait, post)
            self.inputs.listen()
        except BaseException:
            self.close()
            raise

    def levels(self) -> Levels:
        """Reads all inputs, now."""
        return self.inputs.levels()

    def do(self, command: Command) -> None:
        """Carries out one command. Raises DeviceFault for one that a GPIO launcher cannot do."""
        match command:
            case Run():
                self.guard.run(command)
            case Off():
                self.guard.cut("command")
            case Sound(tune, after):
                if self._tune is not None:
                    self._tune.play(tune, after, self._clock())
            case Light(pattern):
                if self._light is not None:
                    self._light.play(pattern, self._clock())
            case _:
                raise DeviceFault("program", f"a launcher on pins cannot do {command}")

    def tick(self, now: float) -> None:
        """Lets sounds and lights go on to `now`."""
        if self._tune is not None:
            self._tune.tick(now)
        if self._light is not None:
            self._light.tick(now)

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        tune, light = self._tune, self._light
        due = tune.deadline if tune is not None else None
        return due if light is None else earliest(due, light.deadline)

    def off(self) -> None:
        """Motor off, now, from any thread."""
        self.guard.cut("off")

    def mute(self) -> None:
        """Silent and dark; from now on Sound and Light do nothing."""
        tune, light = self._tune, self._light
        self._tune = self._light = None
        with ExitStack() as both:
            if tune is not None:
                both.callback(tune.stop)
            if light is not None:
                both.callback(light.stop)

    def close(self) -> None:
        """All outputs off, motor first; all pins released, each even if another one fails. May be
        called twice."""
        with self._open:
            if hasattr(self, "guard"):
                self.guard.close()

    def _self_test(self, wait: Callable[[float], None], post: Post) -> None:
        """A part that fails it is a fault from the first moment on, but no reason not to start:
        only a launcher that runs can say what is wrong with it."""
        try:
            self.inputs.self_test(wait)
        except DeviceFault as fault:
            post(Failure(fault.cause, str(fault)))

    def _beeper(self, beeper: Beeper | None, pins: Factory, signals: Signals) -> TunePlayer | None:
        if beeper is None:
            return None
        if beeper.kind == "active":
            buzzer = Buzzer(beeper.pin, pin_factory=pins)
            self._open.callback(buzzer.close)
            return TunePlayer(signals.beats, lambda hz: buzzer.on() if hz else buzzer.off())
        piezo = PWMOutputDevice(beeper.pin, pin_factory=pins)
        self._open.callback(piezo.close)
        pin = piezo.pin
        pin.frequency = None

        def sound(hz: float) -> None:
            """As gpiozero's TonalBuzzer does it, which works out its whole range for each note."""
            pin.frequency = hz or None
            if hz:
                pin.state = signals.duty

        return TunePlayer(signals.tones, sound)

    def _lamp(self, board: Board, pins: Factory, signals: Signals) -> LightPlayer | None:
        if board.light is None:
            return None
        lamp = DigitalOutputDevice(board.light.pin, pin_factory=pins)
        self._open.callback(lamp.close)

        def show(lit: bool) -> None:
            lamp.value = lit

        return LightPlayer(signals.lights, show)
