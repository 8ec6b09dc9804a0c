"""Opens the game that was kept, or a new one. A damaged file costs what comes after the damage,
one that cannot be opened all that was kept; neither costs the evening, and the page says so."""

from __future__ import annotations

import logging
from pathlib import Path

from cannon.companion.replay import with_edition_of
from cannon.companion.saving import ActionFile
from cannon.errors import CannonError
from cannon.settings.editions import all_editions
from cannon.settings.troubles import UNREADABLE, trouble_of
from cannon.table.history import Game, apply, new_game
from cannon.table.state import Refusal
from cannon.web.game import Keeper

NAME = "table.jsonl"

log = logging.getLogger("cannon.page")


def open_table(folder: Path) -> Keeper:
    """The game in `folder`, as it was left."""
    try:
        kept = ActionFile(folder / NAME, rescue=True)
    except CannonError as error:
        log.warning("the game cannot be opened: %s", error.what)
        reason = error.__cause__
        trouble = trouble_of(reason) if isinstance(reason, OSError) else UNREADABLE
        return Keeper(new_game(all_editions()), None, trouble)
    if kept.aside is None:
        return Keeper(_restored(kept), kept)
    log.warning("%s was damaged; all of it is kept in %s", kept.path, kept.aside)
    return Keeper(_restored(kept), kept, rescued=kept.aside.name)


def _restored(kept: ActionFile) -> Game:
    """The game after all kept actions. What the rules refuse by now is left out."""
    game = new_game(all_editions())
    for action in kept.actions:
        result = apply(with_edition_of(game, action, Path()), action)
        if not isinstance(result, Refusal):
            game = result
    return game
