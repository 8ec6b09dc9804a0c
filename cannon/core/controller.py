"""The controller of the launcher: events in, commands out.

It knows no clock, thread, pin or file. Times (monotonic seconds) and the random source are given
in; two controllers with the same seed that are given the same events give the same commands.
One thread owns a controller. Nothing here raises because of what an event says.

Commands come in the order in which they matter: motor off, then what goes on record, then sound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cannon.core import events, feeding, records, states
from cannon.core.answering import Answering
from cannon.core.causes import Latched
from cannon.core.commands import Command, Light, Record
from cannon.core.deadlines import earliest
from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Event, Levels
from cannon.core.held import HeldButton
from cannon.core.inputs import Change, Inputs
from cannon.core.latch import CLEARABLE, Latch
from cannon.core.odds import Odds
from cannon.core.shooting import FAILED, Shooter
from cannon.core.shot import Outcome, Shot
from cannon.core.values import LauncherAbilities, Settings, Snapshot

if TYPE_CHECKING:
    from cannon.core.odds import RandomSource

EVIDENCE = (Change(LID, True), Change(EXIT, False), Change(HOPPER, True))
"what may have ended a latched cause while the program did not run"


class Controller:
    """Decides what a press is answered with, and sees it through.

    From an earlier run of the program, as it is on record: `presses` is the number of the last
    press, `owed` the cards that are owed, `latched` what had stopped the launcher and was not over.
    That stops it from the start, as though the program had run on and the `EVIDENCE` that is seen
    now had just come: the ways out are those of any other time, and none of them fires.
    """

    def __init__(
        self,
        settings: Settings,
        abilities: LauncherAbilities,
        odds: Odds,
        rng: RandomSource,
        presses: int = 0,
        owed: int = 0,
        latched: Latched | None = None,
    ) -> None:
        self._settings = settings
        self._odds = odds
        self._state = states.State()
        self._inputs = Inputs(settings.inputs, Levels(), 0.0)
        self._shooter = Shooter(settings, abilities, self._say, owed)
        self._answers = Answering(
            settings, odds, rng, self._state, self._shooter, self._say, self._begin, presses
        )
        self._latch = Latch(self._state, self._say)
        self._latched = latched
        self._button_down = HeldButton(settings.hold_s, settings.stuck_s)
        self._cut_at: float | None = None  # the guard cut the motor for the lid
        self._empty_seen = False
        self._light = ""
        self._out: list[Command] = []
        self._handlers: dict[type, Callable[[Any, float], None]] = {
            events.Edge: self._on_edge,
            events.Levels: self._on_levels,
            events.Start: self._on_start,
            events.Press: self._on_press,
            events.Request: self._on_request,
            events.MotorOff: self._on_motor_off,
            events.CardSeen: self._on_report,
            events.FeedEnded: self._on_report,
            events.Failure: self._on_failure,
            events.Acknowledge: self._on_acknowledge,
            events.DeliverRest: self._on_deliver_rest,
            events.CancelRest: self._on_cancel_rest,
            events.Refilled: self._on_refilled,
            events.Stop: self._on_stop,
        }

    # --- the outside -------------------------------------------------------------------------

    def handle(self, event: Event, now: float) -> list[Command]:
        """Takes one event."""
        self._out = []  # had the last turn raised, its half of an answer is not carried out
        self._handlers[type(event)](event, now)
        return self._take()

    def tick(self, now: float) -> list[Command]:
        """Lets time pass to `now`."""
        self._out = []
        self._changed(self._inputs.tick(now), now)
        self._answers.tick(now)
        if self._cut_at is not None:
            self._resume_after_spike(now)
        self._button_held(now)
        due = self._shooter.deadline
        if due is not None and now >= due:
            self._shooter.tick(now)
            self._follow(now)
        return self._take()

    @property
    def deadline(self) -> float | None:
        """When `tick` is due; None if only an event can change anything."""
        return earliest(
            self._inputs.deadline,
            self._answers.deadline,
            self._shooter.deadline,
            self._spike_over_at() if self._cut_at is not None else None,
            self._button_down.deadline,
        )

    @property
    def state(self) -> str:
        """The present state, one of `states.STATES`."""
        return self._state.state

    @property
    def odds(self) -> Odds:
        """The odds, for their state on record."""
        return self._odds

    def snapshot(self) -> Snapshot:
        """The present state as a display needs it."""
        shooter = self._shooter
        shot, feed = shooter.shot, shooter.feed
        return Snapshot(
            state=self.state,
            cause=self._latch.cause,
            cause_since=self._latch.since,
            refusal=self._answers.refusal,
            lid_open=self._inputs.lid.level,
            button_down=self._inputs.button.raw,
            battery_low=self._inputs.battery.level,
            protruding=shooter.sticking is not None,
            presses=self._answers.presses,
            wait=self._odds.wait,
            press=shot.press if shot else None,
            wanted=shot.wanted if feed and shot else None,
            cards=feed.cards if feed else None,
            owed=shooter.owed,
            hints=tuple(sorted(shooter.health.hints)),
            cause_wall_time=self._latch.wall_time,
        )

    # --- events ------------------------------------------------------------------------------

    def _on_edge(self, event: events.Edge, now: float) -> None:
        changes = self._inputs.edge(event.input, event.active, event.at)
        if event.input == EXIT:
            self._shooter.edge(event.active, event.at, now)
            self._follow(now)
        if changes:
            self._changed(changes, now)

    def _on_levels(self, levels: Levels, now: float) -> None:
        if levels.exit is not None and levels.exit != self._inputs.beam.raw:
            self._shooter.edge(levels.exit, now, now)
            self._follow(now)
        self._changed(self._inputs.sync(levels, now), now)

    def _on_start(self, event: events.Start, now: float) -> None:
        if self.state not in (states.STARTING, states.FAULT):
            return
        self._inputs = Inputs(self._settings.inputs, event.levels, now)
        if self._latched is not None:
            self._resume(self._latched, event.levels, now)
        if self.state != states.STARTING:
            pass  # a failed self-test too stays a fault until a person says otherwise
        elif event.levels.lid:
            self._state.trigger("open_lid")
        elif event.levels.exit:
            self._latch.jam("sensor_blocked", now)
        else:
            self._state.trigger("begin")
            self._latch.ready(self._inputs, now)
        if event.levels.button:
            self._note("button_stuck")  # it gives no press before it was released
        if event.levels.battery:
            self._note("low_battery")

    def _resume(self, latched: Latched, levels: Levels, now: float) -> None:
        self._latched = None  # a second start resumes nothing
        self._latch.resume(latched)
        self._changed([seen for seen in EVIDENCE if getattr(levels, seen.input) is seen.level], now)
        if self._latch.since is None:  # else it has been told of just now
            self._latch.sound()

    def _on_press(self, event: events.Press, now: float) -> None:
        self._answers.press(event.source, self._inputs, now)

    def _on_request(self, event: events.Request, now: float) -> None:
        self._answers.ask(event)

    def _on_motor_off(self, event: events.MotorOff, now: float) -> None:
        if event.reason == "fault":
            self._fail("motor", "the motor guard could not do its work", now)
        elif event.reason == "time":
            self._shooter.ran_out(now)
        elif self._shooter.feed:
            self._cut_at = now
            self._shooter.hold(now)
        self._follow(now)

    def _on_report(self, event: events.CardSeen | events.FeedEnded, now: float) -> None:
        self._shooter.report(event)
        self._follow(now)

    def _on_failure(self, event: events.Failure, now: float) -> None:
        self._fail(event.cause, event.detail, now)

    def _on_acknowledge(self, event: events.Acknowledge, now: float) -> None:
        self._latch.acknowledge(event.source, self._inputs, now)

    def _on_deliver_rest(self, event: events.DeliverRest, now: float) -> None:
        self._answers.ask_rest(True)

    def _on_cancel_rest(self, event: events.CancelRest, now: float) -> None:
        self._answers.ask_rest(False)
        self._shooter.waive(event.source)

    def _on_refilled(self, event: events.Refilled, now: float) -> None:
        self._say(Record(records.REFILL, {"source": event.source}))
        if self.state == states.EMPTY:
            self._latch.acknowledge(event.source, self._inputs, now)

    def _on_stop(self, event: events.Stop, now: float) -> None:
        if self.state == states.STOPPING:
            return
        self._abort("stop", now)
        if self._shooter.shot:
            self._shooter.close(self._shooter.shot, "stop")
        self._state.trigger("stop")
        self._say(Record(records.STOP, {"odds": self._odds.state()}))

    # --- inputs ------------------------------------------------------------------------------

    def _changed(self, changes: list[Change], now: float) -> None:
        for name, level in changes:
            if name == LID:
                self._lid_opened(now) if level else self._lid_closed(now)
            elif name == BUTTON:
                self._button(level, now)
            elif name == EXIT and not level:
                self._beam_cleared(now)
            elif name == HOPPER:
                self._hopper(level, now)
            elif name == BATTERY and level:
                self._note("low_battery")

    def _button(self, down: bool, now: float) -> None:
        if down:
            self._button_down.press(now, holdable=self.state in CLEARABLE)
            self._answers.press("button", self._inputs, now)
        else:
            self._button_down.release()

    def _button_held(self, now: float) -> None:
        due = self._button_down.tick(now)
        if due == "hold":
            self._latch.acknowledge("button", self._inputs, now)
        elif due == "stuck":
            self._note("button_stuck")

    def _lid_opened(self, now: float) -> None:
        self._abort("lid", now)
        self._cut_at = None
        self._empty_seen = self.state == states.EMPTY
        if self.state not in (states.FAULT, states.STOPPING, states.LID_OPEN):
            self._latch.forget()
            self._state.trigger("open_lid")
        self._odds.lid_opened()
        self._say(Record(records.LID, {"open": True}))

    def _lid_closed(self, now: float) -> None:
        self._say(Record(records.LID, {"open": False}))
        if self.state != states.LID_OPEN:
            return
        if self._empty_seen:
            self._empty_seen = False
            self._say(Record(records.REFILL, {"source": "lid"}))
        if self._inputs.beam.level:
            self._latch.jam("sensor_blocked", now)
        else:
            self._state.trigger("close_lid")
            self._latch.ready(self._inputs, now)

    def _hopper(self, loaded: bool, now: float) -> None:
        if loaded and self.state == states.EMPTY:
            self._say(Record(records.REFILL, {"source": "hopper"}))
            self._latch.acknowledge("hopper", self._inputs, now)
        elif not loaded and self.state == states.READY and self._shooter.shot is None:
            self._latch.run_empty(now)

    def _beam_cleared(self, now: float) -> None:
        if self._shooter.feed:
            return  # the feed's counter judges
        if self._shooter.sticking is not None:
            self._shooter.card_taken()
            if self.state == states.SETTLING:
                self._state.trigger("finish")
        if self.state == states.JAMMED and self._latch.cause == "sensor_blocked":
            self._latch.acknowledge("sensor", self._inputs, now)

    def _spike_over_at(self) -> float | None:
        """When a lid that has cut the motor, but reads closed, is believed to be closed."""
        lid = self._inputs.lid
        if self._cut_at is None or lid.raw or lid.level:
            return None
        return max(self._cut_at, lid.since) + self._settings.inputs.lid_open_s

    def _resume_after_spike(self, now: float) -> None:
        due = self._spike_over_at()
        if due is not None and now >= due:
            self._cut_at = None
            self._shooter.resume(now)
            self._follow(now)

    # --- the feed ----------------------------------------------------------------------------

    def _begin(self, shot: Shot, now: float) -> None:
        self._state.trigger("feed")
        self._shooter.begin(shot, self._inputs.beam.raw, now)
        self._follow(now)

    def _follow(self, now: float) -> None:
        """Lets the state follow the feed."""
        state = self.state
        if state in (states.FEEDING, states.RETRACTING):
            phase = self._shooter.phase
            if phase == feeding.RETRACT and state == states.FEEDING:
                self._state.trigger("retract")
            elif phase in (feeding.SETTLE, feeding.DONE):
                self._state.trigger("settle")
        result = self._shooter.result()
        if result is not None:
            self._cut_at = None
            if self.state == states.SETTLING:
                self._settled(result, now)
            if not (self._inputs.beam.raw or self._inputs.beam.level):
                self._beam_cleared(now)  # it may have, while the feed's counter judged

    def _settled(self, result: Outcome, now: float) -> None:
        """What follows a shot that ended undisturbed."""
        failed = result.reason in FAILED
        hopper = self._inputs.hopper.level
        if result.protruding and (result.owed or 0) <= 1:
            return  # it stays `settling` until the card is taken
        if result.protruding:
            self._latch.jam("jam", now)
        elif result.reason == feeding.TIMEOUT:
            self._latch.jam("slow", now)
        elif failed and hopper and self._inputs.knows_hopper:
            self._latch.jam("no_feed", now)
        elif failed or not hopper:
            self._latch.run_empty(now)
        else:
            self._state.trigger("finish")

    def _abort(self, reason: str, now: float) -> None:
        """Motor off, whatever it does; a running shot ends."""
        self._shooter.abort(reason, now)
        self._answers.abort(reason)
        self._follow(now)

    def _fail(self, cause: str, detail: str, now: float) -> None:
        new = self._latch.fail(cause, now)  # before all that could fail in turn
        self._abort("fault", now)
        if new:
            self._latch.tell_fault(detail)

    # --- small things ------------------------------------------------------------------------

    def _note(self, code: str) -> None:
        self._say(Record(records.NOTICE, {"code": code}))

    def _say(self, command: Command) -> None:
        self._out.append(command)

    def _take(self) -> list[Command]:
        out, self._out = self._out, []
        light = states.LIGHT[self._state.state]
        if light != self._light:
            self._light = light
            out.append(Light(light))
        return out
