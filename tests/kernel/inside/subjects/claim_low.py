"""Bare lgpio: claims a line as output, low, and ends. Arguments: chip number, line."""

import sys

import lgpio

chip, line = map(int, sys.argv[1:])
handle = lgpio.gpiochip_open(chip)
lgpio.gpio_claim_output(handle, line, 0)
