"""The boards that come with the project, and how a board file is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware import ConfigurationError, Switch, board_names, load_board
from hardware.board import ROLES


@pytest.mark.parametrize("name", board_names())
def test_every_board_loads_and_is_called_like_its_file(name: str) -> None:
    assert load_board(name).name == name


def test_the_builds_we_promise_exist() -> None:
    assert board_names() == [
        "diy-pi",
        "diy-pico",
        "launcher-pi",
        "launcher-pi-basic",
        "launcher-pico",
        "launcher-pico-usb",
    ]


def test_an_unknown_name_lists_the_known_ones_and_guesses() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_board("luncher-pi")
    assert "did you mean 'launcher-pi'?" in str(caught.value)
    assert all(name in str(caught.value) for name in board_names())


def test_a_path_is_read(tmp_path: Path) -> None:
    source = Path("hardware/boards/diy-pi.toml").read_text(encoding="utf-8")
    own = tmp_path / "mine.toml"
    own.write_text(source.replace('name = "diy-pi"', 'name = "mine"'), encoding="utf-8")
    assert load_board(str(own)).name == "mine"


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        load_board(str(tmp_path / "none.toml"))


def test_all_wrong_values_are_reported_at_once(tmp_path: Path) -> None:
    source = Path("hardware/boards/launcher-pi.toml").read_text(encoding="utf-8")
    own = tmp_path / "mine.toml"
    wrong = source.replace("pin = 17", "pin = -1").replace('kind = "passive"', 'kind = "loud"')
    own.write_text(wrong + "\n[feed]\nretries = 3\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_board(str(own))
    places = [problem.where.removeprefix(f"{own}: ") for problem in caught.value.problems]
    assert places == ["beeper: kind", "button: pin", "feed: retries"]


# What the contact does at the event, the pull, and the level that follows by Ohm's law:
# a closed contact takes the pin to the rail opposite to the pull, an open one leaves the pull.
@pytest.mark.parametrize(
    ("contact", "pull", "high_when_pressed_or_open"),
    [
        ("no", "up", False),
        ("no", "down", True),
        ("nc", "up", True),
        ("nc", "down", False),
        ("no", "external-up", False),
        ("no", "external-down", True),
        ("nc", "external-up", True),
        ("nc", "external-down", False),
    ],
)
def test_the_level_of_a_switch(contact: str, pull: str, high_when_pressed_or_open: bool) -> None:
    switch = Switch(pin=4, contact=contact, pull=pull)  # type: ignore[arg-type]
    assert switch.active_high is high_when_pressed_or_open


@pytest.mark.parametrize("name", board_names())
def test_a_cut_lid_wire_reads_as_open(name: str) -> None:
    lid = load_board(name).lid
    level_of_a_cut_wire_is_high = lid.pull.endswith("up")
    assert lid.active_high is level_of_a_cut_wire_is_high


def test_pins_are_listed_by_role_in_order() -> None:
    pins = load_board("launcher-pi").pins()
    assert list(pins) == [role for role in ROLES if role in pins]
    assert pins["motor.forward"] == 23
    assert pins["lid"] == 27
    assert pins["exit_sensor.emitter"] == 26
    assert "light" not in pins
