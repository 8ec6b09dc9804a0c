"""Every part of the control loop breaks in every state: fault, motor off, and back."""

import pytest

from cannon.core import states
from cannon.core.commands import Run
from cannon.core.controller import Controller
from cannon.core.events import Acknowledge, Press, Request
from cannon.devices.ports import DeviceFault
from tests.unit.loop_tools import Breaks, in_state

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
