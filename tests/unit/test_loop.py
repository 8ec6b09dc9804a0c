"""The control loop in virtual time: the order of things, its turns, and its queue."""

import threading
import time

import pytest

from cannon.core import states
from cannon.core.commands import FORWARD, Record, Run, Sound
from cannon.core.controller import Controller
from cannon.core.events import (
    BUTTON,
    EXIT,
    LID,
    Acknowledge,
    Edge,
    Levels,
    MotorOff,
    Press,
    Start,
    Stop,
)
from cannon.core.values import Settings
from cannon.devices.gpio import GpioLauncher
from cannon.loop import AWAKE_S, EDGES_KEPT, IDLE_S, ControlLoop, EventQueue
from tests.unit.core_tools import DOUBLE_S, MIN_BLOCKED_S, MIN_CLEAR_S, GivenOdds, plan
from tests.unit.device_tools import SIGNALS, Clock, LoggedPins, board
from tests.unit.loop_tools import Looped, MadeLauncher, in_state

PATIENCE_S = 30.0


# --- order --------------------------------------------------------------------------------------


def test_no_event_is_lost_behind_one_that_is_refused():
    here = in_state(states.READY)
    for event in (
        Press("web"),
        Press("web"),
        Edge(LID, True, here.clock.now),
        Acknowledge("web"),
    ):
        here.events.post(event)
    here.set(lid=True).step()
    here.wait(0.01)
    assert (here.state, here.launcher.motor) == (states.LID_OPEN, 0)
    assert [kind for kind in here.kinds() if kind in ("press", "refusal", "lid")] == [
        "press",
        "refusal",
        "lid",
    ]


def test_a_stop_that_waits_behind_a_failing_event_is_taken():
    here = in_state(states.FEEDING)
    here.odds.press = None
    here.events.post(Edge("knob", True, 0.0))  # a mistake of the program
    here.events.post(Stop())
    here.step()
    assert here.loop.stopped
    assert here.state == states.STOPPING
    assert here.launcher.motor == 0
    assert here.kinds()[-1] == "stop"


def test_when_the_lid_is_put_on_record_the_motor_is_off():
    here = in_state(states.FEEDING)
    seen = []
    here.loop._write = lambda record: seen.append((record.kind, here.launcher.motor))
    here.set(lid=True).wait(1)
    assert seen == [("lid", 0), ("outcome", 0)]


def test_edges_are_counted_by_their_own_times_when_the_loop_comes_late():
    """A turn that took 0.9 s: six cards passed meanwhile."""
    here = Looped(6, times={"stall": 1.0, "gap": 0.0}).press()
    at = here.clock.now
    for _ in range(6):
        here.events.post(Edge(EXIT, True, at + 0.050))
        here.events.post(Edge(EXIT, False, at + 0.135))
        at += 0.145
    here.clock.now = at
    here.step()
    here.wait(1)
    [outcome] = [record.data for record in here.records if record.kind == "outcome"]
    assert outcome["delivered"] == 6


def test_a_level_that_no_edge_told_of_is_found_in_the_next_turn():
    here = in_state(states.READY)
    here.set(lid=True).wait(0.02)
    assert here.state == states.LID_OPEN


def test_displays_are_told_after_it_was_done_and_looked_at_after_each_turn():
    here = in_state(states.READY)
    here.told.clear()
    here.press()
    kinds = [type(command) for command in here.told]
    assert kinds[0] is Run
    assert Record in kinds
    assert Sound in kinds


# --- turns --------------------------------------------------------------------------------------


class VirtualQueue(EventQueue):
    """Waits by setting the clock on."""

    def __init__(self, clock, end, loop_stop):
        super().__init__()
        self._clock, self._end, self._stop = clock, end, loop_stop

        self.waits = []

    def wait(self, for_s, awake_s=0.0):
        self.waits.append((for_s, awake_s))
        self._clock.now += max(for_s, 1e-6)
        if self._clock.now >= self._end:
            self._stop()


def test_an_idle_loop_turns_a_few_times_a_second():
    clock = Clock()
    launcher = MadeLauncher()
    values = Settings(plan(), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S)
    controller = Controller(values, launcher.capabilities, GivenOdds(), None)
    queue = VirtualQueue(clock, clock.now + 60, lambda: queue.post(Stop()))
    queue.post(Start(Levels(exit=False)))
    loop = ControlLoop(controller, launcher, queue, clock, lambda record: None)
    loop.run()
    assert loop.stopped
    assert 60 / IDLE_S <= loop.turns <= 60 / IDLE_S + 3
    assert loop.turns / 60 <= 10


def test_a_turn_is_due_when_the_controller_or_the_launcher_has_something_to_do():
    here = in_state(states.READY)
    assert here.step() is None
    here.launcher.now = here.launcher.now._replace(button=True)
    assert here.step() == pytest.approx(here.clock.now + 0.003)


def test_the_last_moment_before_the_controllers_time_is_waited_for_awake_and_no_other():
    clock = Clock()
    launcher = MadeLauncher()
    launcher.now = Levels(exit=False)
    values = Settings(plan(), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S)
    controller = Controller(values, launcher.capabilities, GivenOdds([0]), None)
    queue = VirtualQueue(clock, clock.now + 1, lambda: queue.post(Stop()))
    queue.post(Start(Levels(exit=False)))
    queue.post(Edge(BUTTON, True, clock.now))
    launcher.now = Levels(button=True, exit=False)
    ControlLoop(controller, launcher, queue, clock, lambda record: None).run()
    assert queue.waits[0] == (pytest.approx(0.003), AWAKE_S)
    assert queue.waits[1:]
    assert all(awake_s == 0 or for_s < IDLE_S for for_s, awake_s in queue.waits)
    assert (IDLE_S, 0.0) in queue.waits


def test_the_answer_to_a_press_waits_for_no_reading_of_levels():
    here = Looped(1).set(button=True)
    here.step()
    here.clock.now += 0.0035
    read = here.launcher.levels
    motor_when_read = []
    here.launcher.levels = lambda: motor_when_read.append(here.launcher.motor) or read()
    here.step()
    assert motor_when_read == [FORWARD]


def test_the_loop_runs_in_a_thread_until_it_is_stopped():
    here = in_state(states.READY)
    thread = threading.Thread(target=here.loop.run)
    thread.start()
    here.events.post(Stop())
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert here.state == states.STOPPING


# --- the queue ----------------------------------------------------------------------------------


def test_events_come_out_in_order_also_one_that_was_waited_for():
    queue = EventQueue()
    for n in range(3):
        queue.post(Press(str(n)))
    queue.wait(9)
    assert queue.waiting
    assert [event.source for event in queue.take()] == ["0", "1", "2"]
    assert not queue.waiting
    assert queue.take() == []


def test_a_flood_of_edges_is_cut_off_and_nothing_else_is():
    queue = EventQueue()
    for n in range(EDGES_KEPT + 500):
        queue.post(Edge(BUTTON, n % 2 == 0, n * 1e-6))
    queue.post(MotorOff("lid", 1.0))
    queue.post(Stop())
    taken = queue.take()
    assert queue.dropped_edges == 500
    assert len(taken) == EDGES_KEPT + 2
    assert taken[-2:] == [MotorOff("lid", 1.0), Stop()]
    queue.post(Edge(BUTTON, True, 2.0))
    assert len(queue.take()) == 1


def test_after_a_flood_the_levels_say_what_is_true():
    here = in_state(states.READY)
    for n in range(EDGES_KEPT + 100):
        here.events.post(Edge(LID, n % 2 == 0, here.clock.now + n * 1e-6))
    here.clock.now += 0.01
    here.set(lid=True).wait(0.02)
    assert here.state == states.LID_OPEN


@pytest.mark.parametrize("awake_s", [0.0, PATIENCE_S])
def test_a_waiting_queue_wakes_for_an_event_of_another_thread(awake_s):
    queue = EventQueue()
    woken = threading.Event()

    def wait():
        queue.wait(PATIENCE_S, awake_s)
        woken.set()

    thread = threading.Thread(target=wait)
    thread.start()
    queue.post(Press("web"))
    assert woken.wait(PATIENCE_S)
    thread.join()
    assert len(queue.take()) == 1


@pytest.mark.parametrize("awake_s", [0.0, 0.01, 9.0])
def test_a_wait_ends_by_itself_and_not_too_soon(awake_s):
    queue = EventQueue()
    began = time.monotonic()
    queue.wait(0.02, awake_s)
    assert time.monotonic() - began >= 0.02
    assert not queue.waiting


# --- while the loop is stuck --------------------------------------------------------------------


def test_a_loop_that_hangs_in_a_sound_does_not_keep_the_motor_from_being_cut():
    """The lid's edge comes in the thread of whoever moves the mock pin: here."""
    pins, clock = LoggedPins(), Clock()
    made = board("launcher-pi")
    events = EventQueue()

    def dark(seconds):
        pins.drive(made.exit_sensor.pin, not pins.state(made.exit_sensor.emitter))

    launcher = GpioLauncher(made, pins, SIGNALS, clock, events.post, dark)
    for part in (made.button, made.lid, made.exit_sensor):
        pins.drive(part.pin, not part.active_high)
    stuck, go_on = threading.Event(), threading.Event()
    real = launcher.do

    def do(command):
        if isinstance(command, Sound) and command.tune == "ding":
            stuck.set()
            assert go_on.wait(PATIENCE_S)
        real(command)

    launcher.do = do
    values = Settings(plan(), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S)
    controller = Controller(values, launcher.capabilities, GivenOdds([5]), None)
    loop = ControlLoop(controller, launcher, events, clock, lambda record: None)
    events.post(Start(launcher.levels()))
    loop.step(clock.now)
    events.post(Press("web"))
    turn = threading.Thread(target=loop.step, args=(clock.now,))
    turn.start()
    assert stuck.wait(PATIENCE_S)
    assert pins.state(made.motor.forward) == 1
    assert controller.snapshot().state == "feeding", "and it can be looked at"
    pins.drive(made.lid.pin, made.lid.active_high)
    assert pins.state(made.motor.forward) == 0, "before the call returns"
    go_on.set()
    turn.join(PATIENCE_S)
    clock.now += 0.01
    loop.step(clock.now)
    assert controller.state == "lid_open"
    launcher.close()
    pins.reset()
