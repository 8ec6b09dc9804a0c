"""The lane's own machinery: a chip, its library, a mechanism, and systemd behave as documented."""

from typing import Any

import pytest

Result = dict[str, Any]


@pytest.mark.in_vm("machinery.lgpio_callback", build="persist")
def test_a_bare_lgpio_callback_sees_both_edges(result: Result) -> None:
    assert result == {"rose": True, "fell": True}


@pytest.mark.in_vm("machinery.gpiozero_devices", build="persist")
def test_gpiozero_devices_work_on_the_chip(result: Result) -> None:
    assert result == {"rose": True, "fell": True}


@pytest.mark.in_vm("machinery.finger_beats_pull", build="persist")
def test_a_finger_beats_the_pull_a_program_asks_for(result: Result) -> None:
    assert result == {"held_down": 0, "untouched": 1}


@pytest.mark.in_vm("machinery.killed_while_high", build="persist")
def test_sigkill_leaves_the_line_high_where_outputs_persist(result: Result) -> None:
    assert result == {"before": 1, "after": 1}


@pytest.mark.in_vm("machinery.killed_while_high", build="strict")
def test_sigkill_drops_the_line_where_outputs_do_not_persist(result: Result) -> None:
    assert result == {"before": 1, "after": 0}


@pytest.mark.in_vm("machinery.claimed_low_after_kill", build="persist")
def test_a_line_left_high_can_be_claimed_low(result: Result) -> None:
    assert result == {"exit_code": 0, "after": 0}


@pytest.mark.in_vm("machinery.mechanism_feeds", build="persist")
def test_the_mechanism_answers_the_motor_with_cards(result: Result) -> None:
    assert result["enough"] == {"said": "counted 5", "out": 5, "left": 3}
    assert result["too_few"] == {"said": "counted 2", "out": 2, "left": 0}


@pytest.mark.in_vm("machinery.service_killed", build="persist")
def test_systemd_runs_exec_stop_post_after_sigkill(result: Result) -> None:
    assert (result["before"], result["after"]) == (1, 0)
    assert (result["state"], result["result"]) == ("failed", "signal")


@pytest.mark.in_vm("machinery.service_hangs", build="persist")
def test_systemd_runs_exec_stop_post_after_a_watchdog_timeout(result: Result) -> None:
    assert (result["before"], result["after"]) == (1, 0)
    assert (result["state"], result["result"]) == ("failed", "watchdog")
