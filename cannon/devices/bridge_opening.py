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
from firmware_bridge.ports import Port, choose, open_port

LOOK_AGAIN_S = 0.5  # for a board that is not plugged in yet
LONGEST_OPEN_S = 3.0  # opening some ports waits for a carrier that never comes
LONGEST_SHOT_S = 30.0  # of a board that plays alone, before it can be had
HOPELESS = ("prompt", "version", "several", "baud")  # not worth waiting for

log = logging.getLogger(__name__)


def open_bridge(
    port: str,
    post: Post,
    plan: FeedPlan,
    power: float = 1.0,
    duty: float = 0.5,
    clock: Clock = time.monotonic,
    wait_s: float = 30.0,
    say: Callable[[str], None] = log.warning,
    opener: Callable[[str], Port] = open_port,
) -> BridgeLauncher:
    """The launcher behind `port`, or behind the one board that is found if it is "auto".

    Waits up to `wait_s` for what is in the way, and tells once by `say` what that is.
    Raises CannonError, with what to do, if there is none to be had.
    """
    if importlib.util.find_spec("serial") is None:
        raise CannonError("pyserial is not installed", "pip install 'card-cannon[bridge]'")
    end = clock() + wait_s
    device = _patiently(lambda: choose(port), end, clock, say)
    launcher = BridgeLauncher(
        lambda on_event: Link(device, on_event, clock, opener), post, clock, plan, power, duty
    )
    launcher.link.start()
    try:
        _wait_for(launcher, end, clock, say)
    except BaseException:
        launcher.close()
        raise
    return launcher


def _wait_for(
    launcher: BridgeLauncher, end: float, clock: Clock, say: Callable[[str], None]
) -> None:
    """Returns when the board is ours. What is in the way is waited for until `end`, but the end
    of a shot that the board plays for itself always."""
    busy_end = max(end, clock() + LONGEST_SHOT_S)
    told = ""
    while not launcher.came_up.wait(0.05):
        link, problem = launcher.link, launcher.link.problem
        opening_since = link.opening_since
        if opening_since is not None and clock() > opening_since + LONGEST_OPEN_S:
            fix = "is it a serial port? Plug the board in anew"
            raise CannonError(f"{link.device} does not open", fix)
        if problem is None:
            if clock() >= busy_end:
                raise CannonError(
                    f"the board on {link.device} is busy and stays so",
                    "switch it off and on",
                )
        elif problem.code in HOPELESS or clock() >= end:
            raise CannonError(problem.what, problem.fix)
        elif problem.what != told:
            told = problem.what
            say(told)


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
