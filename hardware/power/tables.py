"""The power tables of the guides, made from the results kept in `results.json`."""

from __future__ import annotations

from hardware.board import Board
from hardware.netlist import Netlist
from hardware.power.results import OFF_V, Figures, Results, judge
from hardware.supply import MotorSupply

HEADINGS = (
    "supply",
    "lowest at the computer",
    "lowest at the driver",
    "current at start",
    "motor held fast",
    "fuse trips after",
    "kick at switching off",
    "lid opened: no current after",
    "driver's input with no program",
)


def power_table(board: Board, results: Results) -> str:
    """A Markdown table of what the simulation measured, and the limits below it."""
    rows = [_row(state, by_scenario) for state, by_scenario in results.items()]
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *rows]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    failed = [verdict for verdict in judge(board, results) if not verdict.ok]
    return (
        table
        + "\n"
        + _limits(board)
        + "".join(
            f"\n**Not good: {verdict.what}, {verdict.state}: {verdict.value:g} where "
            f"{verdict.limit:g} is the limit.**\n"
            for verdict in failed
        )
    )


def _row(state: str, by_scenario: dict[str, Figures]) -> tuple[str, ...]:
    start, held = by_scenario["start"], by_scenario["held"]
    lowest = min(start.get("computer_v", 99.0), held.get("computer_v", 99.0))
    kick = max(value for name, value in by_scenario["switched off"].items() if "kick" in name)
    gate = max(by_scenario[name]["gate_v"] for name in ("booting", "dead"))
    trip = f"{held['trip_s']:.0f} s" if "trip_s" in held else "never"
    return (
        state,
        "fed by USB" if lowest == 99.0 else f"{lowest:.2f} V",
        f"{start['rail_v']:.1f} V",
        f"{start['start_a']:.2f} A",
        f"{held['held_a']:.2f} A",
        trip,
        f"{kick:.1f} V",
        f"{by_scenario['lid opened']['gone_s'] * 1000:.1f} ms",
        f"{gate:.2f} V",
    )


def _limits(board: Board) -> str:
    assert board.wiring is not None
    netlist = Netlist(board.wiring, board.computer)
    supply = MotorSupply(netlist, board.measured)
    driver, computer = supply.driver_part, netlist.parts[netlist.computer]
    assert supply.fuse is not None
    text = (
        f"Limits: the computer needs {computer.needs_v:g} V; the driver bears {driver.most_a:g} A "
        f"and {driver.destroyed_v:g} V; the fuse must trip on a held motor; the driver's input is "
        f"off below {OFF_V:g} V. The fuse lets {supply.fuse.hold_a:g} A pass for ever, and the "
        "program stops a held motor long before it, within two seconds. "
    )
    if driver.needs_v:
        text += (
            f"Where the driver gets less than {driver.needs_v:g} V it pauses for moments: the "
            "motor is weak, the cells want changing, and nothing is harmed. "
        )
    if supply.motor_ohms is None:
        text += (
            "The toy's motor is unknown until you measure it; these figures are for a 130-size "
            "motor in its place (0.8 A held at 3 V)."
        )
    return text.strip() + "\n"
