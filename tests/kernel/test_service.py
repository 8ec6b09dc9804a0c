"""The service under the real systemd: boot, a late chip, wrong settings, doctor, and its end. How
quickly it switches off is measured in the bench."""

from __future__ import annotations

from typing import Any

import pytest

Result = dict[str, Any]


@pytest.mark.in_vm("starting.boot", build="persist")
def test_from_boot_to_the_ready_beep(result: Result) -> None:
    assert result == {
        "enabled": "enabled",
        "active": "active",
        "status": "Ready – press the button",
        "beeps": True,
        "user": "card-cannon",
        "gave_way": 2,  # loop and journal; not those that stop the motor
    }


@pytest.mark.in_vm("starting.late_chip", build="persist")
def test_a_chip_that_is_ten_seconds_late_is_waited_for_and_told_once(result: Result) -> None:
    assert result == {"restarts": "0", "waits": 1}


@pytest.mark.in_vm("starting.busy_line", build="persist")
def test_a_line_in_use_is_waited_for_with_the_name_of_who_uses_it(result: Result) -> None:
    assert "GPIO27 (lid) by lg" in result["said"]
    assert result["restarts"] == "0"


@pytest.mark.in_vm("starting.wrong_settings", build="persist")
def test_wrong_settings_end_it_with_78_all_told_and_no_second_try(result: Result) -> None:
    assert (result["state"], result["exit_code"], result["restarts"]) == ("failed", "78", "0")
    assert "play: suspense_s: expected float <= 10.0, found 99" in result["said"]
    assert "there is no such board; did you mean 'launcher-pi'?" in result["said"]
    assert "Traceback" not in result["said"]


@pytest.mark.in_vm("starting.doctor", build="persist")
def test_the_doctor_finds_nothing_on_a_healthy_machine(result: Result) -> None:
    assert result["healthy"] == []
    assert result["ill"] == ["service"]
    assert result["exit_codes"] == [0, 1]


@pytest.mark.in_vm("starting.stop", build="persist")
def test_a_stop_leaves_no_failure_and_no_traceback(result: Result) -> None:
    assert result == {
        "result": "success",
        "state": "inactive",
        "exit_code": "0",
        "traceback": False,
    }


@pytest.mark.in_vm("starting.uninstall", build="persist")
def test_installed_twice_is_once_and_uninstalled_leaves_the_history(result: Result) -> None:
    assert result == {
        "again": "The launcher is a service already, and all is as it should be.\n",
        "exit_code": 0,
        "left": [],
        "active": "inactive",
        "history": True,
        "settings": True,
    }
