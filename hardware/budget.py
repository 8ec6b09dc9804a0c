"""A build's current budget: what draws how much, from where, and what may be drawn.

Amperes, worst case, from the catalogue and the wiring by Ohm's law. The motor of a toy that is not
measured has no figure here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hardware.board import Board
from hardware.checks.signals import led_current, light_feed
from hardware.netlist import Netlist
from hardware.supply import MotorSupply, series_path, supply_net


class Draw(NamedTuple):
    """One consumer: its name, what feeds it, what it draws and what is allowed, in amperes."""

    what: str
    source: str
    amps: float | None
    most: float | None


def current_budget(board: Board) -> list[Draw]:
    """Every consumer of a build without faults, the large ones first."""
    assert board.wiring is not None
    netlist = Netlist(board.wiring, board.computer)
    draws = [*_motor(board, netlist), *_computer(netlist), *_lights(board, netlist)]
    draws += _buzzers(netlist)
    return draws


def _motor(board: Board, netlist: Netlist) -> Iterator[Draw]:
    supply = MotorSupply(netlist, board.measured)
    part = netlist.parts[supply.motor]
    hold = supply.fuse.hold_a if supply.fuse else None
    name = f"{supply.motor} ({part.short})"
    yield Draw(f"{name}, running free", supply.source, supply.motor_free_a, hold)
    ohms = supply.motor_ohms
    stalls = [] if ohms is None else [supply.stall_a(state, ohms) for state in supply.states]
    held = max(stalls, default=None)
    yield Draw(f"{name}, held fast", supply.source, held, supply.driver_part.most_a)


def _computer(netlist: Netlist) -> Iterator[Draw]:
    part = netlist.parts[netlist.computer]
    yield Draw(f"{netlist.computer} ({part.short})", _feed(netlist), part.load_a, None)


def _feed(netlist: Netlist) -> str:
    """The supply that feeds the computer, by reference, or the USB cable from another computer."""
    inlets = [netlist.named(name) for name in ("5V", "VSYS")]
    for ref in netlist.of_kind("supply"):
        start = supply_net(netlist, ref)
        if any(series_path(netlist, start, inlet) is not None for inlet in inlets):
            return ref
    return "USB"


def _lights(board: Board, netlist: Netlist) -> Iterator[Draw]:
    pins = {netlist.pin(pin): pin for pin in board.pins().values()}
    for ref in netlist.of_kind("light-sensor", "led"):
        feed = light_feed(netlist, ref)
        number = pins.get(feed)
        source = "3V3" if number is None else f"{netlist.header.prefix}{number}"
        most = None if number is None else netlist.header.pin_most_a
        yield Draw(f"{ref} ({netlist.parts[ref].short})", source, led_current(netlist, feed), most)


def _buzzers(netlist: Netlist) -> Iterator[Draw]:
    for ref in netlist.of_kind("buzzer"):
        part = netlist.parts[ref]
        transistor = next(iter(netlist.of_kind("npn")), "")
        most = netlist.parts[transistor].most_a if transistor else netlist.header.pin_most_a
        yield Draw(f"{ref} ({part.short})", "5V", part.needs_a, most)
