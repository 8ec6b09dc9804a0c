"""Computes exactly what a model of odds does in the long run. Nothing is drawn here.

It takes the same compiled model as `cannon.core.odds` (which describes it). The presses are a
Markov chain: where it stands is told by the blanks since the last launch and, if launches in a
row are bounded, by the launches in a row. A sequence is simply counted out. The figures hold for
presses without haste, and for a sequence that nothing resets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chances:
    """What to expect of a model. A wait counts the presses since the last launch, this included.

    All by-wait tables have the waits that occur, rising; shares are parts of all launches.
    """

    launches_per_press: float
    cards_per_press: float
    cards_per_launch: float
    mean_wait: float
    longest_blank_streak: int
    launch_share_by_wait: dict[int, float]
    chance_by_wait: dict[int, float]
    mean_cards_by_wait: dict[int, float]
    count_share_by_wait: dict[int, dict[int, float]]
    count_share: dict[int, float]


def chances_of(model: dict[str, Any]) -> Chances:
    """The exact law of a compiled model, down to rounding of floating-point numbers."""
    shares = _shares_of_sequence(model) if model["sequence"] else _shares_of_chances(model)
    counts = {wait: _count_shares(_at(model["cards"], wait)) for wait in shares}
    means = {w: math.fsum(n * share for n, share in counts[w].items()) for w in shares}
    mean_wait = math.fsum(wait * share for wait, share in shares.items())
    cards = math.fsum(share * means[wait] for wait, share in shares.items())
    return Chances(
        launches_per_press=1 / mean_wait,
        cards_per_press=cards / mean_wait,
        cards_per_launch=cards,
        mean_wait=mean_wait,
        longest_blank_streak=max(shares) - 1,
        launch_share_by_wait=shares,
        chance_by_wait=_chances_at(shares),
        mean_cards_by_wait=means,
        count_share_by_wait=counts,
        count_share=_mixed(shares, counts),
    )


def _shares_of_chances(model: dict[str, Any]) -> dict[int, float]:
    """Share of the launches by wait, from what happens between one first blank and the next.

    After a blank there is exactly one launch with a wait of 2 or more. It may be followed at once
    by launches with a wait of 1, until a press is blank or the bound on launches makes it so.
    """
    most_blanks, most_launches = model["max_blanks"], model["max_launches"]
    at_once = 1.0 if most_blanks == 0 else float(_at(model["chances"], 1))
    if at_once == 1 and most_launches is None:
        return {1: 1.0}
    if most_launches is None:
        more = at_once / (1 - at_once)
    else:
        more = math.fsum(at_once**k for k in range(1, most_launches))
    launches = {1: more}
    left = 1.0
    for wait in range(2, most_blanks + 2):
        chance = 1.0 if wait > most_blanks else float(_at(model["chances"], wait))
        launches[wait] = left * chance
        left *= 1 - chance
    return {wait: n / (1 + more) for wait, n in launches.items() if n > 0}


def _shares_of_sequence(model: dict[str, Any]) -> dict[int, float]:
    places = model["sequence"]
    before = [places[-1] - model["length"], *places]
    waits = [place - last for last, place in zip(before, places, strict=False)]
    return {wait: waits.count(wait) / len(waits) for wait in sorted(set(waits))}


def _chances_at(shares: dict[int, float]) -> dict[int, float]:
    """Chance that the press fires which would be the n-th since the last launch."""
    chances = {}
    for wait in range(1, max(shares) + 1):
        here = shares.get(wait, 0.0)
        later = math.fsum(share for other, share in shares.items() if other > wait)
        chances[wait] = here / (here + later)
    return chances


def _count_shares(law: list[list[float]]) -> dict[int, float]:
    below = [0.0, *(up_to for _, up_to in law)]
    return {int(n): up_to - before for (n, up_to), before in zip(law, below, strict=False)}


def _mixed(shares: dict[int, float], counts: dict[int, dict[int, float]]) -> dict[int, float]:
    possible = sorted({count for law in counts.values() for count in law})
    return {
        n: math.fsum(share * counts[wait].get(n, 0.0) for wait, share in shares.items())
        for n in possible
    }


def _at(by_wait: list[Any], wait: int) -> Any:
    return by_wait[min(wait, len(by_wait)) - 1]
