"""The motor's supply as its wires make it: the way of the current, and how much of it flows.

Direct current only, by Ohm's law; the simulation in `hardware/power` shows how it starts.
All figures in volts, amperes and ohms.
"""

from __future__ import annotations

from collections.abc import Iterator

from hardware.netlist import Net, Netlist
from hardware.parts import Measured, Part, SupplyState, catalogue

SERIES_KINDS = ("fuse", "power-switch", "lever-switch", "diode")
"""Two-legged parts that pass current on: switches as they are with the lid shut and power on."""


class MotorSupply:
    """Everything in the loop from the supply through the motor. Ask `complete` first."""

    def __init__(self, netlist: Netlist, measured: Measured) -> None:
        self.netlist = netlist
        self.driver = next(iter(netlist.of_kind("driver")), "")
        self.motor = next(iter(netlist.of_kind("motor")), "")
        self.source = ""
        self.path: list[str] = []
        self.measured = measured
        if self.driver and self.motor:
            self._find_source()

    @property
    def complete(self) -> bool:
        """Whether driver, motor and a supply that reaches them were found."""
        return bool(self.source)

    @property
    def rail(self) -> Net:
        """The net that feeds the driver, or the motor where the driver is one transistor."""
        driver = self.driver_part
        if driver.power:
            return self.netlist.net(self.driver, driver.power)
        return self.netlist.net(self.motor, "+")

    @property
    def driver_part(self) -> Part:
        """The driver's entry in the catalogue."""
        return self.netlist.parts[self.driver]

    @property
    def motor_ohms(self) -> float | None:
        """The motor's winding: measured, else of the catalogue; None while unknown."""
        return self.measured.motor_ohms or self.netlist.parts[self.motor].ohms

    @property
    def motor_free_a(self) -> float | None:
        """Its current running free: measured, else of the catalogue; None while unknown."""
        return self.measured.motor_free_a or self.netlist.parts[self.motor].free_a

    @property
    def fuse(self) -> Part | None:
        """The fuse in the motor's supply."""
        parts = (self.netlist.parts[ref] for ref in self.path)
        return next((part for part in parts if part.kind == "fuse"), None)

    @property
    def states(self) -> tuple[SupplyState, ...]:
        """The conditions the supply may be in, best first."""
        return self.netlist.parts[self.source].states

    def drop_v(self) -> float:
        """What diodes on the way take."""
        return sum(self.netlist.parts[ref].drop_v or 0.0 for ref in self.path)

    def path_ohms(self) -> float:
        """The least resistance of fuse and driver together."""
        on_the_way = [self.netlist.parts[ref] for ref in (*self.path, self.driver)]
        return sum(part.least_ohms or part.ohms or 0.0 for part in on_the_way)

    def stall_a(self, state: SupplyState, motor_ohms: float) -> float:
        """The most current that may flow with the motor held fast."""
        return (state.volts - self.drop_v()) / (state.ohms + self.path_ohms() + motor_ohms)

    def _find_source(self) -> None:
        for ref in self.netlist.of_kind("supply"):
            path = series_path(self.netlist, supply_net(self.netlist, ref), self.rail)
            if path is not None:
                self.source, self.path = ref, path
                return


def stand_in_ohms(netlist: Netlist, motor: str) -> float | None:
    """The winding of the part that stands in for an unmeasured motor, in simulations only."""
    name = netlist.parts[motor].stand_in
    return catalogue()[name].ohms if name else None


def supply_net(netlist: Netlist, ref: str) -> Net:
    """The net of a supply's positive end, its first terminal."""
    return netlist.net(ref, netlist.parts[ref].terminals[0])


def series_path(
    netlist: Netlist, start: Net, goal: Net, without: frozenset[str] = frozenset()
) -> list[str] | None:
    """The parts that current passes from `start` to `goal`, or None where it cannot."""
    seen = {start}
    ways: list[tuple[Net, list[str]]] = [(start, [])]
    while ways:
        net, passed = ways.pop(0)
        if net == goal:
            return passed
        for ref, onward in _onward(netlist, net):
            if ref not in without and onward not in seen:
                seen.add(onward)
                ways.append((onward, [*passed, ref]))
    return None


def _onward(netlist: Netlist, net: Net) -> Iterator[tuple[str, Net]]:
    for ref in netlist.of_kind(*SERIES_KINDS):
        if netlist.parts[ref].kind == "lever-switch":
            ends = [netlist.net(ref, "C"), netlist.net(ref, "NO")]
        else:
            ends = netlist.legs(ref)
        if net == ends[0]:
            yield ref, ends[1]
        elif net == ends[1] and netlist.parts[ref].kind != "diode":
            yield ref, ends[0]


def highest_volts(netlist: Netlist) -> dict[Net, float]:
    """The most that supplies and the computer's own power pins can put on each net."""
    volts = {netlist.named("3V3"): 3.3, netlist.named("5V"): 5.25, netlist.named("VBUS"): 5.25}
    for ref in netlist.of_kind("supply"):
        start = supply_net(netlist, ref)
        most = max((state.volts for state in netlist.parts[ref].states), default=0.0)
        for net in netlist.nets():
            if series_path(netlist, start, net) is not None:
                volts[net] = max(volts.get(net, 0.0), most)
    return volts
