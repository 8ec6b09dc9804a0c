"""A motor that is cut for a spike on the lid's wire goes on as if there had been none."""

import pytest

from cannon.core.feeding import DONE, FORWARD, STALLED
from tests.unit.core_tools import ONE_WAY, FeedBench


def spiked(bench, every_s):
    """Cuts and resumes the feed again and again, 5 ms each time, until it is done."""
    for _ in range(500):
        bench.run(every_s)
        if bench.feed.phase == DONE:
            return bench
        if bench.direction:  # the guard cuts a motor that runs
            bench.cut()
            bench.run(0.005)
            bench.resume()
    raise AssertionError("it never ends")


@pytest.mark.parametrize("every_s", [0.03, 0.1, 0.39])
def test_spikes_do_not_hide_that_no_card_comes(every_s):
    bench = spiked(FeedBench(wanted=2).begin(), every_s)
    assert bench.feed.reason == STALLED
    assert bench.feed.retries_used == 2
    assert bench.forward_s == pytest.approx(3 * bench.plan.stall, abs=0.001)
    bench.check()


@pytest.mark.parametrize("every_s", [0.03, 0.1, 0.39])
def test_without_a_sensor_the_motor_runs_for_its_time_spikes_or_not(every_s):
    bench = spiked(FeedBench(wanted=30, counts=False, **ONE_WAY).begin(), every_s)
    assert bench.forward_s == pytest.approx(0.075 + 30 * 0.130, abs=0.001)
    bench.check()


def test_a_spike_in_the_pause_between_two_runs_without_a_sensor_orders_no_run_of_no_time():
    bench = FeedBench(wanted=30, counts=False, **ONE_WAY).begin()
    bench.run(60, until=lambda: bench.feed.phase == "gap")
    bench.cut()
    bench.run(0.005)
    bench.resume()
    assert all(limit > 0 for _, direction, limit in bench.orders if direction == FORWARD)
    bench.run()
    assert bench.forward_s == pytest.approx(0.075 + 30 * 0.130, abs=0.001)
    bench.check()


def test_what_is_left_of_a_run_never_exceeds_its_cap_by_rounding():
    for step in range(200):
        bench = FeedBench(wanted=1, counts=False, max_run=0.05, **ONE_WAY)
        bench.now = 0.1 + 0.0173 * step
        bench.begin().cut()
        bench.resume()
        bench.check()
