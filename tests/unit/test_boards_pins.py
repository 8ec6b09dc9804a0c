"""Wrong pins, polarity and times: a good board with one thing changed gets the right sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware import (
    Board,
    ConfigurationError,
    advise,
    board_names,
    check_board,
    config_txt_claims,
    load_board,
)
from hardware.checks import PIN_CHECKS
from tests.unit.boards_changed import Change, changed, sentences

WRONG: list[tuple[str, Change, str]] = [
    # board, change, the beginning of a sentence that must be among those given
    ("launcher-pi", {"beeper.pin": 17}, "beeper: pin: GPIO17 is used by button and by beeper; "),
    (
        "launcher-pi",
        {"motor.backward": 23},
        "motor: backward: GPIO23 is used by motor.forward and by motor.backward; give each its own",
    ),
    ("launcher-pi", {"button.pin": 28}, "button: pin: GPIO28 is not on the header of the Raspb"),
    ("launcher-pico", {"button.pin": 25}, "button: pin: GP25 is not on the header of the Raspb"),
    (
        "launcher-pi",
        {"motor.forward": 4},
        "motor: forward: GPIO4 is high while the computer boots, so the motor could run; use a pin "
        "that boots low: GPIO 9 to 13 or 16 to 27",
    ),
    ("launcher-pi", {"motor.backward": 8}, "motor: backward: GPIO8 is high while the computer"),
    ("launcher-pi", {"motor.enable": 14}, "motor: enable: GPIO14 is high while the computer"),
    (
        "launcher-pi",
        {"motor.active": "low"},
        "motor: active: a driver that runs while its pin is low would start whenever the program",
    ),
    ("launcher-pi-basic", {"motor.backward": 24}, "motor: backward: one transistor turns the m"),
    ("launcher-pi", {"motor.backward": None}, "motor: backward: an h-bridge needs a pin for ea"),
    (
        "launcher-pi-basic",
        {"feed.retract_ms": 40},
        "feed: retract_ms: 40 ms backwards are asked, but a mosfet turns the motor one way only; "
        "write retract_ms = 0, or use an h-bridge",
    ),
    ("launcher-pi-basic", {"feed": {}}, "feed: reverse_ms: 150 ms backwards are asked, but a m"),
    ("launcher-pi", {"button.pin": 1}, "button: pin: GPIO1 is reserved for the memory of exten"),
    ("launcher-pi", {"beeper.pin": 18, "buses": ["i2s"]}, "beeper: pin: GPIO18 is I2S clock, a"),
    ("launcher-pi", {"button.pin": 2, "buses": ["i2c"]}, "button: pin: GPIO2 is I2C SDA, and `b"),
    ("launcher-pi", {"button.pin": 9, "buses": ["spi"]}, "button: pin: GPIO9 is SPI MISO, and "),
    ("launcher-pi", {"button.pin": 15, "buses": ["uart"]}, "button: pin: GPIO15 is UART RXD, a"),
    ("launcher-pi", {"button.pin": 4, "buses": ["1-wire"]}, "button: pin: GPIO4 is 1-wire, and"),
    (
        "launcher-pi",
        {"lid.active": "low"},
        'lid: active: contact "nc" with pull "up" makes the pin high when open, never low; '
        'write active = "high" or correct the pull',
    ),
    (
        "launcher-pi",
        {"button.active": "high"},
        'button: active: contact "no" with pull "up" makes the pin low when pressed, never high; ',
    ),
    (
        "launcher-pi",
        {"button.pin": 3, "button.pull": "down"},
        'button: pull: GPIO3 has a fixed pull-up on the computer, pull "down" is refused; '
        'write pull = "up" or change the pin',
    ),
    (
        "diy-pi",
        {"hopper_sensor.pin": 2, "hopper_sensor.pull": "none"},
        'hopper_sensor: pull: GPIO2 has a fixed pull-up on the computer, pull "none" is refused',
    ),
    ("launcher-pi", {"feed.double_ms": 80}, "feed: double_ms: double_ms = 80 must be longer th"),
    ("launcher-pi", {"feed.min_blocked_ms": 90}, "feed: card_ms: card_ms = 85 must be longer t"),
    ("launcher-pi", {"motor.max_run_ms": 300}, "feed: stall_ms: stall_ms = 400 is longer than "),
    ("launcher-pi", {"host": {"computer": "pi", "link": "usb"}}, "host: a Raspberry Pi decides"),
]


@pytest.mark.parametrize(("name", "change", "sentence"), WRONG)
def test_a_wrong_board_gets_its_sentence(name: str, change: Change, sentence: str) -> None:
    found = sentences(changed(name, change))
    assert any(line.startswith(sentence) for line in found), found


def test_every_check_of_pins_is_tried_by_a_wrong_board() -> None:
    tried = {
        check.__name__
        for name, change, _ in WRONG
        for check in PIN_CHECKS
        if list(check(changed(name, change)))
    }
    assert tried == {check.__name__ for check in PIN_CHECKS}


@pytest.mark.parametrize("name", board_names())
def test_the_boards_that_come_with_the_project_are_sound(name: str) -> None:
    assert sentences(changed(name, {})) == []


def test_all_faults_are_told_at_once() -> None:
    change = {"motor.active": "low", "beeper.pin": 17, "lid.active": "low"}
    places = [problem.where for problem in check_board(changed("launcher-pi", change))]
    assert places == ["beeper: pin", "motor: active", "lid: active"]


def test_loading_refuses_a_faulty_board_with_file_and_place(tmp_path: Path) -> None:
    good = Path("hardware/boards/launcher-pi.toml").read_text(encoding="utf-8")
    own = tmp_path / "mine.toml"
    own.write_text(good.replace("forward = 23", "forward = 4"), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_board(str(own))
    assert str(caught.value).startswith(f"{own}: motor: forward: GPIO4 is high while")


@pytest.mark.parametrize(
    ("contact", "pull", "level"),
    [("no", "up", "low"), ("no", "down", "high"), ("nc", "up", "high"), ("nc", "down", "low")],
)
def test_the_right_level_may_be_written_down(contact: str, pull: str, level: str) -> None:
    change = {"lid": {"pin": 27, "contact": contact, "pull": pull, "active": level}}
    assert sentences(changed("launcher-pi", {"wiring": None} | change)) == []


def test_advice_on_a_lid_that_hides_a_cut_wire() -> None:
    board = changed("diy-pi", {"lid.contact": "no"})
    assert [problem.where for problem in advise(board)] == ["lid: contact"]


def test_advice_on_a_board_without_wiring_and_on_an_unmeasured_motor() -> None:
    assert [problem.where for problem in advise(changed("diy-pi", {"wiring": None}))] == ["wiring"]
    unmeasured = advise(changed("launcher-pi", {}))
    assert [problem.where for problem in unmeasured] == ["measured: motor_ohms"]
    assert advise(changed("launcher-pi", {"measured.motor_ohms": 5.0})) == []


def test_advice_on_a_fuse_that_a_held_motor_does_not_trip() -> None:
    (advice,) = advise(changed("launcher-pi", {"measured.motor_ohms": 9.0}))
    assert str(advice) == (
        "wiring: supply: a held motor draws 0.43 A, and the fuse must trip from 0.5 A on only; "
        "use a smaller fuse that lets the motor run"
    )


def moved(pin: int) -> Board:
    return changed("launcher-pi", {"button.pin": pin, "wiring": None})


I2S = "dtparam=i2s=on"
OWN_PIN = "dtoverlay=w1-gpio,gpiopin=17"


@pytest.mark.parametrize(
    ("pin", "config", "claim"),
    [
        (19, I2S, (I2S, "GPIO19", "I2S frame")),
        (
            19,
            "dtparam=audio=on\ndtoverlay=hifiberry-dac\n",
            ("dtoverlay=hifiberry-dac", "GPIO19", "I2S frame"),
        ),
        (10, "dtparam=spi=on  # display", ("dtparam=spi=on", "GPIO10", "SPI MOSI")),
        (
            19,
            "dtparam=i2c_arm=on,i2s=on",
            ("dtparam=i2c_arm=on,i2s=on", "GPIO19", "I2S frame"),
        ),
        (2, "[all]\ndtparam=i2c_arm=on\n", ("dtparam=i2c_arm=on", "GPIO2", "I2C SDA")),
        (14, "enable_uart=1\n", ("enable_uart=1", "GPIO14", "UART TXD")),
        (4, "dtoverlay=w1-gpio\n", ("dtoverlay=w1-gpio", "GPIO4", "1-wire")),
        (17, f"{OWN_PIN}\n", (OWN_PIN, "GPIO17", "")),
        (
            17,
            "dtoverlay=gpio-fan,gpiopin=17,temp=60000\n",
            ("dtoverlay=gpio-fan,gpiopin=17,temp=60000", "GPIO17", ""),
        ),
    ],
)
def test_config_txt_that_claims_a_pin(pin: int, config: str, claim: tuple[str, str, str]) -> None:
    assert config_txt_claims(moved(pin), config) == [(*claim, "button")]


@pytest.mark.parametrize(
    ("pin", "config"),
    [
        (19, "#dtparam=i2s=on\n"),
        (19, "dtparam=i2s=off\n"),
        (19, "dtparam=i2s=on\ndtparam=i2s=off\n"),
        (14, "enable_uart=0\n"),
        (4, "dtoverlay=w1-gpio,gpiopin=21\n"),
        (17, "dtparam=i2c_arm=on\ndtparam=spi=on\ndtoverlay=vc4-kms-v3d\n"),
    ],
)
def test_config_txt_that_leaves_our_pins_alone(pin: int, config: str) -> None:
    assert config_txt_claims(moved(pin), config) == []
