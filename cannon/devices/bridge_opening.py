"""Finds the microcontroller and opens the launcher behind it, or says what is in the way."""

from __future__ import annotations

import importlib.util
import logging
import time
from collections.abc import Callable

from cannon.core.feeding import FeedPlan
from cannon.devices.bridge import BridgeLauncher
from cannon.devices.ports import Clock, Post
from cannon.errors import CannonError
from firmware_bridge.errors import BridgeError
from firmware_bridge.link import Link
from firmware_bridge.ports import choose

LOOK_AGAIN_S = 0.5  # for a board that is not plugged in yet
HOPELESS = ("no_rights", "prompt", "version", "several", "baud")  # not worth waiting for

log = logging.getLogger(__name__)


def open_bridge(
    port: str,
    post: Post,
    plan: FeedPlan,
    power: float = 1.0,
    clock: Clock = time.monotonic,
    wait_s: float = 30.0,
    say: Callable[[str], None] = log.warning,
) -> BridgeLauncher:
    """The launcher behind `port`, or behind the one board that is found if it is "auto".

    Waits up to `wait_s` for a board that is late, and tells once by `say` what it waits for.
    Raises CannonError, with what to do, if there is none to be had.
    """
    if importlib.util.find_spec("serial") is None:
        raise CannonError("pyserial is not installed", "pip install 'card-cannon[bridge]'")
    end = clock() + wait_s
    device = _patiently(lambda: choose(port), end, clock, say)
    launcher = BridgeLauncher(
        lambda on_event: Link(device, on_event, clock), post, clock, plan, power
    )
    launcher.link.start()
    told = ""
    while not launcher.came_up.wait(0.1):
        problem = launcher.link.problem
        if problem is not None and (problem.code in HOPELESS or clock() >= end):
            launcher.close()
            raise CannonError(problem.what, problem.fix)
        if problem is None and clock() >= end:
            launcher.close()
            raise CannonError(f"the board on {device} is busy", "wait for its shot to end")
        if problem is not None and problem.what != told:
            told = problem.what
            say(told)
    return launcher


def _patiently(
    choose: Callable[[], str], end: float, clock: Clock, say: Callable[[str], None]
) -> str:
    """The port, when it is there."""
    told = False
    while True:
        try:
            return choose()
        except BridgeError as error:
            if error.code in HOPELESS or clock() >= end:
                raise CannonError(error.what, error.fix) from error
            if not told:
                told = True
                say(error.what)
        time.sleep(LOOK_AGAIN_S)
