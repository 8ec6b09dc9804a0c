"""Whatever happens to the controller, and whenever: nothing raises, and every promise is kept.

A sequence is bytes: two for each step, what happens and how much time passes before. Hypothesis
makes them, and makes those that fail as short as can be; `told` says them in words.
"""

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from cannon.core import records, states
from cannon.core.causes import Latched
from cannon.core.commands import FORWARD, REVERSE, Feed, Light, Off, Record, Run, Sound
from cannon.core.controller import Controller
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
from cannon.core.latch import held_in
from cannon.core.values import Settings
from tests.share import share
from tests.unit.core_tools import (
    DOUBLE_S,
    MIN_BLOCKED_S,
    MIN_CLEAR_S,
    ONE_WAY,
    Abilities,
    GivenOdds,
    plan,
)

IN_TEST, IN_TEST_ALL = 10_200, 201_000  # sequences, over all launchers
LATCHED = (None, None, None, *(Latched(cause, 7.0) for cause in ("empty", "jam", "motor")))
HINT_CODES = {"worn_cards", "needs_care", "low_power"}

# What launchers there are: abilities, times of the feed, settings.
LAUNCHERS = {
    "counting": (Abilities(), {}, {}),
    "blind": (Abilities(counts=False), ONE_WAY, {"owed": "command"}),
    "remote": (Abilities(feeds_itself=True), {}, {}),
    "remote, blind": (Abilities(counts=False, feeds_itself=True), {}, {"owed": "forget"}),
    "suspense": (Abilities(), {"max_run": 0.5}, {"suspense_s": 0.8}),
    "forgetful": (Abilities(), {"retries": 0}, {"owed": "forget", "suspense_s": 0.1}),
}
WAITS_S = (0.0, 0.0, 0.001, 0.0035, 0.006, 0.009, 0.03, 0.045, 0.07, 0.11, 0.2, 0.45, 1.6, 12.0)


class Promises:
    """Takes the commands of a controller, turn by turn, and holds them against the promises."""

    def __init__(self, controller, settings, abilities, owed):
        self.controller = controller
        self.settings = settings
        self.abilities = abilities
        self.now = 0.0
        self.motor, self.limit_at = 0, None
        self.last_direction, self.off_at = 0, -1e9
        self.presses = controller.snapshot().presses
        self.open = {}  # presses without an outcome: the cards that are being fed for them
        self.owed = owed
        self.light = None

    def take(self, commands, event=None):
        """Checks the commands of one turn."""
        self._first_things_first(commands, event)
        feeding = False
        for command in commands:
            match command:
                case Run():
                    self._run(command)
                    feeding = True
                case Off():
                    self._off()
                case Feed(cards):
                    assert self.abilities.feeds_itself and cards >= 1
                    feeding = True
                case Record():
                    self._record(command)
                case Light(pattern):
                    self.light = pattern
                case Sound(tune):
                    assert self.controller.state != states.STOPPING, tune
        if feeding:
            assert self.open, "the motor runs for a press, and for nothing else"
            assert self.controller.state in states.SHOOTING
            assert not self.controller.snapshot().lid_open
        self._snapshot()

    def ended(self):
        """After Stop nothing is open, and nothing moves."""
        assert self.controller.state == states.STOPPING
        assert not self.open, f"no outcome for {self.open}"
        assert self.motor == 0

    def _first_things_first(self, commands, event):
        """What must stop the motor orders it off before anything else."""
        stops = isinstance(event, Failure | Stop) or (
            isinstance(event, MotorOff) and event.reason == "fault"
        )
        if stops and commands and self.motor:
            assert isinstance(commands[0], Off), commands

    def _run(self, run):
        assert not self.abilities.feeds_itself
        assert run.direction in (FORWARD, REVERSE)
        assert 0 < run.power <= 1
        assert 0 < run.for_s <= self.settings.plan.max_run, run
        if run.direction == REVERSE:
            assert self.settings.plan.reverse or self.settings.plan.retract
        if self.last_direction == -run.direction:
            assert self.motor == 0, "never from one direction into the other"
            rested = self.now - self.off_at
            assert rested >= self.settings.plan.dead - 1e-9, f"{rested} s of rest"
        self.motor = self.last_direction = run.direction
        self.limit_at = self.now + run.for_s

    def _off(self):
        if self.motor:
            self.off_at = self.now
        self.motor, self.limit_at = 0, None

    def motor_ends(self):
        """The guard ends a run."""
        self._off()

    def _record(self, record):
        json.dumps(record.data)
        data, press = record.data, record.press
        match record.kind:
            case records.PRESS:
                assert press == self.presses + 1
                self.presses = press
                self.open[press] = None
            case records.INTENT:
                assert press in self.open and self.open[press] is None
                self.open[press] = data["cards"]
            case records.CARD:
                assert press in self.open and data["cards"] >= 1
            case records.OUTCOME:
                self._outcome(data, press)
            case records.PROTRUDING:
                assert data["delivered"] + data["extra"] == 1
                self.owed -= data["delivered"]
                assert data["owed"] == self.owed
            case records.WAIVED:
                assert data["cards"] > 0
                self.owed -= data["cards"]
            case records.REFUSAL:
                assert data["reason"]
            case records.FAULT:
                assert data["cause"]

    def _outcome(self, data, press):
        assert press in self.open, "one outcome for a press, and one only"
        intended = self.open.pop(press)
        wanted = data["decided"] + data["rest"]
        assert not (data["decided"] and data["rest"])
        assert (intended or 0) == wanted
        if data["delivered"] is None:
            assert not self.abilities.counts
            assert data["owed"] is None
        else:
            assert 0 <= data["delivered"] <= wanted
            assert wanted == data["delivered"] + data["owed"]
        assert data["reason"]
        self.owed += (data["owed"] or 0) - data["rest"]

    def _snapshot(self):
        seen = self.controller.snapshot()
        assert seen.state in states.STATES
        assert seen.owed == self.owed >= 0 if not self._feeding_rest() else self.owed >= seen.owed
        assert seen.presses == self.presses
        assert len(self.open) <= 1
        assert set(seen.hints) <= HINT_CODES
        if seen.state != states.STOPPING:  # then it does not matter any more
            held = seen.state in (states.EMPTY, states.JAMMED, states.FAULT)
            assert bool(seen.cause) == held
            assert not held or held_in(seen.cause) == seen.state
        assert self.light in (None, states.LIGHT[seen.state])
        if seen.state in (states.READY, states.EMPTY, states.JAMMED, states.STOPPING):
            assert self.motor == 0, seen.state

    def _feeding_rest(self):
        """Whether cards that were owed are just being fed: they are owed until the outcome."""
        return bool(self.open)


class Life:
    """A controller in odd circumstances, in virtual time. `told` is what has happened."""

    def __init__(self, kind, steps):
        abilities, times, how = LAUNCHERS[kind]
        self.steps = iter(steps)
        self.now = 50.0
        self.told = [kind]
        cards = [byte % 6 for byte in steps[:8]]
        before = next(self.steps, 0)
        owed, latched = before % 4, LATCHED[before // 4 % len(LATCHED)]
        values = Settings(plan(**times), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S, **how)
        self.controller = Controller(
            values, abilities, GivenOdds(cards), Random(1), presses=7, owed=owed, latched=latched
        )
        self.promises = Promises(self.controller, values, abilities, owed)
        self.levels = {BUTTON: False, LID: False, EXIT: False, HOPPER: True, BATTERY: False}
        self.states = Counter()

    def live(self):
        """All steps; then an end that everything has to come to."""
        for what in self.steps:
            when = next(self.steps, 0)
            self._wait(WAITS_S[when % len(WAITS_S)], late=when % 7 == 0)
            self._happen(what)
            self.states[self.controller.state] += 1
        self._give(Stop())
        self._wait(20.0, late=False)
        self.promises.ended()

    def _give(self, event):
        self.told.append((round(self.now, 4), event))
        self.promises.now = self.now
        self.promises.take(self.controller.handle(event, self.now), event)

    def _wait(self, for_s, late):
        """Time passes, with a tick whenever one is due, or `late` with one at its end."""
        end = self.now + for_s
        for _ in range(400):
            limit = self.promises.limit_at
            due = [t for t in (None if late else self.controller.deadline, limit) if t is not None]
            if not due or min(due) > end:
                break
            self.now = max(self.now, min(due))
            if limit is not None and limit <= self.now:
                self.promises.motor_ends()
                self._give(MotorOff("time", limit))
            else:
                self._tick()
        else:
            raise AssertionError("time stands still: a deadline that no tick takes away")
        self.now = max(self.now, end)
        self._tick()

    def _tick(self):
        self.promises.now = self.now
        self.promises.take(self.controller.tick(self.now))

    def _edge(self, name, active, ago_s=0.0):
        self.levels[name] = active
        self._give(Edge(name, active, self.now - ago_s))

    def _happen(self, what):
        at, kind = self.now, what % len(HAPPENINGS)
        HAPPENINGS[kind](self, what // len(HAPPENINGS), at)

    def _press(self):
        self._edge(BUTTON, True)
        self._wait(0.004, late=False)
        self._edge(BUTTON, False)

    def _card(self):
        """A card passes, sooner or later after the motor has come on."""
        self._edge(EXIT, True)
        self._wait(0.085, late=False)
        self._edge(EXIT, False)
        self._wait(0.005, late=False)

    def _lid(self, is_open):
        self._edge(LID, is_open)
        self._wait(0.07, late=False)


def _flip(name):
    return lambda life, n, at: life._edge(name, not life.levels[name], ago_s=(n % 3) * 0.004)


def _start(life, n, at):
    life.levels |= {"button": n % 5 == 4, "lid": n % 3 == 2, "exit": n % 7 == 6}
    life._give(Start(Levels(**life.levels)))


HAPPENINGS = (
    lambda life, n, at: life._press(),
    lambda life, n, at: life._press(),
    lambda life, n, at: life._card(),
    lambda life, n, at: life._card(),
    lambda life, n, at: [life._card() for _ in range(n % 5)],
    _start,
    _start,
    _flip(BUTTON),
    _flip(LID),
    _flip(EXIT),
    _flip(HOPPER),
    _flip(BATTERY),
    lambda life, n, at: life._lid(True),
    lambda life, n, at: life._lid(False),
    lambda life, n, at: life._give(Levels(**life.levels)),
    lambda life, n, at: life._give(Levels()),
    lambda life, n, at: life._give(Press("web")),
    lambda life, n, at: life._give(Request((None, 1, 13, 0, -2)[n % 5], "draw")),
    lambda life, n, at: life._give(MotorOff(("time", "lid", "refused", "fault")[n % 4], at)),
    lambda life, n, at: life._give(CardSeen(n % 6, n % 2 == 1, at)),
    lambda life, n, at: life._give(
        FeedEnded(
            ("enough", "stalled", "timeout", "lid", "lost")[n % 5],
            n % 7 if life.promises.abilities.counts else None,
            n % 2,
            n % 3 == 2,
            n % 4 == 3,
            n % 3,
        )
    ),
    lambda life, n, at: life._give(Failure(("motor", "journal")[n % 2], "gone")),
    lambda life, n, at: life._give(Acknowledge("web")),
    lambda life, n, at: life._give(Acknowledge("web")),
    lambda life, n, at: life._give(DeliverRest("web")),
    lambda life, n, at: life._give(CancelRest("web")),
    lambda life, n, at: life._give(Refilled("web")),
    lambda life, n, at: life._give(Stop()) if n == 0 else life._press(),
)


def lives(kind, steps, seen):
    # Most begin in the usual way, so that all that follows does not happen to `starting` alone.
    usual = bytes([steps[0], 5, 0]) if steps[0] % 4 else steps[:1]
    life = Life(kind, usual + steps[1:])
    try:
        life.live()
    except BaseException:
        note("\n".join(map(str, life.told)))
        raise
    seen.update(life.states)


def explore(kind, sequences):
    seen = Counter()

    @settings(
        max_examples=sequences,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(min_size=16, max_size=40))
    def random_life(steps):
        lives(kind, steps, seen)

    random_life()
    return seen


@pytest.mark.parametrize("kind", LAUNCHERS)
def test_whatever_happens_the_promises_are_kept(kind):
    seen = explore(kind, IN_TEST // len(LAUNCHERS))
    rare = {states.SUSPENSE, states.RETRACTING}
    if kind.startswith("remote"):  # it settles over there
        rare.add(states.SETTLING)
    assert set(seen) >= set(states.STATES) - rare


@pytest.mark.long
@pytest.mark.parametrize("kind", LAUNCHERS)
def test_whatever_happens_the_promises_are_kept_for_longer(kind):
    explore(kind, share(IN_TEST_ALL // len(LAUNCHERS)))
