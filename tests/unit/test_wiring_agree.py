"""Every pin of every board, walked: header, wire, drawing, firmware table, gpiozero device."""

from __future__ import annotations

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from cannon.devices.inputs import Inputs
from cannon.devices.motor import MotorOutputs
from cannon.firmware import board_pins
from hardware import Board, board_names, load_board
from hardware.drawings.pinout import pin_uses
from hardware.header import load_header
from hardware.netlist import Netlist

EVERY_PIN = [(name, role) for name in board_names() for role in load_board(name).pins()]
PULLS = {"up": "up", "down": "down", "none": "floating"}


def firmware_pins(board: Board) -> dict[str, object]:
    """The pins that the firmware is given, by role."""
    pins = board_pins(board)
    forward, backward, enable, _ = pins.motor
    button, lid, exit_sensor, hopper, battery = pins.inputs
    return {
        "motor.forward": forward,
        "motor.backward": backward,
        "motor.enable": enable,
        "button": button and button[0],
        "lid": lid and lid[0],
        "exit_sensor": exit_sensor and exit_sensor[0],
        "exit_sensor.emitter": pins.emitter,
        "hopper_sensor": hopper and hopper[0],
        "low_battery": battery and battery[0],
        "beeper": pins.beeper and pins.beeper[0],
        "light": pins.light,
    }


@pytest.mark.parametrize(("name", "role"), EVERY_PIN)
def test_header_wire_and_drawing_agree(name: str, role: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    number = board.pins()[role]
    pin = load_header(board.computer).gpio(number)
    assert pin is not None
    wires = [
        (section, wire)
        for section, content in board.wiring.sections().items()
        for wire in content.wires
        if f"U1.{pin.name}" in (wire.start, wire.end)
    ]
    assert len(wires) == 1, "one wire leaves the pin"
    section, wire = wires[0]
    assert section == role.partition(".")[0], "in the section of its role"
    assert pin_uses(board)[pin.at].colour == wire.colour
    assert pin_uses(board)[pin.at].pin == pin


@pytest.mark.parametrize("name", [n for n in board_names() if load_board(n).computer == "pico"])
def test_the_firmware_is_given_the_same_pins(name: str) -> None:
    board = load_board(name)
    given = {role: pin for role, pin in firmware_pins(board).items() if pin is not None}
    assert given == board.pins()


@pytest.mark.parametrize("name", [n for n in board_names() if load_board(n).computer == "pico"])
def test_the_firmware_is_given_the_same_levels_and_pulls(name: str) -> None:
    board = load_board(name)
    parts = (board.button, board.lid, board.exit_sensor, board.hopper_sensor, board.low_battery)
    for part, given in zip(parts, board_pins(board).inputs, strict=True):
        if part is not None:
            pull = {True: 1, False: -1, None: 0}[part.pull_up]
            assert given == (part.pin, int(part.active_high), pull)


@pytest.mark.parametrize("name", [n for n in board_names() if load_board(n).computer == "pi"])
def test_gpiozero_opens_the_same_pins_with_the_same_pulls(name: str) -> None:
    board = load_board(name)
    factory = MockFactory(pin_class=MockPWMPin)
    motor = MotorOutputs(board.motor, factory)
    inputs = Inputs(board, factory, lambda: 0.0, lambda event: None, lambda: None)
    try:
        opened = {pin.info.name: pin for pin in factory.pins.values()}
        roles = {role: pin for role, pin in board.pins().items() if role not in ("beeper", "light")}
        assert set(opened) == {f"GPIO{pin}" for pin in roles.values()}
        for role, number in roles.items():
            pin = opened[f"GPIO{number}"]
            if role.startswith("motor.") or role.endswith(".emitter"):
                assert pin.function == "output"
                continue
            part = getattr(board, role)
            assert pin.function == "input"
            assert pin.pull == PULLS.get(part.pull, "floating")
    finally:
        inputs.close()
        motor.close()


@pytest.mark.parametrize("name", board_names())
def test_every_wire_leads_somewhere_and_every_part_is_in_the_catalogue(name: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    netlist = Netlist(board.wiring, board.computer)
    assert netlist.problems == []
    assert all(len(net) > 1 for net in netlist.nets())
