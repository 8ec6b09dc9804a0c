"""`cannon play`: runs the launcher until it is stopped, on real pins or simulated."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import msgspec

from cannon.core.events import Failure
from cannon.errors import CannonError, NotYet
from cannon.service.manager import Manager
from cannon.service.patience import start_s
from cannon.service.watchdog import Watchdog

if TYPE_CHECKING:
    from cannon.app import Plan
    from cannon.core.commands import Record
    from cannon.journal import Journal, Notice
    from cannon.live import Live
    from cannon.settings.cannon_toml import CannonToml
    from cannon.settings.texts import Texts

log = logging.getLogger("cannon")


@click.command()
@click.option("--simulate", is_flag=True, help="A simulated launcher, in place of real pins.")
@click.option("--board", help="The board: a name, or the path of a file.")
@click.option("--odds", help="The odds model: a name, or the path of a file.")
@click.option("--seed", type=int, help="Repeats a run; by default each start is fresh.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--journal", help="The database with the history.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option("--debug", is_flag=True, hidden=True)
def command(
    simulate: bool,
    board: str | None,
    odds: str | None,
    seed: int | None,
    chip: str,
    journal: str | None,
    config: str | None,
    debug: bool,
) -> None:
    """Runs the launcher until it is stopped.

    On a Raspberry Pi it drives the real pins of the board. With --simulate it drives a simulated
    launcher, which on a terminal can be played right there.
    """
    from cannon import app
    from cannon.settings.texts import texts_for

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("transitions").setLevel(logging.ERROR)  # it tells of every transition
    settings = _settings(config, board=board, odds=odds, journal=journal)
    texts = texts_for(settings.language or None)
    plan = app.plan(settings, seed)
    teller = Teller(texts)
    history = app.open_journal(app.journal_path(settings), teller.notice)
    try:
        _run(plan, history, texts, teller, simulate, chip)
    finally:
        history.close()


def _settings(config: str | None, **given: str | None) -> CannonToml:
    """The settings of the file, with the command line's options above them."""
    from cannon.settings.cannon_toml import Journal, load_settings

    settings = load_settings(config)
    for name in ("board", "odds"):
        if given[name]:
            settings = msgspec.structs.replace(settings, **{name: given[name]})
    if given["journal"]:
        settings = msgspec.structs.replace(settings, journal=Journal(path=given["journal"]))
    return settings


class Teller:
    """Tells the notices of the journal, as lines of the log, or where `say` says."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self.say: Callable[[str], None] = log.warning

    def notice(self, notice: Notice) -> None:
        """Takes a notice of the journal, in its thread."""
        self.say(
            self._texts(
                f"launcher.notice.{notice.code}",
                detail=notice.detail,
                lost=notice.lost,
                moved_to=notice.moved_to,
            )
        )


def _run(
    plan: Plan, journal: Journal, texts: Texts, teller: Teller, simulate: bool, chip: str
) -> None:
    from cannon import app, telling
    from cannon.live import LivePins, LiveTwin, watch_threads
    from cannon.terminal.playing import (
        leave_at_signals,
        on_a_terminal,
        play_in_lines,
        stop_at_signals,
    )

    def write(record: Record) -> None:
        journal.write(record.kind, record.data, record.press)

    leave_at_signals()
    resumed = app.resume(journal, plan.odds["name"], plan.board.exit_sensor is not None)
    live: Live
    sick: Callable[[], str] = str  # nothing of a simulation ever is
    if simulate:
        heading = texts("launcher.simulation")
        live = LiveTwin(app.simulated(plan, resumed, write))
    else:
        heading = texts("launcher.on_pins", board=plan.board.name)
        wait_s = start_s(os.environ)
        pins = app.on_pins(plan, resumed, write, chip, wait_s, _waiting(texts, wait_s))
        live, sick = LivePins(pins.loop, pins.close), pins.sick
    stop_at_signals(live)
    watch_threads(live)
    started = app.start_record(plan, simulate)
    write(started)
    hello = [heading, telling.line(texts, started), _cut_short(texts, resumed.cut_short)]
    try:
        if isinstance(live, LiveTwin) and on_a_terminal():
            _on_screen(live, texts, teller, [line for line in hello if line])
        else:
            for line in hello:
                if line:
                    log.info(line)
            with _watchdog(live, sick, texts):
                play_in_lines(live, texts)
    finally:
        live.stop()
    if live.crashed:
        raise CannonError("The control loop has ended by itself; the motor is off.", "See the log.")


def _waiting(texts: Texts, wait_s: float) -> Callable[[NotYet], None]:
    def tell(trouble: NotYet) -> None:
        log.warning(texts("launcher.notice.waiting", what=trouble.what, seconds=f"{wait_s:.0f}"))

    return tell


def _watchdog(live: Live, sick: Callable[[], str], texts: Texts) -> Watchdog:
    loop = live.loop
    return Watchdog(
        Manager(),
        turns=lambda: loop.turns,
        sick=sick,
        off=loop.launcher.off,
        on_sick=lambda trouble: live.post(Failure("thread", trouble)),
        status=lambda: texts(f"launcher.state.{loop.controller.state}"),
    )


def _on_screen(live: Any, texts: Texts, teller: Teller, hello: list[str]) -> None:
    from cannon.terminal.playing import play_on_screen
    from cannon.terminal.screen import Screen

    screen = Screen(texts, hello[0], live.twin)
    teller.say = screen.say
    for line in hello[1:]:
        screen.say(line)
    play_on_screen(live, texts, screen)


def _cut_short(texts: Texts, outcome: Any) -> str | None:
    """What is said of a shot that the end of the last run has cut short."""
    if outcome is None:
        return None
    if outcome.delivered is None:
        return texts("launcher.notice.interrupted_unknown")
    wanted = outcome.decided + outcome.rest
    return texts("launcher.notice.interrupted", delivered=outcome.delivered, wanted=wanted)
