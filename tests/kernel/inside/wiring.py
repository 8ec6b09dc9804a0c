"""What is wired to which line, seen from outside the computer: taken from a board file."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.board import Board, Sensor, Switch


@dataclass(frozen=True)
class Contact:
    """A line and the level it has while the thing happens: pressed, lid open, beam blocked …"""

    line: int
    active: int

    @property
    def idle(self) -> int:
        """The level while it does not happen."""
        return 1 - self.active


@dataclass(frozen=True)
class Wiring:
    """The lines of a launcher. `lid` is active while the lid is open."""

    forward: int
    button: Contact
    lid: Contact
    backward: int | None = None
    enable: int | None = None
    exit_sensor: Contact | None = None
    hopper_sensor: Contact | None = None
    emitter: int | None = None
    beeper: int | None = None

    @classmethod
    def of(cls, board: Board) -> Wiring:
        """The wiring of a board: its switches and sensors as contacts with levels."""
        exit_sensor = board.exit_sensor
        return cls(
            forward=board.motor.forward,
            backward=board.motor.backward,
            enable=board.motor.enable,
            button=_contact(board.button),
            lid=_contact(board.lid),
            exit_sensor=_contact(exit_sensor) if exit_sensor else None,
            hopper_sensor=_contact(board.hopper_sensor) if board.hopper_sensor else None,
            emitter=exit_sensor.emitter if exit_sensor else None,
            beeper=board.beeper.pin if board.beeper else None,
        )

    def felt(self) -> list[int]:
        """The lines a launcher drives that its mechanism feels."""
        lines = (self.forward, self.backward, self.enable, self.emitter)
        return [line for line in lines if line is not None]


def _contact(part: Switch | Sensor) -> Contact:
    return Contact(part.pin, int(part.active_high))
