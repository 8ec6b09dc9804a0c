"""The control loop in virtual time: one turn after another, and every part breaking in every state.

The launcher here is a made one of a few lines whose parts break when they are told to.
"""

import threading
import time

import pytest

from cannon.core import states
from cannon.core.commands import FORWARD, Light, Off, Record, Run, Sound
from cannon.core.controller import Controller
from cannon.core.events import (
    BUTTON,
    EXIT,
    LID,
    Acknowledge,
    Edge,
    Failure,
    Levels,
    MotorOff,
    Press,
    Request,
    Start,
    Stop,
)
from cannon.core.values import Settings
from cannon.devices.gpio import GpioLauncher
from cannon.devices.ports import Capabilities, DeviceFault
from cannon.loop import AWAKE_S, EDGES_KEPT, IDLE_S, ControlLoop, EventQueue
from tests.unit.core_tools import (
    DOUBLE_S,
    MIN_BLOCKED_S,
    MIN_CLEAR_S,
    ONE_WAY,
    GivenOdds,
    plan,
)
from tests.unit.device_tools import SIGNALS, Clock, LoggedPins, board

PATIENCE_S = 30.0


class Breaks(Exception):
    """What a broken part raises."""


class MadeLauncher:
    """A launcher whose parts can be broken by name: run, off, sound, light, levels, tick, deadline.

    `motor` is what the motor does; `breaks[part]` how often that part will still fail.
    """

    def __init__(self):
        self.capabilities = Capabilities(counts=True, retracts=True)
        self.now = Levels(exit=False)
        self.motor = 0
        self.sounding = False
        self.muted = False
        self.breaks = {}
        self.broke = []
        self.done = []

    def _use(self, part):
        if self.breaks.get(part):
            self.breaks[part] -= 1
            self.broke.append(part)
            raise Breaks(part)

    def levels(self):
        self._use("levels")
        return self.now

    def do(self, command):
        self.done.append(command)
        match command:
            case Run(direction, _, _):
                self.motor = direction  # at worst it turns, and then the error comes
                self._use("run")
            case Off():
                self._use("off")
                self.motor = 0
            case Sound():
                self.sounding = True
                self._use("sound")
            case Light():
                self._use("light")

    def tick(self, now):
        self._use("tick")
        self.sounding = False

    @property
    def deadline(self):
        self._use("deadline")
        return 0.0 if self.breaks.get("tick") else None

    def off(self):
        self.motor = 0

    def mute(self):
        self.muted = True
        self.sounding = False

    def close(self):
        self.off()


class Looped:
    """A loop with its made launcher, in virtual time. What the journal got is in `records`."""

    def __init__(self, *cards, start=Levels(exit=False), times=None, **settings):  # noqa: B008
        self.launcher = MadeLauncher()
        self.clock = Clock()
        self.events = EventQueue()
        self.odds = GivenOdds(cards)
        values = Settings(plan(**times or {}), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S, **settings)
        self.controller = Controller(values, self.launcher.capabilities, self.odds, None)
        self.records = []
        self.loop = ControlLoop(
            self.controller, self.launcher, self.events, self.clock, self._write
        )
        self.told = []
        self.loop.tell = self._tell
        self.loop.watch = self._watch
        self.step()
        if start is not None:
            self.launcher.now = start
            self.events.post(Start(start))
            self.step()

    def _write(self, record):
        self.launcher._use("journal")
        self.records.append(record)

    def _tell(self, command):
        self.launcher._use("display")
        self.told.append(command)

    def _watch(self):
        self.launcher._use("watch")

    @property
    def state(self):
        return self.controller.state

    def step(self):
        return self.loop.step(self.clock.now)

    def wait(self, for_s, until=None):
        """Lets time pass; the loop turns when it is due, and idly."""
        end = self.clock.now + for_s
        while self.clock.now < end and not (until and until()):
            due = self.step()
            idle = self.clock.now + IDLE_S
            self.clock.now = max(self.clock.now + 1e-6, min(end, due or idle, idle))
        self.step()
        return self

    def set(self, **levels):
        """Levels change; nobody tells, the loop reads them."""
        self.launcher.now = self.launcher.now._replace(**levels)
        return self

    def press(self):
        self.set(button=True).wait(0.05)
        self.set(button=False).wait(0.05)
        return self

    def card(self):
        self.wait(0.1).set(exit=True).wait(0.085).set(exit=False).wait(0.005)
        return self

    def kinds(self):
        return [record.kind for record in self.records]

    def causes(self):
        return [record.data["cause"] for record in self.records if record.kind == "fault"]


def in_state(state):
    """A loop whose controller has come into `state`."""
    match state:
        case states.STARTING:
            here = Looped(start=None)
        case states.LID_OPEN:
            here = Looped(start=Levels(lid=True, exit=False))
        case states.READY:
            here = Looped(2, 2)
        case states.SUSPENSE:
            here = Looped(3, suspense_s=2.0).press()
        case states.FEEDING:
            here = Looped(3).press()
        case states.RETRACTING:
            here = Looped(1).press().card()
        case states.SETTLING:
            here = Looped(1, times=ONE_WAY).press().card()
        case states.EMPTY:
            here = Looped(2).press().wait(5)
        case states.JAMMED:
            here = Looped(2, start=Levels(exit=False, hopper=True)).press().wait(5)
        case states.FAULT:
            here = Looped()
            here.events.post(Failure("motor", ""))
            here.step()
        case states.STOPPING:
            here = Looped()
            here.events.post(Stop())
            here.step()
    assert here.state == state
    return here


# --- every part breaks in every state -----------------------------------------------------------

PARTS = ("levels", "sound", "journal", "display", "watch", "tick", "deadline")
CAUSES = {
    "levels": "inputs",
    "sound": "signals",
    "tick": "signals",
    "journal": "journal",
    "display": "display",
    "watch": "display",
    "deadline": "program",
}


def acknowledged(here):
    """A person says: go on."""
    here.events.post(Acknowledge("web"))
    here.wait(1.0)
    return here


@pytest.mark.parametrize("state", states.STATES)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_breaks_in_any_state_ends_in_fault_motor_off_and_back_by_an_acknowledge(
    part, state
):
    here = in_state(state)
    here.launcher.breaks[part] = 1
    here.events.post(Press("web"))  # its answer is sounded, shown and put on record
    here.step()
    if part == "tick":
        here.step()  # only now the launcher's next note is due
    if state == states.STOPPING and part == "sound":
        assert here.launcher.broke == [], "after the end nothing sounds"
        return
    assert here.launcher.broke == [part]
    assert here.launcher.motor == 0
    if state == states.STOPPING:
        assert here.state == states.STOPPING
        return
    assert here.state == states.FAULT
    if state != states.FAULT and part != "journal":
        assert here.causes()[-1] == CAUSES[part]
    here.wait(1.0)
    assert here.launcher.motor == 0
    acknowledged(here)
    assert here.state == (states.LID_OPEN if state == states.LID_OPEN else states.READY)
    assert here.launcher.motor == 0, "an acknowledge fires nothing"


@pytest.mark.parametrize("state", states.STATES)
@pytest.mark.parametrize("where", ["handle", "tick"])
def test_a_mistake_of_the_program_in_any_state_ends_in_fault_and_back(where, state, monkeypatch):
    here = in_state(state)
    mistakes = [Breaks("program")]
    real = getattr(here.controller, where)

    def mistaken(*values):
        if mistakes:
            raise mistakes.pop()
        return real(*values)

    monkeypatch.setattr(here.controller, where, mistaken)
    if where == "tick":
        due = Controller.deadline.fget
        at_once = property(lambda controller: here.clock.now if mistakes else due(controller))
        monkeypatch.setattr(Controller, "deadline", at_once)
    here.events.post(Request())
    here.step()
    assert mistakes == []
    assert here.launcher.motor == 0
    if state == states.STOPPING:
        return
    assert here.state == states.FAULT
    here.wait(1.0)
    acknowledged(here)
    assert here.state == (states.LID_OPEN if state == states.LID_OPEN else states.READY)


@pytest.mark.parametrize("inner", ["feed", "odds", "counter"])
def test_a_mistake_deep_in_a_shot_ends_it_in_fault_with_the_motor_off(inner, monkeypatch):
    here = in_state(states.READY)
    mistakes = [Breaks(inner)]

    def once(real):
        def mistaken(*values):
            if mistakes:
                raise mistakes.pop()
            return real(*values)

        return mistaken

    if inner == "odds":
        monkeypatch.setattr(here.odds, "press", once(here.odds.press))
    here.press()
    if inner == "feed":
        feed = here.controller._shooter.feed
        monkeypatch.setattr(feed, "tick", once(feed.tick))
    if inner == "counter":
        counter = here.controller._shooter.feed.counter
        monkeypatch.setattr(counter, "edge", once(counter.edge))
        here.card()
    here.wait(5, until=lambda: not mistakes)
    assert (here.state, here.launcher.motor) == (states.FAULT, 0)
    assert here.causes() == ["program"]
    here.wait(1)
    acknowledged(here).press()
    assert here.launcher.motor == 1, "and it plays on"


def test_a_feed_that_cannot_even_be_stopped_gives_no_more_orders(monkeypatch):
    here = in_state(states.FEEDING)

    def broken(*values):
        raise Breaks("feed")

    feed = here.controller._shooter.feed
    for name in ("tick", "stop", "beam"):
        monkeypatch.setattr(feed, name, broken)
    here.launcher.done.clear()
    here.wait(3)
    assert (here.state, here.launcher.motor) == (states.FAULT, 0)
    assert not [command for command in here.launcher.done if isinstance(command, Run)]
    acknowledged(here).press()
    assert here.launcher.motor == 1


def test_a_motor_that_does_not_start_ends_in_fault_with_nothing_lost_from_the_record():
    here = in_state(states.READY)
    here.launcher.breaks["run"] = 1
    here.press()
    assert (here.state, here.launcher.motor) == (states.FAULT, 0)
    assert here.causes() == ["motor"]
    here.wait(1)
    assert [kind for kind in here.kinds() if kind in ("press", "intent", "outcome")] == [
        "press",
        "intent",
        "outcome",
    ]
    outcome = next(record.data for record in here.records if record.kind == "outcome")
    assert (outcome["decided"], outcome["delivered"], outcome["owed"]) == (2, 0, 2)
    acknowledged(here).press()
    assert here.launcher.motor == 1


@pytest.mark.parametrize("state", [states.FEEDING, states.RETRACTING])
def test_a_motor_that_does_not_take_off_is_switched_off_another_way(state):
    here = in_state(state)
    here.wait(1, until=lambda: here.launcher.motor)
    here.launcher.breaks["off"] = 1
    here.wait(5, until=lambda: here.launcher.broke)
    assert (here.state, here.launcher.motor) == (states.FAULT, 0)


def test_a_device_that_names_its_cause_is_believed():
    here = in_state(states.READY)
    here.launcher.levels = lambda: (_ for _ in ()).throw(DeviceFault("bridge_lost", "unplugged"))
    here.step()
    assert here.causes() == ["bridge_lost"]


@pytest.mark.parametrize(
    ("error", "traceback"),
    [
        (OSError(5, "Input/output error"), False),
        (DeviceFault("motor", "it smells"), False),
        (ValueError("a mistake"), True),
    ],
)
def test_only_a_mistake_of_the_program_is_logged_with_its_traceback(caplog, error, traceback):
    here = in_state(states.READY)

    def levels():
        raise error

    here.launcher.levels = levels
    here.step()
    here.step()
    [logged] = [record for record in caplog.records if record.name == "cannon.loop"]
    assert repr(error) in logged.getMessage()
    assert bool(logged.exc_info) == traceback


def test_a_part_that_only_sounds_shows_or_writes_is_left_out_from_then_on():
    for part, left_out in (("sound", "signals"), ("journal", "journal"), ("display", "display")):
        here = in_state(states.READY)
        here.launcher.breaks[part] = 10**6
        here.press()
        assert here.state == states.FAULT
        assert here.loop.left_out == {left_out}
        broke = len(here.launcher.broke)
        acknowledged(here).press()
        assert here.launcher.motor == 1, "one acknowledge is enough"
        here.card().card().wait(1)
        assert here.state == states.READY
        assert len(here.launcher.broke) == broke, "it is not tried again"


def test_signals_that_break_are_silenced_also_when_something_else_broke_first():
    here = in_state(states.READY)
    here.launcher.breaks["run"] = 1
    here.launcher.breaks["sound"] = 1
    here.press()
    assert here.launcher.broke == ["run", "sound"]
    assert here.launcher.muted
    assert not here.launcher.sounding


def test_everything_broken_at_once_leaves_the_motor_off_and_the_loop_alive():
    here = in_state(states.FEEDING)
    for part in (*PARTS, "run", "off", "light"):
        here.launcher.breaks[part] = 10**6
    here.wait(2)
    assert (here.state, here.launcher.motor) == (states.FAULT, 0)
    here.launcher.breaks.clear()
    acknowledged(here)
    assert here.state == states.READY


def test_inputs_that_cannot_be_read_for_ever_stay_a_fault_however_often_it_is_acknowledged():
    here = in_state(states.READY)
    here.launcher.breaks["levels"] = 10**6
    for _ in range(3):
        acknowledged(here)
        assert here.state == states.FAULT
    assert here.launcher.motor == 0


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
