"""Turns a checked odds model into the form that `cannon.core.odds` takes: plain numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cannon.settings.odds_models import CardLaw, OddsModel

MOST_CARDS = 112  # a whole deck


def compile_model(model: OddsModel) -> dict[str, Any]:
    """`model` in the form that `cannon.core.odds.Odds` takes; plain values, fit for JSON."""
    chances = chances_by_wait(model)
    rapid = model.rapid_presses
    streak = most_blanks_of_sequence(model) if model.sequence else len(chances) - 1
    return {
        "name": model.name,
        "chances": chances,
        "max_blanks": streak if model.max_blanks is None else model.max_blanks,
        "max_launches": None if model.sequence else model.max_launches,
        "rapid": rapid and {"within_s": rapid.within_s, "factors": list(rapid.factors)},
        "sequence": model.sequence and list(model.sequence),
        "length": model.length,
        "reset_on": list(model.reset_on),
        "cards": [_cumulated(_bounded(_weights(law), model.max_cards)) for law in model.cards],
    }


def most_blanks_of_sequence(model: OddsModel) -> int:
    """The longest run of blanks, also from the end of the sequence to its beginning."""
    return max(_gaps(model)) - 1


def most_launches_of_sequence(model: OddsModel) -> int:
    """The longest run of launches, also over the end; a sequence without blanks has no end."""
    gaps = _gaps(model)
    runs = "".join("+" if gap == 1 else " " for gap in gaps * 2)
    return max(map(len, runs.split(" "))) + 1


def _gaps(model: OddsModel) -> list[int]:
    """Presses from each launch of the sequence to the next, the first one after the last."""
    sequence = model.sequence or []
    again = [sequence[0] + (model.length or 0)]
    return [later - place for place, later in zip(sequence, sequence[1:] + again, strict=True)]


def chances_by_wait(model: OddsModel) -> list[float]:
    """Chance of firing by wait. Of `waits`: those that come now, of those not yet over."""
    if model.waits is None:
        return list(model.chances or [])
    waits = list(model.waits)
    while not waits[-1]:
        waits.pop()
    # The last one is exactly 1; a sum of fractions might miss it by a hair.
    return [n / math.fsum(waits[i:]) for i, n in enumerate(waits[:-1])] + [1.0]


def _weights(law: CardLaw) -> dict[int, float]:
    """Count to chance, in rising order, adding up to 1, with the mean that the law asks for."""
    weights = spread(law)
    if law.mean is not None:
        weights = _tilted(weights, law.mean)
    total = math.fsum(weights.values())
    return {count: weights[count] / total for count in sorted(weights)}


def spread(law: CardLaw) -> dict[int, float]:
    if law.weights is not None:
        weights = {int(count): weight for count, weight in law.weights.items()}
    else:
        weights = {0: 1.0}
        for low, high in law.sum_of or []:
            sums: dict[int, float] = {}
            for before, weight in weights.items():
                for more in range(low, high + 1):
                    sums[before + more] = sums.get(before + more, 0.0) + weight
            weights = sums
    most = MOST_CARDS if law.up_to is None else law.up_to
    return {count: weight for count, weight in weights.items() if weight > 0 and count <= most}


def _tilted(weights: dict[int, float], mean: float) -> dict[int, float]:
    """`weights` times exp(tilt * count), with the one tilt that gives this mean.

    Of all laws on the same counts this is the one closest to `weights` (in relative entropy).
    The mean rises with the tilt, so halving an interval finds it.
    """

    def tilt_by(tilt: float) -> dict[int, float]:
        # Measured from the mean, so that no power overflows on either side.
        powers = {count: tilt * (count - mean) for count in weights}
        top = max(powers.values())
        return {n: weight * math.exp(powers[n] - top) for n, weight in weights.items()}

    low, high = -50.0, 50.0
    while low < (middle := (low + high) / 2) < high:
        if _mean(tilt_by(middle)) < mean:
            low = middle
        else:
            high = middle
    return tilt_by(middle)


def _mean(weights: dict[int, float]) -> float:
    return math.fsum(n * w for n, w in weights.items()) / math.fsum(weights.values())


def _bounded(weights: dict[int, float], most: int | None) -> dict[int, float]:
    bounded: dict[int, float] = {}
    for count, weight in weights.items():
        count = count if most is None else min(count, most)
        bounded[count] = bounded.get(count, 0.0) + weight
    return bounded


def _cumulated(weights: dict[int, float]) -> list[list[float]]:
    law: list[list[float]] = [[0, 0.0]]
    for count in weights:
        up_to = math.fsum(weight for n, weight in weights.items() if n <= count)
        if up_to > law[-1][1]:  # else it is too rare to be drawn at all
            law.append([count, up_to])
    law[-1][1] = 1.0
    return law[1:]
