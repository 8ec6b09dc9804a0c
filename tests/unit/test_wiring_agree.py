"""Every pin of every board, walked: header, wire, drawing, firmware table, gpiozero device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from cannon.core.commands import Light, Sound
from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID
from cannon.devices.gpio import GpioLauncher
from cannon.firmware import board_pins
from cannon.settings.signals import load_signals
from hardware import Board, Sensor, Switch, board_names, load_board
from hardware.drawings.pinout import pin_facts, pin_uses
from hardware.header import load_header
from hardware.netlist import Netlist

EVERY_PIN = [(name, role) for name in board_names() for role in load_board(name).pins()]
PULLS = {"up": "up", "down": "down", "none": "floating"}
LEVELS = {
    "button": BUTTON,
    "lid": LID,
    "exit_sensor": EXIT,
    "hopper_sensor": HOPPER,
    "low_battery": BATTERY,
}
"""The name of an input's level, by the role of its pin."""


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


class Opened(NamedTuple):
    """What gpiozero has opened for a board, by the number of the pin, and the launcher."""

    pins: dict[int, MockPWMPin]
    launcher: GpioLauncher


@pytest.fixture(scope="module")
def gpiozero_pins() -> Iterator[Callable[[str], Opened]]:
    """The launcher of a board on mock pins: every device that the program opens."""
    made: dict[str, Opened] = {}

    def opened(name: str) -> Opened:
        if name not in made:
            factory = MockFactory(pin_class=MockPWMPin)
            board = load_board(name)
            launcher = GpioLauncher(
                board, factory, load_signals(), lambda: 0.0, lambda event: None, lambda for_s: None
            )
            pins = {int(pin.info.name.removeprefix("GPIO")): pin for pin in factory.pins.values()}
            made[name] = Opened(pins, launcher)
        return made[name]

    yield opened
    for each in made.values():
        each.launcher.close()


@pytest.mark.parametrize(("name", "role"), EVERY_PIN)
def test_header_wires_drawing_firmware_and_gpiozero_agree(
    name: str, role: str, gpiozero_pins: Callable[[str], Opened]
) -> None:
    """One walk over every pin of every board, beeper and lights included."""
    board = load_board(name)
    number = board.pins()[role]
    header_and_wire(board, role, number)
    if board.computer == "pico":
        firmware(board, role, number)
    else:
        gpiozero(board, role, number, gpiozero_pins(name))


def header_and_wire(board: Board, role: str, number: int) -> None:
    assert board.wiring is not None
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
    assert pin_facts(board)[pin.at].role == role


def firmware(board: Board, role: str, number: int) -> None:
    """The table that goes onto the Pico has the pin in the same role, level and pull."""
    assert firmware_pins(board)[role] == number
    part = getattr(board, role, None)
    if isinstance(part, (Switch, Sensor)):
        given = next(pin for pin in board_pins(board).inputs if pin and pin[0] == number)
        pull = {True: 1, False: -1, None: 0}[part.pull_up]
        assert given == (number, int(part.active_high), pull)
    elif role == "beeper":
        assert board.beeper is not None
        passive = int(board.beeper.kind == "passive")
        assert board_pins(board).beeper == (number, passive)


def gpiozero(board: Board, role: str, number: int, opened: Opened) -> None:
    """The device on the pin is of the right kind, and drives or reads the right level."""
    pin, launcher = opened.pins[number], opened.launcher
    part = getattr(board, role, None)
    if isinstance(part, (Switch, Sensor)):
        assert pin.function == "input"
        assert pin.pull == PULLS.get(part.pull, "floating")
        for level in (False, True):
            pin.drive_high() if level else pin.drive_low()
            assert getattr(launcher.levels(), LEVELS[role]) == (level == part.active_high)
        return
    assert pin.function == "output"
    assert pin.state == (1 if role.endswith(".emitter") else 0), "off, but for the sensor's light"
    if role == "beeper":
        launcher.do(Sound("beep"))
        assert pin.state > 0
    elif role == "light":
        launcher.do(Light("on"))
        assert pin.state == 1


@pytest.mark.parametrize("name", board_names())
def test_nothing_else_is_opened_or_flashed(
    name: str, gpiozero_pins: Callable[[str], Opened]
) -> None:
    board = load_board(name)
    if board.computer == "pico":
        given = {role: pin for role, pin in firmware_pins(board).items() if pin is not None}
        assert given == board.pins()
    else:
        assert set(gpiozero_pins(name).pins) == set(board.pins().values())


@pytest.mark.parametrize("name", board_names())
def test_every_wire_leads_somewhere_and_every_part_is_in_the_catalogue(name: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    netlist = Netlist(board.wiring, board.computer)
    assert netlist.problems == []
    assert all(len(net) > 1 for net in netlist.nets())
