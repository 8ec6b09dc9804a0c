"""The stand-in for `os`: random bytes from the test's seed, so that a run can be repeated."""

import world
from uos import *

_state = world.CONFIG["seed"]


def urandom(count):
    global _state
    out = bytearray()
    for _ in range(count):
        _state = (_state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(_state >> 16 & 0xFF)
    return bytes(out)


class uname:
    """What `os.uname()` gives on a Pico, as far as anyone asks."""

    machine = world.CONFIG["chip"]
