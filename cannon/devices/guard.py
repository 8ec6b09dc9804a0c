"""The motor guard: the only one who switches the motor, and never without a limit.

A run ends at its own deadline, at once when the lid is open, and when anything here fails. The
guard does not ask the controller, and it works while the controller is stuck: the lid's edge cuts
the motor in the thread that brings the edge, and `check` does the same by reading the level, every
few milliseconds while the motor runs, in a thread of its own (`GuardThread`) or driven by virtual
time.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable

from cannon.core.commands import Run
from cannon.core.events import Failure, MotorOff
from cannon.devices.motor import MotorOutputs
from cannon.devices.ports import Clock, DeviceFault, Post

LID_POLL_S = 0.005  # how often the lid's level is read while the motor runs
CLOCK_STEP_S = 0.001  # a clock may go on in steps
AGAIN_S = 0.05  # how soon it is tried again to switch off a motor that could not be
LATE_S = 2.0  # a thread that lets a run go on so long beyond its end is stuck, not just slow


class MotorGuard:
    """Runs the motor within limits: at most `cap_s` a run, `dead_s` off between two directions.

    `lid_is_open` reads the lid's level. Ends of runs that nobody asked for are posted. Where the
    off came late, since the computer is busy, `wait` lets the rest of `dead_s` pass.
    """

    def __init__(
        self,
        motor: MotorOutputs,
        lid_is_open: Callable[[], bool],
        clock: Clock,
        post: Post,
        cap_s: float,
        dead_s: float,
        wait: Callable[[float], None] = lambda for_s: None,
    ) -> None:
        self._motor = motor
        self._lid_is_open = lid_is_open
        self._clock = clock
        self._post = post
        self._cap_s = cap_s
        self._dead_s = dead_s
        self._wait = wait
        self._lock = threading.RLock()
        self._direction = 0  # 0 while off
        self._last_direction = 0
        self._deadline: float | None = None
        self._off_at = 0.0
        self._closed = False
        self.wake: Callable[[], None] = lambda: None

    @property
    def deadline(self) -> float | None:
        """When the present run ends; None while the motor is off."""
        return self._deadline

    def run(self, run: Run) -> None:
        """Starts a run, or goes on with a new limit in the same direction.

        With the lid open nothing starts and MotorOff("lid") is posted. Raises DeviceFault for a
        run that is beyond the limits: that is a fault of the program.
        """
        left_s = self._off_at + self._dead_s - self._clock()
        if left_s > 0 and self._turns(run) and not self._direction:
            self._wait(left_s + CLOCK_STEP_S)
        with self._lock:
            self._refuse_illegal(run)
            now = self._clock()
            if self._lid_is_open():
                self.cut("lid")
                self._post(MotorOff("lid", now))
                return
            self._deadline = now + run.for_s
            self._direction = run.direction
            try:
                self._motor.drive(run.direction, run.power)
                if self._lid_is_open():  # it may have opened, and cut, just before
                    self.lid_edge()
            except Exception:
                self.cut("fault")
                raise
        self.wake()

    def _refuse_illegal(self, run: Run) -> None:
        if self._closed:
            raise DeviceFault("motor", "a run was asked for after the launcher was closed")
        if not 0 < run.for_s <= self._cap_s or not 0 < run.power <= 1:
            raise DeviceFault("motor", f"{run} is outside of 0 to {self._cap_s} s at power 0 to 1")
        rested = not self._direction and self._clock() >= self._off_at + self._dead_s
        if self._turns(run) and not rested:
            raise DeviceFault("motor", f"{run} reverses without {self._dead_s} s of rest before")

    def _turns(self, run: Run) -> bool:
        """Whether `run` goes the other way than the motor did last."""
        return run.direction == -(self._direction or self._last_direction)

    def cut(self, reason: str) -> None:
        """Motor off, now. From any thread, at any time. `reason` is for who reads the code."""
        try:
            self._motor.off()  # first, and without the lock: nothing is to wait for
        finally:
            with self._lock:
                if self._direction:
                    self._last_direction = self._direction
                    self._off_at = self._clock()
                    self._motor.off()  # again: a run may have been starting meanwhile
                self._direction = 0
                self._deadline = None

    def lid_edge(self) -> None:
        """The lid moved. Called in the thread that brings the edge: cut first."""
        if self._deadline is not None and self._lid_is_open():
            self.cut("lid")
            self._post(MotorOff("lid", self._clock()))

    def check(self, now: float) -> float | None:
        """Ends what has to end by `now`. Returns when to check next; None while the motor is off.

        A failure here cuts the motor and is posted; while it cannot be cut, that is tried again.
        """
        try:
            with self._lock:
                if self._deadline is None:
                    return None
                if self._lid_is_open():
                    reason = "lid"
                elif now >= self._deadline:
                    reason = "time"
                else:
                    return min(self._deadline, now + LID_POLL_S)
                self.cut(reason)
                self._post(MotorOff(reason, now))
                return None
        except Exception as error:
            return self._cut_after(error, now)

    def _cut_after(self, error: Exception, now: float) -> float | None:
        """Off first, then the word of it."""
        try:
            self.cut("fault")
            again = None
        except Exception:
            again = now + AGAIN_S
        self._post(Failure("motor_guard", repr(error)))
        return again

    def close(self) -> None:
        """Motor off for good. May be called twice."""
        if not self._closed:
            self._closed = True
            try:
                self.cut("close")
            finally:
                self._motor.close()


class GuardThread:
    """Checks a guard in a thread of its own. If that thread dies, the motor cannot be started."""

    def __init__(self, guard: MotorGuard, clock: Clock) -> None:
        self._guard = guard
        self._clock = clock
        self._running = threading.Condition()
        self._asked = False
        self._ended = False
        self._thread = threading.Thread(target=self._work, name="motor-guard", daemon=True)
        guard.wake = self.wake
        self._thread.start()

    def wake(self) -> None:
        """A run has started."""
        if not self._thread.is_alive():
            self._guard.cut("fault")
            raise DeviceFault("motor_guard", "the thread that limits the motor has died")
        with self._running:
            self._asked = True
            self._running.notify()

    @property
    def works(self) -> bool:
        """Whether the thread lives, and no run goes on beyond its end."""
        deadline = self._guard.deadline
        late = deadline is not None and self._clock() > deadline + LATE_S
        return self._thread.is_alive() and not late

    def close(self) -> None:
        """Ends the thread; the guard must be closed first."""
        with self._running:
            self._ended = True
            self._running.notify()
        self._thread.join(timeout=1)

    def _work(self) -> None:
        _come_first()
        try:
            while True:
                with self._running:
                    self._running.wait_for(lambda: self._asked or self._ended)
                    if self._ended:
                        return
                    self._asked = False
                self._until_off()
        finally:
            self._guard.cut("thread")

    def _until_off(self) -> None:
        following = self._guard.check(self._clock())
        while following is not None:
            with self._running:
                if self._running.wait_for(lambda: self._ended, max(0, following - self._clock())):
                    return
            following = self._guard.check(self._clock())


def _come_first() -> None:
    """This thread comes before all ordinary ones of the computer, where that is allowed. It needs
    little time, and elsewhere the motor is off a few milliseconds later on a busy computer."""
    with contextlib.suppress(PermissionError, AttributeError):  # AttributeError: not on Linux
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
