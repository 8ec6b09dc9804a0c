"""The page as a whole: what it shows, who may change what, and what it asks of the launcher.

`Page` is used in one event loop. It knows the outside by a few functions that are given to it:
`ask` brings a wish to the launcher's side, `keep` puts the pairings on file, `check` says what is
wrong with new settings, `sources` tell what is looked up only when somebody wants to see it, and
`on_table` hears of every change at the table.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from cannon.web.game import Keeper
from cannon.web.launcher_view import Facts, LauncherNow
from cannon.web.limits import Clock
from cannon.web.moments import Moments
from cannon.web.parts import Parts
from cannon.web.phones import Pairings, Phones
from cannon.web.table_view import deck_object, table_object
from cannon.web.wishes import Wish
from cannon.web.wording import texts_in

Ask = Callable[[Wish], None]
Look = Callable[[str], Awaitable[Any]]


class Place(msgspec.Struct, frozen=True):
    """Where the page is served."""

    host: str
    port: int


class Sources(msgspec.Struct, frozen=True):
    """What is looked up when asked for; each takes a language and gives plain values."""

    odds: Look
    history: Look
    diagnostics: Look
    settings: Look
    editions: Look
    doctor: Look


class Page:
    """Everything that the server serves."""

    def __init__(
        self,
        place: Place,
        facts: Facts,
        keeper: Keeper,
        pairings: Pairings,
        pin: str,
        sources: Sources,
        check: Callable[[dict[str, Any]], str],
        ask: Ask,
        keep: Callable[[Pairings], None],
        language: str,
        on_table: Callable[[], None] = lambda: None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.place = place
        self.facts = facts
        self.keeper = keeper
        self.phones = Phones(pairings, pin, clock)
        self.sources = sources
        self.check = check
        self.ask = ask
        self.keep = keep
        self.language = language
        self.clock = clock
        self.phones_listening = 0
        self.parts = Parts()
        self.moments = Moments(self.parts.run, clock)
        self._on_table = on_table
        self.launcher = LauncherNow(facts)
        self._rules = keeper.game.state.rules
        self.show_launcher()
        self._show_deck()
        self._put_table()

    def show_launcher(self) -> None:
        """What the launcher does is new."""
        launcher = self.launcher
        self.parts.put("launcher", lambda language: launcher.as_object(texts_in(language)))

    def show_table(self) -> None:
        """The table is new."""
        rules = self.keeper.game.state.rules
        if rules != self._rules:
            self._rules = rules
            self._show_deck()
        self._on_table()
        self._put_table()

    def _put_table(self) -> None:
        keeper = self.keeper
        self.parts.put("table", lambda language: table_object(keeper, texts_in(language)))

    def _show_deck(self) -> None:
        state = self.keeper.game.state
        self.parts.put("deck", lambda language: deck_object(state, texts_in(language)))
