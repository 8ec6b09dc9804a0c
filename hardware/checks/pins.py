"""Checks of a board's pins, polarity and times. They need no wiring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from hardware.board import Board, Sensor, Switch
from hardware.header import load_header
from hardware.reading import Problem


def _place(role: str) -> str:
    """Where the file says it: role "motor.forward" is "motor: forward", "lid" is "lid: pin"."""
    table, _, field = role.partition(".")
    return f"{table}: {field or 'pin'}"


def _named(board: Board, pin: int) -> str:
    return f"{load_header(board.computer).prefix}{pin}"


def _switches(board: Board) -> dict[str, Switch]:
    return {"button": board.button, "lid": board.lid}


def _sensors(board: Board) -> dict[str, Sensor]:
    sensors = {
        "exit_sensor": board.exit_sensor,
        "hopper_sensor": board.hopper_sensor,
        "low_battery": board.low_battery,
    }
    return {name: sensor for name, sensor in sensors.items() if sensor is not None}


def pin_used_twice(board: Board) -> Iterator[Problem]:
    """One pin cannot serve two roles."""
    users = defaultdict(list)
    for role, pin in board.pins().items():
        users[pin].append(role)
    for pin, roles in users.items():
        if len(roles) > 1:
            what = f"{_named(board, pin)} is used by {' and by '.join(roles)}"
            yield Problem(_place(roles[-1]), what, "give each its own pin")


def pin_on_header(board: Board) -> Iterator[Problem]:
    """A pin must be brought out where a wire can reach it."""
    header = load_header(board.computer)
    free = [pin.name for pin in header.pins if pin.boot and pin.name not in _used_names(board)]
    for role, pin in board.pins().items():
        if header.gpio(pin) is None:
            what = f"{_named(board, pin)} is not on the header of the {header.title}"
            yield Problem(_place(role), what, f"free ones are {', '.join(free[:8])} and more")


def _used_names(board: Board) -> set[str]:
    return {_named(board, pin) for pin in board.pins().values()}


def motor_low_at_boot(board: Board) -> Iterator[Problem]:
    """While the computer boots, its pull resistors alone hold the motor's pins."""
    header = load_header(board.computer)
    for role, number in board.pins().items():
        pin = header.gpio(number)
        if role.startswith("motor.") and pin is not None and pin.boot == "high":
            what = f"{pin.name} is high while the computer boots, so the motor could run"
            safe = "9 to 13 or 16 to 27" if board.computer == "pi" else "of the Pico"
            yield Problem(_place(role), what, f"use a pin that boots low: {header.prefix} {safe}")


def motor_active_high(board: Board) -> Iterator[Problem]:
    """Claiming an output pulls it low for a moment: an active-low motor would start."""
    if board.motor.active == "low":
        what = "a driver that runs while its pin is low would start whenever the program starts"
        fix = 'use a driver with high inputs (or one transistor more) and active = "high"'
        yield Problem("motor: active", what, fix)


def motor_directions(board: Board) -> Iterator[Problem]:
    """The pins must fit the kind of driver."""
    motor = board.motor
    if motor.driver == "mosfet" and motor.backward is not None:
        fix = 'take the line away, or use an h-bridge and driver = "h-bridge"'
        yield Problem("motor: backward", "one transistor turns the motor one way only", fix)
    if motor.driver == "h-bridge" and motor.backward is None:
        what = "an h-bridge needs a pin for each direction and this one is missing"
        yield Problem("motor: backward", what, "name the pin of the driver's second input")


def retract_needs_reverse(board: Board) -> Iterator[Problem]:
    """A one-direction driver can neither retract nor free a jam by reversing."""
    if board.motor.driver == "h-bridge":
        return
    for field in ("retract_ms", "reverse_ms"):
        asked = getattr(board.feed, field)
        if asked:
            what = f"{asked} ms backwards are asked, but a mosfet turns the motor one way only"
            yield Problem(f"feed: {field}", what, f"write {field} = 0, or use an h-bridge")


def reserved_pins(board: Board) -> Iterator[Problem]:
    """GPIO0 and 1 of a Pi are read at boot, as if an extension board's memory were there."""
    header = load_header(board.computer)
    for role, number in board.pins().items():
        pin = header.gpio(number)
        if pin is not None and pin.bus == "hat":
            what = f"{pin.name} is reserved for the memory of extension boards"
            yield Problem(_place(role), what, "use another pin, such as GPIO5 or GPIO6")


def shared_bus(board: Board) -> Iterator[Problem]:
    """An interface that something else on this computer uses keeps its pins."""
    header = load_header(board.computer)
    for role, number in board.pins().items():
        pin = header.gpio(number)
        if pin is not None and pin.bus in board.buses:
            what = f"{pin.name} is {pin.also}, and `buses` says that {pin.bus} is in use"
            yield Problem(_place(role), what, f"use another pin, or take {pin.bus} from buses")


def switch_polarity(board: Board) -> Iterator[Problem]:
    """The level follows from contact and pull; `active` may only confirm it."""
    for name, switch in _switches(board).items():
        level = "high" if switch.active_high else "low"
        if switch.active not in (None, level):
            event = "pressed" if name == "button" else "open"
            what = (
                f'contact "{switch.contact}" with pull "{switch.pull}" makes the pin {level} '
                f"when {event}, never {switch.active}"
            )
            yield Problem(f"{name}: active", what, f'write active = "{level}" or correct the pull')


def fixed_pull(board: Board) -> Iterator[Problem]:
    """GPIO2 and 3 of a Pi have 1.8 kΩ to 3.3 V on the board; gpiozero refuses another pull."""
    header = load_header(board.computer)
    inputs: dict[str, Switch | Sensor] = {**_switches(board), **_sensors(board)}
    for name, device in inputs.items():
        pin = header.gpio(device.pin)
        if pin is not None and pin.fixed_pull and device.pull != pin.fixed_pull:
            what = (
                f'{pin.name} has a fixed pull-up on the computer, pull "{device.pull}" is refused'
            )
            yield Problem(
                f"{name}: pull", what, f'write pull = "{pin.fixed_pull}" or change the pin'
            )


def feed_times_agree(board: Board) -> Iterator[Problem]:
    """Times that contradict each other would miscount or stop every feed."""
    feed, cap = board.feed, board.motor.max_run_ms
    for smaller, larger in (
        ("min_blocked_ms", "card_ms"),
        ("min_clear_ms", "card_ms"),
        ("card_ms", "double_ms"),
        ("spin_up_ms", "stall_ms"),
        ("card_ms", "stall_ms"),
    ):
        low, high = getattr(feed, smaller), getattr(feed, larger)
        if low >= high:
            what = f"{larger} = {high} must be longer than {smaller} = {low}"
            yield Problem(f"feed: {larger}", what, "measure both with cannon calibrate")
    for field in ("stall_ms", "burst_ms", "reverse_ms", "retract_ms"):
        length = getattr(feed, field)
        if length > cap:
            what = f"{field} = {length} is longer than one run may last, max_run_ms = {cap}"
            yield Problem(f"feed: {field}", what, "shorten it, or raise max_run_ms in [motor]")


def host_of_a_pico(board: Board) -> Iterator[Problem]:
    """Only a Pico hangs on another computer."""
    if board.host is not None and board.computer != "pico":
        what = "a Raspberry Pi decides by itself and has no host"
        yield Problem("host", what, 'take the table away, or write computer = "pico"')


CHECKS = (
    pin_used_twice,
    pin_on_header,
    motor_low_at_boot,
    motor_active_high,
    motor_directions,
    retract_needs_reverse,
    reserved_pins,
    shared_bus,
    switch_polarity,
    fixed_pull,
    feed_times_agree,
    host_of_a_pico,
)
