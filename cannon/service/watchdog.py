"""Tells the service manager that the launcher is alive, as long as it really is.

Alive means: the control loop has turned since the last look, and nothing of the launcher's own
threads is sick, as the one that brings the inputs' edges. If not, the motor is switched off from
here, and the manager, who then hears nothing, ends the program and switches all outputs off.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from cannon.service.manager import Manager

LOOKS = 4  # for each time the manager wants to hear something
LOOK_S = 1.0  # where no manager wants to
STUCK = "the control loop does not turn"

log = logging.getLogger(__name__)


class Watchdog:
    """Looks at a launcher in a thread of its own, between `with` and its end.

    `turns` counts the turns of the control loop; `sick` says what has died, or ""; `off` switches
    the motor off; `on_sick` hears once of each sickness; `status` is for the manager's display.
    """

    def __init__(
        self,
        manager: Manager,
        turns: Callable[[], int],
        sick: Callable[[], str],
        off: Callable[[], None],
        on_sick: Callable[[str], None],
        status: Callable[[], str],
    ) -> None:
        self._manager = manager
        self._turns = turns
        self._sick = sick
        self._off = off
        self._on_sick = on_sick
        self._status = status
        self._turns_seen = 0
        self._trouble = ""
        self._ready = False
        self._told = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="watchdog", daemon=True)

    @property
    def look_s(self) -> float:
        """Seconds between two looks."""
        return LOOK_S if self._manager.watchdog_s is None else self._manager.watchdog_s / LOOKS

    def look(self) -> None:
        """Looks once, and tells the manager if all is well; the first time, that it is ready."""
        turns = self._turns()
        stuck, self._turns_seen = turns == self._turns_seen, turns
        if not stuck or self._ready:
            self._judge(STUCK if stuck else self._sickness())

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self._thread.join(timeout=1)
        self._manager.tell("STOPPING=1")

    def _sickness(self) -> str:
        try:
            return self._sick()
        except Exception as error:  # a launcher that cannot be asked is not well
            return repr(error)

    def _judge(self, trouble: str) -> None:
        if trouble:
            self._off()
            if trouble != self._trouble:
                log.error("not alive: %s", trouble)
                if trouble != STUCK:
                    self._on_sick(trouble)
        else:
            self._tell_well()
        self._trouble = trouble

    def _tell_well(self) -> None:
        news = ["WATCHDOG=1"]
        if not self._ready:
            self._ready = True
            news = ["READY=1", "WATCHDOG=1"]
        status = self._status()
        if status != self._told:
            self._told = status
            news.append(f"STATUS={status}")
        self._manager.tell(*news)

    def _work(self) -> None:
        wait_s = self._first_looks_s()
        while not self._ended.wait(wait_s):
            self.look()
            wait_s = self.look_s if self._ready else self._first_looks_s()

    def _first_looks_s(self) -> float:
        """Ready is told soon after the first turns."""
        return min(0.1, self.look_s)
