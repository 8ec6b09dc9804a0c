"""The board's clock: whole milliseconds since the start, that never wrap.

`ticks_ms` wraps after days, and floats on a Pico are too short to count milliseconds for long.
`now` must be called at least once in three days; the main loop does it all the time. Interrupts
work with ticks, which are small numbers and need no memory; `at` turns them into this clock's.
"""

from time import ticks_diff, ticks_ms

_ticks = ticks_ms()
_now = 0


def now():
    """Milliseconds since the start."""
    global _ticks, _now
    ticks = ticks_ms()
    _now += ticks_diff(ticks, _ticks)
    _ticks = ticks
    return _now


def at(ticks):
    """The time of an instant that was `ticks` of `ticks_ms`, at most some days ago."""
    return _now + ticks_diff(ticks, _ticks)
