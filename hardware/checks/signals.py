"""Checks of what comes into the computer's pins, and of what they have to drive."""

from __future__ import annotations

from collections.abc import Iterator

from hardware.board import Board, Sensor
from hardware.netlist import Net, Netlist
from hardware.reading import Problem
from hardware.supply import highest_volts

PIN_MOST_V = 3.6
"""More than this on a pin damages a Pi and a Pico alike: both work at 3.3 V."""
OWN_PULL_OHMS = 50_000.0
"""A computer's own pull resistor, on the strong side."""
PIN_HIGH_V = 3.3
SERIES_MOST_OHMS = 2200.0
"""Resistors up to this carry a signal; larger ones pull."""


def no_high_voltage(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """No pull-up and no wire may lift a pin above 3.3 V."""
    volts = highest_volts(netlist)
    for role, pin in board.pins().items():
        net = netlist.pin(pin)
        beyond = [other for _, other in netlist.other_ends(net, "resistor")]
        for near in [net, *beyond]:
            pulls = [end for _, end in netlist.other_ends(near, "resistor")]
            most = max((volts.get(end, 0.0) for end in [near, *pulls]), default=0.0)
            if most > PIN_MOST_V:
                what = f"{role} can get {most:g} V on {netlist.header.prefix}{pin}, made for 3.3 V"
                fix = "pull up to the 3V3 strip, or halve the signal with two resistors of 10 kΩ"
                yield Problem(f"{role.partition('.')[0]}: pin", what, fix)
                break


def external_pull_exists(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Where the computer's own pull is off, a resistor must be there."""
    rails = {"external-up": "3V3", "external-down": "GND"}
    for name, switch in (("button", board.button), ("lid", board.lid)):
        rail = rails.get(switch.pull)
        if rail is not None and not _pulled(netlist, netlist.pin(switch.pin), rail):
            what = f'pull = "{switch.pull}", but no resistor leads from its wire to {rail}'
            own = switch.pull.removeprefix("external-")
            yield Problem(f"{name}: pull", what, f'add 10 kΩ to {rail}, or write pull = "{own}"')


def sensor_pull_exists(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A phototransistor or open drain only pulls down: something must pull up."""
    for name, sensor in _sensors(board):
        if sensor.pull != "up" and not _pulled(netlist, netlist.pin(sensor.pin), "3V3"):
            what = f'pull = "{sensor.pull}", but its output can only pull down and never rises'
            yield Problem(f"{name}: pull", what, 'write pull = "up" or add 10 kΩ to the 3V3 strip')


def switch_returns(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A switch must join its pin to the rail opposite to the pull."""
    for name, switch in (("button", board.button), ("lid", board.lid)):
        rail = "GND" if switch.pull.endswith("up") else "3V3"
        nets = _signal_nets(netlist, netlist.pin(switch.pin))
        refs = {
            end.ref
            for net in nets
            for end in net
            if netlist.parts[end.ref].kind in ("button", "lever-switch")
        }
        if refs and not any(netlist.named(rail) in netlist.legs(ref) for ref in refs):
            what = f"its switch does not lead to {rail}, the pin never changes"
            yield Problem(f"wiring: {name}", what, f"join the switch's other end to {rail}")


def input_is_filtered(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """The long wires of button and lid catch the motor's sparks: 1 kΩ and 100 nF at the pin."""
    ground = netlist.named("GND")
    for name, switch in (("button", board.button), ("lid", board.lid)):
        net = netlist.pin(switch.pin)
        series = [
            ref
            for ref, other in netlist.other_ends(net, "resistor")
            if (netlist.parts[ref].ohms or 0.0) <= SERIES_MOST_OHMS and other != ground
        ]
        if not series or not netlist.between(net, ground, "capacitor"):
            what = "its long wire has no filter, so motor noise can look like a press"
            yield Problem(
                f"wiring: {name}", what, "add 1 kΩ in the wire and 100 nF from pin to GND"
            )


def light_is_limited(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """An LED on a pin needs a resistor that keeps the pin within its current."""
    most = netlist.header.pin_most_a
    for role, pin in board.pins().items():
        if not (role == "light" or role.endswith(".emitter")):
            continue
        amps = led_current(netlist, netlist.pin(pin))
        if amps is None or amps > most:
            drawn = "no resistor limits its current" if amps is None else f"it draws {amps:.3f} A"
            what = f"{drawn}; one pin supplies at most {most:g} A"
            yield Problem(f"{role.partition('.')[0]}: pin", what, "put 330 Ω between pin and LED")


def light_is_enough(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """The light that arrives must pull the output below the pull-ups, by data sheet minimum."""
    for name, sensor in _sensors(board):
        nets = _signal_nets(netlist, netlist.pin(sensor.pin))
        for ref in netlist.of_kind("light-sensor"):
            part = netlist.parts[ref]
            if netlist.net(ref, "C") not in nets or part.gain is None:
                continue
            amps = led_current(netlist, light_feed(netlist, ref))
            if amps is None:
                what = f"no resistor limits the light of {ref}"
                yield Problem(f"wiring: {name}: {ref}", what, "put 330 Ω into the wire to its A")
            elif amps * part.gain < _pull_a(netlist, nets, sensor):
                what = (
                    f"{ref} can sink {amps * part.gain * 1e3:.2f} mA, its pull-ups supply "
                    f"{_pull_a(netlist, nets, sensor) * 1e3:.2f} mA"
                )
                yield Problem(f"wiring: {name}", what, "use a weaker pull-up: 47 kΩ to 3V3")


def beeper_kind(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Tones need a bare piezo; a buzzer with its own tone only goes on and off."""
    if board.beeper is None:
        return
    wanted = {"passive": "piezo", "active": "buzzer"}[board.beeper.kind]
    other = {"piezo": "buzzer", "buzzer": "piezo"}[wanted]
    if netlist.of_kind(other) and not netlist.of_kind(wanted):
        kind = {"piezo": "passive", "buzzer": "active"}[other]
        what = f'kind = "{board.beeper.kind}", but the wiring has a {other}'
        yield Problem("beeper: kind", what, f'write kind = "{kind}", or change the part')


def buzzer_is_driven(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A buzzer draws more than a pin gives: it needs a transistor."""
    if board.beeper is None:
        return
    net = netlist.pin(board.beeper.pin)
    for ref in netlist.of_kind("buzzer"):
        needs = netlist.parts[ref].needs_a or 0.0
        on_pin = any(leg in _signal_nets(netlist, net) for leg in netlist.legs(ref))
        if on_pin and needs > netlist.header.pin_most_a:
            what = (
                f"{ref} draws {needs:g} A, one pin supplies at most {netlist.header.pin_most_a:g} A"
            )
            yield Problem("wiring: beeper", what, "drive it through an npn with 1 kΩ at its base")


def _sensors(board: Board) -> list[tuple[str, Sensor]]:
    found = [
        ("exit_sensor", board.exit_sensor),
        ("hopper_sensor", board.hopper_sensor),
        ("low_battery", board.low_battery),
    ]
    return [(name, sensor) for name, sensor in found if sensor is not None]


def _signal_nets(netlist: Netlist, net: Net) -> list[Net]:
    """The net of a pin, and those behind a small series resistor."""
    behind = [
        other
        for ref, other in netlist.other_ends(net, "resistor")
        if (netlist.parts[ref].ohms or 0.0) <= SERIES_MOST_OHMS
    ]
    return [net, *behind]


def _pulled(netlist: Netlist, net: Net, rail: str) -> bool:
    goal = netlist.named(rail)
    return any(netlist.between(near, goal, "resistor") for near in _signal_nets(netlist, net))


def led_current(netlist: Netlist, net: Net) -> float | None:
    """What flows from 3.3 V on `net` through a resistor into an LED; None without a resistor."""
    for ref, behind in netlist.other_ends(net, "resistor"):
        for end in behind:
            part = netlist.parts[end.ref]
            if end.name == "A" and part.kind in ("led", "light-sensor"):
                return (PIN_HIGH_V - (part.drop_v or 0.0)) / (netlist.parts[ref].ohms or 1.0)
    return None


def light_feed(netlist: Netlist, ref: str) -> Net:
    """The net from which a light sensor's LED is fed, behind its resistor."""
    anode = netlist.net(ref, "A")
    return next((other for _, other in netlist.other_ends(anode, "resistor")), anode)


def _pull_a(netlist: Netlist, nets: list[Net], sensor: Sensor) -> float:
    """The current that all pull-ups of a sensor's output supply when it is low."""
    high = netlist.named("3V3")
    resistors = [ref for net in nets for ref in netlist.between(net, high, "resistor")]
    amps = sum(PIN_HIGH_V / (netlist.parts[ref].ohms or 1.0) for ref in resistors)
    return amps + (PIN_HIGH_V / OWN_PULL_OHMS if sensor.pull == "up" else 0.0)


CHECKS = (
    no_high_voltage,
    external_pull_exists,
    sensor_pull_exists,
    switch_returns,
    input_is_filtered,
    light_is_limited,
    light_is_enough,
    beeper_kind,
    buzzer_is_driven,
)
