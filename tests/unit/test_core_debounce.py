"""The rule by which a noisy input has really changed, with raw edges and given times."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cannon.core.debounce import Settled

MS = 0.001


def button(level=False, now=0.0):
    return Settled(3 * MS, 3 * MS, 50 * MS, level, now)


def settle(settled, edges, until):
    """Takes edges [(raw, at)], lets time pass to `until`; returns [(level, changed_at)]."""
    changes = []

    def pass_time(to):
        while settled.deadline is not None and settled.deadline <= to:
            assert settled.tick(settled.deadline)
            changes.append((settled.level, settled.changed_at))

    for raw, at in edges:
        pass_time(at)
        assert not settled.edge(raw, at), "what was due had been taken"
    pass_time(until)
    return changes


def rises(changes):
    return [at for level, at in changes if level]


def chatter(level, at, edges, within):
    """A contact that bounces to `level`: so many edges, the first at `at`."""
    step = within / (edges - 1)
    return [(level if n % 2 == 0 else not level, at + n * step) for n in range(edges)]


def test_taps_shorter_than_the_lockout_each_count():
    taps = [(True, 0.0), (False, 0.020), (True, 0.500), (False, 0.520)]
    assert len(rises(settle(button(), taps, 1.0))) == 2


def test_contacts_that_chatter_at_both_ends_are_one_press():
    edges = [*chatter(True, 0.1, 13, 4 * MS), *chatter(False, 0.2, 13, 4 * MS)]
    changes = settle(button(), edges, 1.0)
    assert [level for level, _ in changes] == [True, False]


def test_spikes_shorter_than_the_least_press_are_nothing():
    edges = []
    for n in range(200):
        edges += [(True, n * 5 * MS), (False, n * 5 * MS + 0.2 * MS)]
    for n in range(30):
        edges += [(True, 2 + n * 9 * MS), (False, 2 + n * 9 * MS + 2.9 * MS)]
    assert settle(button(), edges, 4.0) == []


def test_a_level_is_taken_when_it_has_stood_and_not_before():
    settled = button()
    settled.edge(True, 1.0)
    assert settled.deadline == 1.0 + 3 * MS
    assert not settled.tick(1.0029)
    assert settled.tick(1.0 + 3 * MS)
    assert (settled.level, settled.changed_at) == (True, 1.0 + 3 * MS)
    assert settled.deadline is None
    assert not settled.tick(2.0)


def test_a_late_look_takes_the_change_at_the_time_it_was_due():
    settled = button()
    settled.edge(True, 1.0)
    assert settled.tick(9.0)
    assert settled.changed_at == 1.0 + 3 * MS


def test_an_edge_takes_first_what_was_due_before_it():
    settled = button()
    settled.edge(True, 1.0)
    assert settled.edge(False, 1.2)
    assert settled.level
    assert settled.raw is False


def test_a_release_within_the_lockout_is_taken_at_its_end():
    in_ms = Settled(3, 3, 50, False, 0)
    assert settle(in_ms, [(True, 0), (False, 20)], 1000) == [(True, 3), (False, 53)]


def test_an_edge_that_repeats_the_level_is_nothing():
    settled = button()
    settled.edge(True, 1.0)
    assert not settled.edge(True, 1.002)
    assert settled.deadline == 1.0 + 3 * MS


def test_an_edge_with_a_time_before_the_last_one_does_not_turn_time_back():
    settled = button()
    settled.edge(True, 1.0)
    settled.edge(False, 0.5)
    assert settled.since == 1.0
    assert settled.deadline is None


def test_rise_and_fall_have_their_own_times():
    lid = Settled(5 * MS, 60 * MS, 0, False, 0.0)
    changes = settle(lid, [(True, 1.0), (False, 2.0)], 3.0)
    assert changes == [(True, 1.005), (False, 2.060)]


def test_any_unit_of_time_does():
    in_ms = Settled(3, 3, 50, False, 0)
    changes = settle(in_ms, [(True, 0), (False, 20), (True, 500), (False, 520)], 1000)
    assert changes == [(True, 3), (False, 53), (True, 503), (False, 553)]


@given(
    st.lists(st.tuples(st.integers(1, 120), st.booleans()), max_size=60),
    st.integers(1, 10),
    st.integers(1, 70),
    st.integers(0, 60),
    st.booleans(),
)
def test_levels_alternate_keep_the_lockout_and_end_at_the_raw_level(steps, rise, fall, lock, first):
    settled = Settled(rise, fall, lock, first, 0)
    at, edges = 0, []
    for wait, raw in steps:
        at += wait
        edges.append((raw, at))
    changes = settle(settled, edges, at + rise + fall + lock)
    levels = [first, *(level for level, _ in changes)]
    assert all(a != b for a, b in pairwise(levels))
    times = [at for _, at in changes]
    assert all(b - a >= lock for a, b in pairwise(times))
    assert settled.level == settled.raw
