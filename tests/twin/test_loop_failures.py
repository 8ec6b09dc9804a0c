"""A part fails while a list of commands is carried out: motor off, all of it on record, once."""

from random import Random

import pytest

from cannon.core import records
from cannon.core.commands import Light, Off, Record, Run, Sound
from cannon.core.controller import Controller
from cannon.core.events import Levels, Press, Start
from cannon.loop import ControlLoop, EventQueue
from tests.unit.core_tools import Abilities, GivenOdds, Played

CLOSED = Levels(exit=False)


class Bench:
    """A loop with a launcher whose parts fail when told to; what it does is kept in `done`."""

    capabilities = None
    deadline = None

    def __init__(self, *failing):
        self.failing = set(failing)
        self.done = []
        self.told = []
        self.now = 0.0
        controller = Controller(Played().settings, Abilities(), GivenOdds([3, 2]), Random(1))
        self.loop = ControlLoop(controller, self, EventQueue(), lambda: self.now, self.write)
        self.loop.tell = self.tell
        self.post(Start(CLOSED))
        self.done.clear()
        self.told.clear()

    def post(self, event):
        self.now += 1.0
        self.loop.events.post(event)
        self.loop.step(self.now)

    def levels(self):
        return CLOSED

    def do(self, command):
        if type(command) in self.failing:
            raise OSError("does not answer")
        self.done.append(command)

    def write(self, record):
        self.do(record)

    def tell(self, command):
        if "display" in self.failing:
            raise OSError("does not answer")
        self.told.append(command)

    def tick(self, now):
        pass

    def off(self):
        self.done.append(Off())

    def mute(self):
        pass

    def kinds(self, commands):
        return [command.kind for command in commands if isinstance(command, Record)]


@pytest.mark.parametrize("part", [Run, Sound, "display"])
def test_whatever_fails_at_a_press_it_is_on_record_in_order(part):
    bench = Bench()
    bench.failing = {part}
    bench.post(Press("test"))
    bench.failing = set()
    bench.post(Press("test"))  # refused; lets the shot settle
    assert bench.kinds(bench.done)[:2] == [records.PRESS, records.INTENT]
    assert bench.kinds(bench.done)[2:4] in (
        [records.FAULT, records.REFUSAL],
        [records.OUTCOME, records.FAULT],
    )
    assert bench.kinds(bench.done).count(records.OUTCOME) == 1
    assert bench.loop.controller.state == "fault"


@pytest.mark.parametrize("part", [Run, Sound, Record, "display"])
def test_after_a_failure_the_motor_is_switched_off_before_anything_else(part):
    bench = Bench()
    bench.failing = {part}
    bench.post(Press("test"))
    after = bench.done[bench.done.index(Off()) :]
    assert not any(isinstance(command, Run) for command in after)
    if part is not Run:
        assert isinstance(bench.done[0], Run)


def test_a_display_is_told_what_goes_wrong_also_without_a_journal():
    bench = Bench()
    bench.failing = {Record}
    bench.post(Press("test"))
    assert bench.loop.left_out == {"journal"}
    assert bench.kinds(bench.told)[:2] == [records.PRESS, records.INTENT]
    assert records.FAULT in bench.kinds(bench.told)


def test_what_failed_once_is_left_out_and_the_rest_goes_on():
    bench = Bench(Sound, Light)
    assert bench.loop.left_out == {"signals"}
    bench.failing.add("display")
    bench.post(Press("test"))
    assert bench.loop.left_out == {"signals", "display"}
    assert records.REFUSAL in bench.kinds(bench.done)
