"""The steps of `cannon check`: one part after another, in an order in which nothing can hurt.

A step tells the person what to do by `guide`, looks, and returns a Finding: the code of a cause
("" if all is well) and what was seen. It leaves the motor off. Nothing here prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from cannon.bringup.rig import Rig
from cannon.core.commands import FORWARD, Run
from cannon.core.events import BUTTON, EXIT, LID, Edge, MotorOff

PATIENCE_S = 30.0  # for a person to do what was asked
CARDS_S = 90.0  # to put cards in, or take them out
QUIET_S = 3.0  # how long the inputs are listened to with nothing done to them
NUDGE_S = 0.05
LONG_RUN_S = 1.5
SETTLE_S = 1.0  # after hands were at it
PRESSES = 3
CHATTER_GAP_S = 0.025  # edges further apart than that are a person's
BOUNCE_LIMIT_S = 0.040  # the lockout of a press; longer chatter would count twice
LID_LIMIT_S = 0.050  # from the lid's edge to the motor off, on a busy computer
MANY_CARDS = 5
RUNS = 10
ENDINGS = {"lid": "lid_open"}  # of a nudge, and the cause; any other is a refusal


class Guide(Protocol):
    """The person at the launcher, by codes of requests."""

    def please(self, request: str) -> None:
        """Asks the person to do something; returns at once."""
        ...

    def have(self, request: str) -> None:
        """Asks the person to do something that no switch can see; returns when it is done."""
        ...

    def ask(self, question: str, **values: object) -> bool:
        """Asks the person what they saw or heard: yes or no. `values` belong to the question."""
        ...


class Finding(NamedTuple):
    """What a step has found: `cause` is "" if the part is well. `seen` are measured values."""

    cause: str = ""
    seen: dict[str, Any] = {}  # noqa: RUF012 - never changed


class Step(NamedTuple):
    """One part: `needs` tells whether this launcher has it."""

    name: str
    needs: Callable[[Rig], bool]
    do: Callable[[Rig, Guide], Finding]


def supply(rig: Rig, guide: Guide) -> Finding:
    """The power that the person has measured, and the battery's own word if there is one."""
    if rig.launcher.levels().battery:
        return Finding("low_battery")
    return Finding() if guide.ask("supply_measured") else Finding("supply")


def lid(rig: Rig, guide: Guide) -> Finding:
    """Open and close, once each; how long the switch chatters."""
    guide.please("close_lid")
    if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().lid):
        return Finding("lid_always_open")
    rig.wait(0.5)
    rig.forget()
    guide.please("open_lid")
    if not rig.wait(PATIENCE_S, lambda: rig.launcher.levels().lid):
        return Finding("lid_always_closed")
    rig.wait(1.0)
    if not rig.launcher.levels().lid:
        return Finding("lid_does_not_stay_open")
    seen = _chatter(rig, LID)
    guide.please("close_lid")
    if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().lid):
        return Finding("lid_does_not_close", seen)
    rig.wait(0.5)
    return Finding("", seen)


def button(rig: Rig, guide: Guide) -> Finding:
    """Three presses; how long the button chatters."""
    if rig.launcher.levels().button:
        guide.please("release_button")
        if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().button):
            return Finding("button_always_down")
    seen: dict[str, Any] = {}
    for _ in range(PRESSES):
        rig.forget()
        guide.please("press_button")
        if not rig.wait(PATIENCE_S, lambda: bool(rig.edges(BUTTON))):
            return Finding("button_dead")
        if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().button):
            return Finding("button_always_down")
        rig.wait(0.3)
        seen = max(seen, _chatter(rig, BUTTON), key=lambda found: found.get("chatter_ms", 0.0))
    chatters = seen.get("chatter_ms", 0.0) > BOUNCE_LIMIT_S * 1000
    return Finding("button_chatters" if chatters else "", {"presses": PRESSES, **seen})


def beeper(rig: Rig, guide: Guide) -> Finding:
    """Two tunes that must be heard, and told apart."""
    rig.sound("beep")
    rig.sound("nothing")
    return Finding() if guide.ask("heard_two_tunes") else Finding("beeper_silent")


def light(rig: Rig, guide: Guide) -> Finding:
    """The light blinks."""
    rig.light("quick")
    return Finding() if guide.ask("light_blinked") else Finding("light_dark")


def sensor(rig: Rig, guide: Guide) -> Finding:
    """Nothing in the slot, a card in it, nothing again; and quiet with the motor off."""
    rig.forget()
    if "sensor_selftest" in rig.failed:
        return Finding("sensor_selftest")
    guide.please("empty_slot")
    if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().exit):
        return Finding("sensor_always_blocked")
    rig.wait(0.5)
    rig.forget()
    rig.wait(QUIET_S)
    noise = len(rig.edges(EXIT))
    if noise:
        return Finding("sensor_noisy", {"edges": noise, "seconds": QUIET_S})
    guide.please("card_in")
    if not rig.wait(PATIENCE_S, lambda: bool(rig.launcher.levels().exit)):
        return Finding("sensor_never_blocked")
    guide.please("card_out")
    if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().exit):
        return Finding("sensor_stays_blocked")
    rig.wait(0.5)
    return Finding("", {"edges": noise})


def hopper(rig: Rig, guide: Guide) -> Finding:
    """Cards in, and all of them out again."""
    guide.please("load_cards")
    if not rig.wait(CARDS_S, lambda: bool(rig.launcher.levels().hopper)):
        return Finding("hopper_sees_no_cards")
    rig.wait(SETTLE_S)
    guide.please("no_cards")
    if not rig.wait(CARDS_S, lambda: not rig.launcher.levels().hopper):
        return Finding("hopper_always_full")
    rig.wait(SETTLE_S)
    return Finding()


def motor(rig: Rig, guide: Guide) -> Finding:
    """A nudge of 50 ms, with no cards: does it turn, and the right way?"""
    guide.have("no_cards")
    if not _lid_shut(rig, guide):
        return Finding("lid_open")
    ended = _why(rig.forward(NUDGE_S))
    if ended != "time":
        return Finding(ENDINGS.get(ended, "motor_refused"))
    if not guide.ask("motor_turned"):
        return Finding("motor_dead")
    return Finding() if guide.ask("turned_outward") else Finding("motor_backward")


def retract(rig: Rig, guide: Guide) -> Finding:
    """The same nudge, inward."""
    if not _lid_shut(rig, guide):
        return Finding("lid_open")
    ended = _why(rig.reverse(NUDGE_S))
    if ended != "time":
        return Finding(ENDINGS.get(ended, "motor_refused"))
    if not guide.ask("motor_turned"):
        return Finding("reverse_dead")
    return Finding() if guide.ask("turned_inward") else Finding("reverse_forward")


def one_card(rig: Rig, guide: Guide) -> Finding:
    """One card comes out, and is counted as one."""
    guide.have("load_cards")
    return _fed(rig, guide, 1)


def five_cards(rig: Rig, guide: Guide) -> Finding:
    """Five cards come out, one after the other."""
    return _fed(rig, guide, MANY_CARDS)


def lid_while_running(rig: Rig, guide: Guide) -> Finding:
    """The lid is opened while the motor runs, with no cards: it must stop by itself."""
    guide.have("no_cards")
    for _ in range(RUNS):  # a person is not quick: another run, until the lid was opened in one
        if not _lid_shut(rig, guide):
            return Finding("lid_open")
        rig.forget()
        guide.please("open_lid_now")
        rig.launcher.do(Run(FORWARD, 1.0, min(LONG_RUN_S, rig.plan.max_run)))
        rig.wait(LONG_RUN_S + 0.5, until=lambda: bool(rig.ends()))
        cut = [end for end in rig.ends() if end.reason == "lid"]
        if cut:
            opened = [edge.at for edge in rig.edges(LID) if edge.active]
            late_s = cut[0].at - min(opened, default=cut[0].at)
            seen = {"reaction_ms": round(late_s * 1000, 1)}
            return Finding("lid_slow" if late_s > LID_LIMIT_S else "", seen)
    rig.launcher.off()
    return Finding("lid_does_not_cut")


def _lid_shut(rig: Rig, guide: Guide) -> bool:
    """Has the lid shut before the motor runs; and hands have a moment to get away."""
    if rig.launcher.levels().lid:
        guide.please("close_lid")
        if not rig.wait(PATIENCE_S, lambda: not rig.launcher.levels().lid):
            return False
    rig.wait(SETTLE_S)
    return True


def _why(ends: list[MotorOff]) -> str:
    """How a run has ended; "" if that was never told."""
    return ends[-1].reason if ends else ""


def _fed(rig: Rig, guide: Guide, cards: int) -> Finding:
    if not _lid_shut(rig, guide):
        return Finding("lid_open")
    fed = rig.feed(cards)
    seen = {"wanted": cards, "counted": fed.cards, "retries": fed.retries}
    if fed.reason == "lid":
        return Finding("lid_open", seen)
    if fed.cards is None:
        right = guide.ask("one_card_came" if cards == 1 else "about_five_cards_came")
        return Finding("" if right else "wrong_count", seen)
    if fed.blocked:
        return Finding("card_stuck", seen)
    if fed.cards < cards:
        return Finding("too_few_cards" if fed.cards else "no_card", seen)
    if fed.suspects or fed.cards > cards:
        return Finding("double_feed", seen)
    return Finding("" if guide.ask("count_is_right", counted=fed.cards) else "miscount", seen)


def _chatter(rig: Rig, name: str) -> dict[str, Any]:
    """How long a contact chatters, where that can be heard."""
    return {"chatter_ms": _chatter_ms(rig.edges(name))} if rig.hears_raw else {}


def _chatter_ms(edges: list[Edge]) -> float:
    """The longest burst of edges that are closer together than a person can act, in ms."""
    longest = first = last = None
    for edge in edges:
        if last is None or first is None or edge.at - last > CHATTER_GAP_S:
            first = edge.at
        last = edge.at
        longest = max(longest or 0.0, last - first)
    return round((longest or 0.0) * 1000, 1)


def _always(rig: Rig) -> bool:
    return True


def _counts(rig: Rig) -> bool:
    return rig.launcher.capabilities.counts


STEPS = (
    Step("supply", _always, supply),
    Step("lid", _always, lid),
    Step("button", _always, button),
    Step("beeper", lambda rig: rig.board.beeper is not None, beeper),
    Step("light", lambda rig: rig.board.light is not None, light),
    Step("sensor", _counts, sensor),
    Step("hopper", lambda rig: rig.board.hopper_sensor is not None, hopper),
    Step("motor", _always, motor),
    Step("retract", lambda rig: rig.launcher.capabilities.retracts, retract),
    Step("one_card", _always, one_card),
    Step("five_cards", _always, five_cards),
    Step("lid_while_running", _always, lid_while_running),
)
