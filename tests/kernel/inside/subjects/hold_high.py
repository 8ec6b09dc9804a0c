"""Bare lgpio: claims a line as output and holds it high until it is killed.

Arguments: chip number, line. Under systemd with Type=notify it reports ready and, while the
watchdog is on, pets it; it stops petting when it gets SIGUSR1.
"""

import os
import signal
import socket
import sys
import time

import lgpio

chip, line = map(int, sys.argv[1:])
hangs = False


def hang(_signal: int, _frame: object) -> None:
    global hangs
    hangs = True


def tell_systemd(text: bytes) -> None:
    if address := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(text, address.replace("@", "\0", 1))


signal.signal(signal.SIGUSR1, hang)
handle = lgpio.gpiochip_open(chip)
lgpio.gpio_claim_output(handle, line, 1)
print("ready", flush=True)
tell_systemd(b"READY=1")
while True:
    time.sleep(0.2)
    if not hangs:
        tell_systemd(b"WATCHDOG=1")
