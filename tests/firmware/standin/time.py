"""The stand-in for `time`: the world's clock, with ticks that wrap as on a Pico."""

import world

_HALF = 1 << 29


def ticks_ms():
    world.catch_up()
    return world.now_us // 1000 + world.TICKS_AT_START & world.MASK


def ticks_diff(later, earlier):
    return (later - earlier + _HALF & world.MASK) - _HALF


def ticks_add(ticks, delta):
    return ticks + delta & world.MASK


def sleep_ms(ms):
    world.wait(ms * 1000)
