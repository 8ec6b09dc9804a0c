"""gpiozero's pin on lgpio, with a shorter way to set an output: each step between the lid's edge
and the motor's line is time. Imports lgpio, so it is itself imported late.
"""

from __future__ import annotations

import lgpio
from gpiozero.pins.lgpio import LGPIOPin


class LauncherPin(LGPIOPin):  # type: ignore[misc]
    """gpiozero asks the kernel before each write whether the line is an output. The kernel refuses
    to set one that is not, so that is asked for nothing."""

    def _set_state(self, value: float) -> None:
        """Raises lgpio.error where the line is not an output of this program."""
        if self._pwm:
            super()._set_state(value)
        else:
            lgpio.gpio_write(self.factory._handle, self._number, bool(value))
