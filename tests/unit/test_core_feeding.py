"""The feed of one shot: orders to the motor, in virtual time, with cards that pass a beam."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannon.core.counting import CardCounter
from cannon.core.feeding import (
    DONE,
    ENOUGH,
    FORWARD,
    GAP,
    HELD,
    OFF,
    PUSH,
    RECOVER,
    RETRACT,
    REVERSE,
    SETTLE,
    STALLED,
    TIMEOUT,
    Feed,
)
from tests.unit.core_tools import ONE_WAY, FeedBench, plan

CARD = (0.120, 0.205)  # picked for 120 ms, then 85 ms in the beam
NEVER = (None, None)
STUCK = (0.120, None)


def bench(*cards, **how):
    return FeedBench(cards=cards, **how).begin()


# --- with an exit sensor ------------------------------------------------------------------------


def test_it_stops_shortly_after_each_card_then_rests_retracts_and_settles():
    fed = bench(CARD, CARD, CARD, wanted=3).run()
    fed.check()
    push = [(FORWARD, 1.5), (OFF, 0)]
    assert fed.runs() == [*push, *push, *push, (REVERSE, 0.040), (OFF, 0)]
    assert (fed.feed.reason, fed.feed.cards, fed.feed.suspects) == (ENOUGH, 3, 0)
    assert fed.feed.phase == DONE
    assert fed.feed.deadline is None


def test_no_card_more_is_pushed_than_wanted():
    fed = bench(*[CARD] * 9, wanted=2).run()
    assert fed.feed.cards == 2
    assert fed.forward_s == pytest.approx(2 * 0.205, abs=0.02)


def test_slower_batteries_bring_as_many_cards():
    for speed, slow in ((1.0, False), (0.6, True)):
        card = (CARD[0] / speed, CARD[1] / speed)
        fed = bench(*[card] * 4, wanted=4).run()
        assert (fed.feed.cards, fed.feed.reason, fed.feed.slow) == (4, ENOUGH, slow)


def test_a_motor_that_gets_too_weak_ends_with_an_honest_count_and_a_hint():
    tired, weak = [(CARD[0] / speed, CARD[1] / speed) for speed in (0.35, 0.2)]
    fed = bench(CARD, tired, weak, weak, wanted=4, retries=0).run()
    fed.check()
    assert (fed.feed.cards, fed.feed.reason, fed.feed.slow) == (2, STALLED, True)


def test_a_motor_too_weak_for_one_card_looks_like_a_jam_and_hints_at_nothing():
    """Only the sensor tells; what stands still before it may be a card or the motor."""
    weak = (CARD[0] / 0.2, CARD[1] / 0.2)
    fed = bench(weak, wanted=4, retries=0).run()
    fed.check()
    assert (fed.feed.cards, fed.feed.reason, fed.feed.slow) == (0, STALLED, False)


def test_cards_that_come_too_slowly_for_the_whole_shot_end_at_its_cap():
    weak = (0.390, 0.780)
    fed = bench(*[weak] * 20, wanted=4, per_card=0.1).run()
    fed.check()
    assert fed.feed.reason == TIMEOUT
    assert 1 <= fed.feed.cards < 4
    assert fed.feed.slow
    assert fed.now < 2.0 + 4 * 0.1 + 1.0


def test_no_card_ends_each_push_at_the_stall_time_and_after_the_retries_the_feed():
    fed = bench(NEVER, wanted=2).run()
    fed.check()
    again = [(OFF, 0), (REVERSE, 0.150), (OFF, 0), (FORWARD, 1.5)]
    assert fed.runs() == [(FORWARD, 1.5), *again, *again, (OFF, 0)]
    assert (fed.feed.reason, fed.feed.cards, fed.feed.retries_used) == (STALLED, 0, 2)
    assert fed.forward_s == pytest.approx(3 * 0.400)
    assert fed.on_s == pytest.approx(3 * 0.400 + 2 * 0.150)


def test_a_one_way_motor_rests_between_its_tries_and_never_reverses():
    fed = bench(NEVER, wanted=2, **ONE_WAY).run()
    fed.check()
    assert [direction for direction, _ in fed.runs()] == [1, 0, 1, 0, 1, 0]
    assert fed.feed.reason == STALLED


def test_a_beam_that_stays_blocked_ends_the_feed_soon():
    fed = bench(CARD, CARD, STUCK, wanted=5).run()
    fed.check()
    assert (fed.feed.reason, fed.feed.cards, fed.feed.blocked) == (STALLED, 2, True)
    assert fed.on_s < 2 * 0.205 + 0.120 + 3 * 0.408 + 2 * 0.150 + 0.01
    assert fed.direction == OFF


def test_a_card_after_a_retry_starts_the_tries_anew():
    slip = (0.500, 0.585)  # comes in the second try
    fed = bench(slip, slip, slip, slip, wanted=4).run()
    fed.check()
    assert (fed.feed.cards, fed.feed.reason, fed.feed.retries_used) == (4, ENOUGH, 4)
    assert not fed.feed.slow, "a card that came after a stall is measured from there"


def test_the_last_cards_late_edge_is_counted_while_it_settles():
    fed = bench(CARD, wanted=1, **ONE_WAY)
    fed.run(until=lambda: fed.feed.phase == SETTLE)
    fed.run(0.015)
    fed.beam(True)
    fed.run(0.030)
    fed.beam(False)
    fed.run()
    assert (fed.feed.cards, fed.feed.reason) == (2, ENOUGH)


def test_a_card_pulled_back_by_the_retract_is_not_counted():
    fed = bench(CARD, wanted=1)
    fed.run(until=lambda: fed.feed.phase == RETRACT)
    fed.beam(True)  # the next card peeped out
    fed.run(0.070)
    assert fed.direction == REVERSE
    fed.beam(False)
    fed.run()
    assert fed.feed.cards == 1


def test_a_card_that_stays_in_the_beam_is_told_at_the_end():
    fed = bench(CARD, (0.005, None), wanted=1, gap=0, retract=0)
    fed.run(until=lambda: fed.feed.phase == SETTLE)
    fed.beam(True)
    fed.run()
    assert (fed.feed.cards, fed.feed.blocked, fed.feed.reason) == (1, True, ENOUGH)


def test_edges_after_the_end_change_nothing():
    fed = bench(CARD, wanted=1).run()
    fed.beam(True)
    fed.now += 1
    fed.beam(False)
    fed.tick()
    fed.ran_out()
    assert (fed.feed.cards, fed.feed.phase) == (1, DONE)
    assert fed.direction == OFF


def test_a_run_that_the_guard_ended_is_a_stall():
    fed = bench((1.0, 1.6), wanted=1)
    fed.run(0.2)
    fed.ran_out()
    assert fed.feed.phase == RECOVER
    assert fed.feed.retries_used == 1


# --- without an exit sensor ---------------------------------------------------------------------


def test_without_a_sensor_it_runs_for_the_calibrated_time_and_knows_no_count():
    fed = bench(wanted=4, counts=False).run()
    fed.check()
    assert fed.runs() == [(FORWARD, 0.075 + 4 * 0.130), (OFF, 0), (REVERSE, 0.040), (OFF, 0)]
    assert (fed.feed.cards, fed.feed.suspects, fed.feed.blocked) == (None, 0, False)
    assert fed.feed.reason == ENOUGH
    assert not fed.feed.slow


def test_a_long_time_without_a_sensor_is_cut_into_runs_within_the_cap():
    fed = bench(wanted=13, counts=False, max_run=0.5, per_card=2.0, **ONE_WAY).run()
    fed.check()
    assert fed.forward_s == pytest.approx(0.075 + 13 * 0.130)
    assert max(limit for _, limit in fed.runs()) <= 0.5


def test_without_a_sensor_the_cap_of_the_shot_holds_too():
    fed = bench(wanted=13, counts=False, burst=1.0, max_shot=1.0, per_card=0.1).run()
    fed.check()
    assert fed.feed.reason == TIMEOUT
    assert fed.now == pytest.approx(1.0 + 13 * 0.1 + 0.120, abs=0.01)


def test_beam_and_limit_say_nothing_where_nothing_counts():
    fed = bench(wanted=1, counts=False)
    fed.beam(True)
    fed.ran_out()
    assert fed.feed.phase == PUSH
    assert fed.run().feed.cards is None


# --- cut from outside, and stopped --------------------------------------------------------------


def test_a_cut_motor_waits_and_goes_on_where_it_was():
    fed = bench(CARD, CARD, wanted=2)
    fed.run(0.100)
    fed.cut()
    assert (fed.feed.phase, fed.direction) == (HELD, OFF)
    fed.run(0.050)
    assert fed.direction == OFF
    fed.resume()
    fed.run()
    fed.check()
    assert (fed.feed.cards, fed.feed.reason) == (2, ENOUGH)


def test_without_a_sensor_a_cut_run_gets_the_time_it_had_left():
    fed = bench(wanted=2, counts=False, **ONE_WAY)
    fed.run(0.100)
    fed.cut()
    fed.run(0.5)
    fed.resume()
    fed.run()
    fed.check()
    assert fed.forward_s == pytest.approx(0.075 + 2 * 0.130)


def test_a_cut_at_the_very_end_of_a_timed_run_leaves_nothing_to_run():
    """The guard's word may come when the time of the run is just over."""
    fed = bench(wanted=2, counts=False, **ONE_WAY)
    fed._pass(0.075 + 2 * 0.130)
    fed.cut()
    fed.run(0.02)
    fed.resume()
    fed.run()
    fed.check()
    assert (fed.feed.reason, fed.feed.phase) == (ENOUGH, DONE)
    assert len([direction for direction, _ in fed.runs() if direction]) == 1


def test_a_cut_told_of_in_the_pause_between_two_timed_runs_goes_on_with_the_second():
    fed = bench(wanted=5, counts=False, max_run=0.5, **ONE_WAY)
    fed.run(until=lambda: fed.feed.phase == GAP)
    fed.cut()
    fed.run(0.02)
    fed.resume()
    fed.run()
    fed.check()
    assert fed.forward_s == pytest.approx(0.075 + 5 * 0.130)


def test_a_cut_while_it_reverses_rests_before_it_pushes_again():
    fed = bench(NEVER, wanted=1)
    fed.run(until=lambda: fed.direction == REVERSE)
    fed.cut()
    fed.resume()
    assert (fed.feed.phase, fed.direction) == (RECOVER, OFF)
    fed.run()
    fed.check()
    assert fed.feed.reason == STALLED


def test_a_cut_in_the_retract_ends_it_there():
    fed = bench(CARD, wanted=1)
    fed.run(until=lambda: fed.direction == REVERSE)
    fed.cut()
    assert fed.feed.phase == SETTLE
    fed.resume()
    assert fed.feed.phase == SETTLE
    fed.run()
    fed.check()
    assert fed.feed.reason == ENOUGH


def test_the_last_card_may_leave_while_the_motor_is_held():
    fed = bench(wanted=1)
    fed.run(0.1)
    fed.beam(True)
    fed.run(0.05)
    fed.cut()
    fed.beam(False)
    fed.run(0.01)
    assert fed.feed.cards == 1
    assert fed.feed.phase == RETRACT
    fed.run()
    fed.check()
    assert fed.feed.reason == ENOUGH


@pytest.mark.parametrize("phase", [PUSH, GAP, RECOVER, HELD, RETRACT])
def test_stop_switches_off_in_every_phase_and_settles(phase):
    fed = bench(CARD, NEVER, wanted=1 if phase == RETRACT else 2)
    if phase == HELD:
        fed.run(0.05)
        fed.cut()
    else:
        fed.run(until=lambda: fed.feed.phase == phase)
    fed.stop("lid")
    assert (fed.direction, fed.feed.phase) == (OFF, SETTLE)
    fed.run()
    fed.check()
    assert (fed.feed.reason, fed.feed.phase) == ("lid", DONE)


def test_cards_on_their_way_are_counted_after_a_stop():
    fed = bench(wanted=3)
    fed.run(0.1)
    fed.beam(True)
    fed.run(0.03)
    fed.stop("lid")
    fed.beam(False)
    fed.run()
    assert (fed.feed.cards, fed.feed.reason) == (1, "lid")


def test_the_reason_of_an_end_stays():
    fed = bench(CARD, wanted=1)
    fed.run(until=lambda: fed.feed.phase == SETTLE)
    fed.stop("lid")
    fed.run()
    fed.stop("fault")
    assert fed.feed.reason == ENOUGH


def test_after_a_reverse_run_it_settles_at_least_for_the_dead_time():
    """The next shot pushes forward as soon as this one is done."""
    fed = bench(CARD, wanted=1, settle=0.0, dead=0.300).run()
    fed.check()
    *_, (reverse, _, _), (off, _, _) = fed.orders
    assert off > reverse
    assert fed.now - off >= 0.300


def test_a_feed_of_no_card_is_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="at least one card"):
        Feed(plan(), 0, None)
    with pytest.raises(ValueError, match="at least one card"):
        Feed(plan(), -1, CardCounter(1, 1, 1, False, 0))


# --- anything at any time -----------------------------------------------------------------------

ACTIONS = st.one_of(
    st.tuples(st.just("wait"), st.integers(0, 700)),
    st.tuples(st.just("blocked"), st.booleans()),
    st.sampled_from([("cut",), ("resume",), ("resume",), ("ran_out",), ("stop",), ("late", 300)]),
)


@given(
    st.lists(ACTIONS, max_size=40),
    st.integers(1, 13),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.05, 0.4, 1.5]),
)
def test_whatever_happens_runs_are_limited_rests_are_kept_and_it_ends(
    actions, wanted, counts, one_way, max_run
):
    times = {"max_run": max_run, "stall": min(0.4, max_run), "reverse": min(0.15, max_run)}
    fed = FeedBench(wanted=wanted, counts=counts, **times | (ONE_WAY if one_way else {}))
    fed.begin()
    for action, *value in actions:
        match action:
            case "wait":
                fed.run(value[0] / 1000)
            case "late":  # the loop was held up: time passes, and nobody ticks
                fed._pass(value[0] / 1000)
            case "blocked":
                fed.beam(value[0])
            case other:
                getattr(fed, other)()
    fed.check()
    fed.resume()
    fed.beam(False)
    fed.run()
    fed.check()
    assert fed.feed.phase == DONE
    assert fed.now < 100
    assert fed.direction == OFF
