"""What goes onto a microcontroller: the firmware for a board, with its odds, tunes and times.

`firmware_bridge.image` puts the files together; here they get their values from the board file,
the odds model and the tunes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cannon.core
from cannon.core.inputs import InputTimes
from cannon.devices.ports import Signals
from cannon.errors import EXIT_WRONG_CONFIGURATION, CannonError
from cannon.settings.controlling import feed_plan
from firmware_bridge.image import Image, InputPin, Pins, build
from hardware.board import Board, Sensor, Switch

CORE = ("debounce.py", "counting.py", "feeding.py", "odds.py")
MOST_RETRACT_MS = 300  # that a host may ask for, where the motor can turn backwards


def firmware_for(board: Board, odds: Mapping[str, Any], signals: Signals) -> Image:
    """The firmware for `board`. `odds` is a compiled model.

    Raises CannonError for a board without a microcontroller.
    """
    if board.computer != "pico":
        raise CannonError(
            f"the board {board.name} has no Pico",
            "choose one with a Pico: --board launcher-pico",
            exit_code=EXIT_WRONG_CONFIGURATION,
        )
    passive = board.beeper is None or board.beeper.kind == "passive"
    folder = Path(cannon.core.__file__).parent
    return build(
        board_pins(board),
        [folder / name for name in CORE],
        odds,
        _in_ms(signals.tones if passive else signals.beats),
        _in_ms(signals.lights),
    )


def board_pins(board: Board) -> Pins:
    """The board as the firmware knows it."""
    motor, feed, plan, times = board.motor, board.feed, feed_plan(board), InputTimes()
    exit_sensor, beeper = board.exit_sensor, board.beeper
    major, minor, patch = (int(part) for part in version("card-cannon").split("."))
    durations = {name: _ms(value) for name, value in vars(plan).items()}
    return Pins(
        name=board.name,
        version=(major, minor, patch),
        motor=(motor.forward, motor.backward, motor.enable, motor.pwm_hz),
        inputs=[
            _input(part)
            for part in (
                board.button,
                board.lid,
                exit_sensor,
                board.hopper_sensor,
                board.low_battery,
            )
        ],
        emitter=exit_sensor.emitter if exit_sensor else None,
        beeper=(beeper.pin, int(beeper.kind == "passive")) if beeper else None,
        light=board.light.pin if board.light else None,
        plan=durations | {"retries": plan.retries},
        counting=(feed.min_blocked_ms, feed.min_clear_ms, feed.double_ms),
        times=(
            _ms(times.press_min_s),
            _ms(times.bounce_s),
            _ms(times.lid_open_s),
            _ms(times.lid_close_s),
        ),
        most_retract=MOST_RETRACT_MS if motor.reversible else 0,
    )


def _input(part: Switch | Sensor | None) -> InputPin | None:
    if part is None:
        return None
    return part.pin, int(part.active_high), {True: 1, False: -1, None: 0}[part.pull_up]


def _in_ms(
    tunes: Mapping[str, Sequence[tuple[float, float]]],
) -> dict[str, list[tuple[int, int]]]:
    return {name: [(int(value), _ms(s)) for value, s in steps] for name, steps in tunes.items()}


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
