"""What the tests of the devices share: a clock to set, pins that keep a log, posted events."""

from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from cannon.core.events import Edge
from cannon.settings.signals import load_signals
from hardware import load_board

SIGNALS = load_signals()


class Clock:
    """Seconds that go on only when told to."""

    def __init__(self, now=100.0):
        self.now = now

    def __call__(self):
        return self.now


class LoggedPin(MockPin):
    """A mock pin whose factory keeps one log of all outputs, in order."""

    def _get_state(self):
        self._answer()
        return super()._get_state()

    def _set_state(self, value):
        self._answer()
        super()._set_state(value)

    def _answer(self):
        if self.factory.gone:
            raise OSError(5, "Input/output error")

    def _change_state(self, value):
        changed = super()._change_state(value)
        if changed and self._function == "output":
            self.factory.log.append((self.info.name, value))
        return changed


class LoggedPWMPin(LoggedPin, MockPWMPin):
    """The same with PWM."""


class LoggedPins(MockFactory):
    """Mock pins, all changes of outputs in `log` as (pin, state). Fresh for each test.

    While they are `gone`, reading and setting them is an OSError.
    """

    def __init__(self, pwm=True):
        super().__init__(pin_class=LoggedPWMPin if pwm else LoggedPin)
        self.log = []
        self.gone = False

    def state(self, number):
        """The level of a pin now, as a person with a meter sees it."""
        return self.pin(number).state

    def drive(self, number, high):
        """Drives an input from outside."""
        pin = self.pin(number)
        pin.drive_high() if high else pin.drive_low()

    def changes(self, number):
        """Every state that an output was given, in order, the first one included."""
        return [value for name, value in self.log if name == f"GPIO{number}"]


class Posted(list):
    """Takes events as the loop's queue does."""

    def __call__(self, event):
        self.append(event)

    def edges(self):
        return [(event.input, event.active) for event in self if isinstance(event, Edge)]

    def take(self):
        taken = list(self)
        self.clear()
        return taken


def board(name, **tables):
    """The board of that name with some of its tables replaced."""
    import msgspec

    return msgspec.structs.replace(load_board(name), **tables)
