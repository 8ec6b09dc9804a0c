"""What was done at the table, one action in words, for the list in which it can be corrected.

Every field of an action may be left out where it is clear; the words then say what was meant, or
leave it out. They are the texts `page.did.*`, one or more of each kind of action.
"""

from __future__ import annotations

from typing import Any

import msgspec

from cannon.settings.texts import Texts
from cannon.settings.wording import card_words, colour_words
from cannon.table import actions
from cannon.table.calling import is_guilty
from cannon.table.state import PLAY, State


def action_words(action: actions.Action, before: State, texts: Texts) -> str:
    """An action in words, as it was understood in the state `before`."""
    fields = (field.name for field in msgspec.structs.fields(action))
    places = {name: _words(name, getattr(action, name), before, texts) for name in fields}
    key = str(action.__struct_config__.tag)
    match action:
        case actions.Pressed():
            places["by"] = _presser(action, before)
        case actions.Draw(cards=None) if before.owed:
            key = "draw-owed"
        case actions.Draw(cards=None):
            places["cards"] = _amount(1, texts)
        case actions.Waive(by=None):
            key = "waive-all"
        case actions.Catch(player=None):
            places["player"] = ", ".join(before.ring[seat] for seat in before.open)
        case actions.Challenge():
            return texts(f"page.did.challenge-{_verdict(action, before)}", **places)
        case actions.Count():
            places["points"] = str(_points(action, before))
        case _:
            pass
    return " ".join(texts(f"page.did.{key}", **places).split())


def _words(name: str, value: Any, before: State, texts: Texts) -> str:
    """The value of a field; empty where it was left out."""
    if name == "cards":
        return _amount(value, texts)
    if value is None:
        return ""
    if name == "card" and before.rules is not None:
        card = before.rules.card(value)
        if card is not None:
            return card_words(texts, before.rules.edition, card)
    return colour_words(texts, value) if name == "colour" else str(value)


def _amount(cards: Any, texts: Texts) -> str:
    """So many cards; where they are not known, and not named one by one, that."""
    if isinstance(cards, int):
        return texts("page.amount.cards", count=cards)
    return texts("page.amount.unknown")


def _presser(action: actions.Pressed, before: State) -> str:
    """Who has pressed: it counts for whoever had to."""
    if before.stage == PLAY:
        return before.ring[before.owed[0].by if before.owed else before.turn]
    return action.by or ""


def _verdict(action: actions.Challenge, before: State) -> str:
    if action.hand is None or before.rules is None or not before.owed:
        return action.verdict or "innocent"
    guilty = is_guilty(before.rules, action.hand, before.owed[0].colour)
    return "guilty" if guilty else "innocent"


def _points(action: actions.Count, before: State) -> int:
    if action.cards is None or before.rules is None:
        return action.points or 0
    found = [before.rules.card(name) for name in action.cards]
    return sum(card.points for card in found if card is not None)
