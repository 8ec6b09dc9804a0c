"""What a model of odds must fulfil beyond the types of its values. Finds every problem at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from cannon.settings.odds_compiling import (
    MOST_CARDS,
    chances_by_wait,
    most_blanks_of_sequence,
    most_launches_of_sequence,
    spread,
)
from hardware.reading import Problem

if TYPE_CHECKING:
    from cannon.settings.odds_models import CardLaw, OddsModel

LONGEST_STREAK = 99
MOST_PARTS = 8
LONGEST_SEQUENCE = 1000


def problems_of(model: OddsModel, where: str) -> list[Problem]:
    """Everything wrong with `model`; an empty list if nothing is."""
    found = [*_timing(model), *_bounds(model), *_rapid(model), *_cards(model)]
    return [Problem(f"{where}: {place}", what, fix) for place, what, fix in found]


def _timing(model: OddsModel) -> Iterator[Problem]:
    given = [key for key in ("waits", "chances", "sequence") if getattr(model, key) is not None]
    if len(given) != 1:
        what = f"found {' and '.join(given)}" if given else "nothing says when cards come"
        yield Problem("waits", what, "give exactly one of waits, chances and sequence")
    if model.waits is not None:
        yield from _waits(model.waits)
    if model.chances is not None:
        yield from _chances(model, model.chances)
    if model.sequence is not None:
        yield from _sequence(model.sequence, model.length)
    else:
        for key in ("length", "reset_on"):
            if getattr(model, key):
                yield Problem(key, "has a meaning only with a sequence", "leave it out")


def _waits(waits: list[float]) -> Iterator[Problem]:
    wrong = [n for n in waits if not (n >= 0 and math.isfinite(n))]
    if wrong:
        yield Problem("waits", f"must be numbers from 0 on, found {_list(wrong)}")
    elif not any(waits):
        yield Problem("waits", "cards would never come", "at least one must be above 0")
    if len(waits) > LONGEST_STREAK + 1:
        yield Problem("waits", f"at most {LONGEST_STREAK + 1}, found {len(waits)}")


def _chances(model: OddsModel, chances: list[float]) -> Iterator[Problem]:
    wrong = [chance for chance in chances if not 0 <= chance <= 1]
    if wrong:
        yield Problem("chances", f"must be from 0 to 1, found {_list(wrong)}", "50 % is 0.5")
        return
    if not any(chances):
        yield Problem("chances", "cards would never come", "at least one must be above 0")
        return
    if len(chances) > LONGEST_STREAK + 1:
        yield Problem("chances", f"at most {LONGEST_STREAK + 1}, found {len(chances)}")
    if chances[-1] < 1 and model.max_blanks is None:
        what = f"is missing: with a last chance of {chances[-1]} blanks could go on for ever"
        yield Problem("max_blanks", what, "give a bound, or 1 as the last chance")
    if model.max_blanks == 0 and chances[0] < 1:
        what = f"0 makes every press fire, against the chance of {chances[0]}"
        yield Problem("max_blanks", what, "raise it, or write chances = [1]")
    # A certain press ends the list, unless something can still turn it into a blank.
    certain = chances.index(1) if 1 in chances else len(chances)
    overruled = model.rapid_presses or (model.max_launches and certain == 0)
    if certain < len(chances) - 1 and not overruled:
        what = f"number {certain + 1} is 1, so those after it are never used"
        yield Problem("chances", what, "leave them out")


def _sequence(sequence: list[int], length: int | None) -> Iterator[Problem]:
    if not sequence:
        yield Problem("sequence", "cards would never come", "give at least one number")
    elif sequence[0] < 1 or any(b <= a for a, b in pairwise(sequence)):
        yield Problem("sequence", "must be rising numbers from 1 on")
    if length is None:
        yield Problem("length", "is missing", "after how many presses does the sequence repeat?")
    elif not max(sequence, default=1) <= length <= LONGEST_SEQUENCE:
        what = f"must be from {max(sequence, default=1)} (the last number) to {LONGEST_SEQUENCE}"
        yield Problem("length", f"{what}, found {length}")


def _bounds(model: OddsModel) -> Iterator[Problem]:
    ranges = {
        "max_blanks": (0, LONGEST_STREAK),
        "max_launches": (1, LONGEST_STREAK),
        "max_cards": (1, MOST_CARDS),
    }
    for key, (low, high) in ranges.items():
        value = getattr(model, key)
        if value is not None and not low <= value <= high:
            yield Problem(key, f"must be from {low} to {high}, found {value}")
    if model.sequence and model.length and not list(_sequence(model.sequence, model.length)):
        yield from _bounds_of_sequence(model)
    elif model.max_launches is not None and _always_fires(model):
        what = f"{model.max_launches} asks for a blank, and the model allows none"
        yield Problem("max_launches", what, "give max_blanks = 1 or more")


def _always_fires(model: OddsModel) -> bool:
    if model.max_blanks is not None:
        return model.max_blanks == 0
    if list(_timing(model)) or model.sequence:
        return False
    return len(chances_by_wait(model)) == 1


def _bounds_of_sequence(model: OddsModel) -> Iterator[Problem]:
    """A sequence says itself what comes; a bound can only agree with it."""
    kinds = {
        "max_blanks": ("blanks", most_blanks_of_sequence(model)),
        "max_launches": ("launches", most_launches_of_sequence(model)),
    }
    for key, (kind, most) in kinds.items():
        bound = getattr(model, key)
        if bound is not None and bound < most:
            what = f"{bound} contradicts the sequence, which has {most} {kind} in a row"
            yield Problem(key, what, "change one of them")


def _rapid(model: OddsModel) -> Iterator[Problem]:
    rapid = model.rapid_presses
    if rapid is None:
        return
    if model.sequence is not None:
        yield Problem("rapid_presses", "a sequence has no chances to lower", "leave it out")
    if not 0 < rapid.within_s <= 60:
        what = f"must be above 0 and at most 60 s, found {rapid.within_s}"
        yield Problem("rapid_presses: within_s", what)
    wrong = [factor for factor in rapid.factors if not 0 <= factor <= 1]
    if wrong or not rapid.factors:
        what = f"must be numbers from 0 to 1, found {_list(wrong) if wrong else 'none'}"
        yield Problem("rapid_presses: factors", what)


def _cards(model: OddsModel) -> Iterator[Problem]:
    if not model.cards:
        yield Problem("cards", "nothing says how many cards come", "add a [[cards]] table")
    for number, law in enumerate(model.cards, start=1):
        place = f"cards {number}" if len(model.cards) > 1 else "cards"
        problems = list(_law(law)) or list(_counts(law, model.max_cards))
        yield from (Problem(f"{place}: {key}", what, fix) for key, what, fix in problems)


def _law(law: CardLaw) -> Iterator[Problem]:
    if (law.sum_of is None) == (law.weights is None):
        yield Problem("sum_of", "give exactly one of sum_of and weights")
    for low, high in law.sum_of or []:
        if not 0 <= low <= high <= MOST_CARDS:
            what = f"must be [low, high] within 0 to {MOST_CARDS}, found [{low}, {high}]"
            yield Problem("sum_of", what)
    if len(law.sum_of or []) > MOST_PARTS:
        yield Problem("sum_of", f"at most {MOST_PARTS} parts, found {len(law.sum_of or [])}")
    for count, weight in (law.weights or {}).items():
        if not (count.isascii() and count.isdigit() and 1 <= int(count) <= MOST_CARDS):
            fix = "blanks belong into the chances" if count == "0" else ""
            what = f"a number of cards must be from 1 to {MOST_CARDS}, found {count}"
            yield Problem("weights", what, fix)
        if not (weight >= 0 and math.isfinite(weight)):
            yield Problem(f"weights: {count}", f"must be a number from 0 on, found {weight}")


def _counts(law: CardLaw, max_cards: int | None) -> Iterator[Problem]:
    """What only shows when the numbers of cards are worked out."""
    counts = sorted(spread(law))
    key = "weights" if law.weights is not None else "sum_of"
    if not counts:
        return (yield Problem(key, "no number of cards is left", "at least one must be possible"))
    low, high = counts[0], counts[-1]
    if low < 1:
        yield Problem(key, "a launch could have 0 cards", "begin at 1; blanks are the chances'")
    if max_cards is not None and 1 <= max_cards < low:
        yield Problem(key, f"begins at {low} cards, above max_cards = {max_cards}")
    if law.mean is not None and not (low < law.mean < high or low == law.mean == high):
        yield Problem("mean", f"must be between {low} and {high}, found {law.mean}")


def _list(values: list[float]) -> str:
    return ", ".join(map(str, values))
