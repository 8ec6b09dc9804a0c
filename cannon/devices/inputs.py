"""The inputs of a launcher on gpiozero devices: raw edges with their times, and levels.

No debouncing here and none in the library: the core judges the edges. The library's thread that
brings an edge serves all pins and dies of an exception, so a callback posts and does nothing
else; the lid's also cuts the motor.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

from gpiozero import DigitalOutputDevice, InputDevice
from gpiozero.pins import Factory, Pin

from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Edge, Failure, Levels
from cannon.devices.ports import Clock, DeviceFault, Post
from hardware.board import Board, Sensor, Switch

CLOCK_TRUST_S = 1.0  # an edge's own time is used if it is no further than this from now
RELEASE_TRIES, RELEASE_PAUSE_S = 20, 0.002
SENSOR_LOOKS, SENSOR_LOOK_S = 10, 0.005  # a long wire with its RC, and a busy computer, take time


class EdgeInput:
    """One input pin. Posts an `Edge` for each change, after `first` has been called, if given."""

    def __init__(
        self,
        name: str,
        part: Switch | Sensor,
        pins: Factory,
        clock: Clock,
        post: Post,
        first: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self._active_high = part.active_high
        self._clock = clock
        self._post = post
        self._first = first
        polarity = None if part.pull_up is not None else True
        self._edges = 0
        self._edges_known = 0
        self._level_known = False
        self._unheard = 0
        self._device = InputDevice(
            part.pin, pull_up=part.pull_up, active_state=polarity, pin_factory=pins
        )
        self._pin = self._device.pin

    @property
    def wire(self) -> tuple[Pin, bool]:
        """The pin, and its state while the input is active."""
        return self._pin, self._active_high

    def listen(self) -> None:
        """From now on edges are posted. The device must not be opened by anyone else."""
        self._pin.bounce = None
        self._pin.edges = "both"
        self._pin.when_changed = self._changed
        self._level_known = self.read()

    def read(self) -> bool:
        """Whether the input is active, now."""
        state: float = self._pin.state  # 0 or 1
        return state == self._active_high

    def deaf(self) -> bool:
        """Whether the level has changed twice in a row since earlier looks, and no edge came.

        One change without its edge may be a look in the wrong moment, or one edge lost in a storm.
        """
        edges, level = self._edges, self.read()
        if edges != self._edges_known:
            self._unheard = 0
        elif level != self._level_known:
            self._unheard += 1
        self._edges_known, self._level_known = edges, level
        return self._unheard > 1

    def close(self) -> None:
        """Releases the pin. May be called twice.

        lgpio claims it anew for that, and fails while its own thread still looks at the line.
        """
        for left in reversed(range(RELEASE_TRIES)):
            try:
                self._device.close()
                return
            except Exception:
                if not left:
                    raise
            time.sleep(RELEASE_PAUSE_S)

    def _changed(self, ticks: float, state: int) -> None:
        """In the library's thread: no exception may leave this."""
        self._edges += 1
        try:
            if self._first is not None:
                self._first()
            now = self._clock()
            at = ticks if abs(now - ticks) < CLOCK_TRUST_S else now
            self._post(Edge(self.name, bool(state) == self._active_high, at))
        except Exception as error:
            self._post(Failure("input", f"{self.name}: {error!r}"))


class Inputs:
    """All inputs of a board. `lid_edge` is called first when the lid moves."""

    def __init__(
        self, board: Board, pins: Factory, clock: Clock, post: Post, lid_edge: Callable[[], None]
    ) -> None:
        self._by_name: dict[str, EdgeInput] = {}
        self._emitter: DigitalOutputDevice | None = None
        parts: list[tuple[str, Switch | Sensor | None]] = [
            (LID, board.lid),
            (BUTTON, board.button),
            (EXIT, board.exit_sensor),
            (HOPPER, board.hopper_sensor),
            (BATTERY, board.low_battery),
        ]
        try:
            for name, part in parts:
                if part is not None:
                    first = lid_edge if name == LID else None
                    self._by_name[name] = EdgeInput(name, part, pins, clock, post, first)
            if board.exit_sensor and board.exit_sensor.emitter is not None:
                self._emitter = DigitalOutputDevice(
                    board.exit_sensor.emitter, initial_value=True, pin_factory=pins
                )
        except BaseException:
            self.close()
            raise
        self._lid = self._by_name[LID]
        devices = [self._by_name.get(name) for name in Levels._fields]
        self._in_order = [device.wire if device else (None, False) for device in devices]

    def listen(self) -> None:
        """From now on edges are posted."""
        for device in self._by_name.values():
            device.listen()

    def lid_is_open(self) -> bool:
        """The lid's level, now."""
        return self._lid.read()

    def levels(self) -> Levels:
        """All levels, now."""
        return Levels._make(
            [None if pin is None else pin.state == high for pin, high in self._in_order]
        )

    def deaf(self) -> str:
        """The first input whose edges arrive no more, or "". To be asked now and then."""
        silent = [name for name, device in self._by_name.items() if device.deaf()]
        return silent[0] if silent else ""

    def self_test(self, wait: Callable[[float], None]) -> None:
        """Switches the exit sensor's light off and on, if it can, and looks at the answer.

        `wait` lets that many seconds pass. Raises DeviceFault("sensor_selftest") if the sensor
        does not see its light go off; that it does not see it come on again may be a card.
        """
        if self._emitter is None:
            return
        self._emitter.off()
        dark = self._becomes_dark(True, wait)
        self._emitter.on()
        self._becomes_dark(False, wait)
        if not dark:
            raise DeviceFault("sensor_selftest", "the exit sensor sees light with its light off")

    def _becomes_dark(self, dark: bool, wait: Callable[[float], None]) -> bool:
        """Whether the exit sensor comes to see that (or light), given time."""
        for _ in range(SENSOR_LOOKS):
            wait(SENSOR_LOOK_S)
            if self._by_name[EXIT].read() == dark:
                return True
        return False

    def close(self) -> None:
        """Releases all pins, each even if another one fails. May be called twice."""
        with ExitStack() as all_of_them:
            for device in self._by_name.values():
                all_of_them.callback(device.close)
            if self._emitter is not None:
                all_of_them.callback(self._emitter.close)
