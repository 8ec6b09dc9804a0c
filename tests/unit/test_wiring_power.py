"""The power side without ngspice: its netlists follow the board, its judgements are right.

The runs themselves are in tests/spice.
"""

from __future__ import annotations

import pytest

from hardware import board_names, check_board, load_board
from hardware.budget import current_budget
from hardware.parts import catalogue
from hardware.power.circuit import PowerCircuit
from hardware.power.results import Results, judge, load_results, supply_states
from hardware.power.scenarios import SCENARIOS, lid_opened, start
from hardware.power.tables import power_table
from hardware.power.wrong import WRONG, wrong_board
from tests.unit.boards_changed import changed


def good() -> Results:
    """Figures of a launcher-pi with nothing wrong."""
    return {
        "fresh cells": {
            "start": {"computer_v": 4.76, "rail_v": 3.7, "start_a": 0.97, "free_a": 0.07},
            "held": {"computer_v": 4.76, "held_a": 0.9, "most_a": 0.9, "trip_s": 20.0},
            "switched off": {"kick0_v": 4.0, "kick1_v": 5.1},
            "lid opened": {"gone_s": 0.002},
            "booting": {"gate_v": 0.04},
            "dead": {"gate_v": 0.05},
        }
    }


def test_the_kept_results_cover_every_board_and_state() -> None:
    results = load_results()
    assert set(results) == {*board_names(), *WRONG}
    for name in board_names():
        assert set(results[name]) == {state.name for state in supply_states(load_board(name))}


@pytest.mark.parametrize("name", board_names())
def test_the_kept_results_are_within_their_limits(name: str) -> None:
    board = load_board(name)
    assert [verdict for verdict in judge(board, load_results()[name]) if not verdict.ok] == []


@pytest.mark.parametrize(
    ("scenario", "figure", "value", "what"),
    [
        ("start", "computer_v", 4.5, "computer's supply, start"),
        ("held", "computer_v", 4.5, "computer's supply, held"),
        ("start", "start_a", 1.6, "driver's current"),
        ("held", "most_a", 1.6, "driver's current"),
        ("switched off", "kick1_v", 12.0, "kick at switching off"),
        ("lid opened", "gone_s", 0.03, "lid opened"),
        ("booting", "gate_v", 0.6, "driver's input, booting"),
        ("dead", "gate_v", 0.6, "driver's input, dead"),
    ],
)
def test_each_figure_beyond_its_limit_is_found(
    scenario: str, figure: str, value: float, what: str
) -> None:
    board = load_board("launcher-pi")
    assert all(verdict.ok for verdict in judge(board, good()))
    results = good()
    results["fresh cells"][scenario][figure] = value
    assert [verdict.what for verdict in judge(board, results) if not verdict.ok] == [what]
    assert f"**Not good: {what}" in power_table(board, results)


def test_a_held_motor_must_trip_the_fuse_unless_it_lets_it_pass_for_ever() -> None:
    board = load_board("launcher-pi")
    results = good()
    del results["fresh cells"]["held"]["trip_s"]
    found = [verdict.what for verdict in judge(board, results) if not verdict.ok]
    assert found == ["current of a held motor"]
    results["fresh cells"]["held"]["most_a"] = 0.25
    assert all(verdict.ok for verdict in judge(board, results))


@pytest.mark.parametrize("name", board_names())
def test_the_fuse_trips_on_a_held_motor_in_every_state_below_the_driver_s_limit(name: str) -> None:
    board = load_board(name)
    driver = catalogue()[board.motor.part]
    for state, by_scenario in load_results()[name].items():
        held = by_scenario["held"]
        assert held["trip_s"] < 120, state
        assert driver.most_a is not None and held["most_a"] < driver.most_a, state
        assert held["left_a"] < 0.2, "what flows once it has tripped"


def test_the_wrong_board_is_refused_by_the_checks_and_fails_in_the_simulation() -> None:
    board = wrong_board("motor-on-pi-5v")
    (problem,) = check_board(board)
    assert "a held motor leaves" in problem.what
    assert problem.fix == "give the motor a supply of its own"
    failed = [v for v in judge(board, load_results()[board.name]) if not v.ok]
    assert {verdict.what for verdict in failed} == {
        "computer's supply, start",
        "computer's supply, held",
    }


@pytest.mark.parametrize("name", board_names())
def test_a_netlist_has_every_part_of_the_motor_side(name: str) -> None:
    board = load_board(name)
    assert board.wiring is not None
    text = start(board, supply_states(board)[0]).text
    first_words = {line.split()[0] for line in text.splitlines() if line}
    for section in ("supply", "motor"):
        for ref, part in board.wiring.sections()[section].parts.items():
            kind = catalogue()[part].kind
            if kind in ("resistor", "capacitor", "diode", "fuse", "power-switch", "lever-switch"):
                assert any(word[1:].startswith(ref) for word in first_words), ref


def test_values_come_from_the_board_and_the_catalogue() -> None:
    board = load_board("launcher-pi")
    text = start(board, supply_states(board)[2]).text
    assert "VBT1 BT1i 0 DC 3.45" in text
    assert "RR1 " in text and " 10000.0" in text
    assert "RM1 M1a M1b 3.75" in text, "the stand-in for a motor that is not measured"
    measured = changed("launcher-pi", {"measured.motor_ohms": 6.2, "measured.motor_free_a": 0.1})
    assert "RM1 M1a M1b 6.2" in start(measured, supply_states(measured)[0]).text


def test_the_lid_opens_only_in_its_scenario() -> None:
    board = load_board("diy-pi")
    state = supply_states(board)[0]
    opened = {scenario(board, state).name: scenario(board, state).text for scenario in SCENARIOS}
    assert "VS3 S3k" in lid_opened(board, state).text
    assert [name for name, text in opened.items() if "VS3 S3k" in text] == ["lid opened"]


def test_a_pico_on_usb_has_no_supply_of_ours() -> None:
    def node(name: str) -> str | None:
        board = load_board(name)
        circuit = PowerCircuit(board, supply_states(board)[0], "boot", held=True)
        return circuit.computer_node

    assert node("launcher-pico-usb") is None
    assert node("launcher-pico") is not None
    assert node("launcher-pi") is not None


@pytest.mark.parametrize("name", board_names())
def test_nothing_draws_more_than_it_may(name: str) -> None:
    for draw in current_budget(load_board(name)):
        if draw.amps is not None and draw.most is not None:
            assert draw.amps <= draw.most, draw.what


def test_the_current_budget() -> None:
    budget = {draw.what: draw for draw in current_budget(load_board("diy-pi"))}
    held = budget["M1 (motor), held fast"]
    assert (held.source, held.most) == ("PS2", 1.5)
    assert held.amps == pytest.approx(5.1 / (0.1 + 0.52 + 0.36 + 3.75))
    light = budget["B1 (slot light barrier)"]
    assert (light.source, light.most) == ("GPIO26", 0.016)
    assert light.amps == pytest.approx((3.3 - 1.2) / 330)
    assert budget["U1 (Raspberry Pi)"].source == "PS1"


def test_who_feeds_the_computer() -> None:
    def feed(name: str) -> str:
        return next(d.source for d in current_budget(load_board(name)) if d.what.startswith("U1"))

    assert [feed(name) for name in ("launcher-pi", "launcher-pico", "diy-pico")] == [
        "PS1",
        "BT1",
        "PS2",
    ]
    assert feed("launcher-pico-usb") == "USB"


def test_a_toy_motor_has_no_figure_until_it_is_measured() -> None:
    held = {draw.what: draw.amps for draw in current_budget(load_board("launcher-pi"))}
    assert held["M1 (toy's motor), held fast"] is None
    measured = changed("launcher-pi", {"measured.motor_ohms": 5.0, "measured.motor_free_a": 0.1})
    found = {draw.what: draw.amps for draw in current_budget(measured)}
    assert found["M1 (toy's motor), running free"] == 0.1
    assert found["M1 (toy's motor), held fast"] == pytest.approx(4.8 / (0.45 + 1.25 + 0.36 + 5.0))
