"""Plays tunes on the beeper and patterns on the light, step by step, by the main loop's clock.

A tune is steps of (frequency in Hz, or 1 for an active beeper, 0 = silence; ms), a pattern steps
of (lit, ms), again and again; a pattern of one step of 0 ms stands.
"""

from machine import PWM, Pin

PAUSE = (0, 50)  # between a tune and the one after it
LOUDEST = 50  # duty of a passive beeper, %


class Beeper:
    """`spec` is (pin, 1 = passive), or None for a board without one."""

    def __init__(self, spec, tunes):
        self.there = spec is not None
        self._tunes = tunes
        self._steps = []
        self._until = None
        self._duty = LOUDEST
        if self.there:
            self._pin = Pin(spec[0], Pin.OUT, value=0)
            self._passive = spec[1]

    def play(self, name, after=False, now=0, duty=LOUDEST):
        """Plays a tune now, or `after` the one that plays. False if there is no such tune."""
        if name not in self._tunes:
            return False
        self._duty = duty
        if after and self._until is not None:
            self._steps.append(PAUSE)
        else:
            self._steps = []
            self._until = now
        self._steps.extend(self._tunes[name])
        self.step(now)
        return True

    def silence(self):
        """Silence, now."""
        self._steps = []
        self._until = None
        self._sound(0)

    def step(self, now):
        """Goes on to what is due."""
        while self._until is not None and now >= self._until:
            if not self._steps:
                self.silence()
                return
            frequency, ms = self._steps.pop(0)
            self._until += ms
            self._sound(frequency)

    def _sound(self, frequency):
        if not self.there:
            return
        if frequency and self._passive:
            pwm = PWM(self._pin)
            pwm.freq(frequency)
            pwm.duty_u16(self._duty * 65536 // 100)
        else:
            self._pin.init(Pin.OUT, value=1 if frequency else 0)


class Light:
    """`pin` is None for a board without one."""

    def __init__(self, pin, patterns):
        self.there = pin is not None
        self._patterns = patterns
        self._pattern = ((0, 0),)
        self._at = 0
        self._until = None
        self.name = ""
        if self.there:
            self._pin = Pin(pin, Pin.OUT, value=0)

    def show(self, name, now):
        """Shows a pattern from now on. False if there is no such pattern."""
        if name not in self._patterns:
            return False
        if name != self.name:
            self.name = name
            self._pattern = self._patterns[name]
            self._at = -1
            self._until = now
            self.step(now)
        return True

    def step(self, now):
        """Goes on to what is due."""
        while self._until is not None and now >= self._until:
            self._at = (self._at + 1) % len(self._pattern)
            lit, ms = self._pattern[self._at]
            self._until = self._until + ms if ms else None
            if self.there:
                self._pin.value(1 if lit else 0)
