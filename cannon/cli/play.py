"""`cannon play`: runs the launcher until it is stopped, on real pins or simulated."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from cannon.core.events import Failure
from cannon.dating import Dated
from cannon.errors import CannonError, NotYet
from cannon.service.control import Control, socket_path
from cannon.service.manager import Manager
from cannon.service.patience import start_s
from cannon.service.power import ShotPower, noted, throttled
from cannon.service.watchdog import Watchdog

if TYPE_CHECKING:
    from pathlib import Path

    from cannon.app import Opened as OpenLauncher
    from cannon.app import Plan, Resumed
    from cannon.core.commands import Record
    from cannon.core.odds import Odds
    from cannon.journal import Journal, Notice
    from cannon.live import Live
    from cannon.page.opening import Opened
    from cannon.settings.cannon_toml import CannonToml
    from cannon.settings.texts import Texts
    from cannon.web.hub import Trouble

log = logging.getLogger("cannon")

SWITCH_S = 0.0005
"so long may a busy thread keep the lid's edge waiting; Python's own 5 ms are for throughput"


@click.command()
@click.option("--simulate", is_flag=True, help="A simulated launcher, in place of real pins.")
@click.option("--board", help="The board: a name, or the path of a file.")
@click.option("--odds", help="The odds model: a name, or the path of a file.")
@click.option("--seed", type=int, help="Repeats a run; by default each start is fresh.")
@click.option("--bridge", help="The port of a microcontroller, or auto.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--journal", help="The database with the history.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option(
    "--web",
    metavar="HOST:PORT",
    help="Opens the phone page there: 127.0.0.1:8080 for this machine, :8080 for the network.",
)
@click.option("--debug", is_flag=True, hidden=True)
def command(
    simulate: bool,
    board: str | None,
    odds: str | None,
    seed: int | None,
    bridge: str | None,
    chip: str,
    journal: str | None,
    config: str | None,
    web: str | None,
    debug: bool,
) -> None:
    """Runs the launcher until it is stopped.

    On a Raspberry Pi it drives the real pins of the board. With --simulate it drives a simulated
    launcher, which on a terminal can be played right there.
    """
    from cannon import app
    from cannon.settings.texts import texts_for
    from cannon.terminal.playing import leave_at_signals

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("transitions").setLevel(logging.ERROR)  # it tells of every transition
    sys.setswitchinterval(SWITCH_S)
    gc.disable()  # a start leaves no garbage, and looking for it takes a fifteenth of the time
    try:
        again = True
        while again:  # once more after settings were changed on the page
            given = {"board": board, "odds": odds, "journal": journal, "bridge": bridge}
            settings = _settings(config, simulate, given)
            texts = texts_for(settings.language or None)
            plan = app.plan(settings, seed)
            teller = Teller(texts)
            page = PageWish(web or _usual_web(settings), must_be=bool(web), config=config or "")
            leave_at_signals()
            with ExitStack() as release:
                # The launcher comes first: it lets one program in, and only that one may write on.
                opened = _opened(plan, Where(simulate, bridge or "", chip), texts)
                if opened is not None:
                    release.callback(opened.close)
                history = app.open_journal(app.journal_path(settings), teller.notice)
                release.callback(history.close)
                _run(plan, opened, history, texts, teller, page)
            again = page.again
    finally:
        gc.enable()


def _settings(config: str | None, simulate: bool, given: dict[str, str | None]) -> CannonToml:
    """The settings of the file and of the page, with the command line's options above them.

    A simulation has a history of its own: its cards are not owed by, nor to, a real launcher.
    """
    from cannon import app
    from cannon.journal import SIMULATED
    from cannon.settings.cannon_toml import BRIDGE_BOARD, CannonToml, Journal, load_settings
    from cannon.settings.changes import NAME, load_changes

    settings = load_settings(config)
    if given["bridge"] and not given["board"] and settings.board == CannonToml().board:
        settings = msgspec.structs.replace(settings, board=BRIDGE_BOARD)
    path = given["journal"]
    if simulate and not path:
        path = str(app.journal_path(settings).with_name(SIMULATED))
    if path:
        settings = msgspec.structs.replace(settings, journal=Journal(path=path))
    place = app.journal_path(settings).parent / NAME
    settings = load_changes(settings, place, _damaged(settings, place))
    for name in ("board", "odds"):
        if given[name]:
            settings = msgspec.structs.replace(settings, **{name: given[name]})
    return settings


def _usual_web(settings: CannonToml) -> str:
    """Where the page is opened if the command line does not say; empty: nowhere."""
    web = settings.web
    host = f"[{web.host}]" if ":" in web.host else web.host
    return f"{host}:{web.port}" if web.on else ""


def _damaged(settings: CannonToml, place: Path) -> Callable[[str], None]:
    """Tells what became of the settings that were changed on the page."""
    from cannon.settings.texts import texts_for

    texts = texts_for(settings.language or None)
    return lambda code: log.warning(texts(f"launcher.notice.{code}", path=place))


class PageWish:
    """What is wanted of the phone page, and what was wished on it in the end.

    `where` is HOST:PORT, empty for no page. One that `must_be` and cannot is an error; else play
    goes on without. `config` is the file of the settings, empty for the usual one. `again`: to run
    once more, with changed settings.
    """

    def __init__(self, where: str, must_be: bool, config: str) -> None:
        self.where = where
        self.must_be = must_be
        self.config = config
        self.again = False
        self.halt = False


class Where(NamedTuple):
    """Which launcher: a simulated one, one behind the port `bridge`, or the pins of `chip`."""

    simulate: bool
    bridge: str
    chip: str


class Teller:
    """Tells the notices of the journal, as lines of the log, or where `say` says.

    `trouble` is what was told and is not over: for the page, which shows it as long as it lasts.
    That a broken history was moved aside is told on it to the end of this run. `changed` is called
    when there is more or less of it.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self.say: Callable[[str], None] = log.warning
        self.changed: Callable[[], None] = lambda: None
        self.trouble: Trouble = ()

    def notice(self, notice: Notice) -> None:
        """Takes a notice of the journal, in its thread."""
        from cannon.journal import BACK

        places = {"detail": notice.detail, "moved_to": str(notice.moved_to)}
        self.say(self._texts(f"launcher.notice.{notice.code}", **places))
        self.trouble = () if notice.code == BACK else (*self.trouble, (notice.code, places))
        self.changed()


def _run(
    plan: Plan,
    opened: OpenLauncher | None,
    journal: Journal,
    texts: Texts,
    teller: Teller,
    wish: PageWish,
) -> None:
    """Plays on the launcher that is open, or on a simulated one."""
    from cannon import app, telling
    from cannon.live import LiveTwin, watch_threads
    from cannon.terminal.playing import on_a_terminal, play_in_lines, stop_at_signals

    def write(record: Record) -> None:
        journal.write(record.kind, record.data, record.press)
        power.see(record)

    def too_little_power(press: int | None) -> None:
        record = noted(press)
        journal.write(record.kind, record.data, record.press)
        log.warning(telling.line(texts, record))

    simulate = opened is None
    power = ShotPower(throttled if not simulate else lambda: None, too_little_power)
    resumed = app.resume(journal, plan.odds["name"], plan.board.exit_sensor is not None)
    odds, odds_fit = app.make_odds(plan.odds, resumed.odds_state)
    live, sick, heading = _live(plan, resumed, write, opened, texts, odds)
    stop_at_signals(live)
    watch_threads(live)
    started = app.start_record(plan, simulate)
    write(started)
    hello = [heading, telling.line(texts, started), _cut_short(texts, resumed.cut_short)]
    if resumed.latched is not None:
        hello.append(telling.latched(texts, resumed.latched))
    if not odds_fit:
        hello.append(telling.notice(texts, "odds_afresh"))
    if not simulate:  # what of the board could not be checked, said once
        hello += [telling.notice(texts, "advice", what=line) for line in plan.advice]
    gc.freeze()  # what is there now stays
    gc.enable()
    page, poster = None, ""
    try:
        if wish.where:
            from cannon.page.opening import new_pin

            pin = plan.settings.web.pin or (new_pin() if sys.stderr.isatty() else "")
            page = _page(plan, live, resumed, started, simulate, texts, teller, wish, pin)
        if page is not None:
            page.link.start()
            poster = _poster(plan, page, texts, pin)
        if isinstance(live, LiveTwin) and on_a_terminal():
            _on_screen(live, texts, teller, [line for line in hello if line], poster)
        else:
            if poster and sys.stderr.isatty():
                click.echo(poster, err=True)
            elif page is not None:
                log.info(_where(texts, page))
            for line in hello:
                if line:
                    log.info(line)
            with _watchdog(live, sick, texts), _control(live), power:
                play_in_lines(live, texts)
    finally:
        live.stop()
        if page is not None:
            page.link.stop()
    if live.crashed:
        raise CannonError("The control loop has ended by itself; the motor is off.", "See the log.")
    if wish.halt:
        subprocess.run(["systemctl", "poweroff"], check=True)


def _opened(plan: Plan, where: Where, texts: Texts) -> OpenLauncher | None:
    """The launcher that is wanted, open; None for a simulated one."""
    from cannon import app

    if where.simulate:
        return None
    wait_s = start_s(os.environ)
    if where.bridge:
        return app.open_on_bridge(plan, where.bridge, wait_s, log.warning)
    return app.open_on_pins(plan, where.chip, wait_s, _waiting(texts, wait_s))


def _live(
    plan: Plan,
    resumed: Resumed,
    write: Callable[[Record], None],
    opened: OpenLauncher | None,
    texts: Texts,
    odds: Odds,
) -> tuple[Live, Callable[[], str], str]:
    """The launcher with its loop; what tells whether it is sick; and how it is announced."""
    from cannon import app
    from cannon.live import LivePins, LiveTwin

    if opened is None:  # nothing of a simulation ever is sick
        twin = app.simulated(plan, resumed, write, odds=odds)
        return LiveTwin(twin), str, texts("launcher.simulation")
    live = LivePins(app.loop_of(plan, resumed, opened, write, odds), opened.close)
    key = "bridge" if opened.launcher.capabilities.feeds_itself else "pins"
    return live, opened.sick, texts(f"launcher.on_{key}", board=plan.board.name)


def _page(
    plan: Plan,
    live: Live,
    resumed: Resumed,
    started: Record,
    simulate: bool,
    texts: Texts,
    teller: Teller,
    wish: PageWish,
    pin: str,
) -> Opened | None:
    """The phone page; None where play goes on without it."""
    from cannon import app
    from cannon.settings.changes import NAME, save_changes
    from cannon.settings.troubles import trouble_of, trouble_words

    def change(values: dict[str, Any]) -> None:
        try:
            save_changes(app.journal_path(plan.settings).parent / NAME, values)
        except OSError as error:
            log.warning("%s", error)
            reason = trouble_words(texts, trouble_of(error))
            teller.say(texts("page.not_changed", reason=reason))
            return
        wish.again = True
        live.ended.set()

    def halt() -> None:
        wish.halt = True
        live.ended.set()

    try:
        page = app.phone_page(
            plan,
            live,
            wish.where,
            resumed,
            started,
            simulated=simulate,
            pin=pin,
            language=texts.language,
            change=change,
            halt=halt,
            config=wish.config,
            tell=lambda code: teller.say(texts(f"page.trouble.{code}")),
            trouble=lambda: teller.trouble,
        )
    except CannonError as error:
        if wish.must_be:
            raise
        log.warning("%s", error)
        return None
    teller.changed = page.hub.wake
    return page


def _where(texts: Texts, page: Opened) -> str:
    return texts("page.opened.local" if page.local else "page.opened.all", address=page.address)


def _poster(plan: Plan, page: Opened, texts: Texts, pin: str) -> str:
    """What a person at the terminal should know of the page. A PIN made for this start is told
    here alone: it goes to eyes, never to a log."""
    lines = [_where(texts, page)]
    if pin and not plan.settings.web.pin:
        lines.append(texts("page.opened.pin", pin=pin))
    return "\n".join([*lines, page.poster()])


def _waiting(texts: Texts, wait_s: float) -> Callable[[NotYet], None]:
    def tell(trouble: NotYet) -> None:
        log.warning(texts("launcher.notice.waiting", what=trouble.what, seconds=f"{wait_s:.0f}"))

    return tell


def _control(live: Live) -> Control:
    from cannon.live import motor_off

    loop = live.loop
    return Control(
        socket_path(os.environ),
        live.post,
        turns=lambda: loop.turns,
        snapshot=Dated(loop),
        off=lambda: motor_off(loop),
    )


def _watchdog(live: Live, sick: Callable[[], str], texts: Texts) -> Watchdog:
    loop = live.loop
    return Watchdog(
        Manager(),
        turns=lambda: live.turns,
        sick=sick,
        off=loop.launcher.off,
        on_sick=lambda trouble: live.post(Failure("thread", trouble)),
        status=lambda: texts(f"launcher.state.{loop.controller.state}"),
    )


def _on_screen(live: Any, texts: Texts, teller: Teller, hello: list[str], poster: str) -> None:
    from cannon.terminal.playing import play_on_screen
    from cannon.terminal.screen import Screen

    screen = Screen(texts, hello[0], live.twin, poster)
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
