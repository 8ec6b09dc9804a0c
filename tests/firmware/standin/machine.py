"""The stand-in for MicroPython's `machine` on a Pico: as much of it as the firmware uses."""

import world

PWRON_RESET = 1
WDT_RESET = 3


def unique_id():
    return bytes(world.CONFIG["serial"])


def reset_cause():
    return world.CONFIG["reset_cause"]


def reset():
    world.flush()
    world.say("reset", world.now_us)
    raise SystemExit(42)


class Pin:
    IN = 0
    OUT = 1
    PULL_UP = 1
    PULL_DOWN = 2
    IRQ_FALLING = 4
    IRQ_RISING = 8

    def __init__(self, number, mode=None, pull=None, value=None):
        self.number = number
        self._levels = world.launcher.pins.levels
        if mode is not None:
            self.init(mode, pull, value)

    def init(self, mode, pull=None, value=None):
        pins = world.launcher.pins
        if self.number in pins.pwm:
            del pins.pwm[self.number]
            if self.number == world.launcher.beeper:
                world.sounds(0)
        if mode == self.OUT and value is not None:
            self.value(value)

    def value(self, level=None):
        if level is None:
            return self._levels[self.number]
        world.launcher.pins.set(self.number, 1 if level else 0)

    def irq(self, handler, trigger, hard=False):
        assert hard and trigger == self.IRQ_RISING | self.IRQ_FALLING
        world.launcher.pins.handlers[self.number] = (handler, self)


class PWM:
    def __init__(self, pin):
        self._pin = pin.number
        self._freq = 0

    def freq(self, hz):
        assert 8 <= hz <= 10_000_000, hz
        self._freq = hz

    def duty_u16(self, duty):
        assert self._freq and 0 <= duty <= 65535
        launcher = world.launcher
        launcher.pins.pwm[self._pin] = round(duty / 655.35)
        if self._pin in launcher.motor_pins:
            launcher.look_at_motor()
        elif self._pin == launcher.beeper:
            world.sounds(self._freq, launcher.pins.pwm[self._pin])


class Timer:
    PERIODIC = 1

    def __init__(self, number):
        assert number == -1

    def init(self, period, mode, callback, hard=False):
        if hard and not world.CONFIG["hard_timers"]:
            raise TypeError("extra keyword arguments given")
        assert mode == self.PERIODIC
        self._us = period * 1000
        self._callback = callback
        world.at(world.now_us + self._us, self._tick)

    def _tick(self):
        world.at(world.now_us + self._us, self._tick)
        world.interrupt(self._callback, self)


class WDT:
    def __init__(self, timeout):
        assert timeout <= 8388
        self._us = timeout * 1000
        self._fed = world.now_us
        self._look()

    def feed(self):
        self._fed = world.now_us

    def _look(self):
        if world.now_us >= self._fed + self._us:
            world.flush()
            world.say("watchdog", world.now_us)
            raise SystemExit(43)
        world.at(self._fed + self._us, self._look)
