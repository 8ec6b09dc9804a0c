"""Starts main.py as the chip does. Until the program says otherwise, a byte 3 from the port is Ctrl-C.

On the chip the port's interrupt raises KeyboardInterrupt; here it is raised where the byte is read.
"""

import micropython
import sys
import world  # it keeps the real modules: a call of theirs needs no memory in an interrupt

_micropython, _sys = micropython, sys


class Port:
    """The standard input as long as it interrupts."""

    real = sys.stdin

    def __init__(self, byte):
        self.buffer = self
        self._byte = byte

    def readinto(self, where):
        count = self.real.buffer.readinto(where)
        if count and self._byte in list(where[:count]):
            raise KeyboardInterrupt
        return count


class Micropython:
    """The module: all as it is, but for the one function that a pseudo-terminal knows nothing of."""

    def __getattr__(self, name):
        return getattr(_micropython, name)

    def kbd_intr(self, byte):
        chip.stdin = _sys.stdin if byte < 0 else Port(byte)


class Sys:
    """The module, with that standard input."""

    def __init__(self):
        self.stdin = Port(3)

    def __getattr__(self, name):
        return getattr(_sys, name)


chip = sys.modules["sys"] = Sys()
sys.modules["micropython"] = Micropython()
with open("main.py") as file:
    program = file.read()
exec(program, {"__name__": "__main__"})
