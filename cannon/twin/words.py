"""The codes that scenarios may name, so that a misspelt one is found when the file is read.

The codes themselves belong to the core, the signals and the journal; tests hold these lists
against them.
"""

from __future__ import annotations

from cannon.core import events, records, states
from cannon.twin.field import MISHAPS
from cannon.twin.lines import Slot, one_of
from cannon.twin.mechanism import FAULTS

INPUTS = {
    "button": events.BUTTON,
    "lid": events.LID,
    "sensor": events.EXIT,
    "hopper": events.HOPPER,
    "battery": events.BATTERY,
}
OUTPUTS = ("beeper", "light", "motor")
REFUSALS = (
    *filter(None, states.PRESS_REFUSED.values()),
    "protruding",
    "sensor_blocked",
    "low_battery",
)
CAUSES = (
    "jam",
    "slow",
    "no_feed",
    "empty",
    "sensor_blocked",
    "sensor_selftest",
    "motor",
    "motor_guard",
    "inputs",
    "input",
    "signals",
    "journal",
    "display",
    "program",
    "thread",
    "bridge_lost",
    "bridge_restarted",
    "bridge_fault",
    "switched_off",
)
NOTICES = ("button_stuck", "low_battery", "low_power", "worn_cards", "needs_care", "empty")
JOURNAL_NOTICES = (
    "journal_full",
    "journal_read_only",
    "journal_broken",
    "journal_failed",
    "journal_overflow",
    "journal_back",
)
HINTS = ("worn_cards", "needs_care", "low_power")
TUNES = (
    "beep",
    "ding",
    "cards",
    "nothing",
    "refused",
    "empty",
    "jam",
    "fault",
    "left",
    "suspense-1",
    "suspense-2",
    "suspense-3",
    "suspense-4",
    "suspense-5",
)
LIGHTS = tuple(sorted(set(states.LIGHT.values())))
KINDS = (
    records.PRESS,
    records.INTENT,
    records.CARD,
    records.OUTCOME,
    records.PROTRUDING,
    records.WAIVED,
    records.REFUSAL,
    records.FAULT,
    records.CLEARED,
    records.LID,
    records.REFILL,
    records.NOTICE,
    records.START,
    records.STOP,
)

SLOTS: dict[str, Slot] = {
    "state": one_of(states.STATES, "ready"),
    "input": one_of(INPUTS, "lid"),
    "output": one_of(OUTPUTS, "beeper"),
    "refusal": one_of(dict.fromkeys(REFUSALS).keys(), "lid_open"),
    "cause": one_of(CAUSES, "jam"),
    "notice": one_of(NOTICES, "low_power"),
    "journal notice": one_of(JOURNAL_NOTICES, "journal_full"),
    "hint": one_of(HINTS, "worn_cards"),
    "tune": one_of(TUNES, "ding"),
    "light": one_of(LIGHTS, "on"),
    "record": one_of(KINDS, "outcome"),
    "card fault": one_of(FAULTS, "jams"),
    "mishap": one_of(MISHAPS.keys(), "lid-opened"),
}
