"""Puts what the launcher records into words, one line each, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from cannon.core import records
from cannon.core.causes import Latched
from cannon.core.commands import Record
from cannon.core.values import Snapshot
from cannon.settings.texts import Texts

Data = dict[str, Any]


def line(texts: Texts, record: Record) -> str | None:
    """One line for `record`, or None where it says nothing new to people."""
    say = _SAYINGS.get(record.kind)
    return say(texts, record.data, record.press) if say else None


def cause(texts: Texts, code: str) -> str:
    """What is wrong and what to do, for the cause of a jam, an empty hopper or a fault."""
    title = f"launcher.cause.title.{code}"
    if title not in texts:
        return code
    return f"{texts(title)} {texts(f'launcher.cause.advice.{code}')}"


def since(texts: Texts, wall_time: float | None, now: float | None = None) -> str:
    """Since when, by the clock of this computer; with the day where that is not the day of `now`,
    which usually is the present. Empty if it is not known."""
    if wall_time is None:
        return ""
    came = datetime.fromtimestamp(wall_time)
    today = came.date() == (datetime.now() if now is None else datetime.fromtimestamp(now)).date()
    return texts("launcher.told.since", time=f"{came:%H:%M}" if today else f"{came:%Y-%m-%d %H:%M}")


def latched(texts: Texts, found: Latched) -> str:
    """What stops a launcher from the start, as it had stopped it in an earlier run."""
    what = f"{cause(texts, found.cause)} {since(texts, found.wall_time)}"
    return texts("launcher.notice.latched", what=what)


def standing(texts: Texts, now: Snapshot) -> list[str]:
    """How a launcher stands: its state, what is wrong with it, what it owes, what it hints at."""
    lines = [texts(f"launcher.state.{now.state}")]
    if now.cause:
        lines += [cause(texts, now.cause), since(texts, now.cause_wall_time)]
    if now.battery_low:
        lines.append(texts("launcher.notice.low_battery"))
    if now.owed:
        lines.append(texts("launcher.told.owed_command", count=now.owed))
    lines = [line for line in lines if line]
    return [*lines, *(texts(f"launcher.notice.{hint}") for hint in now.hints)]


def notice(texts: Texts, code: str, **values: object) -> str:
    """A notice in words."""
    return texts(f"launcher.notice.{code}", **values)


def _outcome(texts: Texts, data: Data, press: int | None) -> str | None:
    if data["reason"] == "blank":
        return texts("launcher.told.blank", press=press)
    if data["delivered"] is None:
        return texts("launcher.told.unknown", press=press)
    kind = "rest" if data["rest"] else "launch"
    parts = [texts(f"launcher.told.{kind}", press=press, count=data["delivered"])]
    if data["owed"]:
        parts.append(texts("launcher.told.owed", count=data["owed"]))
    if data["extra"]:
        parts.append(texts("launcher.told.extra", count=data["extra"]))
    if data["suspects"]:
        parts.append(texts("launcher.told.suspects", count=data["suspects"]))
    return "; ".join(parts)


def _refusal(texts: Texts, data: Data, press: int | None) -> str:
    return texts("launcher.told.refused", reason=texts(f"launcher.refused.{data['reason']}"))


def _lid(texts: Texts, data: Data, press: int | None) -> str:
    return texts("launcher.told.lid_opened" if data["open"] else "launcher.told.lid_closed")


def _simple(key: str) -> Callable[[Texts, Data, int | None], str]:
    return lambda texts, data, press: texts(f"launcher.told.{key}", press=press)


_SAYINGS: dict[str, Callable[[Texts, Data, int | None], str | None]] = {
    records.OUTCOME: _outcome,
    records.REFUSAL: _refusal,
    records.LID: _lid,
    records.PROTRUDING: _simple("taken"),
    records.REFILL: _simple("refill"),
    records.CLEARED: _simple("cleared"),
    records.STOP: _simple("stopped"),
    records.FAULT: lambda texts, data, press: cause(texts, data["cause"]),
    records.NOTICE: lambda texts, data, press: notice(texts, **data),
    records.WAIVED: lambda texts, data, press: texts("launcher.told.waived", count=data["cards"]),
    records.START: lambda texts, data, press: texts("launcher.told.started", **data),
}
