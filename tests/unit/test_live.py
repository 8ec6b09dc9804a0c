"""A launcher in a thread of its own: how it starts, how it ends, and what a signal does."""

import os
import random
import signal
import threading

import pytest

from cannon import app
from cannon.core.events import Failure, Press, Stop
from cannon.live import Ended, LivePins, LiveTwin, listen, motor_off, watch_threads
from cannon.settings.cannon_toml import CannonToml
from cannon.terminal.playing import SIGNALS, stop_at_signals
from tests.unit.loop_tools import Looped

PATIENCE_S = 30.0


@pytest.fixture
def handlers():
    """The signal handlers and the hook for threads are put back afterwards."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    hook = threading.excepthook
    yield
    threading.excepthook = hook
    for number, handler in before.items():
        signal.signal(number, handler)


def on_pins():
    """A live loop on a made launcher; `closed` gets what its motor did when it was released."""
    here = Looped(2)
    here.closed = []
    here.live = LivePins(here.loop, lambda: here.closed.append(here.launcher.motor))
    return here


def test_stop_is_motor_off_then_an_orderly_end_then_release():
    here = on_pins()
    here.launcher.motor = 1
    here.live.start()
    here.live.stop()
    assert here.state == "stopping"
    assert here.kinds()[-1] == "stop"
    assert here.closed == [0]
    assert here.live.ended.is_set()
    assert not here.live.crashed


def test_what_was_never_started_is_released_too():
    here = on_pins()
    here.live.stop()
    assert here.closed == [0]


def test_events_are_taken_from_any_thread():
    here = on_pins()
    pressed = threading.Event()
    listen(here.loop, lambda command: pressed.set())
    here.live.start()
    here.live.post(Press("web"))
    assert pressed.wait(PATIENCE_S)
    here.live.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_loop_that_dies_leaves_the_motor_off_and_is_told_of(monkeypatch):
    here = on_pins()

    def step(now):
        here.launcher.motor = 1
        raise SystemError("broken")

    monkeypatch.setattr(here.loop, "step", step)
    here.live.start()
    here.live.ended.wait()
    assert here.live.crashed
    assert here.launcher.motor == 0
    here.live.stop()
    assert here.closed == [0]


def test_a_loop_that_hangs_is_left_behind_with_its_motor_off(monkeypatch):
    import cannon.live

    monkeypatch.setattr(cannon.live, "STOP_S", 0.05)
    here = on_pins()
    there, go_on = threading.Event(), threading.Event()

    def step(now):
        there.set()
        go_on.wait(PATIENCE_S)
        here.loop.stopped = True

    monkeypatch.setattr(here.loop, "step", step)
    here.live.start()
    assert there.wait(PATIENCE_S)
    here.launcher.motor = 1
    here.live.stop()
    assert here.closed == [0]
    go_on.set()
    here.live.ended.wait()


def test_listeners_are_told_beside_each_other():
    here = on_pins()
    one, other = [], []
    here.loop.tell = None
    listen(here.loop, one.append)
    listen(here.loop, other.append)
    here.events.post(Press("web"))
    here.step()
    assert one
    assert one == other


def test_any_thread_that_dies_switches_the_motor_off_and_is_a_fault(handlers):
    here = on_pins()
    watch_threads(here.live)
    here.launcher.motor = 1
    thread = threading.Thread(target=lambda: 1 / 0, name="page")
    thread.start()
    thread.join(PATIENCE_S)
    assert here.launcher.motor == 0
    [failure] = here.events.take()
    assert failure == Failure("thread", "page: ZeroDivisionError('division by zero')")


# --- signals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_motor_off_and_an_end(handlers, number):
    here = on_pins()
    stop_at_signals(here.live)
    here.launcher.motor = 1
    os.kill(os.getpid(), number)
    here.live.ended.wait()
    assert here.launcher.motor == 0


def test_a_motor_that_cannot_be_switched_off_does_not_keep_a_signal_from_ending_it(handlers):
    here = on_pins()
    stop_at_signals(here.live)
    here.launcher.off = lambda: 1 / 0
    os.kill(os.getpid(), signal.SIGTERM)
    here.live.ended.wait()
    motor_off(here.loop)


def test_a_second_signal_finds_the_end_under_way_and_does_nothing(handlers):
    here = on_pins()
    stop_at_signals(here.live)
    offs = []
    here.launcher.off = lambda: offs.append(True)
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGTERM)
    here.live.ended.wait()
    assert offs == [True]


def test_an_end_may_be_set_in_a_signal_handler_at_any_moment_of_the_wait_for_it():
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    before = signal.getsignal(signal.SIGALRM)
    try:
        for _ in range(300):
            ended = Ended()
            signal.signal(signal.SIGALRM, lambda number, frame, ended=ended: ended.set())
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, 3e-4))
            ended.wait()
            ended.wait()
            assert ended.is_set()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- simulated ----------------------------------------------------------------------------------


@pytest.fixture
def twin():
    return app.simulated(app.plan(CannonToml(odds="even"), seed=3))


def test_a_simulated_launcher_is_pressed_by_a_hand_in_its_own_thread(twin):
    live = LiveTwin(twin)
    shot = threading.Event()
    listen(live.loop, lambda command: shot.set() if getattr(command, "kind", "") == "press" else 0)
    live.start()
    live.hand(lambda twin: twin.press())
    assert shot.wait(PATIENCE_S)
    live.stop()
    assert twin.loop.controller.state == "stopping"
    assert twin.account.violations == []


def test_a_simulated_launcher_that_idles_is_not_stuck(twin):
    """Its virtual time leaves out the loop's idle turns."""
    live = LiveTwin(twin)
    live.start()
    for _ in range(3):
        seen = live.turns
        answered = threading.Event()
        live.hand(lambda twin, answered=answered: answered.set())
        assert answered.wait(PATIENCE_S)
        live.hand(lambda twin: None)
        while live.turns == seen:
            assert not live.ended.is_set()
    live.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_hand_that_fails_ends_a_simulation_as_crashed_with_the_motor_off(twin):
    live = LiveTwin(twin)
    live.start()
    live.hand(lambda twin: 1 / 0)
    live.ended.wait()
    assert live.crashed
    assert twin.launcher.guard.deadline is None
    live.stop()


def test_stop_comes_after_what_was_posted_before(twin):
    live = LiveTwin(twin)
    live.start()
    live.post(Press("web"))
    live.post(Stop())
    live.stop()
    assert twin.account.presses == 1
