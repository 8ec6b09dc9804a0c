"""The inputs: raw edges with their times out of interrupts, and levels.

An interrupt only notes the edge; the lid's also cuts the motor, first of all. Edges are hints:
what they say is held against the levels in every turn of the main loop, so that a lost edge, or
one that was never seen, costs no more than a turn.
"""

from array import array
from machine import Pin
from time import ticks_ms

import clock
from messages import LID

SIZE = 64  # edges that can wait for the main loop; a power of two


class Input:
    """One input pin: (pin, level when active, pull: 1 up, -1 down, 0 none)."""

    def __init__(self, index, spec, edges):
        number, self._active, pull = spec
        self._pin = Pin(number, Pin.IN, (None, Pin.PULL_UP, Pin.PULL_DOWN)[pull])
        self._code = index * 2
        self._edges = edges
        self.first = None  # called in the interrupt before anything else
        self.raw = False  # the level as last taken by the main loop

    def read(self):
        """Whether the input is active, now."""
        return self._pin.value() == self._active

    def listen(self):
        """From now on edges are noted."""
        both = Pin.IRQ_RISING | Pin.IRQ_FALLING
        self._pin.irq(handler=self._edge, trigger=both, hard=True)

    def _edge(self, pin):
        if self.first is not None:
            self.first()
        self._edges.put(self._code + (pin.value() == self._active))


class Edges:
    """The edges that wait. Filled in interrupts, without memory; emptied by the main loop."""

    def __init__(self):
        self._codes = bytearray(SIZE)
        self._ticks = array("i", [0] * SIZE)
        self._in = 0
        self._out = 0

    def put(self, code):
        """Notes an edge; one too many is dropped."""
        following = self._in + 1 & SIZE - 1
        if following != self._out:
            self._codes[self._in] = code
            self._ticks[self._in] = ticks_ms()
            self._in = following

    def __bool__(self):
        return self._in != self._out

    def take(self):
        """The oldest edge: its code and ticks."""
        out = self._out
        code, ticks = self._codes[out], self._ticks[out]
        self._out = out + 1 & SIZE - 1
        return code, ticks


class Inputs:
    """All inputs of the board, in the order of the protocol; None for those it has not."""

    def __init__(self, specs):
        self._edges = Edges()
        self.all = [spec and Input(i, spec, self._edges) for i, spec in enumerate(specs)]
        self.lid = self.all[LID]

    def listen(self, lid_edge):
        """From now on edges are noted, and `lid_edge` is called in the lid's interrupt."""
        self.lid.first = lid_edge
        for each in self.all:
            if each:
                each.raw = each.read()
                each.listen()

    def changes(self, now):
        """What has changed since the last call: (index, active, time), oldest first."""
        changed = []
        while self._edges:
            code, ticks = self._edges.take()
            self._changed(code >> 1, bool(code & 1), clock.at(ticks), changed)
        for i, each in enumerate(self.all):
            if each:
                self._changed(i, each.read(), now, changed)
        return changed

    def levels(self):
        """The levels as taken by `changes`, one bit each."""
        bits = 0
        for i, each in enumerate(self.all):
            if each and each.raw:
                bits |= 1 << i
        return bits

    def _changed(self, index, active, at, changed):
        each = self.all[index]
        if active != each.raw:
            each.raw = active
            changed.append((index, active, at))
