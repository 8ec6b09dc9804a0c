"""Keeps the game that all phones show. It alone decides, in the order in which things arrive.

An action from a phone names the version that the phone saw. If the table has moved on since, it
is refused, so that nothing is ever done to a state that nobody looked at. Every action is kept
before it is shown; where nothing can be kept, the game goes on and `unkept` says why, as a code of
`cannon.settings.troubles`. An action is done whole once it was begun, also if whoever asked for it
gives up waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from cannon.settings.troubles import trouble_of
from cannon.table.actions import Action, Move, Pressed
from cannon.table.history import Game, apply
from cannon.table.state import Refusal

log = logging.getLogger("cannon.page")


class Kept(Protocol):
    """Where the actions of the game are kept."""

    actions: list[Action]

    def append(self, action: Action) -> None:
        """Keeps `action`; it is safe when this returns. Raises OSError if it cannot be kept."""
        ...


class Stale(NamedTuple):
    """The table has moved on: its version now."""

    version: int


class Unclaimed(NamedTuple):
    """A press of the launcher that the table could not take: how many came, and why."""

    press: int | None
    cards: int | str | None
    refusal: Refusal


class Keeper:
    """The game, its version, and what came out of the launcher that belongs to nobody.

    `version`, how many actions there were, rises together with the game: undo and redo included,
    and over restarts. `rescued` names the copy of a damaged file, whose good part this game is,
    until somebody acts.
    """

    def __init__(self, game: Game, kept: Kept | None, unkept: str = "", rescued: str = "") -> None:
        self.game = game
        self.version = len(kept.actions) if kept else 0
        self.unkept = unkept
        self.rescued = rescued
        self.unclaimed: Unclaimed | None = None
        self._kept = kept
        self._waiting: list[Action] = []  # done, and not kept yet
        self._order = asyncio.Lock()

    async def act(self, action: Action, version: int) -> Refusal | Stale | None:
        """Does `action` if the table is still at `version`. None: it was done."""
        return await asyncio.shield(self._act(action, version))

    async def happened(self, moves: Sequence[Move], press: int | None) -> None:
        """The launcher did something: at whatever version the table is."""
        await asyncio.shield(self._happened(moves, press))

    async def _act(self, action: Action, version: int) -> Refusal | Stale | None:
        async with self._order:
            if version != self.version:
                return Stale(self.version)
            refusal = await self._do(action)
            if refusal is None:
                self.unclaimed = None
                self.rescued = ""
            return refusal

    async def _happened(self, moves: Sequence[Move], press: int | None) -> None:
        async with self._order:
            for move in moves:
                refusal = await self._do(move)
                if refusal is not None and isinstance(move, Pressed):
                    self.unclaimed = Unclaimed(press, move.cards, refusal)

    async def _do(self, action: Action) -> Refusal | None:
        result = apply(self.game, action)
        if isinstance(result, Refusal):
            return result
        self._waiting.append(action)
        if self._kept is not None:
            await asyncio.to_thread(self._keep, self._kept)
        self.game = result
        self.version += 1
        return None

    def _tell(self, error: OSError) -> None:
        """Says why nothing can be kept: to people in a word, to the log in full and once."""
        trouble = trouble_of(error)
        if trouble != self.unkept:
            log.warning("the game cannot be kept: %s", error)
        self.unkept = trouble

    def _keep(self, kept: Kept) -> None:
        """Keeps what waits, in order; after trouble also what came meanwhile."""
        try:
            while self._waiting:
                kept.append(self._waiting[0])
                del self._waiting[0]
        except OSError as error:
            self._tell(error)
        else:
            self.unkept = ""
