"""Cards counted by the edges of the exit sensor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannon.core.counting import CardCounter

MS = 0.001
MIN_BLOCKED, MIN_CLEAR, DOUBLE = 8 * MS, 4 * MS, 150 * MS


def counter(blocked=False, double=DOUBLE):
    return CardCounter(MIN_BLOCKED, MIN_CLEAR, double, blocked, 0.0)


def count(counter, edges, until=10.0):
    """Takes edges [(blocked, at)] and lets time pass; returns how many cards were told of."""
    told = 0
    for blocked, at in edges:
        while counter.deadline is not None and counter.deadline <= at:
            told += counter.tick(counter.deadline)
        told += counter.edge(blocked, at)
    told += counter.tick(until)
    assert told == counter.cards, "each card is told once"
    return told


def cards(n, width=85 * MS, gap=40 * MS):
    edges = []
    for k in range(n):
        start = k * (width + gap)
        edges += [(True, start), (False, start + width)]
    return edges


def test_each_full_cycle_is_one_card():
    assert count(counter(), cards(5)) == 5


def test_one_slow_card_counts_once():
    slow = counter()
    assert count(slow, [(True, 0.0), (False, 0.600)]) == 1
    assert slow.last_width == pytest.approx(0.600)


def test_an_edge_that_bounces_at_both_ends_is_one_card():
    train = [(True, 0), (False, 1), (True, 1.5), (False, 2), (True, 3)]
    edges = [(blocked, at * MS) for blocked, at in train]
    edges += [(not blocked, (85 + at) * MS) for blocked, at in train]
    assert count(counter(), edges) == 1


def test_two_cards_with_a_short_gap_are_two():
    for gap in (8 * MS, 12 * MS):
        assert count(counter(), cards(2, gap=gap)) == 2


def test_a_gap_too_short_to_be_one_does_not_part_a_card():
    assert count(counter(), cards(2, gap=2 * MS)) == 1


def test_a_card_that_was_there_before_counts_neither_on_clearing_nor_later():
    residual = counter(blocked=True)
    assert residual.blocked
    assert count(residual, [(False, 0.5)]) == 0
    assert count(residual, [(True, 11.0), (False, 11.085)], until=20.0) == 1


def test_a_blockage_longer_than_one_card_is_one_and_a_suspect():
    touching = counter(double=30 * MS)
    assert count(touching, [(True, 0.0), (False, 45 * MS), *cards_after(1.0, 28 * MS)]) == 2
    assert touching.suspects == 1


def cards_after(start, width):
    return [(True, start), (False, start + width)]


def test_a_card_that_is_drawn_back_in_does_not_count():
    drawn = counter()
    drawn.edge(True, 0.0)
    drawn.tick(0.02)
    drawn.reversing = True
    assert count(drawn, [(False, 0.1)]) == 0
    drawn.reversing = False
    assert count(drawn, [(True, 11.0), (False, 11.085)], until=20.0) == 1


def test_a_flicker_of_light_on_the_sensor_is_no_card():
    flicker = [(n % 2 == 0, n * 3 * MS) for n in range(400)]
    assert count(counter(), flicker) == 0


@given(
    st.lists(
        st.tuples(st.integers(9, 700), st.integers(5, 400), st.integers(0, 3), st.integers(0, 3)),
        max_size=40,
    )
)
def test_clean_or_bouncing_every_card_counts_exactly_once(passages):
    """Widths and gaps in ms above the least; up to three bounces at each end, 1 ms apart."""
    counting = CardCounter(8, 4, 150, False, 0)
    at, edges = 0, []
    for width, gap, before, after in passages:
        at += gap + 7
        for n in range(2 * before + 1):
            edges.append((n % 2 == 0, at + n))
        at += 2 * before + width
        for n in range(2 * after + 1):
            edges.append((n % 2 == 1, at + n))
        at += 2 * after
    assert count(counting, edges, until=at + 1000) == len(passages)
    assert counting.suspects <= len(passages)


@given(st.lists(st.tuples(st.integers(0, 300), st.booleans()), max_size=80), st.booleans())
def test_never_more_cards_than_blockages(steps, blocked):
    counting = CardCounter(8, 4, 150, blocked, 0)
    at, edges, blockages, level = 0, [], 0, blocked
    for wait, now_blocked in steps:
        at += wait
        edges.append((now_blocked, at))
        blockages += now_blocked and not level
        level = now_blocked
    assert count(counting, edges, until=at + 1000) <= blockages
