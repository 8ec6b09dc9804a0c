"""The whole launcher in virtual time: loop, devices, mock pins, mechanism, and the hands at it.

Time jumps from one thing to the next. An event is taken by the loop a little later, as by a thread
that must wake up. What only looks for changes (the guard's polling of the lid, the loop's idle
turns) is done within its period after something could have changed: between two changes it would
see what it saw before.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cannon.core.commands import Record
from cannon.core.controller import Controller
from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Start, Stop
from cannon.devices.gpio import GpioLauncher
from cannon.devices.guard import LID_POLL_S
from cannon.devices.ports import Capabilities, Signals
from cannon.loop import IDLE_S, ControlLoop, EventQueue
from cannon.twin.account import Account
from cannon.twin.agenda import Agenda
from cannon.twin.mechanism import Mechanism, Physics
from cannon.twin.pins import TwinPins, VirtualClock
from hardware.board import Board, Sensor, Switch

LATENCY_S = 0.001  # from an event to the loop's turn
BOUNCE_S = 0.004  # contacts chatter for about that long
BOUNCES = 4  # at most so many pairs of edges

MakeController = Callable[[Capabilities], Controller]


class Twin:
    """One simulated launcher. `seed` decides everything that chance does to the mechanism.

    `write` gets every record. `physics` and `stack` describe the mechanism; what hands do is
    `press`, `open_lid`, `close_lid`, `load` and `clear`.
    """

    def __init__(
        self,
        board: Board,
        signals: Signals,
        make_controller: MakeController,
        seed: int,
        physics: Physics | None = None,
        stack: int = 83,
        write: Callable[[Record], None] = lambda record: None,
        lid_open: bool = False,
        button_down: bool = False,
    ) -> None:
        self.board = board
        self.clock = VirtualClock()
        self.agenda = Agenda()
        self.rng = Random(seed)
        self.pins = TwinPins(self.clock)
        self.account = Account(board.motor.max_run_ms / 1000)
        self.mechanism = Mechanism(
            physics or Physics(), stack, self.agenda, self.clock, self.rng, self._beam
        )
        self.noise_hz = 0.0  # spikes on the inputs while the motor runs, per second
        self.noise_s = 100e-6  # longest spike
        self._write = write
        self._motor_on = False
        self._noisy = False
        self._sensor_fault: bool | None = None  # what a broken sensor reports for ever
        self._cut: set[str] = set()
        self._loop_due: float | None = None
        self._woken_at: float | None = None
        self._turned_at = 0.0
        self._frozen_until = 0.0
        self.lid_open = lid_open
        self._wires: dict[str, Switch | Sensor] = {
            name: part
            for name, part in (
                (LID, board.lid),
                (BUTTON, board.button),
                (EXIT, board.exit_sensor),
                (HOPPER, board.hopper_sensor),
                (BATTERY, board.low_battery),
            )
            if part is not None
        }
        self._motor_pins = {f"GPIO{board.motor.forward}": ("forward", 1)}
        if board.motor.backward is not None:
            self._motor_pins[f"GPIO{board.motor.backward}"] = ("backward", -1)
        self._emitter = None
        if board.exit_sensor is not None and board.exit_sensor.emitter is not None:
            self._emitter = f"GPIO{board.exit_sensor.emitter}"
        self._emitter_on = True
        self._drives: dict[int, float] = {}
        for name in self._wires:
            self.set(name, {LID: lid_open, BUTTON: button_down, HOPPER: stack > 0}.get(name, False))
        self.account.lid(lid_open, 0.0)
        self.pins.output_changed = self._output
        self.events = EventQueue()
        self.launcher = GpioLauncher(
            board, self.pins, signals, self.clock, self.events.post, wait=lambda seconds: None
        )
        controller = make_controller(self.launcher.capabilities)
        self.loop = ControlLoop(controller, self.launcher, self.events, self.clock, self._record)

    # --- time --------------------------------------------------------------------------------

    def start(self) -> None:
        """Switches the launcher on."""
        self.events.post(Start(self.launcher.levels()))
        self._turn()

    def run(self, for_s: float, until: Callable[[], bool] | None = None) -> bool:
        """Lets `for_s` seconds pass, or less if `until` becomes true. Returns whether it did."""
        end = self.clock.now + for_s
        if self._woken_at is None and self.events.waiting:
            self._woken_at = self.clock.now + LATENCY_S  # by hands, between two runs
        while until is None or not until():
            due = self.next_due
            if due is None or due > end:
                self.clock.now = end
                return until is not None and until()
            self.clock.now = max(due, self.clock.now)
            self._happen()
        return True

    def stop(self) -> None:
        """Ends the program as a signal would, and checks what must be true at the end."""
        self.events.post(Stop())
        self._turn()
        self.launcher.close()
        self.account.finish()

    def freeze(self, for_s: float) -> None:
        """The control loop is stuck; the guard is not."""
        self._frozen_until = self.clock.now + for_s

    @property
    def next_due(self) -> float | None:
        """When something happens next; None: nothing does until hands do something."""
        due = self.agenda.next_at
        for other in (self.launcher.guard.deadline, self._turn_at()):
            if other is not None and (due is None or other < due):
                due = other
        return due

    def _turn_at(self) -> float | None:
        """When the loop takes its next turn."""
        due = self._loop_due
        if self.pins.deaf and (due is None or due > self._turned_at + IDLE_S):
            due = self._turned_at + IDLE_S
        woken = self._woken_at
        if woken is not None and (due is None or woken < due):
            due = woken
        return due if due is None else max(due, self._frozen_until)

    def _happen(self) -> None:
        now = self.clock.now
        at, guard = self.agenda.next_at, self.launcher.guard.deadline
        if at is not None and at <= now:
            self.agenda.do_next()
        elif guard is not None and guard <= now:
            self.launcher.guard.check(now)
        else:
            self._turn()
            return
        if self._woken_at is None and self.events.waiting:
            self._woken_at = now + LATENCY_S

    def _turn(self) -> None:
        self._woken_at = None
        self._turned_at = self.clock.now
        self._loop_due = None if self.loop.stopped else self.loop.step(self.clock.now)

    # --- wires -------------------------------------------------------------------------------

    def set(self, name: str, active: bool) -> None:
        """Sets an input: button pressed, lid open, beam blocked, cards in the hopper, battery
        low. A cut wire stays at its pull."""
        part = self._wires.get(name)
        if part is not None and name not in self._cut:
            self.pins.drive(part.pin, active == part.active_high)

    def cut_wire(self, name: str) -> None:
        """The wire of an input breaks."""
        part = self._wires[name]
        self._cut.add(name)
        if name == LID and isinstance(part, Switch) and part.contact == "nc":
            self._lid_moves(True)
        pulled_up = str(part.pull).endswith("up")
        self.pins.drive(part.pin, pulled_up)

    def has(self, name: str) -> bool:
        """Whether the board has that input."""
        return name in self._wires

    def blind(self, blocked: bool | None) -> None:
        """The exit sensor reports `blocked` whatever comes; None: it works again."""
        self._sensor_fault = blocked
        self._beam(self.mechanism.blocked)

    def _beam(self, blocked: bool) -> None:
        if self._sensor_fault is not None:
            blocked = self._sensor_fault
        self.set(EXIT, blocked or not self._emitter_on)

    def _output(self, name: str, value: float) -> None:
        if name == self._emitter:
            self._emitter_on = value > 0
            self._beam(self.mechanism.blocked)
            return
        side = self._motor_pins.get(name)
        if side is None:
            return
        word, direction = side
        self.account.motor(word, value > 0, self.clock.now)
        self._drives[direction] = value
        power = self._drives.get(1, 0.0) - self._drives.get(-1, 0.0)
        self.mechanism.drive((power > 0) - (power < 0), abs(power))
        if power and not self._noisy and self.noise_hz:
            self._noisy = True
            self._next_noise()
        self._motor_on = power != 0

    def _record(self, record: Record) -> None:
        self.account.record(record)
        self._write(record)

    # --- hands -------------------------------------------------------------------------------

    def press(self, hold_s: float = 0.06, bounces: bool = True) -> None:
        """A finger presses the button for `hold_s`."""
        self._contact(BUTTON, True, bounces)
        self.agenda.at(self.clock.now + hold_s, lambda: self._contact(BUTTON, False, bounces))

    def open_lid(self, bounces: bool = True) -> None:
        """A hand opens the lid."""
        self.lid_open = True
        self._contact(LID, True, bounces)

    def close_lid(self, bounces: bool = True) -> None:
        """A hand closes the lid."""
        self.lid_open = False
        self._contact(LID, False, bounces)

    def load(self, cards: int) -> None:
        """A hand puts cards into the hopper."""
        self.mechanism.load(cards)
        self.set(HOPPER, self.mechanism.stack > 0)

    def clear(self) -> int:
        """A hand takes out what sticks in the slot. Returns how many cards that was."""
        return self.mechanism.clear()

    def _contact(self, name: str, active: bool, bounces: bool) -> None:
        now, rng = self.clock.now, self.rng
        self._move(name, active)
        if not bounces:
            return
        for at in sorted(rng.random() * BOUNCE_S for _ in range(rng.randrange(BOUNCES))):
            self.agenda.at(now + at, lambda: self._move(name, not active))
            self.agenda.at(now + at + 100e-6, lambda: self._move(name, active))

    def _move(self, name: str, active: bool) -> None:
        if name == LID:
            self._lid_moves(active)
        self.set(name, active)

    def _lid_moves(self, is_open: bool) -> None:
        now = self.clock.now
        self.account.lid(is_open, now)
        self.agenda.at(now + LID_POLL_S, lambda: self._poll())

    def _poll(self) -> None:
        self.launcher.guard.check(self.clock.now)

    def _next_noise(self) -> None:
        self.agenda.at(self.clock.now + self.rng.expovariate(self.noise_hz), self._noise)

    def _noise(self) -> None:
        """A spike of the motor on one of the long wires, and the next one."""
        self._noisy = self._motor_on
        if not self._noisy:
            return
        name = self.rng.choice([BUTTON, LID] + [EXIT] * (EXIT in self._wires))
        width = self.rng.random() * self.noise_s
        usual = {BUTTON: False, LID: self.lid_open, EXIT: self.mechanism.blocked}[name]
        self.set(name, not usual)
        self.agenda.at(self.clock.now + width, lambda: self._restore(name))
        self._next_noise()

    def _restore(self, name: str) -> None:
        if name == EXIT:
            self._beam(self.mechanism.blocked)
        else:
            self.set(name, self.lid_open if name == LID else False)
