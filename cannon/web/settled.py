"""What settled each round that was counted, so that it can be corrected long afterwards."""

from __future__ import annotations

from typing import Any

import msgspec

from cannon.settings.texts import Texts
from cannon.table.actions import Count, Start, Won
from cannon.table.history import Game
from cannon.table.state import GAME_OVER, ROUND_OVER, State
from cannon.web.did import action_words


def entry(game: Game, before: State, texts: Texts) -> dict[str, Any]:
    """The last action of `game`: its number, the action as phones send it, and in words."""
    assert game.action is not None
    return {
        "at": game.number,
        "action": msgspec.to_builtins(game.action),
        "words": action_words(game.action, before, texts),
    }


def settled(game: Game, texts: Texts) -> list[dict[str, Any]]:
    """Of each round of this game: who could have won instead, and what settled it.

    `spared` had no cards counted because they won; if another did, they have. The last of the
    `actions` closed the round. Names are those of that time.
    """
    found: list[list[dict[str, Any]]] = [[] for _ in game.state.rounds]
    closings: dict[int, State] = {}
    while game.action is not None and game.before is not None and not _begins(game):
        before = game.before.state
        number = _settles(game, before)
        if number is not None and number < len(found):
            found[number].insert(0, entry(game, before, texts))
            closings.setdefault(number, game.state)
        game = game.before
    return [_round(closings[number], actions) for number, actions in enumerate(found)]


def _begins(game: Game) -> bool:
    return isinstance(game.action, Start)


def _settles(game: Game, before: State) -> int | None:
    """The round, from 0, that the last action counted, gave to another winner, or closed."""
    now = game.state
    closed = len(now.rounds) > len(before.rounds)
    if not closed and not isinstance(game.action, Count | Won):
        return None
    return len(now.rounds) - (now.stage in (ROUND_OVER, GAME_OVER))


def _round(closed: State, actions: list[dict[str, Any]]) -> dict[str, Any]:
    played = closed.rounds[-1]
    return {
        "others": [name for name in closed.ring if name != played.winner],
        "spared": [name for name in (played.winner, played.partner) if name and played.points],
        "actions": actions,
    }
