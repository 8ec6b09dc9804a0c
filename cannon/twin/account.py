"""Keeps the account of a simulated run from the records, and watches the promises.

The promises are checked at every change, not at the end: the motor is never on with the lid open
(beyond the reaction limit), never beyond the cap of a run, never in both directions, never without
a press; every accepted press has exactly one outcome; what was wanted is what was delivered and
what is owed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cannon.core.commands import Record

LID_REACTION_S = 0.005 + 1e-6  # the guard's poll, for the case that no edge tells
VIOLATIONS_KEPT = 20  # as sentences; the others are only counted


class Account:
    """Counts presses, cards and faults, and collects violations of the promises as sentences."""

    def __init__(self, cap_s: float) -> None:
        self._cap_s = cap_s
        self.presses = 0
        self.launches = 0
        self.blanks = 0
        self.rests = 0
        self.decided = 0
        self.delivered: int | None = 0
        self.extra = 0
        self.suspects = 0
        self.refills = 0
        self.motor_starts = 0
        self.waived = 0
        self.owed = 0
        self.refusals: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.notices: Counter[str] = Counter()
        self.violation_count = 0
        self.violations: list[str] = []  # the first ones
        self._open_presses: set[int] = set()
        self._unasked: float | None = None  # since when the motor runs, and no press is known yet
        self._on: dict[str, float] = {}
        self._lid_open_since: float | None = None

    # --- the records --------------------------------------------------------------------------

    def record(self, record: Record) -> None:
        """Takes what the controller put on record."""
        take = getattr(self, f"_{record.kind}", None)
        if take is not None:
            take(record.data, record.press)

    def _press(self, data: dict[str, Any], press: int) -> None:
        self._unasked = None  # the motor comes first, then the record
        self.presses += 1
        self.rests += data["rest"]
        self._open_presses.add(press)

    def _outcome(self, data: dict[str, Any], press: int) -> None:
        if press not in self._open_presses:
            self._violated(f"press {press} has two outcomes, or one without a press")
        self._open_presses.discard(press)
        self.decided += data["decided"]
        self.extra += data["extra"]
        self.suspects += data["suspects"]
        wanted = data["decided"] + data["rest"]
        if data["reason"] == "blank":
            self.blanks += 1
        elif data["decided"]:
            self.launches += 1
        self.owed += (data["owed"] or 0) - data["rest"]
        if data["delivered"] is None:
            self.delivered = None
            return
        if self.delivered is not None:
            self.delivered += data["delivered"]
        if wanted != data["delivered"] + data["owed"]:
            self._violated(f"press {press}: {data} does not add up")

    def _protruding(self, data: dict[str, Any], press: int) -> None:
        self.owed -= data["delivered"]
        self.extra += data["extra"]
        if self.delivered is not None:
            self.delivered += data["delivered"]

    def _waived(self, data: dict[str, Any], press: int | None) -> None:
        self.waived += data["cards"]
        self.owed -= data["cards"]

    def _refusal(self, data: dict[str, Any], press: int | None) -> None:
        self.refusals[data["reason"]] += 1

    def _fault(self, data: dict[str, Any], press: int | None) -> None:
        self.faults[data["cause"]] += 1

    def _refill(self, data: dict[str, Any], press: int | None) -> None:
        self.refills += 1

    def _notice(self, data: dict[str, Any], press: int | None) -> None:
        self.notices[data["code"]] += 1

    def restarted(self, owed: int) -> None:
        """The program has come up again, and knows of `owed` cards."""
        if owed != self.owed:
            self._violated(f"after a restart {owed} cards are owed, before it were {self.owed}")

    # --- the motor and the lid ----------------------------------------------------------------

    def motor(self, side: str, on: bool, now: float) -> None:
        """An output of the motor ("forward" or "backward") has changed."""
        if self._unasked is not None and now > self._unasked:
            self._violated(f"at {self._unasked:.3f} s the motor started without a press")
            self._unasked = None
        if on:
            self.motor_starts += 1
            if not self._open_presses:
                self._unasked = now
            if self._on:
                self._violated(f"at {now:.3f} s the motor is driven both ways")
            if self._lid_open_since is not None and now > self._lid_open_since:
                self._violated(f"at {now:.3f} s the motor starts with the lid open")
            self._on[side] = now
            return
        began = self._on.pop(side, None)
        if began is None:
            return
        if now - began > self._cap_s + 1e-6:
            self._violated(f"at {now:.3f} s the motor ran for {now - began:.3f} s")
        if self._lid_open_since is not None:
            late = now - max(began, self._lid_open_since)
            if late > LID_REACTION_S:
                self._violated(f"the motor ran {late:.3f} s with the lid open")

    def lid(self, is_open: bool, now: float) -> None:
        """The lid's switch has moved."""
        self._lid_open_since = now if is_open else None

    @property
    def motor_on(self) -> bool:
        """Whether the motor is driven."""
        return bool(self._on)

    @property
    def settled(self) -> bool:
        """Whether every press that was taken has its outcome."""
        return not self._open_presses

    def finish(self) -> None:
        """The launcher has been closed: what must be true now?"""
        if self._on:
            self._violated("the motor is on at the end")
        if self._open_presses:
            self._violated(f"no outcome for the presses {sorted(self._open_presses)}")
        due = self.decided - self.owed - self.waived
        if self.delivered is not None and self.delivered != due:
            self._violated(
                f"decided {self.decided} is not delivered {self.delivered}, owed {self.owed} "
                f"and waived {self.waived}"
            )

    def _violated(self, sentence: str) -> None:
        self.violation_count += 1
        if self.violation_count <= VIOLATIONS_KEPT:
            self.violations.append(sentence)
