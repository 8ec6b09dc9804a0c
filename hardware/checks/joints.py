"""Checks that the wires lead where the pins say, and that nothing is shorted or left floating."""

from __future__ import annotations

from collections.abc import Iterator

from hardware.board import Board
from hardware.netlist import Net, Netlist, Terminal
from hardware.reading import Problem

WANTED = {
    "button": ("button",),
    "lid": ("lever-switch", "button"),
    "exit_sensor": ("light-sensor",),
    "exit_sensor.emitter": ("light-sensor",),
    "hopper_sensor": ("light-sensor",),
    "hopper_sensor.emitter": ("light-sensor",),
    "beeper": ("piezo", "buzzer", "npn"),
    "light": ("led",),
    "low_battery": ("detector",),
}
"""The kinds of part that the wire of a role must reach; the motor's are in `motor_inputs`."""


def _reached(netlist: Netlist, net: Net) -> set[Terminal]:
    """Terminals on a net or one resistor away, the way to the rails left out."""
    rails = {netlist.named("GND"), netlist.named("3V3")}
    reached = set(net)
    for _, other in netlist.other_ends(net, "resistor"):
        if other not in rails:
            reached |= other
    return reached


def motor_inputs(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Each of the motor's pins must reach the driver's input of that name."""
    for ref in netlist.of_kind("driver"):
        inputs = netlist.parts[ref].inputs
        if netlist.names[ref] != board.motor.part:
            what = (
                f"{ref} in the wiring is {netlist.names[ref]}, but [motor] names {board.motor.part}"
            )
            yield Problem("motor: part", what, "name the same part in both places")
            return
        for role in ("forward", "backward", "enable"):
            pin = getattr(board.motor, role)
            if pin is None:
                if role == "enable" and role in inputs and len(netlist.net(ref, inputs[role])) == 1:
                    what = f"nothing is wired to {ref}.{inputs[role]}, the driver sleeps for ever"
                    yield Problem("motor: enable", what, "name a pin and run a wire to it")
                continue
            if role not in inputs:
                what = f"{ref} ({netlist.names[ref]}) has no input for {role}"
                yield Problem(f"motor: {role}", what, "take the line away or use another driver")
            elif Terminal(ref, inputs[role]) not in _reached(netlist, netlist.pin(pin)):
                what = f"no wire leads from {_pin(netlist, pin)} to {ref}.{inputs[role]}"
                yield Problem(f"motor: {role}", what, "correct the pin, or the wire in [wiring]")


def roles_reach_their_parts(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """The wire of every other pin must reach a part that can be meant."""
    for role, pin in board.pins().items():
        kinds = WANTED.get(role)
        if kinds is None:
            continue
        reached = {netlist.parts[end.ref].kind for end in _reached(netlist, netlist.pin(pin))}
        if not reached.intersection(kinds):
            what = f"no wire leads from {_pin(netlist, pin)} to a {' or '.join(kinds)}"
            table, _, field = role.partition(".")
            yield Problem(
                f"{table}: {field or 'pin'}", what, "correct the pin, or the wire in [wiring]"
            )


def no_stray_pin(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """A wired pin that no table names is a mistake in one of the two places."""
    used = {_pin(netlist, pin) for pin in board.pins().values()}
    for net in netlist.nets():
        for end in net:
            stray = end.ref == netlist.computer and end.name.startswith(netlist.header.prefix)
            if stray and end.name not in used:
                what = f"{end.name} is wired, but no table of the board uses it"
                yield Problem("wiring", what, "take the wire away or name the pin")


def no_two_pins_joined(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Two pins on one wire would drive against each other."""
    for net in netlist.nets():
        names = sorted(end.name for end in net if _is_pin(netlist, end))
        if len(names) > 1:
            what = f"{' and '.join(names)} are joined by the wires"
            yield Problem("wiring", what, "each pin has a wire of its own")


def no_short(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Power and ground pins must not be joined with each other, nor with a signal."""
    power = {"GND", "3V3", "5V", "VSYS", "VBUS"}
    for net in netlist.nets():
        names = {end.name for end in net if end.ref == netlist.computer}
        for ref in netlist.of_kind("supply"):
            if "-" in netlist.parts[ref].terminals:
                names |= {f"{ref}.{end.name}" for end in net if end.ref == ref and end.name != "-"}
                names |= {"GND" for end in net if end == Terminal(ref, "-")}
        names.discard("POWER")
        names.discard("USB")
        if len(names) > 1 and names & power:
            what = f"{', '.join(sorted(names))} are joined: a short circuit"
            yield Problem("wiring", what, "part the wires")


def common_ground(board: Board, netlist: Netlist) -> Iterator[Problem]:
    """Computer, driver and supply must share their ground, or no signal means anything."""
    ground = netlist.named("GND")
    wanted = [(ref, "GND") for ref in netlist.of_kind("driver", "detector")]
    wanted += [(ref, "S") for ref in netlist.of_kind("driver")]
    wanted += [(ref, "-") for ref in netlist.of_kind("supply")]
    for ref, name in wanted:
        if name in netlist.parts[ref].terminals and Terminal(ref, name) not in ground:
            what = f"{ref}.{name} is not joined with the computer's ground"
            yield Problem("wiring", what, f"run a black wire from {ref}.{name} to the GND strip")


def _is_pin(netlist: Netlist, end: Terminal) -> bool:
    return end.ref == netlist.computer and end.name.startswith(netlist.header.prefix)


def _pin(netlist: Netlist, number: int) -> str:
    return f"{netlist.header.prefix}{number}"


CHECKS = (
    motor_inputs,
    roles_reach_their_parts,
    no_stray_pin,
    no_two_pins_joined,
    no_short,
    common_ground,
)
