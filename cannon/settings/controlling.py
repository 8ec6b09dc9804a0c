"""Turns board and settings into the plain values that the controller works with."""

from __future__ import annotations

from cannon.core.feeding import FeedPlan
from cannon.core.inputs import InputTimes
from cannon.core.values import Settings
from cannon.settings.cannon_toml import CannonToml
from hardware.board import Board
from hardware.reading import Problem

MAX_SHOT_S = 2.0  # a whole feed ends after this ...
PER_CARD_S = 1.5  # ... and so much more for each wanted card


def feed_plan(board: Board) -> FeedPlan:
    """The board's feed times in seconds. What its motor cannot do has the time 0."""
    times, motor = board.feed, board.motor
    return FeedPlan(
        spin_up=times.spin_up_ms / 1000,
        card=times.card_ms / 1000,
        burst=times.burst_ms / 1000,
        gap=times.gap_ms / 1000,
        stall=times.stall_ms / 1000,
        retries=times.retries,
        reverse=times.reverse_ms / 1000 if motor.reversible else 0,
        retract=times.retract_ms / 1000 if motor.reversible else 0,
        dead=motor.dead_time_ms / 1000,
        settle=times.settle_ms / 1000,
        max_run=motor.max_run_ms / 1000,
        max_shot=MAX_SHOT_S,
        per_card=PER_CARD_S,
    )


def power_problems(board: Board, settings: CannonToml) -> list[Problem]:
    """Less than full power needs a driver that can do it; else it would be full power."""
    power = settings.play.power
    if power == 1 or board.motor.pwm_hz is not None:
        return []
    what = f"{power:g} is wanted, but the motor of {board.name} is only switched on and off"
    return [Problem("play: power", what, "write power = 1, or pwm_hz in the board's [motor]")]


def controller_settings(board: Board, settings: CannonToml) -> Settings:
    """Everything the controller wants to be told, in seconds."""
    times = board.feed
    return Settings(
        plan=feed_plan(board),
        min_blocked_s=times.min_blocked_ms / 1000,
        min_clear_s=times.min_clear_ms / 1000,
        double_s=times.double_ms / 1000,
        inputs=InputTimes(
            press_min_s=settings.press.min_ms / 1000,
            bounce_s=settings.press.bounce_ms / 1000,
            lid_open_s=settings.lid.open_ms / 1000,
            lid_close_s=settings.lid.close_ms / 1000,
            blocked_s=times.min_blocked_ms / 1000,
        ),
        power=settings.play.power,
        suspense_s=settings.play.suspense_s,
        hold_s=settings.press.hold_s,
        owed=settings.play.owed,
    )
