"""Builds of the launcher as data: boards, their checks, wiring, parts, drawings and guides.

Imports nothing of `cannon`, opens no pin. See README.md in this folder for the builds.
"""

from __future__ import annotations

from hardware.board import (
    Beeper,
    Board,
    FeedTimes,
    Host,
    Motor,
    Output,
    Sensor,
    Switch,
)
from hardware.checks import advise, check_board, config_txt_claims
from hardware.loading import board_names, load_board
from hardware.reading import ConfigurationError, Problem

__all__ = [
    "Beeper",
    "Board",
    "ConfigurationError",
    "FeedTimes",
    "Host",
    "Motor",
    "Output",
    "Problem",
    "Sensor",
    "Switch",
    "advise",
    "board_names",
    "check_board",
    "config_txt_claims",
    "load_board",
]
