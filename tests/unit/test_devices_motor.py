"""The motor's outputs on mock pins, with and without PWM: what stands on the wires."""

import pytest
from gpiozero.pins.mock import MockFactory

from cannon.core.commands import FORWARD, REVERSE
from cannon.devices.motor import MotorOutputs
from hardware.board import Motor
from tests.unit.device_tools import LoggedPins

FWD, BWD, EN = "GPIO23", "GPIO24", "GPIO25"
H_BRIDGE = Motor(driver="h-bridge", part="drv8833", forward=23, backward=24, enable=25)
MOSFET = Motor(driver="mosfet", part="irlz44n", forward=23)
WITH_PWM = Motor(driver="h-bridge", part="drv8833", forward=23, backward=24, enable=25, pwm_hz=500)


@pytest.fixture
def pins():
    made = LoggedPins()
    yield made
    made.reset()


def test_the_driver_is_enabled_before_each_move_and_not_before(pins):
    motor = MotorOutputs(H_BRIDGE, pins)
    assert pins.state(25) == 0
    pins.log.clear()
    for _ in range(2):
        motor.drive(FORWARD, 1.0)
        motor.off()
    assert pins.log == 2 * [(EN, 1), (FWD, 1), (FWD, 0), (EN, 0)]
    motor.close()


def test_the_two_outputs_of_a_bridge_are_never_active_together(pins):
    motor = MotorOutputs(H_BRIDGE, pins)
    for direction in (FORWARD, REVERSE, FORWARD, FORWARD, REVERSE):
        motor.drive(direction, 1.0)
    motor.off()
    levels = {FWD: 0, BWD: 0}
    for name, value in pins.log:
        if name in levels:
            levels[name] = value
        assert not (levels[FWD] and levels[BWD])
    assert levels == {FWD: 0, BWD: 0}
    motor.close()


def test_one_transistor_turns_one_way(pins):
    motor = MotorOutputs(MOSFET, pins)
    assert not motor.reversible
    motor.drive(FORWARD, 1.0)
    assert pins.state(23) == 1
    with pytest.raises(ValueError, match="one way"):
        motor.drive(REVERSE, 1.0)
    motor.off()
    assert pins.changes(23)[-2:] == [1, 0]
    motor.close()


def test_power_is_the_duty_of_the_pulses(pins):
    motor = MotorOutputs(WITH_PWM, pins)
    motor.drive(FORWARD, 0.6)
    assert pins.state(23) == pytest.approx(0.6)
    assert pins.pin(23).frequency == 500
    motor.drive(REVERSE, 1.0)
    assert (pins.state(23), pins.state(24)) == (0, 1)
    motor.off()
    assert (pins.state(23), pins.state(24), pins.state(25)) == (0, 0, 0)
    motor.close()


@pytest.mark.parametrize("motor", [H_BRIDGE, MOSFET])
def test_a_motor_without_pulses_needs_no_pins_with_pwm(motor):
    plain = MockFactory()
    outputs = MotorOutputs(motor, plain)
    outputs.drive(FORWARD, 1.0)
    assert plain.pin(23).state
    outputs.close()
    plain.reset()


def test_off_tries_every_output_and_then_tells_the_first_error(pins):
    motor = MotorOutputs(WITH_PWM, pins)
    motor.drive(REVERSE, 1.0)
    motor._pins[0] = Broken()
    with pytest.raises(OSError, match="no such line"):
        motor.off()
    assert (pins.state(24), pins.state(25)) == (0, 0)
    motor.close()


class Broken:
    """A pin, or its device, that nothing can be done with."""

    def __setattr__(self, name, value):
        raise OSError("no such line")

    def close(self):
        raise OSError("no such line")


def test_close_releases_every_pin_even_if_one_fails(pins):
    motor = MotorOutputs(H_BRIDGE, pins)
    forward, real, enable = motor._devices
    motor._devices[1] = Broken()
    with pytest.raises(OSError, match="no such line"):
        motor.close()
    assert forward.closed
    assert enable.closed
    real.close()


def test_close_may_come_twice_and_off_stays_safe_afterwards(pins):
    motor = MotorOutputs(H_BRIDGE, pins)
    motor.drive(FORWARD, 1.0)
    motor.close()
    motor.close()
    motor.off()
    assert pins.changes(23)[-1] == 0


def test_released_pins_can_be_claimed_again(pins):
    for _ in range(2):
        MotorOutputs(WITH_PWM, pins).close()
