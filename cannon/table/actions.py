"""What people at the table and the launcher can say. Each action is a value, and one line of JSON.

`{"do": "lay", "by": "A", "card": "red 7"}` is a `Lay`. The actions are all that is ever kept of a
game: everything shown follows from them. What each one means is told in `README.md` beside this
file; whether it may happen now, the engine decides.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

# A terminal would obey the others; those that turn the way of writing would upset what is beside.
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+$"
Name = Annotated[str, Meta(max_length=40, pattern=_PRINTABLE)]
CardName = Annotated[str, Meta(max_length=60, pattern=_PRINTABLE)]
ColourName = Annotated[str, Meta(max_length=30, pattern=_PRINTABLE)]
EditionName = Annotated[str, Meta(max_length=500, pattern=_PRINTABLE)]
Cards = Annotated[int, Meta(ge=0, le=500)]
CardsOrUnknown = Cards | Literal["unknown"] | None


class NotAnAction(Exception):
    """What was given is not an action; the text says why, for a person."""


class _Action(
    msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=True
):
    pass


class Start(_Action, frozen=True, tag="start"):
    """A game begins. `draws` are the cards drawn for dealer, the last ones after ties.

    `deck` gives the cards of each rank where the edition does not know them, `cards` the size of
    the deck if some are missing. An option that is None was left empty; the rules refuse it.
    """

    edition: EditionName
    players: Annotated[tuple[Name, ...], Meta(max_length=20)]
    dealer: Name | None = None
    draws: dict[Name, CardName | tuple[CardName, ...]] = {}
    first: CardName | None = None
    options: dict[str, bool | int | str | None] = {}
    deck: dict[str, Cards] = {}
    cards: Cards | None = None


class First(_Action, frozen=True, tag="first"):
    """The first card of the round has been turned up."""

    card: CardName


class Lay(_Action, frozen=True, tag="lay"):
    """A card laid. `player` is the one named or swapped with; `last`: it was their last card.

    `others` (in JSON "with") are the cards that go along with a Discard All: how many, or which.
    """

    by: Name
    card: CardName
    colour: ColourName | None = None
    player: Name | None = None
    last: bool | None = None
    others: Cards | tuple[CardName, ...] | None = field(default=None, name="with")


class Play(_Action, frozen=True, tag="play"):
    """The card just drawn is laid. The fields are those of `Lay`."""

    by: Name
    card: CardName
    colour: ColourName | None = None
    player: Name | None = None
    last: bool | None = None
    others: Cards | tuple[CardName, ...] | None = field(default=None, name="with")


class JumpIn(_Action, frozen=True, tag="jump-in"):
    """Exactly the card on top, laid out of turn."""

    by: Name
    card: CardName
    player: Name | None = None
    last: bool | None = None


class Keep(_Action, frozen=True, tag="keep"):
    """The card just drawn is kept; the turn is over."""

    by: Name


class Colour(_Action, frozen=True, tag="colour"):
    """A colour is chosen for the wild card on top."""

    by: Name
    colour: ColourName


class Press(_Action, frozen=True, tag="press"):
    """Nothing is laid: they will press the launcher, or have it deal them a card."""

    by: Name


class Pressed(_Action, frozen=True, tag="pressed"):
    """The launcher was pressed and so many cards came; it counts for whoever has to press.

    `source` (in JSON "from") is "hand" where a person entered it.
    """

    cards: CardsOrUnknown = None
    by: Name | None = None
    source: Literal["launcher", "hand"] = field(default="launcher", name="from")


class Draw(_Action, frozen=True, tag="draw"):
    """Cards drawn by hand: one by choice, or those that are owed (all of them by default)."""

    by: Name
    cards: Annotated[int, Meta(ge=1, le=500)] | None = None


class Jam(_Action, frozen=True, tag="jam"):
    """The launcher jammed after so many cards: they are taken, the press stays owed."""

    cards: CardsOrUnknown = 0


class Empty(_Action, frozen=True, tag="empty"):
    """The launcher holds no card any more."""


class Refill(_Action, frozen=True, tag="refill"):
    """The pile but for its top card went into the launcher. 0 cards: there is nothing to refill."""

    cards: CardsOrUnknown = None


class Taken(_Action, frozen=True, tag="taken"):
    """Cards that stuck out were taken; they belong to whoever the last press was for."""

    cards: CardsOrUnknown = 1


class Appeared(_Action, frozen=True, tag="appeared"):
    """A card of the named colour has come."""


class Waive(_Action, frozen=True, tag="waive"):
    """What is owed is let off: by that player, or by everybody."""

    by: Name | None = None


class Uno(_Action, frozen=True, tag="uno"):
    """UNO is said, before the second-last card or, still in time, after it."""

    by: Name


class Catch(_Action, frozen=True, tag="catch"):
    """Somebody is caught without having said UNO. `player` may be left out if it is clear."""

    by: Name
    player: Name | None = None


class Advice(_Action, frozen=True, tag="advice"):
    """This player told another one which card to choose."""

    by: Name


class Wrong(_Action, frozen=True, tag="wrong"):
    """This player laid a card that does not fit, and takes it back."""

    by: Name


class Penalty(_Action, frozen=True, tag="penalty"):
    """A penalty that the table agreed on."""

    by: Name
    presses: Annotated[int, Meta(ge=1, le=20)] = 1


class Challenge(_Action, frozen=True, tag="challenge"):
    """The one hit doubts that the card was allowed. The verdict, or the hand that was shown."""

    by: Name
    verdict: Literal["guilty", "innocent"] | None = None
    hand: tuple[CardName, ...] | None = None


class Hand(_Action, frozen=True, tag="hand"):
    """How many cards this player holds, counted at the table."""

    by: Name
    cards: Annotated[int, Meta(ge=1, le=500)] | Literal["unknown"]


class Count(_Action, frozen=True, tag="count"):
    """What this player was caught with at the end of the round: the cards, or their points."""

    by: Name
    cards: tuple[CardName, ...] | None = None
    points: Annotated[int, Meta(ge=0, le=10000)] | None = None


class Won(_Action, frozen=True, tag="won"):
    """At the round's end: this player has won it, not the one it seemed."""

    by: Name


class Next(_Action, frozen=True, tag="next"):
    """The next round. Without a dealer it is the one to the left of the last."""

    dealer: Name | None = None
    first: CardName | None = None


class Join(_Action, frozen=True, tag="join"):
    """Somebody sits down, to the left of `after` or else of the last player in the list."""

    name: Name
    after: Name | None = None


class Leave(_Action, frozen=True, tag="leave"):
    """Somebody gets up. What they owe is waived or handed on to the next player."""

    by: Name
    owed: Literal["waive", "hand-on"] | None = None


class TakeOver(_Action, frozen=True, tag="take-over"):
    """Somebody takes this player's place, with hand, debts and score."""

    by: Name
    name: Name


class End(_Action, frozen=True, tag="end"):
    """The game is over for today."""


class OverThePast(_Action, frozen=True):
    """What is no move of its own: it takes moves back, or changes them afterwards."""


class Undo(OverThePast, frozen=True, tag="undo"):
    """The last action did not happen."""


class Redo(OverThePast, frozen=True, tag="redo"):
    """What was undone did happen."""


Move = (
    Start | First | Lay | Play | JumpIn | Keep | Colour | Press | Pressed | Draw | Jam | Empty
    | Refill | Taken | Appeared | Waive | Uno | Catch | Advice | Wrong | Penalty | Challenge
    | Hand | Count | Won | Next | Join | Leave | TakeOver | End
)  # fmt: skip


class Correct(OverThePast, frozen=True, tag="correct"):
    """Actions number `at` to `to` (from 1; by default only `at`) were others, or none at all."""

    at: Annotated[int, Meta(ge=1)]
    actions: tuple[Move, ...] = ()
    to: Annotated[int, Meta(ge=1)] | None = None


Action = Move | Undo | Redo | Correct


def read(line: str | bytes) -> Action:
    """The action on a line of JSON. Raises NotAnAction."""
    try:
        return _DECODER.decode(line)
    except msgspec.DecodeError as error:
        raise NotAnAction(_plain(error)) from None


def from_object(value: Any) -> Action:
    """The action in a decoded JSON object. Raises NotAnAction."""
    try:
        return msgspec.convert(value, Action)  # type: ignore[no-any-return]
    except msgspec.ValidationError as error:
        raise NotAnAction(_plain(error)) from None


def write(action: Action) -> str:
    """`action` as one line of JSON, without the line's end."""
    return json.dumps(msgspec.to_builtins(action), ensure_ascii=False)


def _plain(error: Exception) -> str:
    return str(error).replace("`", "").replace("$.", "")


_DECODER = msgspec.json.Decoder(Action)
