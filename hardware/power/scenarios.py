"""What happens to the circuit: start, held motor, switching off, opened lid, no program.

Each scenario is a netlist and the figures that ngspice measures in it, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hardware.board import Board
from hardware.parts import SupplyState
from hardware.power.circuit import PIN_V, PowerCircuit

WAKE_S, GO_S = 0.005, 0.010
TRIP_WAIT_S = 120.0
"""A held motor is watched for so long; the program itself stops it after a second or two."""


class Deck(NamedTuple):
    """A whole ngspice input: its text, and the names of what it measures."""

    name: str
    text: str


def _pulse(start: float, end: float) -> str:
    return f"PWL(0 0 {start} 0 {start + 1e-5} {PIN_V} {end} {PIN_V} {end + 1e-5} 0)"


def _driven(circuit_end: float, stop: float | None = None) -> dict[str, str]:
    """The pins of a program that runs the motor forward, until `stop`."""
    end = circuit_end * 2 if stop is None else stop
    return {"enable": _pulse(WAKE_S, circuit_end * 2), "forward": _pulse(GO_S, end)}


def _deck(
    name: str, circuit: PowerCircuit, step: float, end: float, measures: Iterator[str]
) -> Deck:
    analysis = (
        f".tran {step} {end} 0 {step} UIC" if circuit.held else f".tran {step} {end} 0 {step}"
    )
    lines = [
        f"{circuit.board.name}, {circuit.state.name}: {name}",
        circuit.text(),
        ".option rshunt=1e10 method=gear reltol=0.003 itl4=100",
        analysis,
        *(f".meas tran {measure}" for measure in measures),
        ".end",
    ]
    return Deck(name, "\n".join(lines) + "\n")


def _computer(circuit: PowerCircuit, start: float) -> Iterator[str]:
    node = circuit.computer_node
    if node is not None:
        yield f"computer_v MIN V({node}) FROM={start}"


def start(board: Board, state: SupplyState) -> Deck:
    """The motor starts and reaches its speed."""
    end = 0.4
    circuit = PowerCircuit(board, state, _driven(end), held=False)
    rail = _rail(circuit)

    def measures() -> Iterator[str]:
        yield from _computer(circuit, 0.002)
        yield f"rail_v MIN V({rail}) FROM=0.002"
        yield "start_a MAX I(VM1)"
        yield f"free_a AVG I(VM1) FROM={end - 0.05}"
        yield f"speed_v AVG V(M1e) FROM={end - 0.05}"

    return _deck("start", circuit, 2e-5, end, measures())


def held(board: Board, state: SupplyState) -> Deck:
    """The shaft is blocked and the program does not stop the motor: the fuse must."""
    circuit = PowerCircuit(board, state, _driven(TRIP_WAIT_S), held=True, locks_out=False)
    hold = circuit.netlist.parts["F1"].hold_a if "F1" in circuit.netlist.parts else None

    def measures() -> Iterator[str]:
        yield from _computer(circuit, 0.1)
        yield "held_a FIND I(VM1) AT=1.0"
        yield "most_a MAX I(VM1) FROM=0.1"
        if hold is not None:
            yield f"trip_s WHEN I(VF1)={hold} FALL=1 TD=0.5"
            yield f"left_a AVG I(VF1) FROM={TRIP_WAIT_S - 10}"

    return _deck("held", circuit, 0.01, TRIP_WAIT_S, measures())


def switched_off(board: Board, state: SupplyState) -> Deck:
    """A held motor is switched off: its winding kicks."""
    end, stop = 0.06, 0.05
    circuit = PowerCircuit(board, state, _driven(end, stop), held=True, locks_out=False)
    nodes = _driver_nodes(circuit)

    def measures() -> Iterator[str]:
        for index, node in enumerate(nodes):
            yield f"kick{index}_v MAX V({node}) FROM={stop - 0.001}"

    return _deck("switched off", circuit, 2e-6, end, measures())


def lid_opened(board: Board, state: SupplyState) -> Deck:
    """The lid opens while the program is dead and its pins still say run."""
    end, opens = 0.25, 0.05
    circuit = PowerCircuit(
        board, state, _driven(end), held=True, lid_opens_s=opens, locks_out=False
    )

    def measures() -> Iterator[str]:
        yield f"before_a FIND I(VM1) AT={opens - 0.001}"
        yield f"after_a MAX I(VM1) FROM={opens + 0.05}"
        yield f"gone_at WHEN I(VM1)=0.05 FALL=LAST TD={opens}"
        yield f"gone_s PARAM='gone_at-{opens}'"

    return _deck("lid opened", circuit, 2e-5, end, measures())


def _undriven(name: str, drive: str) -> Callable[[Board, SupplyState], Deck]:
    def deck(board: Board, state: SupplyState) -> Deck:
        circuit = PowerCircuit(board, state, drive, held=True)
        node = circuit.role_node(circuit.off_role)

        def measures() -> Iterator[str]:
            yield f"gate_v MAX V({node}) FROM=0.01"
            yield "motor_a MAX I(VM1) FROM=0.01"

        return _deck(name, circuit, 1e-4, 0.05, measures())

    return deck


booting = _undriven("booting", "boot")
dead = _undriven("dead", "dead")

SCENARIOS = (start, held, switched_off, lid_opened, booting, dead)


def _rail(circuit: PowerCircuit) -> str:
    driver = circuit.netlist.of_kind("driver")[0]
    power = circuit.netlist.parts[driver].power
    return circuit.node(driver, power) if power else circuit.node("M1", "+")


def _driver_nodes(circuit: PowerCircuit) -> list[str]:
    """The terminals of the driver that the kick of the motor reaches."""
    driver = circuit.netlist.of_kind("driver")[0]
    part = circuit.netlist.parts[driver]
    names = [*part.outputs.values()] + ([part.power] if part.power else [])
    return [circuit.node(driver, name) for name in names]
