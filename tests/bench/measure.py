"""The form of a result, and the few sums that all measurements need."""

from __future__ import annotations

from statistics import median, quantiles
from typing import Any


def result(
    name: str, value: float, baseline: float, at_most: float, unit: str, **more: Any
) -> dict[str, Any]:
    """One line of the bench: `value` must be at most `at_most` times `baseline`."""
    ratio = value / baseline if baseline else float("inf")
    return {
        "bench": name,
        "value": round(value, 6),
        "baseline": round(baseline, 6),
        "unit": unit,
        "ratio": round(ratio, 3),
        "goal": f"<= {at_most}",
        "met": ratio <= at_most,
        **more,
    }


def bound(name: str, value: float, at_most: float, unit: str, **more: Any) -> dict[str, Any]:
    """One line of the bench for a value that has a bound of its own."""
    return {
        "bench": name,
        "value": round(value, 6),
        "unit": unit,
        "goal": f"<= {at_most}",
        "met": value <= at_most,
        **more,
    }


def p99(values: list[float]) -> float:
    """The 99th percentile of at least two values."""
    return quantiles(values, n=100)[-1]


def middle(values: list[float]) -> float:
    """The median."""
    return median(values)
