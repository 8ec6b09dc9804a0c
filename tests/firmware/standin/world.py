"""What is around the firmware in the tests: time, pins, interrupts, and a launcher's mechanism.

Runs inside the MicroPython interpreter, under the stand-in modules `machine`, `time`, `select` and
`os`. Two kinds of time:

  stepped   time goes on when the firmware waits, up to where the test has let it go. Nothing
            depends on how busy the machine is.
  real      time goes on with the real clock, some times slower, but at most 5 ms at once: a
            process that was kept from running has not lived through that time.

Interrupts come at their exact time, also where the firmware looks at the clock only later, and run
with the heap locked: a handler that needs memory fails here as it would on the chip.
"""

import gc
import heapq
import json
import micropython
import uos
import utime
from array import array
from random import randint
from uselect import POLLIN, poll

CONFIG = json.loads(uos.getenv("STANDIN"))
STEPPED = CONFIG["clock"] == "stepped"
MOST_AT_ONCE_US = 5000
MASK = (1 << 30) - 1  # ticks wrap as on a Pico
TICKS_AT_START = MASK - 5000  # ... five seconds after the start

now_us = 0
busy = False  # interrupts run
received = 0  # bytes the firmware has read, or is about to
promised = 0  # bytes the test has written
pieces = 0  # pieces of output the firmware has written
_limit_us = 0
_real_us = utime.ticks_us()
_agenda = []
_order = 0
_control = open("/dev/fd/%d" % CONFIG["control_in"], "rb")
_report = open("/dev/fd/%d" % CONFIG["control_out"], "wb")
_asked = poll()
_asked.register(_control, POLLIN)
# What happens in interrupts is noted here without memory, and written out after them.
_note_us = array("q", [0] * 256)
_note_what = array("i", [0] * 256)
_notes = 0


def say(*words):
    """A line for the test."""
    _report.write(" ".join(str(word) for word in words) + "\n")


def note(what):
    """Notes the motor's drive; also in interrupts."""
    global _notes
    _note_us[_notes] = now_us
    _note_what[_notes] = what
    _notes += 1


def flush():
    global _notes
    for i in range(_notes):
        say("drive", _note_us[i], _note_what[i])
    _notes = 0


def at(us, act):
    """Calls `act` at that time."""
    global _order
    _order += 1
    heapq.heappush(_agenda, (us, _order, act))


def interrupt(handler, argument):
    """Runs a handler as the chip would."""
    global busy
    was, busy = busy, True
    micropython.heap_lock()
    try:
        handler(argument)
    except MemoryError:
        failed = True
    else:
        failed = False
    micropython.heap_unlock()
    busy = was
    if failed:
        say("broken", now_us, "an interrupt handler needed memory")
        raise SystemExit(44)


def advance(to_us):
    """Lets time pass, with all that happens in it."""
    global now_us
    while _agenda and _agenda[0][0] <= to_us:
        us, _, act = heapq.heappop(_agenda)
        now_us = max(now_us, us)
        act()
    now_us = max(now_us, to_us)
    if _notes:
        flush()


def catch_up():
    """Real time: goes on to now."""
    global _real_us
    if STEPPED or busy:
        return
    real = utime.ticks_us()
    passed = utime.ticks_diff(real, _real_us)
    _real_us = real
    advance(now_us + min(passed // CONFIG["slow"], MOST_AT_ONCE_US))
    while _asked.poll(0):
        _obey(_control.readline())


def wait(us):
    """The firmware waits; stepped time goes on."""
    if not STEPPED:
        utime.sleep_us(us)
        catch_up()
        return
    target = now_us + us
    while target > _limit_us:
        advance(_limit_us)
        flush()
        say("at", now_us, pieces)
        line = _control.readline()
        while not line.startswith(b"go"):
            _obey(line)
            line = _control.readline()
        _go(line)
    advance(target)


def _go(line):
    global _limit_us, promised
    _, limit, written = line.split()
    _limit_us, promised = int(limit), int(written)


def _obey(line):
    """A command of the test: a name and numbers."""
    if not line:
        raise SystemExit(45)  # the test is gone
    name, *numbers = line.decode().split()
    launcher.commands[name](*[int(number) for number in numbers])


class Pins:
    """Levels of all pins, and who listens. An input follows its pull until something drives it."""

    def __init__(self):
        self.levels = bytearray(48)
        self.handlers = {}
        self.pwm = {}

    def drive(self, pin, level):
        """Something outside drives an input."""
        if self.levels[pin] != level:
            self.levels[pin] = level
            handler = self.handlers.get(pin)
            if handler:
                interrupt(*handler)

    def set(self, pin, level):
        """The firmware sets an output; also in interrupts."""
        self.levels[pin] = level
        if pin in launcher.motor_pins:
            launcher.look_at_motor()
        elif pin == launcher.emitter:
            launcher.show_beam()


class Mechanism:
    """Motor, stack, slot and beam. A card moves by 1 a millisecond at full speed.

    It is drawn for `pick`, then covers the beam for `pass`. The motor needs `spin_up` to get going
    and runs on for `coast`.
    """

    def __init__(self, physics):
        self.physics = physics
        self.stack = physics["stack"]
        self.out = 0
        self.drive = 0
        self.blocked = False
        self.jam_at = physics["jam_at"]  # this card sticks in the beam (0: none)
        self.slips = 0  # so many times the roller slips until the motor starts anew
        self._spin = 0
        self._coast = 0
        self._way = 1
        self._place = 0
        self._lengths = self._card()
        self._ticking = False

    def driven(self, drive):
        """The motor is driven with -100 to 100 %."""
        if drive and not self.drive:
            self._spin = self.physics["spin_up"]
            self.slips = max(0, self.slips - 1)
        if not drive and self.drive:
            self._coast = self.physics["coast"] if not self._spin else 0
            self._way = 1 if self.drive > 0 else -1
        self.drive = drive

    def tick(self):
        """One millisecond."""
        speed = 0
        if self.drive:
            if self._spin:
                self._spin -= 1
            else:
                speed = self.drive / 100
        elif self._coast:
            self._coast -= 1
            speed = self._way
        if not speed or self.slips or not self.stack:
            return
        pick, length = self._lengths
        place = max(0, self._place + speed)
        if self.jam_at and self.out + 1 == self.jam_at:
            place = min(place, pick + length / 2)
        self._place = place
        self.see(pick <= place < pick + length)
        if place >= pick + length:
            self.stack -= 1
            self.out += 1
            self._place = 0
            self._lengths = self._card()
            say("out", now_us, self.out)

    def see(self, blocked):
        """The beam is blocked, by a card on its way or by one in a hand."""
        if blocked != self.blocked:
            self.blocked = blocked
            launcher.show_beam()

    def _card(self):
        pick, length = self.physics["pick"], self.physics["pass"]
        spread = self.physics["spread"]
        return pick + randint(0, spread), length + randint(0, spread)


class Launcher:
    """The pins of the board under test, and hands on it."""

    def __init__(self, board):
        self.pins = Pins()
        motor = board["motor"]
        self.forward, self.backward, self.enable = motor[:3]
        self.motor_pins = [pin for pin in motor[:3] if pin is not None]
        self.inputs = board["inputs"]
        self.emitter = board["emitter"]
        self.beeper = board["beeper"] and board["beeper"][0]
        self.light = board["light"]
        self.mechanism = Mechanism(CONFIG["physics"])
        self._drive = 0
        self._noise = 0
        self.active = [False, bool(CONFIG["lid_open"]), False, True, False]
        self.sensor_works = not CONFIG["sensor_deaf"]
        self.sensor_cut = False
        self.commands = {
            "press": lambda down: self.finger(0, down),
            "lid": lambda is_open: self.finger(1, is_open),
            "hopper": lambda full: self.finger(3, full),
            "battery": lambda low: self.finger(4, low),
            "load": self._load,
            "unload": self._unload,
            "card": self.mechanism.see,
            "jam_at": self._jam_at,
            "take": self._take,
            "slip": self._slip,
            "tap": self._tap,
            "chatter": self._chatter,
            "noise": self._make_noise,
            "hang": self._hang,
            "deaf": self._deaf,
            "cut": self._cut,
            "mark": lambda: say("mark", now_us),
        }

    def start(self):
        for index in range(5):
            self._show(index, self.active[index])
        at(1000, self._tick)

    def finger(self, index, active):
        """The input becomes active, or not."""
        self.active[index] = bool(active)
        self._show(index, bool(active))

    def show_beam(self):
        """The exit sensor sees the card, or its light that is off."""
        dark = self.emitter is not None and not self.pins.levels[self.emitter]
        self._show(2, self.sensor_cut or self.mechanism.blocked or dark and self.sensor_works)

    def look_at_motor(self):
        """The motor's pins have changed."""
        levels, pwm = self.pins.levels, self.pins.pwm
        drive = 0
        if self.enable is None or levels[self.enable]:
            drive = pwm.get(self.forward, 100 if levels[self.forward] else 0)
            if self.backward is not None:
                drive -= pwm.get(self.backward, 100 if levels[self.backward] else 0)
        if drive != self._drive:
            self._drive = drive
            note(drive)
            self.mechanism.driven(drive)

    def _show(self, index, active):
        spec = self.inputs[index]
        if spec:
            pin, level, _ = spec
            self.pins.drive(pin, level if active else 1 - level)

    def _tick(self):
        self.mechanism.tick()
        at(now_us + 1000, self._tick)

    def _load(self, cards):
        self.mechanism.stack += cards

    def _unload(self):
        """A hand takes all cards out, also the one that was on its way."""
        self.mechanism.stack = self.mechanism._place = 0
        self.mechanism.see(False)

    def _jam_at(self, card):
        self.mechanism.jam_at = card
        if not card:
            self.mechanism.see(False)
            self.mechanism._place = 0

    def _take(self):
        """A hand takes the card that sticks in the slot."""
        self.mechanism.stack -= 1
        self._jam_at(0)

    def _slip(self, times):
        self.mechanism.slips = times

    def _tap(self, ms):
        """Presses the button for so long."""
        self.finger(0, True)
        at(now_us + ms * 1000, lambda: self.finger(0, False))

    def _chatter(self, index, times):
        """A contact that bounces: so many changes, 300 us apart."""
        for i in range(times):
            at(now_us + 300 * (i + 1), lambda: self.finger(index, not self.active[index]))

    def _make_noise(self, index, times):
        """Spikes of 200 us, 2 ms apart."""
        for i in range(times):
            at(now_us + 2000 * i + 500, lambda: self._show(index, not self.active[index]))
            at(now_us + 2000 * i + 700, lambda: self._show(index, self.active[index]))

    def _hang(self, ms):
        """The main loop stands still for so long; interrupts do not."""
        self.hang_until = now_us + ms * 1000
        advance(self.hang_until)

    def _deaf(self, deaf):
        self.sensor_works = not deaf

    def _cut(self, cut):
        """The sensor's wire is cut, which reads as a blocked beam; or it is mended."""
        self.sensor_cut = cut
        self.show_beam()


launcher = Launcher(CONFIG["board"])


def sounds(hz, duty=0):
    """The beeper sounds with a duty in %, or is silent (0)."""
    say("sound", now_us, hz, duty)


def pause(ms):
    """Stepped time, and the main loop waits for bytes: longer if the motor is off, to save time."""
    wait(1000 * ms if launcher._drive else 1000 * CONFIG["idle_ms"])


launcher.start()
gc.collect()
