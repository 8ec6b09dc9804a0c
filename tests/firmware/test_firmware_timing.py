"""How long the motor runs, by the firmware's own clock: leases, caps, a main loop that hangs."""

from __future__ import annotations

import random

import pytest

from firmware_bridge import messages as m
from firmware_bridge import reports
from firmware_bridge.frames import encode
from tests.firmware.lane import RawHost

LATE_MS = 5


def run_and_measure(host: RawHost, rng: random.Random, most_ms: int = 120) -> float:
    """One run with a random cap and lease, perhaps renewed; returns how late the motor was off."""
    cap, lease = rng.randint(5, most_ms), rng.randint(5, most_ms)
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, cap, lease) == "ok"
    began = host.pico.drives[-1].ms
    end = began + min(cap, lease)
    for _ in range(rng.choice([0, 0, 1, 3])):
        host.step(rng.randint(1, 20))
        lease = rng.randint(5, most_ms)
        if host.pico.driven:
            end = min(began + cap, host.now_ms + 2 + lease)
            host.send(m.LEASE, m.LEASE_FORM, lease)
            host.step(2)
    while (ran := next((f for f in host.frames if f[0] == m.RAN), None)) is None:
        host.step(10)
    host.step(5)  # the fault of a lease comes right after
    assert host.pico.driven == 0
    late = host.pico.drives[-1].ms - end
    host.write(encode(m.GOT, ran[1]) + encode(m.GOT, ran[1] + 1 & 0xFF))
    assert host.ask(m.CLEAR) == "ok"
    host.frames.clear()
    del host.pico.drives[:-1]
    return late


@pytest.mark.parametrize("hard_timers", [True, False])
def test_the_motor_is_off_in_time(raw, hard_timers):
    seed = 31
    print("seed", seed)
    rng = random.Random(seed)
    host = raw(hard_timers=hard_timers).take()
    lates = [run_and_measure(host, rng) for _ in range(60)]
    worst = max(lates)
    print(f"worst: {worst} ms late")
    assert -LATE_MS <= min(lates) <= worst <= LATE_MS
    assert host.tally().exceptions == 0


@pytest.mark.long
def test_ten_thousand_leases(raw):
    seed = 32
    print("seed", seed)
    rng = random.Random(seed)
    host = raw(heap_kb=192).take()
    heap = None
    for turn in range(10_000):
        assert run_and_measure(host, rng) <= LATE_MS
        if turn == 1000:
            heap = host.tally().heap_used
    tally = host.tally()
    assert tally.exceptions == 0
    assert tally.heap_used <= heap + 2048


@pytest.mark.parametrize("hard_timers", [True, False])
def test_a_main_loop_that_hangs_does_not_keep_the_motor_on(raw, hard_timers):
    """The timer's interrupt ends the run at its lease, or cap, all the same."""
    host = raw(hard_timers=hard_timers).take()
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 1500, 300) == "ok"
    began = host.pico.drives[-1].ms
    host.pico.hand("hang", 1000)
    host.step(1500)
    assert host.pico.drives[-1].ms - began <= 300 + LATE_MS
    assert host.status().fault == "lease"


def test_a_main_loop_that_hangs_for_long_is_started_anew(raw):
    host = raw().take()
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 1500, 500) == "ok"
    host.pico.hand("hang", 5000)
    host.pico._tell("go 9000000 0")
    assert host.pico.wait_for_end() == 43
    assert host.pico.ends == ["watchdog"]
    assert host.pico.drives[-1].percent == 0


def test_the_lid_is_obeyed_while_the_main_loop_hangs(raw):
    host = raw().take()
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 1500, 500) == "ok"
    began = host.pico.drives[-1].ms
    host.pico.hand("noise", 1, 1)  # half a millisecond from now
    host.pico.hand("hang", 100)
    host.step(200)
    assert host.pico.drives[-1].ms - began < 10
    assert host.pico.drives[-1].percent == 0


def test_the_clock_wraps_in_mid_feed(raw):
    """Ticks wrap five seconds after the start here; nothing notices."""
    host = raw().take()
    host.step(4700)
    host.send(m.FEED, m.FEED_FORM, 1, 5, 100, 400, 3000, 40, 500)
    for _ in range(30):
        host.step(50)
        host.send(m.LEASE, m.LEASE_FORM, 500)
    host.step(500)
    feed = host.status().feed
    assert (feed.cards, feed.reason) == (5, "enough")
    assert host.now_ms > 6000


def test_a_broken_part_of_the_main_loop_latches_a_fault_and_stops_the_motor(raw):
    host = raw()
    source = host.pico.flash / "signals.py"
    step = "            frequency, ms = self._steps.pop(0)\n"
    bomb = (
        "            if len(self._steps) == 2:\n"
        "                self._steps = []\n"
        "                raise OSError\n"
    )
    text = source.read_text()
    assert step in text
    source.write_text(text.replace(step, bomb + step))
    host.pico.reset()
    host.take()
    assert host.ask(m.FEED, m.FEED_FORM, 1, 9, 100, 400, 3000, 40, 500) == "ok"
    host.step(100)
    assert host.pico.driven == 100
    at = host.now_ms
    host.write(encode(m.PLAY, 90, b"\0ding"))
    frames = host.step(300)
    assert host.pico.driven == 0
    assert host.pico.drives[-1].ms <= at + 5
    reasons = {reports.fed(f[2])[1].reason for f in frames if f[0] == m.FED}
    assert reasons == {"fault"}
    status = host.status()
    assert status.fault == "internal"
    assert host.tally().exceptions >= 1
    assert host.ask(m.CLEAR) == "ok"
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 50, 500) == "ok"
