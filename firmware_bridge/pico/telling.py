"""What the board tells of itself: the payloads of BOARD, STATUS and TALLY."""

import gc
import struct
from machine import reset_cause, unique_id

import messages as m
import pins

MOST_CARDS = 112  # a whole deck


def board(launcher):
    """Who we are, what we can do, and within which limits."""
    abilities = m.COUNTING if pins.INPUTS[m.EXIT] else 0
    abilities |= m.REVERSING if pins.MOTOR[1] is not None else 0
    abilities |= m.POWER if pins.MOTOR[3] is not None else 0
    abilities |= m.HOPPERED if pins.INPUTS[m.HOPPER] else 0
    abilities |= m.BATTERIED if pins.INPUTS[m.BATTERY] else 0
    abilities |= m.SOUNDING if pins.BEEPER else 0
    abilities |= m.LIGHTING if pins.LIGHT is not None else 0
    plan = pins.PLAN
    limits = (m.MOST_LEASE_MS, plan["max_run"], plan["stall"], plan["max_shot"], plan["per_card"])
    serial = (unique_id() + bytes(8))[:8]
    values = pins.VERSION + (pins.BUILD, launcher.boot, abilities) + limits
    values += (pins.MOST_RETRACT, MOST_CARDS, serial)
    return struct.pack(m.BOARD_FORM, *values) + pins.NAME.encode()[:25]


def status(launcher):
    """How things stand."""
    mover = launcher.mover
    return struct.pack(
        m.STATUS_FORM,
        launcher.now & 0xFFFFFFFF,
        launcher.boot,
        launcher.host.next_event,
        launcher.mode,
        mover.motion,
        m.FAULTS.index(launcher.fault),
        _levels(launcher),
        mover.shot,
        mover.wanted,
        mover.cards,
        mover.suspects,
        m.REASONS.index(mover.reason),
        mover.marks,
        mover.retries,
    )


def tally(launcher):
    """What has been counted."""
    if not launcher.mover.motion:
        gc.collect()
    wire, alone = launcher.wire, launcher.alone
    values = (
        launcher.now & 0xFFFFFFFF,
        wire.decoder.good & 0xFFFFFFFF,
        wire.decoder.dropped & 0xFFFF,
        wire.unsent & 0xFFFF,
        launcher.exceptions & 0xFFFF,
        gc.mem_free(),
        gc.mem_alloc(),
        reset_cause(),
        alone.presses & 0xFFFF,
        alone.launches & 0xFFFF,
        alone.cards & 0xFFFF,
    )
    return struct.pack(m.TALLY_FORM, *values) + alone.name.encode()[:24]


def _levels(launcher):
    """The levels, one bit each: lid and button as they have settled, the others as they are."""
    others = launcher.inputs.levels() & ~(1 << m.LID | 1 << m.BUTTON)
    return others | launcher.lid.level << m.LID | launcher.button.level << m.BUTTON
