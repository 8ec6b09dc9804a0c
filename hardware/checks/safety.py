"""Checks of the motor's side: what stops it without a program, and what the driver can bear."""

from __future__ import annotations

from collections.abc import Iterator

from hardware.board import Board
from hardware.netlist import Netlist
from hardware.reading import Problem
from hardware.supply import MotorSupply, series_path, supply_net

PULL_DOWN_MOST_OHMS = 47_000.0
"""A weaker resistor does not hold an input low against leakage and noise."""
FEEDING = 2.0
"""Times the free current is what a motor draws while it feeds cards: an estimate."""
BULK_LEAST_F = 100e-6
"""A start takes its first milliseconds of current from this capacitor."""


def motor_is_supplied(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A driver, a motor and a way from a supply to them."""
    if not MotorSupply(netlist, board.measured).complete:
        what = "no supply leads to the motor"
        yield Problem("wiring: supply", what, "wire supply, fuse, lid switch and driver in a row")


def lid_cuts_motor(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """An opened lid must part the motor from its supply by itself."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete:
        return
    levers = frozenset(netlist.of_kind("lever-switch"))
    start = supply_net(netlist, supply.source)
    if series_path(netlist, start, supply.rail, without=levers) is not None:
        what = "the motor's supply does not pass a lid switch: opening the lid cannot stop it alone"
        yield Problem("wiring: supply", what, "put a lever switch (C, NO) into the red wire to VM")


def fuse_in_motor_supply(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A held motor must not heat driver, wires and cells for ever."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete:
        return
    fuses = [ref for ref in supply.path if netlist.parts[ref].kind == "fuse"]
    if not fuses:
        what = "there is no fuse between the supply and the motor driver"
        fix = "put a resettable fuse into the red wire: ptc-0a25 with three cells, ptc-0a4 with 5 V"
        yield Problem("wiring: supply", what, fix)
    most = supply.driver_part.most_a
    for ref in fuses:
        trip = netlist.parts[ref].trip_a or 0.0
        if most is not None and trip > most:
            what = f"{ref} trips at {trip:g} A, above the driver's {most:g} A"
            yield Problem(f"wiring: supply: {ref}", what, "use a smaller fuse or a stronger driver")


def fuse_lets_motor_run(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Feeding takes about twice the free current; a fuse that trips in play gets bridged."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete or supply.motor_free_a is None:
        return
    wanted = FEEDING * supply.motor_free_a
    for ref in supply.path:
        hold = netlist.parts[ref].hold_a
        if hold is not None and wanted > hold:
            what = (
                f"the motor draws {supply.motor_free_a:g} A running free and about {wanted:.2g} A "
                f"with cards, {ref} may trip from {hold:g} A on"
            )
            fix = "use a larger fuse (ptc-0a4, ptc-1a1) that still trips below the driver's limit"
            yield Problem(f"wiring: supply: {ref}", what, fix)


def switches_carry_motor(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Whatever lies in the motor's supply must bear what the fuse lets pass."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete:
        return
    trips = [netlist.parts[ref].trip_a or 0.0 for ref in supply.path]
    limit = max(trips, default=0.0)
    for ref in supply.path:
        most = netlist.parts[ref].most_a
        if most is not None and most < limit:
            what = f"{ref} is made for {most:g} A, but the fuse lets {limit:g} A pass"
            yield Problem(f"wiring: supply: {ref}", what, "use a stronger part")


def driver_bears_supply(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """The supply, from fresh to nearly empty, must stay within the driver's range."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete:
        return
    name, part = netlist.names[supply.driver], supply.driver_part
    for state in supply.states:
        volts = state.volts - supply.drop_v()
        if part.needs_v is not None and volts < part.needs_v:
            what = f"{name} needs {part.needs_v:g} V, {state.name} give {volts:.2f} V"
            yield Problem(
                "motor: part", what, "use a driver for less (drv8833: 2.7 V) or more cells"
            )
        if part.most_v is not None and state.volts > part.most_v:
            what = f"{name} bears {part.most_v:g} V, {state.name} give {state.volts:.2f} V"
            yield Problem("motor: part", what, "use a driver for more, or a supply of fewer volts")


def driver_bears_stall(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """The current of a held motor must stay within the driver's rating."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete or supply.motor_ohms is None:
        return
    most = supply.driver_part.most_a
    stalls = [supply.stall_a(state, supply.motor_ohms) for state in supply.states]
    stall = max(stalls, default=0.0)
    if most is not None and stall > most:
        what = (
            f"the held motor draws {stall:.1f} A, {netlist.names[supply.driver]} bears {most:g} A"
        )
        yield Problem("motor: part", what, "use a stronger driver, or a motor that draws less")


def motor_off_without_program(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A resistor must hold the driver off while the computer boots or is dead."""
    ground = netlist.named("GND")
    for ref in netlist.of_kind("driver"):
        inputs = netlist.parts[ref].inputs
        steered = "enable" in inputs and board.motor.enable is not None
        for role in ("enable",) if steered else ("forward", "backward"):
            if role not in inputs:
                continue
            net = netlist.net(ref, inputs[role])
            held = [
                resistor
                for resistor in netlist.between(net, ground, "resistor")
                if (netlist.parts[resistor].ohms or 0.0) <= PULL_DOWN_MOST_OHMS
            ]
            if not held:
                what = f"no resistor holds {ref}.{inputs[role]} low while nobody steers it"
                fix = f"put 10 kΩ between {ref}.{inputs[role]} and GND"
                yield Problem(f"motor: {role}", what, fix)


def flyback(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A motor switched off kicks back; a single transistor needs a diode for that."""
    for ref in netlist.of_kind("driver"):
        part = netlist.parts[ref]
        if part.clamped or "forward" not in part.outputs:
            continue
        drain = netlist.net(ref, part.outputs["forward"])
        rail = MotorSupply(netlist, board.measured).rail
        right = [
            diode
            for diode in netlist.between(drain, rail, "diode")
            if netlist.net(diode, "K") == rail
        ]
        if not right:
            what = "no diode takes the motor's kick when the transistor switches off"
            fix = "put a schottky-3a across the motor, its ring (K) at the motor's +"
            yield Problem("wiring: motor", what, fix)


def bulk_capacitor(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """The first current of a start must be at hand beside the driver."""
    supply = MotorSupply(netlist, board.measured)
    if not supply.complete:
        return
    ground = netlist.named("GND")
    found = netlist.between(supply.rail, ground, "capacitor")
    if not any((netlist.parts[ref].farads or 0.0) >= BULK_LEAST_F for ref in found):
        what = "there is no large capacitor at the driver's supply"
        yield Problem("wiring: supply", what, "put 470 µF (cap-470u) between VM and GND")


def capacitors_fit(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """An electrolytic capacitor the wrong way round bursts, and so does one for too few volts."""
    supply = MotorSupply(netlist, board.measured)
    ground = netlist.named("GND")
    volts = max((state.volts for state in supply.states), default=0.0) if supply.complete else 0.0
    for ref in netlist.of_kind("capacitor"):
        part = netlist.parts[ref]
        if part.terminals[0] == "+" and netlist.net(ref, "+") == ground:
            what = f"the + of {ref} is at GND"
            yield Problem(
                f"wiring: {netlist.section_of[ref]}: {ref}",
                what,
                "turn it round: the marked side is minus, at GND",
            )
        if part.most_v is not None and part.most_v < 1.5 * volts:
            what = f"{ref} is made for {part.most_v:g} V, the supply reaches {volts:g} V"
            yield Problem(
                f"wiring: {netlist.section_of[ref]}: {ref}",
                what,
                "use one for at least half as much again",
            )


def supply_holds_computer(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A computer fed from the motor's supply must survive a held motor in every state of it."""
    supply = MotorSupply(netlist, board.measured)
    computer = netlist.computer
    part = netlist.parts.get(computer)
    motor = supply.motor_ohms if supply.complete else None
    if part is None or motor is None:
        return
    start = supply_net(netlist, supply.source)
    for name in ("5V", "VSYS", "VBUS"):
        way = series_path(netlist, start, netlist.named(name))
        if way is None:
            continue
        drop = sum(netlist.parts[ref].drop_v or 0.0 for ref in way)
        for state in supply.states:
            current = supply.stall_a(state, motor) + (part.load_a or 0.0)
            left = state.volts - drop - state.ohms * current
            if part.needs_v is not None and left < part.needs_v:
                what = (
                    f"a held motor leaves {left:.2f} V for the computer, which needs "
                    f"{part.needs_v:g} V ({netlist.parts[supply.source].title}, {state.name})"
                )
                yield Problem("wiring: supply", what, "give the motor a supply of its own")
                return


CHECKS = (
    motor_is_supplied,
    lid_cuts_motor,
    fuse_in_motor_supply,
    fuse_lets_motor_run,
    switches_carry_motor,
    driver_bears_supply,
    driver_bears_stall,
    motor_off_without_program,
    flyback,
    bulk_capacitor,
    capacitors_fit,
    supply_holds_computer,
)
