"""The motor: off, or running within a cap and a lease. There is no other way to turn it on.

Three keepers end a run: the lid's interrupt, a timer interrupt every millisecond, and the main
loop. The first two need neither memory nor the main loop. Off comes first everywhere; what is
behind it is written down in `cut` and `cut_ticks`, for the main loop to find.
"""

from machine import PWM, Pin, Timer
from time import ticks_add, ticks_diff, ticks_ms

LATE_MS = 20  # a run that has outlived its end by so much: the keepers are dead


class Motor:
    """`lid_is_open` reads the lid's level and is called in interrupts."""

    def __init__(self, pins, max_run, dead, lid_is_open):
        forward, backward, enable, self._pwm_hz = pins
        self._forward = Pin(forward, Pin.OUT, value=0)
        self._backward = None if backward is None else Pin(backward, Pin.OUT, value=0)
        self._enable = None if enable is None else Pin(enable, Pin.OUT, value=0)
        self._out = Pin.OUT
        self._max_run = max_run
        # The plan keeps the whole dead time; half of it is still safe, and leaves room for a
        # millisecond that began early.
        self._dead = dead // 2
        self._lid_is_open = lid_is_open
        self.direction = 0  # 0 while off
        self._last = 0
        self._off_at = ticks_ms()
        self._end = self._off_at
        self._lease_end = self._off_at
        self.cut = ""  # "lid", "time" or "lease": who ended the last run, unless it was us
        self.cut_ticks = self._off_at
        self._timer = Timer(-1)
        keep = self._keep
        try:
            self._timer.init(period=1, mode=Timer.PERIODIC, callback=keep, hard=True)
        except TypeError:  # before MicroPython 1.25 timers had soft interrupts only
            self._timer.init(period=1, mode=Timer.PERIODIC, callback=keep)

    def lease(self, ms):
        """The motor may go on for `ms` from now."""
        self._lease_end = ticks_add(ticks_ms(), ms)

    def run(self, direction, power, ms):
        """Turns the motor on for at most `ms`, or goes on with a new cap.

        `power` in percent. Returns "" or why it did not: "lid", "lease" or "limits".
        """
        now = ticks_ms()
        refusal = ""
        if not 0 < ms <= self._max_run or not self._may_turn(direction, now):
            refusal = "limits"
        elif ticks_diff(now, self._lease_end) >= 0:
            refusal = "lease"
        elif self._lid_is_open():
            refusal = "lid"
        if refusal:
            self.off()
            return refusal
        self._end = ticks_add(now, ms)  # from here on nothing is cut for the old cap
        self.cut = ""
        if direction != self.direction or power < 100:
            self.direction = direction
            self._drive(self._forward if direction > 0 else self._backward, power)
        if self._lid_is_open():  # it may have opened, and cut, just before
            self._cut("lid")
            return "lid"
        return ""

    def _may_turn(self, direction, now):
        if direction < 0 and self._backward is None:
            return False
        if direction != -(self.direction or self._last):
            return True
        return not self.direction and ticks_diff(now, self._off_at) >= self._dead

    def _drive(self, pin, power):
        if self._enable is not None:
            self._enable.value(1)
        if power >= 100 or self._pwm_hz is None:
            pin.value(1)
        else:
            pwm = PWM(pin)
            pwm.freq(self._pwm_hz)
            pwm.duty_u16(power * 655)

    def off(self):
        """Motor off, now; also in interrupts, in any state."""
        if self._enable is not None:
            self._enable.value(0)
        if self._pwm_hz is None:
            self._forward.value(0)
            if self._backward is not None:
                self._backward.value(0)
        else:  # takes the pins back from the PWM, which would only stop at the end of its period
            self._forward.init(self._out, value=0)
            if self._backward is not None:
                self._backward.init(self._out, value=0)
        if self.direction:
            self._last = self.direction
            self.direction = 0
            self._off_at = ticks_ms()

    def lid_edge(self):
        """The lid has moved: in its interrupt."""
        if self.direction and self._lid_is_open():
            self._cut("lid")

    def keep(self):
        """Ends the run if its time is over; the timer does this every millisecond."""
        if self.direction:
            now = ticks_ms()
            if self._lid_is_open():
                self._cut("lid")
            elif ticks_diff(now, self._end) >= 0:
                self._cut("time")
            elif ticks_diff(now, self._lease_end) >= 0:
                self._cut("lease")

    @property
    def healthy(self):
        """Whether the keepers do their work: nothing runs far beyond its end."""
        if not self.direction:
            return True
        now = ticks_ms()
        late = max(ticks_diff(now, self._end), ticks_diff(now, self._lease_end))
        return late < LATE_MS

    def _keep(self, timer):
        self.keep()

    def _cut(self, reason):
        self.off()
        self.cut = reason
        self.cut_ticks = ticks_ms()
