"""Every event in every state has an outcome, and it is this one."""

import pytest

from cannon.core import states
from cannon.core.commands import Light, Off
from cannon.core.events import (
    BATTERY,
    BUTTON,
    EXIT,
    HOPPER,
    LID,
    Acknowledge,
    CancelRest,
    CardSeen,
    DeliverRest,
    Edge,
    Event,
    Failure,
    FeedEnded,
    Levels,
    MotorOff,
    Press,
    Refilled,
    Request,
    Start,
    Stop,
)
from cannon.core.states import (
    EMPTY,
    FAULT,
    FEEDING,
    JAMMED,
    LID_OPEN,
    READY,
    RETRACTING,
    SETTLING,
    STARTING,
    STATES,
    STOPPING,
)
from tests.unit.core_tools import CLOSED, in_state

SOON_S = 0.02  # inputs settle within it; no state ends by itself so soon
BUSY = set(STATES) - {STOPPING}

# What happens, and where it leads from which state. All other states stay as they are.
LEADS = {
    "button goes down": (lambda now: Edge(BUTTON, True, now), {READY: FEEDING}),
    "button comes up": (lambda now: Edge(BUTTON, False, now), {}),
    "lid opens": (
        lambda now: Edge(LID, True, now),
        dict.fromkeys(BUSY - {FAULT, LID_OPEN}, LID_OPEN),
    ),
    "lid closes": (lambda now: Edge(LID, False, now), {}),  # it must stand for longer
    "beam is blocked": (lambda now: Edge(EXIT, True, now), {}),
    "beam clears": (lambda now: Edge(EXIT, False, now), {}),
    "hopper": (lambda now: Edge(HOPPER, True, now), {}),
    "battery": (lambda now: Edge(BATTERY, True, now), {}),
    "levels": (lambda now: CLOSED, {}),
    "levels with the lid open": (
        lambda now: Levels(lid=True, exit=False),
        dict.fromkeys(BUSY - {FAULT, LID_OPEN}, LID_OPEN),
    ),
    "start": (lambda now: Start(CLOSED), {STARTING: READY}),
    "start with the lid open": (lambda now: Start(Levels(lid=True)), {STARTING: LID_OPEN}),
    "start with the beam blocked": (lambda now: Start(Levels(exit=True)), {STARTING: JAMMED}),
    "press from the page": (lambda now: Press("web"), {READY: FEEDING}),
    "request": (lambda now: Request(4, "draw"), {}),
    "run ended by its limit": (lambda now: MotorOff("time", now), {}),
    "motor cut for the lid": (lambda now: MotorOff("lid", now), {RETRACTING: SETTLING}),
    "run refused": (lambda now: MotorOff("refused", now), {RETRACTING: SETTLING}),
    "guard failed": (lambda now: MotorOff("fault", now), dict.fromkeys(BUSY, FAULT)),
    "card told of by another": (lambda now: CardSeen(1, False, now), {}),
    "feed ended by another": (lambda now: FeedEnded("enough", 1, 0, False, False, 0), {}),
    "failure": (lambda now: Failure("journal", "gone"), dict.fromkeys(BUSY, FAULT)),
    "acknowledge": (lambda now: Acknowledge("web"), dict.fromkeys((EMPTY, JAMMED, FAULT), READY)),
    "deliver the rest": (lambda now: DeliverRest("web"), {}),
    "cancel the rest": (lambda now: CancelRest("web"), {}),
    "refilled": (lambda now: Refilled("web"), {EMPTY: READY}),
    "stop": (lambda now: Stop(), dict.fromkeys(STATES, STOPPING)),
}


def test_the_table_of_this_test_has_every_event():
    told = {type(make(0.0)) for make, _ in LEADS.values()}
    assert told == set(Event.__args__)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("what", LEADS)
def test_every_event_in_every_state_has_its_outcome(what, state):
    make, leads = LEADS[what]
    played = in_state(state)
    played.handle(make(played.now))
    played.wait(SOON_S)
    assert played.state == leads.get(state, state)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("what", LEADS)
def test_no_event_starts_the_motor_but_a_press_that_is_taken(what, state):
    make, _ = LEADS[what]
    played = in_state(state)
    moving = played.motor
    played.handle(make(played.now))
    if state == READY and what in ("button goes down", "press from the page"):
        played.wait(SOON_S)
        assert played.motor
    else:
        assert played.motor in (moving, 0)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    "what", ["lid opens", "levels with the lid open", "guard failed", "failure", "stop"]
)
def test_what_must_stop_the_motor_orders_it_off_before_anything_else(what, state):
    played = in_state(state)
    played.handle(LEADS[what][0](played.now))
    played.wait(SOON_S)
    commands = [command for _, command in played.out if not isinstance(command, Light)]
    if state == STOPPING and what == "stop":
        assert commands == []
        return
    if state == LID_OPEN and what in ("lid opens", "levels with the lid open"):
        assert commands == [], "it is open already"
        return
    assert isinstance(commands[0], Off)
    assert played.motor == 0


@pytest.mark.parametrize("state", STATES)
def test_a_press_is_taken_or_refused_with_a_reason_that_is_sounded_and_on_record(state):
    played = in_state(state)
    played.handle(Press("web"))
    reason = states.PRESS_REFUSED[state]
    if state == READY:
        assert played.data("press")[0]["source"] == "web"
        assert played.sounds()[0] == "ding"
        assert played.controller.snapshot().refusal == ""
        return
    assert played.data("press") == []
    assert played.data("refusal") == [{"reason": reason, "source": "web"}]
    assert played.controller.snapshot().refusal == reason
    assert played.sounds() == ([] if state == STOPPING else ["refused"])


@pytest.mark.parametrize("state", STATES)
def test_a_refused_press_is_not_stored(state):
    played = in_state(state)
    before = played.controller.snapshot().presses
    for _ in range(4):
        played.handle(Press("web"))
    assert played.controller.snapshot().presses == before + (state == READY)
    assert played.odds.presses == before + (state == READY)


@pytest.mark.parametrize("state", [FEEDING, RETRACTING, SETTLING])
def test_each_state_of_a_shot_ends_by_itself(state):
    played = in_state(state)
    assert played.controller.deadline is not None
    played.finish()
    assert played.state in (READY, EMPTY)
    assert played.motor == 0


@pytest.mark.parametrize("state", [STARTING, LID_OPEN, READY, EMPTY, JAMMED, FAULT, STOPPING])
def test_no_other_state_ends_by_time_alone(state):
    played = in_state(state)
    played.wait(86_400)
    assert played.state == state
    assert played.motor == 0
    assert played.runs() == []
