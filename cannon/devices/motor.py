"""The feed motor's outputs on gpiozero devices. Only the motor guard may hold one of these.

Nothing here has a limit in time: that is the guard's work. Both outputs of an H-bridge are never
active together. Off is written first, and works in any state.
"""

from __future__ import annotations

from contextlib import ExitStack

from gpiozero import OutputDevice, PWMOutputDevice
from gpiozero.pins import Factory

from cannon.core.commands import FORWARD
from hardware.board import Motor


class MotorOutputs:
    """The pins of one motor driver: one direction (MOSFET) or two (H-bridge), maybe an enable."""

    def __init__(self, motor: Motor, pins: Factory) -> None:
        self._outputs: list[OutputDevice] = []
        self._forward = self._open(motor.forward, motor.pwm_hz, pins)
        self._backward: OutputDevice | None = None
        self._enable: OutputDevice | None = None
        if motor.backward is not None:
            self._backward = self._open(motor.backward, motor.pwm_hz, pins)
        if motor.enable is not None:
            self._enable = self._open(motor.enable, None, pins)

    @property
    def reversible(self) -> bool:
        """Whether `drive` knows REVERSE."""
        return self._backward is not None

    def drive(self, direction: int, power: float) -> None:
        """Turns the motor on at `power` (0..1] in `direction`; the other one is off first.

        Raises ValueError for REVERSE on a driver with one direction.
        """
        on: OutputDevice = self._forward
        other: OutputDevice | None = self._backward
        if direction != FORWARD:
            if self._backward is None:
                raise ValueError("this motor driver turns one way only")
            on, other = self._backward, self._forward
        if other is not None:
            other.off()
        if self._enable is not None:
            self._enable.on()
        if power < 1 and isinstance(on, PWMOutputDevice):
            on.value = power
        else:
            on.on()

    def off(self) -> None:
        """Everything off. Every output is tried, even if one of them fails; the first error is
        raised at the end."""
        errors = []
        for output in self._outputs:
            try:
                output.off()
            except Exception as error:  # the others must be tried
                errors.append(error)
        if errors:
            raise errors[0]

    def close(self) -> None:
        """Off, and the pins are released, each even if another one fails. May be called twice."""
        outputs, self._outputs = self._outputs, []
        with ExitStack() as all_of_them:
            for output in reversed(outputs):
                all_of_them.callback(output.close)

    def _open(self, pin: int, pwm_hz: int | None, pins: Factory) -> OutputDevice:
        output = (
            OutputDevice(pin, pin_factory=pins)
            if pwm_hz is None
            else PWMOutputDevice(pin, frequency=pwm_hz, pin_factory=pins)
        )
        self._outputs.append(output)
        return output
