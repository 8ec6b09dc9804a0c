"""The launcher as the page shows it: folds what is told of it, and puts it into words."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec

from cannon import telling
from cannon.core import records, states
from cannon.core.commands import Record
from cannon.core.values import Snapshot
from cannon.settings.texts import Texts
from cannon.table.edition import Text, text
from cannon.web.hub import News, Told

SHOTS = 12
LINES = 40

TONES = {
    states.READY: "good",
    states.LID_OPEN: "wait",
    states.EMPTY: "wait",
    states.STARTING: "wait",
    states.JAMMED: "bad",
    states.FAULT: "bad",
    states.STOPPING: "bad",
}  # all others: "busy"


class Facts(msgspec.Struct, frozen=True):
    """What does not change while the launcher runs. `board` and `odds` are titles."""

    simulated: bool
    board: Text
    counts: bool
    odds: Text = ""
    remote_firing: bool = False
    shutdown: bool = False
    owed: str = "press"  # who brings cards that are owed: press, command or forget


class Shot(msgspec.Struct):
    """A press and what came of it. `cards` is None where nobody counted, `doubtful` where some may
    have been two; `whose` takes them."""

    press: int
    wait: int
    kind: str  # pending, blank, cards, rest, cut, unknown
    cards: int | None
    whose: str
    doubtful: bool = False


class LauncherNow:
    """Everything that is known of the launcher. `away` is why it cannot be seen, if it cannot."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.news = News()
        self.away = True
        self._shots: deque[Shot] = deque(maxlen=SHOTS)
        self._lines: deque[Told] = deque(maxlen=LINES)

    @property
    def snapshot(self) -> Snapshot | None:
        return self.news.snapshot

    def take(self, news: News) -> None:
        """Takes the newest state. Records are taken one by one, see `record`."""
        self.away = False
        self.news = news

    def record(self, told: Told, whose: str) -> None:
        """Takes a record; `whose` are the cards of the present press."""
        data = told.data
        if told.kind == records.PRESS:
            self._shots.append(Shot(told.press or 0, data["wait"], "pending", None, whose))
        elif told.kind == records.OUTCOME:
            self._settle(told, whose)
        elif told.kind == records.PROTRUDING and self._shots:
            shot = self._shots[-1]
            if shot.press == told.press and shot.cards is not None:
                shot.cards += data["delivered"] + data["extra"]
        if told.kind not in (records.PRESS, records.INTENT, records.CARD):
            self._lines.append(told)

    def _settle(self, told: Told, whose: str) -> None:
        shot = self._shots[-1] if self._shots else None
        if shot is None or shot.press != told.press:  # of a press in an earlier run
            shot = Shot(told.press or 0, 0, "pending", None, whose)
            self._shots.append(shot)
        data = told.data
        delivered = data["delivered"]
        shot.cards = None if delivered is None else delivered + data["extra"]
        shot.kind = _kind(data)
        shot.doubtful = data["suspects"] > 0

    def lines(self, texts: Texts) -> list[str]:
        """What happened, in words, the newest last."""
        said = (self._line(texts, told) for told in self._lines)
        return [line for line in said if line]

    def _line(self, texts: Texts, told: Told) -> str | None:
        """A record in words; what has started is this launcher, so it is called by its titles."""
        data = told.data
        if told.kind == records.START:
            facts, language = self.facts, texts.language
            titles = {"board": text(facts.board, language), "model": text(facts.odds, language)}
            data = data | titles
        return telling.line(texts, Record(told.kind, data, told.press))

    def as_object(self, texts: Texts) -> dict[str, Any]:
        """What phones are shown."""
        news, now = self.news, self.news.snapshot
        if now is None or self.away:
            return {"state": "away", "tone": "wait", "headline": texts("page.launcher.away")}
        return {
            "state": now.state,
            "tone": TONES.get(now.state, "busy"),
            "headline": texts(f"launcher.state.{now.state}"),
            "advice": _advice(texts, now),
            "since": telling.since(texts, now.cause_wall_time),
            "refusal": texts(f"launcher.refused.{now.refusal}") if now.refusal else "",
            "lid_open": now.lid_open,
            "button_down": now.button_down,
            "battery_low": now.battery_low,
            "protruding": now.protruding,
            "motor": news.motor,
            "light": news.light,
            "tune": news.tune,
            "press": now.press,
            "presses": now.presses,
            "wait": now.wait,
            "cards": now.cards,
            "owed": now.owed,
            "owed_words": self._owed_words(texts, now.owed),
            "trouble": [telling.notice(texts, code, **places) for code, places in news.trouble],
            "hints": [telling.notice(texts, hint) for hint in now.hints],
            "stack": news.stack,
            "faults": news.faults,
            "shots": [self._shot(texts, shot) for shot in reversed(self._shots)],
            "lines": self.lines(texts)[::-1],
        }

    def _owed_words(self, texts: Texts, owed: int) -> str:
        if not owed:
            return ""
        waits = self.facts.owed == "command"
        return texts("launcher.told.owed_command" if waits else "launcher.told.owed", count=owed)

    def _shot(self, texts: Texts, shot: Shot) -> dict[str, Any]:
        words = texts(f"page.shot.{shot.kind}", count=shot.cards or 0)
        if shot.doubtful:
            words = texts("page.shot.doubtful", words=words)
        return {"press": shot.press, "kind": shot.kind, "cards": shot.cards, "words": words} | (
            {"whose": shot.whose} if shot.whose else {}
        )


def _kind(data: dict[str, Any]) -> str:
    if data["delivered"] is None:
        return "unknown"
    if (data["owed"] or 0) > 0 and not data["protruding"]:
        return "cut"
    if data["rest"]:
        return "rest"
    return "cards" if data["delivered"] + data["extra"] or data["protruding"] else "blank"


def _advice(texts: Texts, now: Snapshot) -> str:
    """What to do now, where it is the launcher that waits for people."""
    if now.cause:
        return telling.cause(texts, now.cause)
    if now.protruding:
        return texts("launcher.refused.protruding")
    if now.state == states.LID_OPEN:
        return texts("launcher.refused.lid_open")
    return ""
