"""A control loop in virtual time, on a made launcher whose parts break when they are told to."""

from cannon.core import states
from cannon.core.commands import Light, Off, Run, Sound
from cannon.core.controller import Controller
from cannon.core.events import Failure, Levels, Start, Stop
from cannon.core.values import Settings
from cannon.devices.ports import Capabilities
from cannon.loop import IDLE_S, ControlLoop, EventQueue
from tests.unit.core_tools import DOUBLE_S, MIN_BLOCKED_S, MIN_CLEAR_S, ONE_WAY, GivenOdds, plan
from tests.unit.device_tools import Clock


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
