"""Puts one launcher together from the settings. The only module that knows all the parts.

Nothing is opened before everything that was asked for has been read and checked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from cannon.core import records
from cannon.core.causes import Latched
from cannon.core.commands import Record
from cannon.core.controller import Controller
from cannon.core.events import Start
from cannon.core.odds import Odds
from cannon.core.shot import Outcome
from cannon.devices.ports import Capabilities, Launcher, Signals
from cannon.errors import EXIT_WRONG_CONFIGURATION, CannonError, NotYet
from cannon.journal import (
    FOREIGN,
    NEWER,
    Journal,
    Notice,
    default_path,
    foreign_error,
    newer_error,
)
from cannon.loop import ControlLoop, EventQueue
from cannon.seeds import fresh_seed
from cannon.service.patience import patiently
from cannon.settings.calibrated import calibrated, place
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.controlling import controller_settings, power_problems
from cannon.settings.odds_models import compile_model, load_odds
from cannon.settings.signals import load_signals
from hardware import advise, load_board
from hardware.board import Board
from hardware.reading import ConfigurationError, Problem

if TYPE_CHECKING:
    from cannon.devices.lock import OneInstance
    from cannon.live import Live
    from cannon.page.opening import Opened as OpenPage
    from cannon.twin.mechanism import Physics
    from cannon.twin.twin import Twin

T = TypeVar("T")


class Plan(NamedTuple):
    """Everything that a launcher is made of, read and checked."""

    settings: CannonToml
    board: Board
    odds: dict[str, Any]
    signals: Signals
    seed: int

    @property
    def advice(self) -> list[str]:
        """What of the board works but should be better, or could not be checked."""
        return [str(problem) for problem in advise(self.board)]


NOT_OURS = {NEWER: newer_error, FOREIGN: foreign_error}


class Resumed(NamedTuple):
    """Where an earlier run of the program left off. `cut_short` is the outcome of its last shot,
    if that was interrupted; it is on record by now. `latched` is what had stopped the launcher."""

    presses: int
    owed: int
    odds_state: Any
    cut_short: Outcome | None
    latched: Latched | None = None


NEW = Resumed(presses=0, owed=0, odds_state=None, cut_short=None)


def plan(settings: CannonToml, seed: int | None = None) -> Plan:
    """Reads all that `settings` names. Raises ConfigurationError with everything that is wrong."""
    problems: list[Problem] = []
    own = settings.sound.file
    signals = _read(lambda: load_signals(Path(own)) if own else load_signals(), problems)
    board = _read(lambda: _board(settings), problems)
    odds = _read(lambda: compile_model(load_odds(settings.odds)), problems)
    if board is not None:
        problems += power_problems(board, settings)
    if problems or signals is None or board is None or odds is None:
        raise ConfigurationError(problems)
    return Plan(
        settings=settings,
        board=board,
        odds=odds,
        signals=signals.at(settings.sound.volume),
        seed=fresh_seed() if seed is None else seed,
    )


def _board(settings: CannonToml) -> Board:
    """The board with what was measured of it."""
    board = load_board(settings.board)
    return calibrated(board, place(journal_path(settings).parent, board))


def _read(load: Callable[[], T], problems: list[Problem]) -> T | None:
    """What `load` returns; where it is refused, None, and what is wrong in `problems`."""
    try:
        return load()
    except ConfigurationError as error:
        problems += error.problems
        return None


def journal_path(settings: CannonToml) -> Path:
    """Where the history is kept."""
    said = settings.journal.path
    return Path(said).expanduser() if said else default_path(os.environ)


def open_journal(path: Path, on_notice: Callable[[Notice], None]) -> Journal:
    """The journal at `path`. Raises CannonError if it belongs to a newer version of the program,
    or to another program: those are not touched. All other trouble is told to `on_notice`."""
    unusable: list[CannonError] = []

    def tell(notice: Notice) -> None:
        if notice.code in NOT_OURS:
            unusable.append(NOT_OURS[notice.code](path))
        else:
            on_notice(notice)

    journal = Journal.open(path, on_notice=tell)
    if unusable:
        journal.close()
        raise unusable[0]
    return journal


def resume(journal: Journal, model: str, counts: bool) -> Resumed:
    """What the journal knows of the last run. A shot that was cut short gets its outcome here;
    nothing is fired."""
    unfinished = journal.unfinished()
    owed, cut_short = journal.owed(), None
    if unfinished is not None:
        cut_short = _cut_short(unfinished.cards, unfinished.rest, unfinished.cards_seen, counts)
        owed += (cut_short.owed or 0) - cut_short.rest
        journal.write(records.OUTCOME, cut_short.data(), unfinished.shot)
    odds_state, latched = journal.last_odds_state(model), journal.latched()
    return Resumed(journal.last_shot(), max(0, owed), odds_state, cut_short, latched)


def _cut_short(cards: int, rest: bool, seen: int, counts: bool) -> Outcome:
    delivered = min(seen, cards) if counts else None
    return Outcome(
        decided=0 if rest else cards,
        rest=cards if rest else 0,
        delivered=delivered,
        owed=None if delivered is None else cards - delivered,
        extra=max(0, seen - cards),
        suspects=0,
        reason="interrupted",
        retries=0,
        slow=False,
        protruding=False,
    )


def make_odds(model: dict[str, Any], state: Any) -> tuple[Odds, bool]:
    """The odds where they stood, and whether the state was of any use."""
    try:
        odds, restored = Odds(model, state), True
    except ValueError:
        odds, restored = Odds(model), False
    odds.powered_on()
    return odds, restored


def controller_maker(
    plan: Plan, resumed: Resumed = NEW, odds: Any = None
) -> Callable[[Capabilities], Controller]:
    """Makes the controller once it is known what the launcher can do."""

    def make(abilities: Capabilities) -> Controller:
        return Controller(
            controller_settings(plan.board, plan.settings),
            abilities,
            odds or make_odds(plan.odds, resumed.odds_state)[0],
            Random(plan.seed),
            presses=resumed.presses,
            owed=resumed.owed,
            latched=resumed.latched,
        )

    return make


def start_record(plan: Plan, simulated: bool) -> Record:
    """What runs, for the journal. The seed makes a run repeatable."""
    data = {
        "board": plan.board.name,
        "model": plan.odds["name"],
        "seed": plan.seed,
        "simulated": simulated,
    }
    return Record(records.START, data)


def simulated(
    plan: Plan,
    resumed: Resumed = NEW,
    write: Callable[[Record], None] = lambda record: None,
    physics: Physics | None = None,
    odds: Any = None,
    **how: Any,
) -> Twin:
    """The launcher of `plan` as a digital twin; `how` goes to `Twin`."""
    from cannon.twin.twin import Twin

    return Twin(
        plan.board,
        plan.signals,
        controller_maker(plan, resumed, odds),
        plan.seed,
        physics=physics,
        write=write,
        **how,
    )


def phone_page(
    plan: Plan,
    live: Live,
    where: str,
    resumed: Resumed,
    first: Record,
    *,
    simulated: bool,
    **how: Any,
) -> OpenPage:
    """The phone page for `live`, which has not started yet, on `where` (HOST:PORT).

    Raises CannonError if that cannot be had. `how` goes to `open_page`.
    """
    from cannon.page.opening import bound, open_page

    settings = plan.settings
    page = open_page(
        live,
        bound(where),
        settings,
        simulated=simulated,
        model=plan.odds,
        board=plan.board,
        journal=journal_path(settings),
        **how,
    )
    page.hub.record(first)
    if resumed.cut_short is not None:
        page.hub.record(Record(records.OUTCOME, resumed.cut_short.data(), resumed.presses))
    return page


class Opened(NamedTuple):
    """A launcher whose hardware is open; `close` ends it, motor first.

    `sick` says what of it works no more although the program lives, or nothing: "".
    """

    launcher: Launcher
    events: EventQueue
    sick: Callable[[], str]
    close: Callable[[], None]


def open_on_pins(
    plan: Plan,
    chip: str = "",
    wait_s: float = 0.0,
    tell: Callable[[NotYet], None] = lambda trouble: None,
) -> Opened:
    """The launcher of `plan` on this computer's GPIO pins.

    Waits `wait_s` for a chip or lines that are late or in use; `tell` hears of each such trouble
    once. Raises CannonError if the pins cannot be had. Nothing else is ever used in their place.
    """
    from cannon.devices.lock import OneInstance, lock_folder

    if plan.board.computer != "pi":
        raise CannonError(
            f"The board {plan.board.name} hangs on a microcontroller, not on this computer's pins.",
            "cannon play --bridge auto",
            exit_code=EXIT_WRONG_CONFIGURATION,
        )
    lock = OneInstance(lock_folder(), "gpio")
    try:
        return _opened_on_pins(plan, lock, chip, wait_s, tell)
    except BaseException:
        lock.release()
        raise


def _opened_on_pins(
    plan: Plan, lock: OneInstance, chip: str, wait_s: float, tell: Callable[[NotYet], None]
) -> Opened:
    """The same, once no other program is there. gpiozero takes its time to be imported."""
    from cannon.devices.gpio import GpioLauncher
    from cannon.devices.guard import GuardThread
    from cannon.devices.pins import Pins, claiming, edges_arrive, open_pins

    events = EventQueue()

    def claim() -> tuple[Pins, GpioLauncher]:
        pins = open_pins(chip)
        lock.record(pins.chip, plan.board.outputs(), pins.label)
        with claiming(pins, plan.board.pins()):
            board, signals, clock = plan.board, plan.signals, time.monotonic
            return pins, GpioLauncher(board, pins.factory, signals, clock, events.post)

    pins, launcher = patiently(claim, wait_s, tell)
    guard = GuardThread(launcher.guard, time.monotonic)

    def sick() -> str:
        if not edges_arrive():
            return "the thread that brings the inputs' edges has ended"
        if not guard.works:
            return "the motor guard has stopped"
        deaf = launcher.inputs.deaf()
        return f"no edges arrive from the {deaf}" if deaf else ""

    def close() -> None:
        launcher.close()
        guard.close()
        pins.factory.close()
        lock.release()

    return Opened(launcher, events, sick, close)


def open_on_bridge(plan: Plan, port: str, wait_s: float, say: Callable[[str], None]) -> Opened:
    """The launcher behind a microcontroller on `port`, or on the one that is found with "auto".

    Waits `wait_s` for it and tells once by `say` what for. Raises CannonError if it cannot be had.
    """
    from cannon.devices.bridge_opening import open_bridge

    events = EventQueue()
    settings = controller_settings(plan.board, plan.settings)
    launcher = open_bridge(
        port,
        events.post,
        settings.plan,
        settings.power,
        plan.signals.duty,
        wait_s=wait_s,
        say=say,
    )

    def sick() -> str:
        return "" if launcher.link.alive else "the thread of the link to the board has ended"

    return Opened(launcher, events, sick, launcher.close)


def loop_of(
    plan: Plan,
    resumed: Resumed,
    opened: Opened,
    write: Callable[[Record], None],
    odds: Any = None,
) -> ControlLoop:
    """The loop for an open launcher; its first turn starts the controller."""
    controller = controller_maker(plan, resumed, odds)(opened.launcher.capabilities)
    opened.events.post(Start(opened.launcher.levels()))
    return ControlLoop(controller, opened.launcher, opened.events, time.monotonic, write)
