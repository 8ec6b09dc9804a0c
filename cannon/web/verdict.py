"""Does a launcher keep its odds? Compares counted launches with the shares that a model says.

Pearson's chi-square test over the waits, neighbouring waits put together until at least five
launches are expected of each. The test is silent on few launches and says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

EXPECTED = 5.0  # launches in each class, the usual condition of the test
ENOUGH = 40  # launches; with fewer nearly every launcher would pass
DOUBT, UNLIKELY = 0.05, 0.001  # chance of so large a difference in a launcher that keeps its odds

FEW, FITS, DOUBTFUL, OFF = "few", "fits", "doubtful", "off"


class Verdict(NamedTuple):
    """`code` is FEW, FITS, DOUBTFUL or OFF; `chance` that of a difference at least as large."""

    code: str
    chance: float | None
    launches: int


def verdict(shares: Mapping[int, float], found: Mapping[int, int]) -> Verdict:
    """Compares the launches `found` by wait with their `shares` by the model."""
    launches = sum(found.values())
    classes = _classes(shares, found, launches)
    if launches < ENOUGH or len(classes) < 2:
        impossible = any(count and not shares.get(wait) for wait, count in found.items())
        return Verdict(OFF if impossible else FEW, 0.0 if impossible else None, launches)
    if any(expected == 0 and count for expected, count in classes):
        return Verdict(OFF, 0.0, launches)
    square = sum((count - expected) ** 2 / expected for expected, count in classes)
    chance = chance_of_square(square, len(classes) - 1)
    code = OFF if chance < UNLIKELY else DOUBTFUL if chance < DOUBT else FITS
    return Verdict(code, chance, launches)


def _classes(
    shares: Mapping[int, float], found: Mapping[int, int], launches: int
) -> list[tuple[float, int]]:
    """(expected, found) by wait, rising. What the model excludes is a class of its own."""
    classes: list[tuple[float, int]] = []
    expected, count = 0.0, 0
    for wait in sorted(shares):
        expected += shares[wait] * launches
        count += found.get(wait, 0)
        if expected >= EXPECTED:
            classes.append((expected, count))
            expected, count = 0.0, 0
    if expected and classes:
        last = classes.pop()
        classes.append((last[0] + expected, last[1] + count))
    excluded = sum(n for wait, n in found.items() if not shares.get(wait))
    return [*classes, (0.0, excluded)] if excluded else classes


def chance_of_square(square: float, freedom: int) -> float:
    """The chance that a chi-square variable of `freedom` degrees is at least `square`.

    The closed forms for whole degrees of freedom (Abramowitz and Stegun 26.4.4 and 26.4.5).
    """
    half = square / 2
    if freedom % 2 == 0:
        terms = (half**i / math.factorial(i) for i in range(freedom // 2))
        return math.exp(-half) * math.fsum(terms)
    terms = (half ** (i - 0.5) / math.gamma(i + 0.5) for i in range(1, (freedom + 1) // 2))
    return math.erfc(math.sqrt(half)) + math.exp(-half) * math.fsum(terms)
