"""gpiozero's pin on lgpio, with a shorter way to set an output: each step between the lid's edge
and the motor's line is time.
"""

from __future__ import annotations

from typing import Any


def launcher_pin() -> type[Any]:
    """The class of pin, for a factory's `pin_class`. Raises ImportError where lgpio is missing.

    gpiozero asks the kernel before each write whether the line is an output. The kernel refuses to
    set one that is not (lgpio.error), so that is asked for nothing.
    """
    import lgpio
    from gpiozero.pins.lgpio import LGPIOPin

    class LauncherPin(LGPIOPin):  # type: ignore[misc]
        def _set_state(self, value: float) -> None:
            if self._pwm:
                super()._set_state(value)
            else:
                lgpio.gpio_write(self.factory._handle, self._number, bool(value))

    return LauncherPin
