"""What may be done now, and by whom. Found by asking the engine, so it is always what it says."""

from __future__ import annotations

from collections.abc import Callable

from cannon.table import actions as a
from cannon.table.engine import move
from cannon.table.rules import Card
from cannon.table.state import Refusal, State

_BY_SOMEBODY: dict[str, Callable[[str], a.Move]] = {
    "press": a.Press,
    "draw": a.Draw,
    "keep": a.Keep,
    "uno": a.Uno,
    "advice": a.Advice,
    "wrong": a.Wrong,
    "penalty": a.Penalty,
    "challenge": lambda name: a.Challenge(name, "innocent"),
    "hand": lambda name: a.Hand(name, "unknown"),
    "count": lambda name: a.Count(name, points=0),
    "won": a.Won,
    "leave": lambda name: a.Leave(name, "waive"),
    "take-over": lambda name: a.TakeOver(name, "\N{NO-BREAK SPACE}?"),
    "waive": a.Waive,
}
_BY_NOBODY: dict[str, Callable[[], a.Move]] = {
    "pressed": lambda: a.Pressed(1),
    "jam": lambda: a.Jam(0),
    "empty": a.Empty,
    "refill": lambda: a.Refill(1),
    "taken": a.Taken,
    "appeared": a.Appeared,
    "next": a.Next,
    "join": lambda: a.Join("\N{NO-BREAK SPACE}?"),
    "end": a.End,
}


def offers(state: State) -> dict[str, tuple[str, ...]]:
    """The actions that are possible now, each with who may do it (nobody's: an empty tuple).

    `catch` names those who can be caught, `colour` who has to choose one, `lay`, `play` and
    `jump-in` who has a card that could be laid; which ones, `playable` tells.
    """
    found: dict[str, tuple[str, ...]] = {}
    for do, made in _BY_SOMEBODY.items():
        names = tuple(name for name in state.ring if _possible(state, made(name)))
        if names:
            found[do] = names
    for do, alone in _BY_NOBODY.items():
        if _possible(state, alone()):
            found[do] = ()
    for do in ("lay", "play", "jump-in"):
        names = tuple(name for name in state.ring if _any_playable(state, name, do))
        if names:
            found[do] = names
    caught = tuple(name for name in state.ring if _can_be_caught(state, name))
    if caught:
        found["catch"] = caught
    chooser = [name for name in state.ring if _chooses(state, name)]
    if chooser:
        found["colour"] = tuple(chooser)
    return found


def playable(state: State, name: str, do: str = "lay") -> list[Card]:
    """The cards that `name` could lay now, if they are in that hand.

    `do` is "lay", or "play" for a card just drawn, or "jump-in".
    """
    if state.rules is None:
        return []
    return [card for card in state.rules.kinds if _possible(state, _laid(state, name, card, do))]


def _any_playable(state: State, name: str, do: str) -> bool:
    kinds = state.rules.kinds if state.rules is not None else ()
    return any(_possible(state, _laid(state, name, card, do)) for card in kinds)


def _laid(state: State, name: str, card: Card, do: str) -> a.Move:
    player = None
    if card.who == "named" or card.hands == "swap":
        player = next((other for other in state.ring if other != name), None)
    if do == "jump-in":
        return a.JumpIn(name, card.name, player)
    return (a.Play if do == "play" else a.Lay)(name, card.name, None, player)


def _can_be_caught(state: State, name: str) -> bool:
    others = (other for other in state.ring if other != name)
    return any(_possible(state, a.Catch(other, name)) for other in others)


def _chooses(state: State, name: str) -> bool:
    colours = state.rules.edition.colours if state.rules is not None else ()
    return any(_possible(state, a.Colour(name, colour)) for colour in colours[:1])


def _possible(state: State, action: a.Move) -> bool:
    return not isinstance(move(state, action), Refusal)
