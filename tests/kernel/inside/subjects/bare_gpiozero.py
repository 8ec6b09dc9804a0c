"""Bare gpiozero: a button switches an output on while it is pressed, with nothing of its own.

Arguments: chip number, button line, output line, any more lines to listen to.
"""

import signal
import sys

from gpiozero import Button, OutputDevice
from gpiozero.pins.lgpio import LGPIOFactory

chip, button_line, out_line, *others = map(int, sys.argv[1:])
factory = LGPIOFactory(chip=chip)
out = OutputDevice(out_line, pin_factory=factory)
button = Button(button_line, pull_up=True, bounce_time=None, pin_factory=factory)
button.when_pressed = out.on
button.when_released = out.off
more = [Button(line, pull_up=True, bounce_time=None, pin_factory=factory) for line in others]
for other in more:
    other.when_pressed = other.when_released = lambda: None
print("ready", flush=True)
signal.pause()
