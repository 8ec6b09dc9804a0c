"""Bare lgpio: a falling edge on BUTTON sets OUT at once, a rising one clears it.

Arguments: chip number, button line, output line, any more lines to listen to.
"""

import signal
import sys

import lgpio
from settled import wait_until_settled

chip, button, out, *others = map(int, sys.argv[1:])
handle = lgpio.gpiochip_open(chip)
wait_until_settled()
lgpio.gpio_claim_output(handle, out, 0)


def follow(_chip: int, _line: int, level: int, _tick: int) -> None:
    lgpio.gpio_write(handle, out, 1 - level)


def ignore(_chip: int, _line: int, _level: int, _tick: int) -> None:
    pass


callbacks = []
for line, function in ((button, follow), *((other, ignore) for other in others)):
    lgpio.gpio_claim_alert(handle, line, lgpio.BOTH_EDGES, lgpio.SET_PULL_UP)
    callbacks.append(lgpio.callback(handle, line, lgpio.BOTH_EDGES, function))
print("ready", flush=True)
signal.pause()
