"""The launcher's mechanism on a chip's lines: watches the motor, answers with sensor edges.

It runs in a process of its own kind, never in the one that controls the motor: all it knows are
levels of lines. A card is a distance in milliseconds of motor at full speed:

    0 ........ gap_ms ................ gap_ms + card_ms
    in the hopper | blocks the beam    | is out, the next card is at 0

The motor needs `spin_up_ms` before it moves anything and coasts `coast_ms` after it is switched
off. Backwards, the card goes back, at most to 0.
"""

from __future__ import annotations

import math
import os
import threading
import time
from dataclasses import dataclass, replace
from types import TracebackType

from tests.kernel.inside.chip import Chip
from tests.kernel.inside.watch import Edge, Watch
from tests.kernel.inside.wiring import Contact, Wiring

IDLE_WAIT_S = 0.2
SHORTEST_WAIT_S = 0.0005
"a thread that comes before all others must always let them in"


@dataclass(frozen=True)
class Build:
    """How this mechanism behaves, the faults it has included."""

    spin_up_ms: float = 70
    gap_ms: float = 40
    card_ms: float = 85
    coast_ms: float = 15
    jams_at: int | None = None
    "the card (1 = first) that never reaches the beam"
    sticks_at: int | None = None
    "the card that stops in the beam; going back frees it"
    sensor_cut: bool = False
    "the exit sensor reports nothing, whatever is in the beam"


class Mechanism:
    """A hopper of cards, a motor, a lid and a button, between `with` and its end."""

    def __init__(self, chip: Chip, wiring: Wiring, cards: int, build: Build | None = None) -> None:
        self.cards_left = cards
        self.cards_out = 0
        self.motor: list[Edge] = []
        "every level set on the motor's lines since the start"
        self._chip, self._wiring, self._build = chip, wiring, build or Build()
        self._levels: dict[int, int] = {}
        self._on = 0  # what the driver does with the motor now: 1 out, -1 back, 0 off
        self._turning = 0  # which way it turned last
        self._moves_from_s, self._moves_until_s = 0.0, 0.0
        self._at_ms, self._now_s = 0.0, time.monotonic()
        self._card_in_beam, self._light = False, True
        self._lock = threading.Lock()  # a hand may come while a card moves
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mechanism")
        self.set_lid(opened=False)
        self._set(wiring.button, False)
        self._show_beam()
        self._set(wiring.hopper_sensor, cards > 0)

    def __enter__(self) -> Mechanism:
        self._watch = Watch(self._chip, self._wiring.felt())
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._ending.set()
        self._thread.join()
        self._watch.close()

    def set_lid(self, opened: bool) -> float:
        """Open or close the lid; the time just before it moved."""
        return self._set(self._wiring.lid, opened)

    def set_button(self, pressed: bool) -> float:
        """Press or release the button; the time just before it moved."""
        return self._set(self._wiring.button, pressed)

    def press(self, for_s: float = 0.08) -> float:
        """Press the button and release it again; the time just before the press."""
        at_s = self.set_button(True)
        time.sleep(for_s)
        self.set_button(False)
        return at_s

    def take_card(self) -> None:
        """Take out the card that sticks in the beam, if one does; the motor must be off."""
        with self._lock:
            if self._card_in_beam:
                self._cross(self._build.gap_ms + self._build.card_ms)

    def cut_sensor(self, cut: bool) -> None:
        """Cut the wire of the exit sensor, which then reads as a blocked beam; or mend it."""
        with self._lock:
            self._build = replace(self._build, sensor_cut=cut)
            if cut:
                self._set(self._wiring.exit_sensor, True)
            else:
                self._show_beam()

    def _set(self, contact: Contact | None, active: bool) -> float:
        at_s = time.monotonic()
        if contact:
            self._chip.pull(contact.line, contact.active if active else contact.idle)
        return at_s

    def _run(self) -> None:
        # Physics waits for no scheduler: this thread comes before all ordinary ones.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        while not self._ending.is_set():
            edges = self._watch.edges(self._wait_s())
            with self._lock:
                for edge in edges:
                    self._advance(edge.at_s)
                    self._drive(edge)
                self._advance(time.monotonic())

    def _drive(self, edge: Edge) -> None:
        """A line was set: which way does the motor turn from now on, is the beam's light on?"""
        wiring = self._wiring
        if edge.line == wiring.emitter:
            self._light = edge.level == 1
            self._show_beam()
        if edge.line not in (wiring.forward, wiring.backward, wiring.enable):
            return
        self.motor.append(edge)
        self._levels[edge.line] = edge.level
        enabled = wiring.enable is None or self._levels.get(wiring.enable, 0)
        turns = self._levels.get(wiring.forward, 0) - self._levels.get(wiring.backward or -1, 0)
        self._switch(turns if enabled else 0, edge.at_s)

    def _switch(self, on: int, at_s: float) -> None:
        if on and on != self._on:
            coasting = on == self._turning and at_s < self._moves_until_s
            self._moves_from_s = at_s + (0 if coasting else self._build.spin_up_ms / 1000)
            self._moves_until_s = math.inf
            self._turning = on
        elif not on and self._on:
            self._moves_until_s = at_s + self._build.coast_ms / 1000
        self._on = on

    def _advance(self, to_s: float) -> None:
        """Move the card as far as the motor has turned until then, but not past its next edge.

        Who is late (a busy machine) loses travel: an edge may come late, never too soon after
        the one before.
        """
        from_s = max(self._now_s, self._moves_from_s)
        moved_ms = max(0.0, min(to_s, self._moves_until_s) - from_s) * 1000
        self._now_s = max(self._now_s, to_s)
        edge_ms = self._next_edge_ms()
        if edge_ms is None or not moved_ms:
            return
        if moved_ms < abs(edge_ms - self._at_ms):
            self._at_ms += self._turning * moved_ms
        else:
            self._at_ms = edge_ms
            self._cross(edge_ms)
            self._now_s = time.monotonic()

    def _next_edge_ms(self) -> float | None:
        """Where the card's front or back meets the beam next; None: nothing can move."""
        build, card = self._build, self.cards_out + 1
        if not self.cards_left:
            return None
        if self._turning < 0:
            back_ms = build.gap_ms if self._at_ms > build.gap_ms else 0.0
            return back_ms if self._at_ms > back_ms else None
        if self._at_ms < build.gap_ms:
            return None if card == build.jams_at else build.gap_ms
        return None if card == build.sticks_at else build.gap_ms + build.card_ms

    def _cross(self, edge_ms: float) -> None:
        if edge_ms == self._build.gap_ms:
            self._card_in_beam = self._turning > 0
            self._show_beam()
        elif edge_ms > self._build.gap_ms:
            self.cards_left -= 1
            self.cards_out += 1
            self._at_ms = 0.0
            self._card_in_beam = False
            self._show_beam()
            self._set(self._wiring.hopper_sensor, self.cards_left > 0)

    def _show_beam(self) -> None:
        if not self._build.sensor_cut:
            self._set(self._wiring.exit_sensor, self._card_in_beam or not self._light)

    def _wait_s(self) -> float:
        """How long until the next edge if the motor's lines stay as they are."""
        edge_ms = self._next_edge_ms()
        if edge_ms is None or self._now_s >= self._moves_until_s:
            return IDLE_WAIT_S
        spin_up_s = max(0.0, self._moves_from_s - self._now_s)
        wait_s = spin_up_s + abs(edge_ms - self._at_ms) / 1000
        return max(SHORTEST_WAIT_S, min(IDLE_WAIT_S, wait_s))
