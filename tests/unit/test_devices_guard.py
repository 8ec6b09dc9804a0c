"""The motor guard: no run without a limit, none with the lid open, off when anything fails."""

import os
import queue
import threading
import time
from contextlib import suppress

import pytest

from cannon.core.commands import FORWARD, REVERSE, Run
from cannon.core.events import Failure, MotorOff
from cannon.devices.guard import AGAIN_S, CLOCK_STEP_S, LATE_S, LID_POLL_S, GuardThread, MotorGuard
from cannon.devices.ports import DeviceFault
from tests.unit.device_tools import Clock, Posted

CAP_S, DEAD_S = 1.5, 0.03
PATIENCE_S = 30.0  # no test waits that long unless it fails


class Motor:
    """Outputs of a motor that remember what they were told, and fail when asked to."""

    def __init__(self):
        self.on = 0
        self.was_on = False
        self.calls = []
        self.failing_offs = 0
        self.failing_drives = 0
        self.closed = False
        self.in_drive = lambda: None  # what happens while a run is being started

    def drive(self, direction, power):
        self.calls.append((direction, power))
        if self.failing_drives:
            self.failing_drives -= 1
            self.on = direction  # the worst case: it failed, and the motor turns
            raise OSError("no such line")
        self.in_drive()
        self.on = direction
        self.was_on = True

    def off(self):
        self.calls.append("off")
        if self.failing_offs:
            self.failing_offs -= 1
            raise OSError("no such line")
        self.on = 0

    def close(self):
        self.closed = True


class Guarded:
    """A guard with its motor, its clock, a lid, and what it posted."""

    def __init__(self, clock=None, post=None):
        self.motor = Motor()
        self.clock = clock or Clock()
        self.posted = Posted()
        self.lid = False  # or a list of answers, one by one; the last one stays
        self.guard = MotorGuard(
            self.motor, self._lid_is_open, self.clock, post or self.posted, CAP_S, DEAD_S
        )

    def _lid_is_open(self):
        if isinstance(self.lid, Exception):
            raise self.lid
        if isinstance(self.lid, list):
            return self.lid.pop(0) if len(self.lid) > 1 else self.lid[0]
        return self.lid

    def run(self, for_s=0.5, direction=FORWARD, power=1.0):
        self.guard.run(Run(direction, power, for_s))
        return self

    def check_from_now(self, for_s=5.0):
        """Checks as often as the guard asks, as its thread does. Returns how long the motor ran."""
        end, ran = self.clock.now + for_s, 0.0
        following = self.guard.check(self.clock.now)
        while following is not None and following < end:
            before = self.clock.now
            self.clock.now = max(following, before)
            ran += (self.clock.now - before) * bool(self.motor.on)
            following = self.guard.check(self.clock.now)
        return ran


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("for_s", [0.0, -1.0, CAP_S + 0.001, float("inf"), float("nan")])
def test_a_run_without_a_limit_within_the_cap_is_refused_and_nothing_turns(for_s):
    guarded = Guarded()
    with pytest.raises(DeviceFault, match="outside"):
        guarded.run(for_s)
    assert not guarded.motor.was_on
    assert guarded.guard.deadline is None


@pytest.mark.parametrize("power", [0.0, -0.5, 1.01, float("nan")])
def test_a_power_outside_of_its_range_is_refused(power):
    guarded = Guarded()
    with pytest.raises(DeviceFault):
        guarded.run(power=power)
    assert not guarded.motor.was_on


def test_a_run_ends_at_its_limit_by_itself_and_that_is_told():
    guarded = Guarded().run(0.5)
    assert guarded.motor.on == FORWARD
    assert guarded.check_from_now() == pytest.approx(0.5)
    assert guarded.motor.on == 0
    assert guarded.posted == [MotorOff("time", 100.5)]
    assert guarded.guard.deadline is None


def test_while_the_motor_runs_the_lid_is_looked_at_every_few_milliseconds():
    guarded = Guarded().run(0.5)
    assert guarded.guard.check(100.0) == 100.0 + LID_POLL_S
    assert guarded.guard.check(100.498) == 100.5
    assert LID_POLL_S <= 0.005


def test_a_longer_limit_may_follow_in_the_same_direction():
    guarded = Guarded().run(0.5)
    guarded.clock.now += 0.4
    guarded.run(0.5)
    assert guarded.check_from_now() == pytest.approx(0.5)


def test_cut_ends_a_run_and_is_not_told_to_who_asked_for_it():
    guarded = Guarded().run()
    guarded.guard.cut("command")
    assert guarded.motor.on == 0
    assert guarded.guard.check(100.0) is None
    assert guarded.posted == []


def test_a_loop_that_never_comes_back_does_not_matter():
    """Nobody but the guard is asked: no command, no event, no controller."""
    guarded = Guarded().run(CAP_S)
    guarded.check_from_now(60)
    assert guarded.motor.on == 0


# --- the lid ------------------------------------------------------------------------------------


def test_an_open_lid_refuses_a_run_whoever_asks():
    guarded = Guarded()
    guarded.lid = True
    guarded.run()
    assert not guarded.motor.was_on
    assert guarded.posted == [MotorOff("lid", 100.0)]


def test_the_edge_of_the_lid_cuts_in_the_thread_that_brings_it():
    guarded = Guarded().run()
    guarded.lid = True
    guarded.guard.lid_edge()
    assert guarded.motor.on == 0
    assert guarded.posted == [MotorOff("lid", 100.0)]


def test_without_an_edge_the_level_cuts_within_one_look():
    guarded = Guarded().run()
    following = guarded.guard.check(100.0)
    guarded.lid = True
    guarded.clock.now = following
    assert guarded.guard.check(following) is None
    assert guarded.motor.on == 0
    assert guarded.posted == [MotorOff("lid", 100.0 + LID_POLL_S)]


def test_a_lid_that_opens_while_the_run_is_being_started_cuts_it():
    """Its edge came when no run was on yet."""
    guarded = Guarded()
    guarded.lid = [False, True]
    guarded.run()
    assert guarded.motor.on == 0
    assert MotorOff("lid", 100.0) in guarded.posted


@pytest.mark.parametrize("lid", [[True, False], [True, False, True, False], [False, True, False]])
def test_a_lid_that_flickers_while_it_is_looked_at_never_leaves_a_run_unwatched(lid):
    guarded = Guarded().run(0.5)
    guarded.lid = lid
    assert guarded.check_from_now() <= 0.5 + 1e-9
    assert guarded.motor.on == 0


def test_edges_of_the_lid_say_nothing_while_the_motor_is_off_or_the_lid_closed():
    guarded = Guarded()
    guarded.lid = True
    guarded.guard.lid_edge()
    guarded.lid = False
    guarded.run()
    guarded.guard.lid_edge()
    assert guarded.motor.on == FORWARD
    assert guarded.posted == []


# --- directions ---------------------------------------------------------------------------------


def test_a_direction_is_never_turned_round_without_a_rest():
    guarded = Guarded().run()
    with pytest.raises(DeviceFault, match="rest"):
        guarded.run(direction=REVERSE)
    guarded.guard.cut("command")
    guarded.clock.now += DEAD_S - 0.001
    with pytest.raises(DeviceFault, match="rest"):
        guarded.run(direction=REVERSE)
    guarded.clock.now += 0.001
    guarded.run(direction=REVERSE)
    assert guarded.motor.on == REVERSE


def test_where_the_off_came_late_the_rest_of_the_rest_is_waited_for():
    """A busy computer may switch off late, and would then reverse too soon: no fault, a wait."""
    guarded = Guarded().run()
    waits = []

    def wait(for_s):
        waits.append(for_s)
        guarded.clock.now += for_s

    guarded.guard._wait = wait
    guarded.guard.cut("command")
    guarded.clock.now += DEAD_S / 4
    guarded.run(direction=REVERSE)
    assert guarded.motor.on == REVERSE
    assert waits == [pytest.approx(DEAD_S * 3 / 4 + CLOCK_STEP_S)]
    guarded.guard.cut("command")
    guarded.run(direction=REVERSE)
    assert len(waits) == 1, "the same direction needs no rest"


def test_after_a_cut_the_same_direction_needs_no_rest():
    guarded = Guarded().run()
    guarded.guard.cut("lid")
    guarded.run()
    assert guarded.motor.on == FORWARD


# --- failures -----------------------------------------------------------------------------------


def test_a_run_that_fails_to_start_is_cut_and_the_error_goes_on():
    guarded = Guarded()
    guarded.motor.failing_drives = 1
    with pytest.raises(OSError, match="no such line"):
        guarded.run()
    assert guarded.motor.on == 0
    assert guarded.guard.deadline is None


def test_a_lid_that_cannot_be_read_starts_nothing_and_ends_what_runs():
    guarded = Guarded().run()
    guarded.lid = OSError("unplugged")
    assert guarded.guard.check(100.1) is None
    assert guarded.motor.on == 0
    assert guarded.posted == [Failure("motor_guard", "OSError('unplugged')")]
    with pytest.raises(OSError, match="unplugged"):
        guarded.run()
    assert guarded.motor.on == 0


@pytest.mark.parametrize("lid", [False, True, OSError("unplugged")])
def test_off_comes_first_and_the_word_of_it_second(lid):
    told = []

    def post(event):
        told.append((event, guarded.motor.on))
        raise RuntimeError("the queue is gone")

    guarded = Guarded(post=post).run()
    guarded.lid = lid
    with pytest.raises(RuntimeError):
        guarded.guard.check(200.0)
    assert told
    assert all(on == 0 for _, on in told)


@pytest.mark.parametrize("offs", [1, 2, 3, 4, 9])
def test_a_motor_that_cannot_be_switched_off_is_tried_until_it_is(offs):
    guarded = Guarded().run(0.5)
    guarded.motor.failing_offs = offs
    guarded.clock.now = 100.5
    ran_on = guarded.check_from_now()
    assert guarded.motor.on == 0
    assert ran_on <= offs * AGAIN_S
    assert Failure("motor_guard", "OSError('no such line')") in guarded.posted


def test_after_close_no_run_starts_and_close_may_come_again():
    guarded = Guarded().run()
    guarded.guard.close()
    guarded.guard.close()
    assert guarded.motor.on == 0
    assert guarded.motor.closed
    with pytest.raises(DeviceFault, match="closed"):
        guarded.run()
    guarded.guard.cut("signal")
    assert guarded.motor.on == 0


# --- threads ------------------------------------------------------------------------------------


class Held:
    """Holds one thread at a place until another one lets it go on."""

    def __init__(self):
        self.there = threading.Event()
        self.go_on = threading.Event()

    def __call__(self):
        self.there.set()
        assert self.go_on.wait(PATIENCE_S)


def started_and_met_by(act):
    """A run is being started in a thread; `act(guarded)` happens in another one meanwhile."""
    guarded = Guarded()
    guarded.motor.in_drive = hold = Held()
    starter = threading.Thread(target=guarded.run)
    starter.start()
    assert hold.there.wait(PATIENCE_S)
    other = threading.Thread(target=act, args=(guarded,))
    other.start()
    while guarded.motor.calls.count("off") == 0:
        assert other.is_alive(), "off is written without waiting for the run that is starting"
    hold.go_on.set()
    starter.join(PATIENCE_S)
    other.join(PATIENCE_S)
    return guarded


def test_a_cut_while_a_run_is_being_started_writes_off_at_once_and_has_the_last_word():
    guarded = started_and_met_by(lambda guarded: guarded.guard.cut("signal"))
    assert guarded.motor.was_on
    assert guarded.motor.on == 0
    assert guarded.guard.deadline is None


def test_a_lid_edge_while_a_run_is_being_started_has_the_last_word():
    def opens(guarded):
        guarded.lid = True
        guarded.guard.lid_edge()

    guarded = started_and_met_by(opens)
    assert guarded.motor.on == 0
    assert guarded.guard.deadline is None


def test_a_close_while_a_run_is_being_started_has_the_last_word():
    guarded = started_and_met_by(lambda guarded: guarded.guard.close())
    assert guarded.motor.on == 0


def test_runs_and_cuts_at_the_same_time_leave_no_motor_on_without_a_deadline():
    guarded = Guarded()
    meet = threading.Barrier(3)
    rounds = 200

    def work(act):
        for _ in range(rounds):
            meet.wait(PATIENCE_S)
            act()
            meet.wait(PATIENCE_S)

    acts = (guarded.run, lambda: guarded.guard.cut("signal"))
    workers = [threading.Thread(target=work, args=(act,)) for act in acts]
    for worker in workers:
        worker.start()
    for _ in range(rounds):
        meet.wait(PATIENCE_S)
        meet.wait(PATIENCE_S)
        assert bool(guarded.motor.on) == (guarded.guard.deadline is not None)
    for worker in workers:
        worker.join(PATIENCE_S)


class Watched:
    """A guard with its real thread on the real clock."""

    def __init__(self):
        self.events = queue.Queue()
        self.guarded = Guarded(clock=time.monotonic, post=self.events.put)
        self.thread = GuardThread(self.guarded.guard, time.monotonic)

    def __enter__(self):
        return self

    def __exit__(self, *ended):
        self.guarded.guard.close()
        self.thread.close()


def test_the_thread_ends_a_run_that_nobody_else_ends():
    with Watched() as watched:
        watched.guarded.run(0.02)
        assert watched.events.get(timeout=PATIENCE_S).reason == "time"
        assert watched.guarded.motor.on == 0


def test_the_thread_sees_an_open_lid_without_an_edge_and_watches_the_next_run_too():
    with Watched() as watched:
        for _ in range(3):
            watched.guarded.lid = False
            watched.guarded.run(CAP_S)
            watched.guarded.lid = True
            assert watched.events.get(timeout=PATIENCE_S).reason == "lid"
            assert watched.guarded.motor.on == 0


def test_the_thread_outlives_failures():
    with Watched() as watched:
        watched.guarded.motor.failing_offs = 5
        watched.guarded.run(0.01)
        while not isinstance(watched.events.get(timeout=PATIENCE_S), Failure):
            pass
        while watched.guarded.motor.on:
            watched.events.get(timeout=PATIENCE_S)
        watched.guarded.run(0.01)
        while not isinstance(watched.events.get(timeout=PATIENCE_S), MotorOff):
            pass
        assert watched.thread.works


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_switches_off_and_no_run_starts_without_it():
    with Watched() as watched:

        class Dies(BaseException):
            pass

        def check(now):
            raise Dies

        watched.guarded.guard.check = check
        watched.guarded.run(CAP_S)
        watched.thread._thread.join(PATIENCE_S)
        assert watched.guarded.motor.on == 0
        assert not watched.thread.works
        with pytest.raises(DeviceFault) as raised:
            watched.guarded.run(CAP_S)
        assert raised.value.cause == "motor_guard"
        assert watched.guarded.motor.on == 0


def test_a_thread_that_lets_a_run_go_on_beyond_its_end_is_told_not_to_work():
    clock = Clock()
    guarded = Guarded(clock=clock)
    thread = GuardThread(guarded.guard, clock)
    try:
        guarded.guard.check = lambda now: now + 3600  # stuck
        guarded.run(0.5)
        assert thread.works
        clock.now += 0.5 + LATE_S + 0.01
        assert not thread.works
    finally:
        guarded.guard.close()
        thread.close()


def test_the_thread_comes_before_all_others_where_that_is_allowed():
    def ask():
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        seen.append(os.sched_getscheduler(0))

    seen = []
    asking = threading.Thread(target=ask)
    asking.start()
    asking.join()
    with Watched() as watched:
        watched.guarded.run(0.01)
        watched.events.get(timeout=PATIENCE_S)  # it is at work
        assert os.sched_getscheduler(watched.thread._thread.native_id) == seen[0]
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_the_thread_ends_when_it_is_closed():
    with Watched() as watched:
        pass
    assert not watched.thread._thread.is_alive()
