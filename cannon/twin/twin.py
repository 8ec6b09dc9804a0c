"""The whole launcher in virtual time: loop, devices, mock pins, mechanism, and the hands at it.

Time jumps from one thing to the next. An event is taken by the loop a little later, as by a thread
that must wake up. What only looks for changes (the guard's polling of the lid, the loop's idle
turns) is done within its period after something could have changed: between two changes it would
see what it saw before.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cannon.core.commands import Command, Record
from cannon.core.controller import Controller
from cannon.core.events import BUTTON, EXIT, HOPPER, LID, Start, Stop
from cannon.devices.gpio import GpioLauncher
from cannon.devices.guard import LID_POLL_S
from cannon.devices.ports import Capabilities, Signals
from cannon.loop import IDLE_S, ControlLoop, EventQueue
from cannon.twin.account import Account
from cannon.twin.agenda import Agenda
from cannon.twin.mechanism import Mechanism, Physics
from cannon.twin.noise import Noise
from cannon.twin.pins import TwinPins, VirtualClock
from cannon.twin.wires import Wires
from hardware.board import Board

LATENCY_S = 0.001  # from an event to the loop's turn
BOUNCE_S = 0.004  # contacts chatter for about that long
BOUNCES = 3  # fewer pairs of edges than that

MakeController = Callable[[Capabilities], Controller]


class Twin:
    """One simulated launcher. `seed` decides everything that chance does to the mechanism.

    `write` gets every record, and `tell` every command. `physics` and `stack` describe the
    mechanism; what hands do is `press`, `open_lid`, `close_lid`, `load`, `clear` and so on.
    `prepare` is done to the launcher before the program comes up, which may raise DeviceFault.
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
        prepare: Callable[[Twin], None] = lambda twin: None,
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
        self.wires = Wires(board, self.pins)
        self.noise = Noise(self.wires, self.agenda, self.clock, self.rng)
        self._signals = signals
        self._write = write
        self.tell: Callable[[Command], None] | None = None
        self._loop_due: float | None = None
        self._woken_at: float | None = None
        self._idle_at: float | None = None
        self._frozen_until = 0.0
        self.lid_open = False
        self._motor_pins = {f"GPIO{board.motor.forward}": ("forward", 1)}
        if board.motor.backward is not None:
            self._motor_pins[f"GPIO{board.motor.backward}"] = ("backward", -1)
        self.mechanism.on_loaded = lambda loaded: self.wires.set(HOPPER, loaded)
        self._emitter = None
        if board.exit_sensor is not None and board.exit_sensor.emitter is not None:
            self._emitter = f"GPIO{board.exit_sensor.emitter}"
        self._emitter_on = True
        self._drives = {1: 0.0, -1: 0.0}
        for name in self.wires.levels:
            self.wires.set(name, name == HOPPER and stack > 0)
        self.pins.output_changed = self._output
        self.pins.edge_lost = self._edge_lost
        prepare(self)
        self.boot(make_controller)

    # --- the program -------------------------------------------------------------------------

    def boot(self, make_controller: MakeController) -> None:
        """The program comes up: it opens the pins, and `start` will start it.

        Raises DeviceFault where the launcher itself does.
        """
        self.pins.deaf = False
        self.events = EventQueue()
        self.launcher = GpioLauncher(
            self.board, self.pins, self._signals, self.clock, self.events.post, wait=_no_wait
        )
        controller = make_controller(self.launcher.capabilities)
        self.loop = ControlLoop(controller, self.launcher, self.events, self.clock, self._write)
        self.loop.tell = self._overhear

    def start(self) -> None:
        """The program begins its work."""
        self.events.post(Start(self.launcher.levels()))
        self._turn()

    def stop(self) -> None:
        """Ends the program as a signal would, and checks what must be true at the end."""
        self.events.post(Stop())
        self._turn()
        self.launcher.close()
        self.account.finish()

    def cut_power(self) -> None:
        """The supply fails: every pin lets go, and the program knows nothing of it."""
        self.launcher.close()
        self.loop.stopped = True
        self._loop_due = None

    def _overhear(self, command: Command) -> None:
        if type(command) is Record:
            self.account.record(command)
        if self.tell is not None:
            self.tell(command)

    # --- time --------------------------------------------------------------------------------

    def run(self, for_s: float, until: Callable[[], bool] | None = None) -> bool:
        """Lets `for_s` seconds pass, or less if `until` becomes true. Returns whether it did."""
        clock, events = self.clock, self.events
        end = clock.now + for_s
        while until is None or not until():
            if self._woken_at is None and events.waiting:
                self._woken_at = clock.now + LATENCY_S
            due, act = self._next()
            if due is None or due > end:
                clock.now = end
                return until is not None and until()
            if due > clock.now:
                clock.now = due
            act()
        return True

    def freeze(self, for_s: float) -> None:
        """The control loop is stuck; the guard is not."""
        self._frozen_until = self.clock.now + for_s

    @property
    def next_due(self) -> float | None:
        """When something happens next; None: nothing does until hands do something."""
        return self._next()[0]

    def _next(self) -> tuple[float | None, Callable[[], None]]:
        """What happens next, and when. Of things at one time the loop's turn comes last."""
        due, act = self.agenda.next_at, self.agenda.do_next
        guard = self.launcher.guard.deadline
        if guard is not None and (due is None or guard < due):
            due, act = guard, self._check_guard
        turn, woken, idle = self._loop_due, self._woken_at, self._idle_at
        if woken is not None and (turn is None or woken < turn):
            turn = woken
        if idle is not None and (turn is None or idle < turn):
            turn = idle
        if turn is not None and turn < self._frozen_until:
            turn = self._frozen_until
        if turn is not None and (due is None or turn < due):
            due, act = turn, self._turn
        return due, act

    def _edge_lost(self) -> None:
        """Nobody wakes the loop: it sees the new level in its next idle turn."""
        if self._idle_at is None:
            self._idle_at = self.clock.now + IDLE_S

    def _check_guard(self) -> None:
        self.launcher.guard.check(self.clock.now)

    def _turn(self) -> None:
        self._woken_at = self._idle_at = None
        self._loop_due = None if self.loop.stopped else self.loop.step(self.clock.now)

    # --- what the motor does, and what the pins are told ---------------------------------------

    def _output(self, name: str, value: float) -> None:
        side = self._motor_pins.get(name)
        if side is not None:
            word, direction = side
            self.account.motor(word, value > 0, self.clock.now)
            self._drives[direction] = value
            self._drive()
        elif name == self._emitter:
            self._emitter_on = value > 0
            self._beam(self.mechanism.blocked)

    def _drive(self) -> None:
        power = self._drives[1] - self._drives[-1]
        self.mechanism.drive((power > 0) - (power < 0), abs(power))
        self.noise.motor(power != 0)

    def _beam(self, blocked: bool) -> None:
        self.wires.set(EXIT, blocked or not self._emitter_on)

    # --- hands -------------------------------------------------------------------------------

    def press(self, hold_s: float = 0.06, bounces: bool = True) -> None:
        """A finger presses the button for `hold_s`."""
        self.contact(BUTTON, True, bounces)
        self.agenda.at(self.clock.now + hold_s, lambda: self.contact(BUTTON, False, bounces))

    def open_lid(self, bounces: bool = True) -> None:
        """A hand opens the lid."""
        self.contact(LID, True, bounces)

    def close_lid(self, bounces: bool = True) -> None:
        """A hand closes the lid."""
        self.contact(LID, False, bounces)

    def load(self, cards: int) -> None:
        """A hand puts cards into the hopper."""
        self.mechanism.load(cards)

    def clear(self) -> int:
        """A hand takes out what sticks in the slot. Returns how many cards that was."""
        return self.mechanism.clear()

    def contact(self, name: str, active: bool, bounces: bool = True) -> None:
        """The switch of `name` changes, with some chatter if it `bounces`."""
        self.move(name, active)
        if not bounces:
            return
        now, rng = self.clock.now, self.rng
        for at in sorted(rng.random() * BOUNCE_S for _ in range(rng.randrange(BOUNCES))):
            self.agenda.at(now + at, lambda: self.move(name, not active))
            self.agenda.at(now + at + 100e-6, lambda: self.move(name, active))

    def move(self, name: str, active: bool) -> None:
        """The switch of `name` changes, cleanly."""
        if name == LID:
            self.lid_open = active
            self._lid_moves(active)
        self.wires.set(name, active)

    def cut_wire(self, name: str) -> None:
        """The wire of an input breaks. That of a lid that opens its contact reads as open."""
        if self.wires.cut(name) and name == LID:
            self._lid_moves(True)

    def mend(self, name: str) -> None:
        """A wire or sensor that was stuck or cut works again."""
        self.wires.mend(name)
        if name == LID:
            self._lid_moves(self.lid_open)

    def battery(self, speed: float) -> None:
        """The motor's cells give the motor that share of its full speed."""
        self.mechanism.physics.speed = speed
        self._drive()

    def _lid_moves(self, is_open: bool) -> None:
        now = self.clock.now
        self.account.lid(is_open, now)
        self.agenda.at(now + LID_POLL_S, self._check_guard)


def _no_wait(for_s: float) -> None:
    """The self-test's pauses: the simulated sensor answers at once."""
