"""Measures how a launcher moves cards: what the times in a board's [feed] are for this one.

With an exit sensor it measures by itself, from the times of the beam's edges in runs at full
speed. Without one a person counts what came out of two series of runs, long and short ones; the
two unknowns, time per card and time lost at each start, follow from the two sums.

All figures are in milliseconds. Nothing is saved here, and nothing is believed that a board's
file could not say (`problems`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import median, quantiles
from typing import NamedTuple, Protocol

import msgspec

from cannon.bringup.rig import Rig
from cannon.core.commands import FORWARD, Run
from cannon.core.events import EXIT, Edge
from hardware.board import FeedTimes

LEAST_CARDS = 20
LONG_RUN_S = 1.2
SHORT_RUN_S = 0.25
RUNS_AT_MOST = 60
EMPTY_RUNS = 3  # so many runs in a row without a card: the stack is used up
NEARLY_OUT_S = 0.2  # reverse that draws back a card which is nearly out
RETRACT_MARGIN_MS = 5
DOUBLE_SHARE = 1.7  # a blockage that long, in cards, may have been two
REST_S = 0.3


class Block(NamedTuple):
    """So many runs of `run_s` seconds, after which a person counts the cards."""

    run_s: float
    runs: int


LONG, SHORT = Block(0.8, 1), Block(SHORT_RUN_S, 5)
BLOCKS = (LONG, SHORT, SHORT, LONG) * 3
SLIPPED = 0.75  # a block with less than that of what is usual had a slipping roller


class Counter(Protocol):
    """The person who counts, where no sensor does."""

    def number(self, question: str) -> int:
        """Asks for a number, 0 or more."""
        ...


class Value(NamedTuple):
    """One measured time and the spread of its middle half, both in ms."""

    ms: int
    spread_ms: int


class Course(NamedTuple):
    """The time per card, in ms, when `cards` had come out: the stack gets lighter on the way."""

    cards: int
    ms: float


class Measured(NamedTuple):
    """What was found: times by their name in [feed], how many cards needed another try, and how
    the time per card went from the full stack to the last cards."""

    values: dict[str, Value]
    cards: int
    retries: int
    course: tuple[Course, ...] = ()


Progress = Callable[[int], None]


def calibrate(rig: Rig, counter: Counter, progress: Progress) -> Measured:
    """Measures with the sensor if there is one, else with the person's count."""
    if rig.launcher.capabilities.counts:
        return _by_sensor(rig, progress)
    return _by_count(rig, counter, progress)


def problems(measured: Measured) -> list[tuple[str, int, int, int]]:
    """What cannot be: (name, value, lowest, highest) for each value that is out of range."""
    found = []
    fields = {field.name: field for field in msgspec.structs.fields(FeedTimes)}
    for name, value in measured.values.items():
        low, high = _range(fields[name].type)
        if not low <= value.ms <= high:
            found.append((name, value.ms, low, high))
    return found


def enough(measured: Measured) -> bool:
    """Whether so many cards were measured that the result means something."""
    return measured.cards >= LEAST_CARDS


def _range(annotation: object) -> tuple[int, int]:
    metas = getattr(annotation, "__metadata__", ())
    low = next((m.ge for m in metas if m.ge is not None), 0)
    high = next((m.le for m in metas if m.le is not None), 10_000)
    return int(low), int(high)


# --- with a sensor ---------------------------------------------------------------------------


class Pass(NamedTuple):
    """One card in a run: when it reached and left the beam, since the motor went on, in s."""

    reached: float
    left: float


def _by_sensor(rig: Rig, progress: Progress) -> Measured:
    run_s = min(LONG_RUN_S, rig.plan.max_run)
    runs: list[list[Pass]] = []
    backs: list[float] = []
    empty = 0
    while empty < EMPTY_RUNS and len(runs) < RUNS_AT_MOST:
        run = _passes(rig, run_s)
        runs.append(run)
        empty = 0 if run else empty + 1
        progress(sum(map(len, runs)))
        if rig.launcher.capabilities.retracts:
            back = _drawn_back(rig)
            backs += [] if back is None else [back]
    fed = runs[: len(runs) - empty]  # at the end there was nothing to feed
    values = _values([run for run in fed if run], backs)
    cards = sum(map(len, fed))
    return Measured(values, cards, _in_vain(fed, run_s, values), _course(fed))


def _course(runs: list[list[Pass]]) -> tuple[Course, ...]:
    """The time of each card behind another one, by how many had come out before it."""
    found, out = [], 0
    for run in runs:
        for number, (one, two) in enumerate(pairwise(run), start=1):
            found.append(Course(out + number, 1000 * (two.left - one.left)))
        out += len(run)
    return tuple(found)


def _in_vain(runs: list[list[Pass]], run_s: float, values: dict[str, Value]) -> int:
    """Runs at whose end the motor turned for two cards' time, and none came: the roller slipped.

    The last run ends so because the stack does.
    """
    if "burst_ms" not in values or "spin_up_ms" not in values:
        return 0
    long_s = (values["spin_up_ms"].ms + 2 * values["burst_ms"].ms) / 1000
    return sum(run_s - (run[-1].left if run else 0.0) > long_s for run in runs[:-1])


def _values(runs: list[list[Pass]], backs: list[float]) -> dict[str, Value]:
    later = [(one, two) for run in runs for one, two in pairwise(run)]
    values: dict[str, list[float]] = {
        "card_ms": [two.left - two.reached for _, two in later],
        "burst_ms": [two.left - one.left for one, two in later],
        # From rest a card needs half the spin-up more than at full speed.
        "spin_up_ms": [
            2 * (run[0].reached - (run[1].reached - run[0].left)) for run in runs if len(run) > 1
        ],
        "retract_ms": [back + RETRACT_MARGIN_MS / 1000 for back in backs],
    }
    found = {name: _value(sample) for name, sample in values.items() if len(sample) > 1}
    if "card_ms" in found:
        card = found["card_ms"]
        found["double_ms"] = Value(round(card.ms * DOUBLE_SHARE), card.spread_ms)
    return found


def _passes(rig: Rig, run_s: float) -> list[Pass]:
    """The cards of one long run. One that is still in the beam at its end does not count."""
    rig.forward(run_s)
    rig.wait(REST_S)
    edges, started = _settled(rig.edges(EXIT), rig.board.feed.min_clear_ms / 1000), rig.began
    passes = []
    reached = None
    for edge in edges:
        if edge.active:
            reached = edge.at - started
        elif reached is not None:
            passes.append(Pass(reached, edge.at - started))
            reached = None
    return passes


def _settled(edges: list[Edge], shortest_s: float) -> list[Edge]:
    """The edges without spikes: pairs that are closer together than `shortest_s`."""
    kept: list[Edge] = []
    for edge in edges:
        if kept and edge.at - kept[-1].at < shortest_s:
            kept.pop()
        else:
            kept.append(edge)
    return kept


def _drawn_back(rig: Rig) -> float | None:
    """Lets the edge of a card reach the beam at full speed, stops, and draws it back: how long
    that took, in s; None if no card comes.

    First the card is drawn back as far as it goes, or the motor would still be slow at the beam.
    """
    rig.wait(max(REST_S, rig.plan.dead))
    rig.reverse(NEARLY_OUT_S)
    rig.wait(max(REST_S, rig.plan.dead))
    rig.forget()
    rig.launcher.do(Run(FORWARD, 1.0, SHORT_RUN_S))
    reached = rig.wait(SHORT_RUN_S, until=lambda: bool(rig.launcher.levels().exit))
    rig.launcher.off()
    rig.wait(max(REST_S, rig.plan.dead))
    rig.reverse(NEARLY_OUT_S)
    rig.wait(REST_S)
    cleared = [edge.at for edge in rig.edges(EXIT) if not edge.active]
    return cleared[0] - rig.began if reached and cleared else None


# --- without a sensor ------------------------------------------------------------------------


def _by_count(rig: Rig, counter: Counter, progress: Progress) -> Measured:
    """Total time = cards x time per card + runs x time lost at a start, for both kinds of block."""
    came: dict[Block, list[int]] = {LONG: [], SHORT: []}
    for block in BLOCKS:  # in this order the shrinking stack tells on both kinds alike
        for _ in range(block.runs):
            rig.forward(min(block.run_s, rig.plan.max_run))
            rig.wait(REST_S)
        came[block].append(counter.number("how_many"))
        progress(sum(map(sum, came.values())))
    cards = sum(map(sum, came.values()))
    many, few = _fair_mean(came[LONG]), _fair_mean(came[SHORT])
    determinant = many * SHORT.runs - few * LONG.runs
    if determinant <= 0:
        return Measured({}, cards, 0)
    long_s, short_s = LONG.run_s * LONG.runs, SHORT.run_s * SHORT.runs
    burst_s = (long_s * SHORT.runs - short_s * LONG.runs) / determinant
    lost_s = (many * short_s - few * long_s) / determinant
    spread = round(burst_s * 1000 / sum(came[LONG]))  # one card more or less in the long runs
    values = {
        "burst_ms": Value(round(burst_s * 1000), spread),
        "spin_up_ms": Value(max(0, round(lost_s * 1000)), spread),
    }
    return Measured(values, cards, 0, _course_of_blocks(came, lost_s))


def _course_of_blocks(came: dict[Block, list[int]], lost_s: float) -> tuple[Course, ...]:
    """The time per card of each block that brought some, by how many had come out before it."""
    counts = {block: iter(found) for block, found in came.items()}
    found, out = [], 0
    for block in BLOCKS:
        cards = next(counts[block])
        if cards:
            found.append(Course(out, 1000 * block.runs * (block.run_s - lost_s) / cards))
        out += cards
    return tuple(found)


def _fair_mean(counts: list[int]) -> float:
    """The mean without those blocks in which the roller has slipped for long."""
    usual = median(counts)
    fair = [count for count in counts if count >= SLIPPED * usual]
    return sum(fair) / len(fair)


def _value(sample: list[float]) -> Value:
    quarter, _, three_quarters = quantiles(sample, n=4)
    return Value(round(median(sample) * 1000), round((three_quarters - quarter) * 1000))
