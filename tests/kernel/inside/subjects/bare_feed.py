"""Bare lgpio: motor on until the exit sensor has counted some cards, then off; prints the count.

Arguments: chip number, motor line, sensor line (low while a card blocks it), cards.
"""

import sys
import threading

import lgpio
from settled import wait_until_settled

chip, motor, sensor, cards = map(int, sys.argv[1:])
handle = lgpio.gpiochip_open(chip)
wait_until_settled()
counted = 0
done = threading.Event()


def card_is_out(_chip: int, _line: int, _level: int, _tick: int) -> None:
    global counted
    counted += 1
    if counted >= cards:
        lgpio.gpio_write(handle, motor, 0)
        done.set()


lgpio.gpio_claim_alert(handle, sensor, lgpio.RISING_EDGE, lgpio.SET_PULL_UP)
callback = lgpio.callback(handle, sensor, lgpio.RISING_EDGE, card_is_out)
lgpio.gpio_claim_output(handle, motor, 1)
done.wait(10)
lgpio.gpio_write(handle, motor, 0)
print(f"counted {counted}", flush=True)
