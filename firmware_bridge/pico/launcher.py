"""The launcher: all parts of the board, and one turn of the main loop after the other.

It belongs to nobody for the first seconds, then it plays alone, until a host takes it; a host that
lets go, or is silent for long, gives it back. Whoever has it, the motor runs within leases only:
the host renews its own, and stand-alone play those of this loop, as long as it turns.
"""

import gc
import os
import random
import struct
from machine import Pin, WDT, reset
from time import sleep_ms

import clock
import messages as m
import pins
import store
import tunes
from alone import Alone
from debounce import Settled
from host import Host
from inputs import Inputs
from motor import Motor
from mover import Mover
from signals import Beeper, Light
from telling import MOST_CARDS
from wire import Wire

STARTING, ALONE, HOSTED = range(3)
ALONE_AFTER = 3000  # without a host since the start, or since it let go
SILENT_AFTER = 2000  # from a host that is there something comes every quarter of a second
LOST_AFTER = 60000  # a host that is silent for so long has let go
OWN_LEASE = 100  # of stand-alone play; the loop renews it in every turn
WATCHDOG = 2000  # the chip starts anew if the loop stands still for so long
SENSOR_LOOKS, SENSOR_LOOK_MS = 10, 5
BAD_TURNS = 20  # in a row: the watchdog is no longer fed


class Launcher:
    """The board. `turn` is called for ever."""

    def __init__(self):
        self.inputs = Inputs(pins.INPUTS)
        plan = pins.PLAN
        self.motor = Motor(pins.MOTOR, plan["max_run"], plan["dead"], self.inputs.lid.read)
        self.inputs.listen(self.motor.lid_edge)
        self.now = clock.now()
        press_min, bounce, lid_open, lid_close = pins.TIMES
        lid, button = self.inputs.lid.raw, self.inputs.all[m.BUTTON].raw
        self.lid = Settled(lid_open, lid_close, 0, lid, self.now)
        # Held at start, it is no press before it was let go.
        self.button = Settled(press_min, press_min, bounce, button, self.now)
        exit_sensor = pins.INPUTS[m.EXIT]
        self.mover = Mover(self.motor, self.lid, plan, exit_sensor and pins.COUNTING)
        self.mover.on_card = self._card
        self.mover.on_fed = self._fed
        self.mover.on_ran = self._ran
        self.beeper = Beeper(pins.BEEPER, tunes.TUNES)
        self.light = Light(pins.LIGHT, tunes.LIGHTS)
        self._emitter = None if pins.EMITTER is None else Pin(pins.EMITTER, Pin.OUT, value=1)
        self.fault = ""
        self.exceptions = 0
        self._bad_turns = 0
        self.boot = struct.unpack("<I", os.urandom(4))[0]
        random.seed(struct.unpack("<I", os.urandom(4))[0])
        self.wire = Wire()
        self.alone = Alone(self)
        self.host = Host(self, self.wire)
        self.mode = STARTING
        self._since = self.now
        self._restart_at = None
        self._test_sensor()
        self.host.greet(0)
        gc.collect()
        self._watchdog = WDT(timeout=WATCHDOG)

    @property
    def hosted(self):
        """Whether a host has the board."""
        return self.mode == HOSTED

    # --- the loop ------------------------------------------------------------------------------

    def turn(self):
        """One turn. Whatever goes wrong in it: motor off, a latched fault, and on."""
        try:
            self._turn()
            self._bad_turns = 0
        except Exception:
            self.motor.off()
            self.exceptions += 1
            self._bad_turns += 1
            self.mover.give_up(self.now)
            self.latch("internal")
        if self.motor.healthy and self._bad_turns < BAD_TURNS:
            self._watchdog.feed()
        else:
            self.motor.off()

    def _turn(self):
        now = self.now = clock.now()
        self.motor.keep()
        if self.mode == ALONE and self.mover.moving:
            self.motor.lease(OWN_LEASE)
        changes = self.inputs.changes(now)
        if changes:
            self._changed(changes, now)
        self._settle(now)
        self.mover.step(now)
        self.beeper.step(now)
        self.light.step(now)
        self.wire.step()
        for kind, sequence, payload in self.wire.receive(1):
            self.host.frame(kind, sequence, payload, now)
        self.host.step(now)
        self._change_mode(now)

    def _changed(self, changes, now):
        """Raw edges. The host is told of the lid and the button when they have settled."""
        others = []
        for index, active, at in changes:
            if index == m.LID:
                if self.lid.edge(active, at):
                    self._lid(now)
            elif index == m.BUTTON:
                if self.button.edge(active, at):
                    self._button(now)
            else:
                others.append((index, active, at))
                if index == m.EXIT:
                    self.mover.beam(active, at, now)
        while others:
            self.host.edges(others[:16])
            others = others[16:]

    def _settle(self, now):
        if self.lid.tick(now):
            self._lid(now)
        if self.button.tick(now):
            self._button(now)

    def _tell(self, index, settled):
        """A settled input has changed; the edge that began it is told."""
        stood = settled.rise if settled.level else settled.fall
        self.host.edges([(index, settled.level, settled.changed_at - stood)])

    def _lid(self, now):
        if self.lid.level:
            self.stop("lid", now)
        self._tell(m.LID, self.lid)
        if self.mode == ALONE:
            self.alone.lid(self.lid.level)

    def _button(self, now):
        self._tell(m.BUTTON, self.button)
        if self.mode == ALONE:
            self.alone.button(self.button.level, now)
        elif self.hosted and self.button.level and now - self.host.heard_at >= SILENT_AFTER:
            self.beeper.play("fault", False, now)  # nobody will answer this press

    def _change_mode(self, now):
        if self.mode == STARTING and now - self._since >= ALONE_AFTER:
            self.mode = ALONE
            self.alone.begin()
        elif self.mode == ALONE:
            self.alone.step(now)
            self.light.show(self._light(), now)
        elif self.mode == HOSTED and now - self.host.heard_at >= LOST_AFTER:
            self.let_go(now)
        if self._restart_at is not None and now >= self._restart_at:
            self.motor.off()
            reset()

    def _light(self):
        if self.lid.level:
            return "slow"
        if self.fault:
            return "alarm"
        return "quick" if self.mover.motion else "on"

    # --- for the host --------------------------------------------------------------------------

    def take(self, now):
        """A host takes the board; what still moves for an earlier one ends. False: not now."""
        if self.mode == ALONE:
            if self.mover.motion:
                return False
            self.alone.save()
        self.stop("link", now)
        self.mode = HOSTED
        self.beeper.silence()
        self.light.show("on", now)
        return True

    def let_go(self, now):
        """The host gives the board back."""
        self.stop("link", now)
        self.mode = STARTING
        self._since = now

    def restart_for_update(self, now):
        """Starts anew soon, and then stays at the prompt."""
        store.ask_for_update()
        self._restart_at = now + 100

    def within(self, cards, stall, cap, retract):
        """Whether a feed is within our limits."""
        most_cap = min(0xFFFF, pins.PLAN["max_shot"] + cards * pins.PLAN["per_card"])
        return (
            1 <= cards <= MOST_CARDS
            and 1 <= stall <= pins.PLAN["stall"]
            and 1 <= cap <= most_cap
            and 0 <= retract <= pins.MOST_RETRACT
        )

    @property
    def least_power(self):
        """In percent."""
        return 100 if pins.MOTOR[3] is None else 1

    def feed(self, shot, cards, power, stall, cap, retract, now):
        """Begins a feed within the lease."""
        beam = self.inputs.all[m.EXIT]
        blocked = bool(beam and beam.raw)
        self.mover.feed(shot, cards, power, stall, cap, retract, blocked, now)

    def feed_alone(self, cards, now):
        """Begins a feed by the board's own times."""
        plan = pins.PLAN
        self.motor.lease(OWN_LEASE)
        cap = plan["max_shot"] + cards * plan["per_card"]
        self.feed(0, cards, 100, plan["stall"], cap, plan["retract"], now)

    def stop(self, reason, now):
        """Motor off, whatever it does."""
        self.motor.off()
        self.mover.stop(reason, now)

    def latch(self, fault):
        """Remembers a fault until it is cleared; the first one is the one that counts."""
        if not self.fault:
            self.fault = fault
            self.host.happened(m.FAULT, m.FAULT_FORM, self.now & 0xFFFFFFFF, m.FAULTS.index(fault))
            if self.mode == ALONE:
                self.beeper.play("fault", False, self.now)

    def clear(self):
        """Forgets the fault. False if it is still there."""
        again = self.fault == "sensor_selftest"
        self.fault = ""
        if again:
            self._test_sensor()
        return not self.fault

    # --- what the mover reports ----------------------------------------------------------------

    def _card(self, suspect):
        mover = self.mover
        values = (self.now & 0xFFFFFFFF, mover.shot, mover.cards, suspect)
        self.host.happened(m.CARD, m.CARD_FORM, *values)

    def _fed(self, now):
        mover = self.mover
        self.host.happened(
            m.FED,
            m.FED_FORM,
            now & 0xFFFFFFFF,
            mover.shot,
            mover.cards,
            mover.suspects,
            m.REASONS.index(mover.reason),
            mover.marks,
            mover.retries,
        )
        if mover.reason in ("lease", "stalled", "timeout"):
            self.latch(mover.reason)
        elif mover.reason == "fault":
            self.latch("internal")
        if self.mode == ALONE:
            self.alone.fed(now)

    def _ran(self, reason):
        values = (self.now & 0xFFFFFFFF, m.REASONS.index(reason))
        self.host.happened(m.RAN, m.RAN_FORM, *values)
        if reason == "lease":
            self.latch(reason)

    # --- at start ------------------------------------------------------------------------------

    def _test_sensor(self):
        """Switches the exit sensor's light off and looks whether the sensor goes dark."""
        if self._emitter is None or not pins.INPUTS[m.EXIT]:
            return
        self._emitter.value(0)
        dark = self._becomes_dark(True)
        self._emitter.value(1)
        self._becomes_dark(False)
        self.inputs.changes(clock.now())  # those were no cards
        if not dark:
            self.latch("sensor_selftest")

    def _becomes_dark(self, dark):
        """Whether the exit sensor comes to see that (or light), given time."""
        for _ in range(SENSOR_LOOKS):
            sleep_ms(SENSOR_LOOK_MS)
            if self.inputs.all[m.EXIT].read() == dark:
                return True
        return False
