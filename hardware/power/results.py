"""Runs ngspice over a board's scenarios and judges what it measured.

What was measured last is kept in `results.json`, by board, state of the supply and scenario; the
tables in the guides are made from it, so making a guide needs no ngspice.
"""

from __future__ import annotations

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from hardware.board import Board
from hardware.netlist import Netlist
from hardware.parts import SupplyState
from hardware.power.circuit import PowerCircuit
from hardware.power.scenarios import SCENARIOS, Deck
from hardware.supply import MotorSupply

RESULTS = Path(__file__).parent / "results.json"
MEASURED = re.compile(r"^([a-z]\w*_[vas])\s+=\s+([-+\d.eE]+)", re.MULTILINE)
DIGITS = 4
OFF_V = 0.5
"""A driver's input below this is off, by data sheet (nSLEEP of a DRV8833 is the lowest)."""
LID_LIMIT_S = 0.02
"""The motor must be without current this soon after the lid switch opened."""

Figures = dict[str, float]
"""What one scenario measured, by name; the ending is the unit: _v, _a, _s."""
Results = dict[str, dict[str, Figures]]
"""Figures by state of the supply and scenario."""


class Verdict(NamedTuple):
    """One figure against its limit."""

    state: str
    what: str
    value: float
    limit: float
    ok: bool


def run(deck: Deck) -> Figures:
    """What ngspice measures in a deck. Raises RuntimeError where it is missing or gives up."""
    try:
        done = subprocess.run(
            ["ngspice", "-b", "/dev/stdin"],
            input=deck.text,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise RuntimeError("ngspice is not installed: sudo apt install ngspice") from None
    figures = {name: _rounded(float(value)) for name, value in MEASURED.findall(done.stdout)}
    if done.returncode or "aborted" in done.stdout + done.stderr or not figures:
        title = deck.text.partition("\n")[0]
        raise RuntimeError(f"ngspice gave up on {title}:\n{(done.stdout + done.stderr)[-800:]}")
    return figures


def supply_states(board: Board) -> tuple[SupplyState, ...]:
    """The conditions that the motor's supply of a board may be in."""
    assert board.wiring is not None
    return MotorSupply(Netlist(board.wiring, board.computer), board.measured).states


def run_board(board: Board, workers: int = 2) -> Results:
    """All scenarios of a board in all states of its supply."""
    decks = [
        (state.name, scenario(board, state))
        for state in supply_states(board)
        for scenario in SCENARIOS
    ]
    with ThreadPoolExecutor(workers) as pool:
        measured = list(pool.map(lambda entry: run(entry[1]), decks))
    results: Results = {}
    for (state, deck), figures in zip(decks, measured, strict=True):
        results.setdefault(state, {})[deck.name] = figures
    return results


def load_results() -> dict[str, Results]:
    """What was measured last, by board."""
    found: dict[str, Results] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def save_results(results: dict[str, Results]) -> None:
    """Keeps what was measured."""
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def judge(board: Board, results: Results) -> list[Verdict]:
    """Every figure that has a limit, with that limit and whether it is kept."""
    circuit = PowerCircuit(board, supply_states(board)[0], "boot", held=True)
    parts = circuit.netlist.parts
    driver = parts[circuit.netlist.of_kind("driver")[0]]
    computer = parts[circuit.netlist.computer]
    verdicts: list[Verdict] = []
    for state, by_scenario in results.items():
        for scenario in ("start", "held"):
            if "computer_v" in by_scenario[scenario]:
                volts = by_scenario[scenario]["computer_v"]
                needs = computer.needs_v or 0.0
                what = f"computer's supply, {scenario}"
                verdicts.append(Verdict(state, what, volts, needs, volts >= needs))
        verdicts += _judge_driver(state, by_scenario, driver.most_a or 0.0, driver.destroyed_v or 0)
        verdicts.append(_judge_fuse(state, by_scenario["held"], circuit))
        gone = by_scenario["lid opened"]["gone_s"]
        verdicts.append(Verdict(state, "lid opened", gone, LID_LIMIT_S, gone <= LID_LIMIT_S))
        for scenario in ("booting", "dead"):
            volts = by_scenario[scenario]["gate_v"]
            verdicts.append(
                Verdict(state, f"driver's input, {scenario}", volts, OFF_V, volts < OFF_V)
            )
    return verdicts


def _judge_driver(
    state: str, by_scenario: dict[str, Figures], most_a: float, destroyed_v: float
) -> list[Verdict]:
    amps = max(by_scenario["held"]["most_a"], by_scenario["start"]["start_a"])
    kick = max(value for name, value in by_scenario["switched off"].items() if "kick" in name)
    return [
        Verdict(state, "driver's current", amps, most_a, amps <= most_a),
        Verdict(state, "kick at switching off", kick, destroyed_v, kick < destroyed_v),
    ]


def _judge_fuse(state: str, held: Figures, circuit: PowerCircuit) -> Verdict:
    """The fuse trips, in whatever state the supply is."""
    fuses = circuit.netlist.of_kind("fuse")
    hold = circuit.netlist.parts[fuses[0]].hold_a or 0.0 if fuses else 0.0
    ok = "trip_s" in held or held["most_a"] <= hold
    return Verdict(state, "current of a held motor", held["most_a"], hold, ok)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
