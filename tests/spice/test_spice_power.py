"""ngspice runs every board: within limits, and as the results kept in the repository say."""

from __future__ import annotations

import pytest

from hardware import board_names, load_board
from hardware.board import Board
from hardware.power import scenarios
from hardware.power.results import (
    Results,
    judge,
    load_results,
    run,
    run_board,
    supply_states,
)
from hardware.power.tables import power_table
from hardware.power.wrong import wrong_board
from tests.unit.boards_changed import changed, rewired

pytestmark = pytest.mark.spice

TOLERANCE = 0.05
SMALL = 0.01
"""Figures may differ by 5 %, or by this much: another ngspice takes other time steps."""


def compared(board: Board) -> Results:
    """What ngspice measures now, after a comparison with what is kept."""
    found, kept = run_board(board), load_results()[board.name]
    assert set(found) == set(kept)
    for state, by_scenario in kept.items():
        for scenario, figures in by_scenario.items():
            measured = found[state][scenario]
            assert set(measured) == set(figures), (state, scenario)
            for name, value in figures.items():
                near = pytest.approx(value, rel=TOLERANCE, abs=SMALL)
                assert measured[name] == near, (state, scenario, name)
    assert power_table(board, found) == power_table(board, kept), "as it stands in the guide"
    return found


@pytest.mark.parametrize("name", board_names())
def test_a_board_is_within_limits_and_as_kept(name: str) -> None:
    board = load_board(name)
    assert [verdict for verdict in judge(board, compared(board)) if not verdict.ok] == []


def test_the_motor_on_the_pi_makes_it_brown_out() -> None:
    board = wrong_board("motor-on-pi-5v")
    failed = {verdict.state for verdict in judge(board, compared(board)) if not verdict.ok}
    assert failed == {"phone charger and thin cable"}


def test_without_its_diode_the_motor_would_destroy_the_transistor() -> None:
    change = rewired("launcher-pi-basic", "motor", "D3.A Q1.D", "D3.A VM")
    board = changed("launcher-pi-basic", change)
    fresh = supply_states(board)[0]
    kick = run(scenarios.switched_off(board, fresh))["kick0_v"]
    assert kick > 55.0, "beyond what the transistor bears"
    right = load_board("launcher-pi-basic")
    assert run(scenarios.switched_off(right, fresh))["kick0_v"] < 6.0


def test_without_its_resistor_the_gate_is_not_held() -> None:
    change = rewired("launcher-pi-basic", "motor", "R1.2 GND", "R1.2 Q1.G")
    board = changed("launcher-pi-basic", change)
    gate = run(scenarios.dead(board, supply_states(board)[0]))["gate_v"]
    assert gate > 2.0, "a dead computer's leakage lifts it until the motor runs"


def test_a_lid_switch_that_is_bridged_does_not_stop_the_motor() -> None:
    change = rewired("launcher-pi", "supply", "F1.2 S3.C", "F1.2 S3.C", "F1.2 VM")
    board = changed("launcher-pi", change)
    figures = run(scenarios.lid_opened(board, supply_states(board)[0]))
    assert figures["after_a"] > 0.7


def test_a_fuse_that_is_too_large_never_trips() -> None:
    board = changed("launcher-pi", {"wiring.supply.parts.F1": "ptc-1a1"})
    held = run(scenarios.held(board, supply_states(board)[0]))
    assert "trip_s" not in held
    assert "trip_s" in run(scenarios.held(load_board("launcher-pi"), supply_states(board)[0]))
