"""What can happen in a scenario: one pattern per kind of line, and what it does to the stage.

Lines before `switch on` prepare the launcher, so time does not pass in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannon.core import events
from cannon.core.events import BATTERY, BUTTON, EXIT
from cannon.twin.mechanism import LAST
from cannon.twin.stage import NotNow, Stage

PAGE = "page"

Act = Callable[..., None]


def _hands(act: Act) -> Act:
    """Something that hands do: what is heard from now on belongs to it."""

    def do(stage: Stage, *values: Any) -> None:
        stage.act()
        act(stage, *values)

    return do


def _presses(act: Act) -> Act:
    """A press: the cards that come from now on belong to it."""

    def do(stage: Stage, *values: Any) -> None:
        stage.press()
        act(stage, *values)

    return do


def _asks(make: Callable[..., events.Event]) -> Act:
    """Somebody asks for something on the page."""

    def do(stage: Stage, *values: Any) -> None:
        stage.act()
        stage.post(make(*values))

    return do


def _press_times(stage: Stage, times: int, every_s: float) -> None:
    for _ in range(times):
        stage.twin.press(min(0.06, every_s / 2))
        stage.wait(every_s)


def _chatter(stage: Stage, name: str, edges: int, for_s: float) -> None:
    """The contact jumps that many times and ends where it began, if their number is even."""
    stage.must_have(name)
    before = stage.twin.wires.levels[name]
    for edge in range(edges):
        stage.twin.move(name, before == (edge % 2 == 1))
        stage.wait(for_s / edges)


def _spikes(
    stage: Stage, count: int, name: str, shortest_s: float, longest_s: float, within_s: float
) -> None:
    stage.must_have(name)
    twin, rng = stage.twin, stage.twin.rng
    for _ in range(count):
        at = twin.clock.now + within_s * rng.random()
        for_s = shortest_s + (longest_s - shortest_s) * rng.random()
        twin.agenda.at(at, lambda for_s=for_s: twin.noise.spike(name, for_s))  # type: ignore[misc]


def _noise(stage: Stage, per_s: float, longest_s: float) -> None:
    stage.twin.noise.per_s, stage.twin.noise.longest_s = per_s, longest_s


def _stick(stage: Stage, name: str, active: bool) -> None:
    stage.must_have(name)
    stage.twin.wires.stick(name, active)


def _refill(stage: Stage, cards: int) -> None:
    stage.twin.open_lid()
    stage.wait(0.6)
    stage.twin.load(cards)
    stage.wait(0.6)
    stage.twin.close_lid()


def _plan_card(stage: Stage, number: int, fault: str) -> None:
    stage.twin.mechanism.plan[number] = fault


def _chance(name: str) -> Act:
    return lambda stage, chance: setattr(stage.twin.mechanism.physics, name, chance)


def _pins_of(stage: Stage, output: str) -> list[int]:
    board = stage.twin.board
    device = getattr(board, output)
    if device is None:
        raise NotNow(f"the board {board.name!r} has no {output}")
    if output == "motor":
        pins = (board.motor.forward, board.motor.backward)
        return [pin for pin in pins if pin is not None]
    return [device.pin]


def _break_output(stage: Stage, output: str) -> None:
    for pin in _pins_of(stage, output):
        stage.twin.pins.break_pin(pin, only_on=output == "motor")


def _mend_output(stage: Stage, output: str) -> None:
    for pin in _pins_of(stage, output):
        stage.twin.pins.mend_pin(pin)


def _break_input(stage: Stage, name: str) -> None:
    stage.must_have(name)
    stage.twin.pins.break_pin(stage.twin.wires.pin(name))


def _mend_input(stage: Stage, name: str) -> None:
    stage.must_have(name)
    stage.twin.pins.mend_pin(stage.twin.wires.pin(name))
    stage.twin.mend(name)


def _sometimes(stage: Stage, mishap: str, chance: float) -> None:
    stage.field.chances[mishap] = chance


def _play(stage: Stage, presses: int) -> None:
    stage.must_be_on()
    stage.person.play(presses, stage.pressed)


ACTIONS: dict[str, Act] = {
    # time
    "wait {time}": lambda stage, for_s: stage.wait(for_s),
    "wait for {state}": lambda stage, state: stage.wait_until(
        f"the state {state}", lambda: stage.state == state
    ),
    # the supply and the program
    "switch on": lambda stage: stage.switch_on(),
    "switch off": lambda stage: stage.switch_off(),
    "cut power": lambda stage: stage.cut_power(),
    "loop freezes for {time}": lambda stage, for_s: stage.twin.freeze(for_s),
    "edges are lost": lambda stage: setattr(stage.twin.pins, "deaf", True),
    # the button
    "press": _presses(lambda stage: stage.twin.press()),
    "press for {time}": _presses(lambda stage, for_s: stage.twin.press(for_s)),
    "press {count} times every {time}": _presses(_press_times),
    "tap for {time}": _presses(lambda stage, for_s: stage.twin.press(for_s, bounces=False)),
    "hold button": _presses(lambda stage: stage.twin.contact(BUTTON, True)),
    "let go of button": _hands(lambda stage: stage.twin.contact(BUTTON, False)),
    # lid, cards and slot
    "open lid": _hands(lambda stage: stage.twin.open_lid()),
    "close lid": _hands(lambda stage: stage.twin.close_lid()),
    "load {count} cards": _hands(lambda stage, cards: stage.twin.load(cards)),
    "refill {count} cards": _hands(_refill),
    "take card": _hands(lambda stage: stage.twin.clear()),
    "card {count} {card fault}": _plan_card,
    "last card {card fault}": lambda stage, fault: _plan_card(stage, LAST, fault),
    "misfeeds {percent}": _chance("misfeed"),
    "double feeds {percent}": _chance("double"),
    "jams {percent}": _chance("jam"),
    "sticking cards {percent}": _chance("stick"),
    # the page
    "page presses": _presses(lambda stage: stage.post(events.Press(PAGE))),
    "page asks for {count} cards": _asks(lambda cards: events.Request(cards)),
    "page acknowledges": _asks(lambda: events.Acknowledge(PAGE)),
    "page delivers rest": _asks(lambda: events.DeliverRest(PAGE)),
    "page cancels rest": _asks(lambda: events.CancelRest(PAGE)),
    "page says refilled": _asks(lambda: events.Refilled(PAGE)),
    # batteries
    "motor at {percent}": lambda stage, speed: stage.twin.battery(speed),
    "battery low": lambda stage: stage.twin.wires.set(BATTERY, True),
    "battery fine": lambda stage: stage.twin.wires.set(BATTERY, False),
    "batteries last {count} cards": lambda stage, cards: setattr(
        stage.field, "cards_per_battery", cards
    ),
    # wires, sensor, noise
    "{input} chatters {count} edges in {time}": _chatter,
    "{count} spikes on {input} of {time} to {time} within {time}": _spikes,
    "noise {number} per s up to {time}": _noise,
    "no noise": lambda stage: _noise(stage, 0.0, 0.0),
    "cut wire of {input}": lambda stage, name: stage.cut_wire(name),
    "sensor blocked": lambda stage: _stick(stage, EXIT, True),
    "sensor blinded": lambda stage: _stick(stage, EXIT, False),
    "hopper seen empty": lambda stage: _stick(stage, events.HOPPER, False),
    "break pin of {input}": _break_input,
    "mend {input}": _mend_input,
    # other parts
    "break {output}": _break_output,
    "mend {output}": _mend_output,
    "break journal": lambda stage: setattr(stage, "journal_raises", True),
    "journal file broken": lambda stage: stage.program.disk("broken"),
    "disk full": lambda stage: stage.program.disk("full"),
    "disk read-only": lambda stage: stage.program.disk("read-only"),
    "disk well": lambda stage: stage.program.disk("well"),
    "wall clock {signed time}": lambda stage, jump_s: stage.program.wall_clock(jump_s),
    # people
    "play {count} presses": _play,
    "people pause {time}": lambda stage, pause_s: setattr(stage.person, "pause_s", pause_s),
    "people refill to {count} cards": lambda stage, cards: setattr(stage.person, "refill", cards),
    "sometimes {mishap} {percent}": _sometimes,
}

NEEDS_JOURNAL = {"journal", "disk", "file", "wall", "power", "off"}
"""Lines with one of these words make sense only with a journal."""


def _card_left(stage: Stage, number: int) -> None:
    stage.wait_until(
        f"card {number}", lambda: stage.twin.mechanism.out >= stage.out_at_press + number
    )


def _at(stage: Stage, time_s: float) -> None:
    if time_s < stage.twin.clock.now:
        raise NotNow(f"it is {stage.twin.clock.now:.3f} s already")
    stage.wait(time_s - stage.twin.clock.now)


MOMENTS: dict[str, Act] = {
    "at {time}": _at,
    "after card {count}": _card_left,
    "when {state}": lambda stage, state: stage.wait_until(
        f"the state {state}", lambda: stage.state == state
    ),
}
"""What may stand before another line of this table: it is waited for."""
