"""Mock pins on a virtual clock. Outputs report their changes; nothing is kept of the past."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from gpiozero.pins.mock import MockFactory, MockPWMPin
from gpiozero.pins.pi import PiPin


class VirtualClock:
    """Seconds that go on only when `now` is set. Called, it tells the time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TwinPin(MockPWMPin):  # type: ignore[misc]
    """A mock pin that stamps edges with virtual time and keeps no list of its past states.

    gpiozero asks for a subclass here: its factory makes the pins. An input that is driven from
    outside (`driven`) stays there when its pull is set; one that is not follows its pull. `state`
    is read and set very often, so it goes the shortest way.
    """

    driven: bool | None = None
    _state: float

    def _write(self, value: float) -> None:
        if value != self._state:
            self._set_state(value)

    state = property(attrgetter("_state"), _write)

    def _change_state(self, value: float) -> bool:
        if self._state == value:
            return False
        self._state = value
        factory = self.factory
        self._last_change = factory.clock.now
        if self._function == "output":
            factory.output_changed(self.info.name, value)
        return True

    def _set_frequency(self, value: float | None) -> None:
        if self._function == "output":
            super()._set_frequency(value)  # the mock's, for None, also sets the level to low

    def _set_pull(self, value: str) -> None:
        if self.driven is None:
            super()._set_pull(value)
        else:
            self._pull = value

    def _call_when_changed(self) -> None:
        if self.factory.deaf:
            self.factory.edge_lost()
        else:
            PiPin._call_when_changed(self, self._last_change, self._state)


class BrokenPin(TwinPin):
    """Raises OSError when it is read or set."""

    @property
    def state(self) -> float:
        raise OSError(f"{self.info.name} does not answer")

    @state.setter
    def state(self, value: float) -> None:
        raise OSError(f"{self.info.name} does not answer")


class WeakPin(TwinPin):
    """Raises OSError when it is set to anything but 0."""

    def _set_state(self, value: float) -> None:
        if value:
            raise OSError(f"{self.info.name} does not answer")
        super()._set_state(value)


class TwinPins(MockFactory):  # type: ignore[misc]
    """The pins of one simulated computer. `output_changed(name, value)` is called by outputs.

    While `deaf`, edges bring nothing but a word to `edge_lost`, as when the library's notification
    thread has died.
    """

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(pin_class=TwinPin)
        self.clock = clock
        self.deaf = False
        self._inputs: dict[int, TwinPin] = {}
        self.output_changed: Callable[[str, float], None] = lambda name, value: None
        self.edge_lost: Callable[[], None] = lambda: None

    def break_pin(self, pin: int, only_on: bool = False) -> None:
        """From now on the pin raises OSError when it is read or set, or `only_on` when it is set
        to more than 0."""
        self.pin(pin).__class__ = WeakPin if only_on else BrokenPin

    def mend_pin(self, pin: int) -> None:
        """The pin works again."""
        self.pin(pin).__class__ = TwinPin

    def drive(self, pin: int, high: bool | None) -> None:
        """Drives an input from outside, as a switch or a sensor does; None lets go of it."""
        mock = self._inputs.get(pin)
        if mock is None:
            mock = self._inputs[pin] = self.pin(pin)
        mock.driven = high
        if high is None:
            high = mock._pull == "up"
        if high:
            mock.drive_high()
        else:
            mock.drive_low()
