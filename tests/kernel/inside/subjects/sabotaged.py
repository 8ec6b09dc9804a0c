"""The program as it is, with one part that can be broken from outside: by SIGUSR1.

Environment: SABOTAGE, a file with the name of what breaks (a function here). Arguments: those of
`cannon`. Its page is `sabotaged_page`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from cannon import live
from cannon.cli import main
from cannon.devices.inputs import EdgeInput
from cannon.service.watchdog import Watchdog

running: list[live.LivePins] = []
inputs: list[EdgeInput] = []
watchdogs: list[Watchdog] = []


def kept(kind: type, made: list[Any]) -> None:
    """From now on all objects of that kind are in `made`."""
    real = kind.__init__  # type: ignore[misc]

    def init(self: Any, *given: Any, **named: Any) -> None:
        real(self, *given, **named)
        made.append(self)

    kind.__init__ = init  # type: ignore[misc]


def fails(*given: Any) -> NoReturn:
    raise RuntimeError("sabotage")


def loop_dies() -> None:
    """The control loop's thread ends by an exception that nobody expects."""
    running[-1].loop.step = fails  # type: ignore[method-assign]


def controller_raises() -> None:
    """The controller raises, once."""
    controller = running[-1].loop.controller
    real = controller.tick

    def once(now: float) -> NoReturn:
        controller.tick = real  # type: ignore[method-assign]
        fails()

    controller.tick = once  # type: ignore[method-assign]


def loop_blocks() -> None:
    """The control loop's thread does not come back from reading the levels."""
    running[-1].loop.launcher.levels = lambda: time.sleep(3600)  # type: ignore[method-assign,assign,return-value]


def callback_raises() -> None:
    """Our part of the library's callbacks raises, at the next edge of each input."""
    for each in inputs:
        real = each._clock

        def once(each: EdgeInput = each, real: Any = real) -> NoReturn:
            each._clock = real
            fails()

        each._clock = once


def notifier_dies() -> None:
    """The library's thread ends at the next edge, as by an exception in a callback."""
    import lgpio

    for callback in lgpio._notify_thread.callbacks:
        callback.func = fails


def link_dies() -> None:
    """The thread of the link to a microcontroller ends by an exception."""
    running[-1].loop.launcher.link.pump = fails  # type: ignore[attr-defined]


def link_callback_raises() -> None:
    """What the link calls with the next event raises."""
    link: Any = running[-1].loop.launcher.link  # type: ignore[attr-defined]
    real = link._on_event

    def once(event: object) -> NoReturn:
        link._on_event = real
        fails()

    link._on_event = once


def pets_stop() -> None:
    """The service manager hears nothing more; all else goes on."""
    watchdogs[-1].look = lambda: None  # type: ignore[method-assign]


def page_is(module: str) -> None:
    """The page's process is that module from now on."""
    real = subprocess.Popen.__init__

    def init(self: Any, command: list[str], *given: Any, **named: Any) -> None:
        words = [module if word == "cannon.page.process" else word for word in command]
        real(self, words, *given, **named)

    subprocess.Popen.__init__ = init  # type: ignore[method-assign]


def on_signal(number: int, frame: FrameType | None) -> None:
    """In a thread of its own: what breaks must not be the main thread."""
    name = Path(os.environ["SABOTAGE"]).read_text()
    threading.Thread(target=globals()[name], daemon=True).start()


if __name__ == "__main__":
    kept(live.LivePins, running)
    kept(EdgeInput, inputs)
    kept(Watchdog, watchdogs)
    page_is("tests.kernel.inside.subjects.sabotaged_page")
    signal.signal(signal.SIGUSR1, on_signal)
    main()
