"""Runs a launcher in the foreground until it is told to stop, with a screen or plain lines."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from cannon import telling
from cannon.core.commands import Command, Record, Sound
from cannon.core.events import CancelRest
from cannon.dating import Dated
from cannon.live import Live, LiveTwin, listen, motor_off
from cannon.settings.texts import Texts

if TYPE_CHECKING:
    from cannon.terminal.screen import Screen
    from cannon.twin.twin import Twin

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
REFRESH_S = 0.1
HOLD_S = 2.5
CARDS_REFILLED = 80

log = logging.getLogger("cannon")


def leave_at_signals() -> None:
    """SIGTERM, SIGINT and SIGHUP: an orderly end, as long as nothing runs yet."""

    def leave(number: int, frame: FrameType | None) -> None:
        sys.exit(0)

    for number in SIGNALS:
        signal.signal(number, leave)


def stop_at_signals(live: Live) -> None:
    """SIGTERM, SIGINT and SIGHUP: motor off at once, then an orderly end."""

    def stop(number: int, frame: FrameType | None) -> None:
        if not live.ended.is_set():  # else the end is under way
            motor_off(live.loop)
            live.ended.set()

    for number in SIGNALS:
        signal.signal(number, stop)


def play_in_lines(live: Live, texts: Texts) -> None:
    """Tells what happens as lines of the log, until the launcher is told to stop."""

    def tell(command: Command) -> None:
        if isinstance(command, Sound) and command.tune == "beep":
            log.info(texts("launcher.state.ready"))
        elif isinstance(command, Record):
            said = telling.line(texts, command)
            if said:
                log.info(said)

    listen(live.loop, tell)
    live.start()
    live.ended.wait()


def play_on_screen(live: LiveTwin, texts: Texts, screen: Screen) -> None:
    """A live picture of a simulated launcher, with keys. A closed window is an end, too."""
    import errno
    import termios

    listen(live.loop, screen.tell)
    live.start()
    try:
        _play_by_keys(live, screen)
    except (OSError, termios.error) as error:
        if error.args[0] != errno.EIO:
            raise
        live.ended.set()
        _let_go_of_the_terminal()


def _play_by_keys(live: LiveTwin, screen: Screen) -> None:
    from rich.console import Console
    from rich.live import Live as Picture

    from cannon.terminal.keys import Keys

    look = Dated(live.loop)
    with Keys() as keys, Picture(console=Console(), auto_refresh=False, screen=True) as picture:
        while not live.ended.is_set():
            picture.update(screen.show(look()), refresh=True)
            pressed = keys.read(REFRESH_S)
            if pressed is None or "q" in pressed:
                live.ended.set()
                return
            for key in pressed:
                act = ACTIONS.get(key)
                if act is not None:
                    live.hand(act)


def _let_go_of_the_terminal() -> None:
    """It is gone: what is still written to it, at the latest by the interpreter's end, would be
    an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        if os.fstat(output).st_rdev == os.fstat(0).st_rdev:
            os.dup2(nowhere, output)


def on_a_terminal() -> bool:
    """Whether there is someone to look and to press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _lid(twin: Twin) -> None:
    if twin.lid_open:
        twin.close_lid()
    else:
        twin.open_lid()


def _refill(twin: Twin) -> None:
    """Lid up, cards in, lid down: with the hands' own pace."""
    twin.open_lid()
    twin.agenda.at(twin.clock.now + 0.6, lambda: twin.load(CARDS_REFILLED))
    twin.agenda.at(twin.clock.now + 1.2, twin.close_lid)


def _clear(twin: Twin) -> None:
    twin.clear()


ACTIONS: dict[str, Callable[[Twin], None]] = {
    " ": lambda twin: twin.press(),
    "\n": lambda twin: twin.press(),
    "l": _lid,
    "r": _refill,
    "t": _clear,
    "h": lambda twin: twin.press(hold_s=HOLD_S),
    "x": lambda twin: twin.events.post(CancelRest("terminal")),
}
