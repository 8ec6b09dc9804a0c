"""The feed motor's outputs on gpiozero devices. Only the motor guard may hold one of these.

Nothing here has a limit in time: that is the guard's work. Both outputs of an H-bridge are never
active together. Off is written first, and works in any state.
"""

from __future__ import annotations

from contextlib import ExitStack

from gpiozero import OutputDevice, PWMOutputDevice
from gpiozero.pins import Factory, Pin

from cannon.core.commands import FORWARD
from hardware.board import Motor


class MotorOutputs:
    """The pins of one motor driver: one direction (MOSFET) or two (H-bridge), maybe an enable.

    The devices open and release the pins; levels are set on the pins themselves, since each step
    between the lid's edge and the motor's line is time.
    """

    def __init__(self, motor: Motor, pins: Factory) -> None:
        self._devices: list[OutputDevice] = []
        self._pwm = motor.pwm_hz is not None
        self._pins: list[Pin] = []  # the first one is the one that is active most
        self._forward = self._open(motor.forward, motor.pwm_hz, pins)
        self._backward: Pin | None = None
        self._enable: Pin | None = None
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
        on: Pin = self._forward
        other: Pin | None = self._backward
        if direction != FORWARD:
            if self._backward is None:
                raise ValueError("this motor driver turns one way only")
            on, other = self._backward, self._forward
        if other is not None:
            other.state = 0
        if self._enable is not None:
            self._enable.state = 1
        on.state = power if self._pwm else 1

    def off(self) -> None:
        """Everything off. Every output is tried, even if one of them fails; the first error is
        raised at the end."""
        errors = []
        for pin in self._pins:
            try:
                pin.state = 0
            except Exception as error:  # the others must be tried
                errors.append(error)
        if errors:
            raise errors[0]

    def close(self) -> None:
        """Off, and the pins are released, each even if another one fails. May be called twice."""
        devices, self._devices, self._pins = self._devices, [], []
        with ExitStack() as all_of_them:
            for device in reversed(devices):
                all_of_them.callback(device.close)

    def _open(self, number: int, pwm_hz: int | None, pins: Factory) -> Pin:
        device = (
            OutputDevice(number, pin_factory=pins)
            if pwm_hz is None
            else PWMOutputDevice(number, frequency=pwm_hz, pin_factory=pins)
        )
        self._devices.append(device)
        self._pins.append(device.pin)
        return device.pin
