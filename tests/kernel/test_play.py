"""The installed program plays on a real Linux GPIO chip, through gpiozero's lgpio factory."""

from __future__ import annotations

from typing import Any

import pytest

BOTH = pytest.mark.parametrize(
    "build",
    [
        pytest.param("persist", marks=pytest.mark.in_vm("play.sigterm_in_feed", build="persist")),
        pytest.param("strict", marks=pytest.mark.in_vm("play.sigterm_in_feed", build="strict")),
    ],
)


@pytest.mark.in_vm("play.beep", build="persist")
def test_it_beeps_when_it_is_on_with_the_lid_closed(result: dict[str, Any]) -> None:
    assert result["beeper_edges"] >= 2
    assert result["motor"] == 0


@pytest.mark.in_vm("play.twenty_presses", build="persist")
def test_twenty_presses_bring_exactly_the_decided_cards(result: dict[str, Any]) -> None:
    assert result["decided"] == result["expected"]
    assert result["delivered"] == result["expected"]
    beyond = sum(result["extra"]) + sum(result["taken"])
    assert result["came_out"] == sum(result["expected"]) + beyond
    # A push for each card. Where the motor is off half a second late, which this slow mechanism
    # needs for another card and a busy machine may take, one push of a launch brings two.
    launches = sum(map(bool, result["expected"]))
    assert max(result["extra"]) <= 1
    assert result["forward_pulses"] >= sum(result["expected"]) - launches
    assert any(result["expected"]) and 0 in result["expected"]


@pytest.mark.in_vm("play.lid_in_feed", build="persist")
def test_an_opened_lid_drops_the_motor_line_and_closing_it_starts_nothing(
    result: dict[str, Any],
) -> None:
    outcome = result.pop("outcome")
    assert result == {"off": True, "refused": "lid_open", "starts_again": False}
    assert outcome["reason"] == "lid"
    wanted = outcome["decided"] + outcome["rest"]
    assert wanted == outcome["delivered"] + outcome["owed"]


@pytest.mark.in_vm("play.callback_raises", build="persist")
def test_an_exception_in_a_callback_leaves_the_inputs_alive(result: dict[str, Any]) -> None:
    assert result == {
        "faulted": "input",
        "motor": 0,
        "cleared": True,
        "pressed": True,
        "lid_heard": True,
    }


@BOTH
def test_sigterm_in_the_middle_of_a_feed_switches_off_and_ends_well(
    build: str, result: dict[str, Any]
) -> None:
    assert result == {"code": 0, "motor": 0, "traceback": False, "stops": 1}, build


@pytest.mark.in_vm("play.second_instance", build="persist")
def test_a_second_launcher_is_refused_and_the_first_plays_on(result: dict[str, Any]) -> None:
    assert result["code"] == 1
    assert str(result["pid"]) in result["lines"][0]
    assert "already running" in result["lines"][0]
    assert len(result["lines"]) <= 2
    assert result["first_plays"]


@pytest.mark.in_vm("play.unwritable_folder", build="persist")
def test_a_folder_that_cannot_be_written_is_named_with_the_way_out(result: dict[str, Any]) -> None:
    assert result["code"] == 1
    assert "LG_WD" in " ".join(result["lines"])
    assert len(result["lines"]) <= 2


@pytest.mark.in_vm("play.missing_chip", build="persist")
def test_a_missing_chip_is_said_with_what_was_found(result: dict[str, Any]) -> None:
    assert result["code"] == 1
    assert "There is no usable GPIO chip" in result["lines"][0]
    assert len(result["lines"]) <= 2
