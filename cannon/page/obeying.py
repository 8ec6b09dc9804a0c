"""Does what the page wishes, as far as it may be done. Called in the line's thread.

The page has asked for PIN and permission already; what moves a real motor is checked here again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from cannon.core import events
from cannon.core.events import Event
from cannon.live import Live, LiveTwin
from cannon.page.hands import Hands
from cannon.web import wishes
from cannon.web.wishes import Wish

SOURCE = "page"

log = logging.getLogger("cannon.page")

_EVENTS: dict[str, Callable[[], Event]] = {
    "press": lambda: events.Press(SOURCE),
    "acknowledge": lambda: events.Acknowledge(SOURCE),
    "deliver": lambda: events.DeliverRest(SOURCE),
    "cancel": lambda: events.CancelRest(SOURCE),
    "refilled": lambda: events.Refilled(SOURCE),
}


class Obeying:
    """Brings wishes to a launcher. `change` takes new settings, `halt` shuts the machine down."""

    def __init__(
        self,
        live: Live,
        remote_firing: bool,
        change: Callable[[dict[str, Any]], None],
        halt: Callable[[], None],
    ) -> None:
        self._live = live
        self._remote_firing = remote_firing
        self._change = change
        self._halt = halt
        self.hands = Hands()

    def __call__(self, wish: Wish) -> None:
        """Does `wish`, or logs why not."""
        live = self._live
        if isinstance(wish, wishes.Launcher):
            if wish.do == "press" and not self._remote_firing:
                log.warning("a press from the page was not let through: remote firing is off")
            else:
                live.post(_EVENTS[wish.do]())
        elif isinstance(wish, wishes.Request):
            live.post(events.Request(wish.cards, wish.purpose))
        elif isinstance(wish, wishes.Change):
            self._change(wish.values)
        elif isinstance(wish, wishes.Halt):
            self._halt()
        elif isinstance(live, LiveTwin):
            live.hand(lambda twin: self._handle(live, wish))
        else:
            log.warning("hands of the page reach a simulated launcher only")

    def _handle(self, live: LiveTwin, wish: wishes.Simulated) -> None:
        """A hand at the twin, in its own thread; what it did is shown though nothing else came."""
        try:
            self.hands.do(live.twin, wish)
        except Exception:
            log.exception("a hand of the page could not do %s", wish)
        if live.loop.watch is not None:
            live.loop.watch()

    def beside(self) -> dict[str, Any]:
        """What a simulation knows beyond the controller; in the loop's thread."""
        live = self._live
        if not isinstance(live, LiveTwin):
            return {}
        return {"stack": live.twin.mechanism.stack, "faults": list(self.hands.faults)}
