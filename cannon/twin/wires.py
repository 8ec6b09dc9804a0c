"""The wires from a board's switches and sensors to its pins, and what can be wrong with them."""

from __future__ import annotations

from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID
from cannon.twin.pins import TwinPins
from hardware.board import Board, Sensor, Switch


class Wires:
    """Brings the level of each input to its pin. `levels` is what each switch or sensor says.

    "Active" means what it means in `cannon.core.events`. Inputs that the board does not have are
    taken and go nowhere.
    """

    def __init__(self, board: Board, pins: TwinPins) -> None:
        self._pins = pins
        parts: dict[str, Switch | Sensor | None] = {
            LID: board.lid,
            BUTTON: board.button,
            EXIT: board.exit_sensor,
            HOPPER: board.hopper_sensor,
            BATTERY: board.low_battery,
        }
        self._parts = {name: part for name, part in parts.items() if part is not None}
        self._stuck: dict[str, bool] = {}
        self.levels = dict.fromkeys(parts, False)

    def has(self, name: str) -> bool:
        """Whether the board has that input."""
        return name in self._parts

    def pin(self, name: str) -> int:
        """The pin of an input. Raises KeyError if the board has no such input."""
        return self._parts[name].pin

    def set(self, name: str, active: bool) -> None:
        """The switch or sensor changes."""
        self.levels[name] = active
        self._drive(name, active)

    def flip(self, name: str) -> None:
        """A spike on the wire begins; `restore` ends it."""
        self._drive(name, not self.levels[name])

    def restore(self, name: str) -> None:
        """The wire brings the level of its switch or sensor again."""
        self._drive(name, self.levels[name])

    def stick(self, name: str, active: bool) -> None:
        """The input reads `active` from now on, whatever the switch or sensor says."""
        self._stuck.pop(name, None)
        self._drive(name, active)
        self._stuck[name] = active

    def cut(self, name: str) -> bool:
        """The wire breaks: the pin follows its pull. Returns what the input reads then."""
        part = self._parts[name]
        active = str(part.pull).endswith("up") == part.active_high
        self.stick(name, active)
        return active

    def mend(self, name: str) -> None:
        """What was stuck or cut works again."""
        self._stuck.pop(name, None)
        self.restore(name)

    def _drive(self, name: str, active: bool) -> None:
        part = self._parts.get(name)
        if part is not None and name not in self._stuck:
            self._pins.drive(part.pin, active == part.active_high)
