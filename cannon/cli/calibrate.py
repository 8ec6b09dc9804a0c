"""`cannon calibrate`: measures how this launcher moves its cards, and keeps the result."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cannon.errors import CannonError

if TYPE_CHECKING:
    from cannon.app import Plan
    from cannon.bringup.calibration import Counter, Course, Measured
    from cannon.bringup.rig import Rig
    from cannon.settings.texts import Texts
    from cannon.workbench import Place
    from hardware.board import Board

BARS, BAR_WIDTH = 10, 40  # of the picture in the terminal


@click.command()
@click.option("--simulate", is_flag=True, help="On a simulated launcher, to see how it goes.")
@click.option("--board", help="The board: a name, or the path of a file.")
@click.option("--bridge", help="The port of a microcontroller, or auto.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draws what was measured.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, nothing else.")
def command(
    simulate: bool,
    board: str | None,
    bridge: str | None,
    chip: str,
    config: str | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Measures spin-up, time per card, retract and misfeeds over a stack of cards.

    With an exit sensor it measures by itself; without one it asks how many cards came. The values
    are kept beside the history and used from then on; the old ones are kept with them.
    """
    from cannon import app, workbench
    from cannon.settings.texts import texts_for

    place = workbench.Place(simulate, bridge or "", chip)
    settings = workbench.settings(config, board, place)
    texts, plan = texts_for(settings.language or None), app.plan(settings)
    click.echo(texts("check.calibrate.intro"), err=True)
    measured = _measured(plan, place, texts)
    _refuse_nonsense(plan.board, measured, texts)
    path = _path(app.journal_path(settings).parent, plan.board, simulate)
    _save(path, plan.board, measured)
    if plot is not None:
        from cannon.calibration_picture import draw

        draw(plan.board, measured, plot)
    if as_json:
        click.echo(json.dumps(_object(measured)))
    else:
        _tell(plan.board, measured, texts)
        key = "simulated" if simulate else "saved"
        click.echo(texts(f"check.calibrate.{key}", path=path), err=True)
        if bridge and not simulate:
            click.echo(texts("check.calibrate.flash", board=board or settings.board), err=True)


def _measured(plan: Plan, place: Place, texts: Texts) -> Measured:
    """Measures on the launcher at `place`. Raises Exit if the person stops it."""
    from cannon import workbench
    from cannon.terminal.asking import Asking, NoAnswer

    try:
        with workbench.opened(plan, place, texts) as (rig, hands):
            if hands is None:
                with Asking() as asking:
                    asking.any_key(texts("check.enter"))
            return _with_a_bar(rig, hands or AskingCounter(texts), texts)
    except (KeyboardInterrupt, click.Abort, NoAnswer):
        click.echo(f"\n{texts('check.stopped')}", err=True)
        raise click.exceptions.Exit(1) from None


def _path(folder: Path, board: Board, simulate: bool) -> Path:
    """Where the result is kept. What a simulated launcher measures is used by no real one."""
    from cannon.settings.calibrated import place

    path = place(folder, board)
    return path.with_stem(f"{path.stem}-simulated") if simulate else path


def _object(measured: Measured) -> dict[str, Any]:
    return {
        "cards": measured.cards,
        "retries": measured.retries,
        "feed": {name: value.ms for name, value in measured.values.items()},
        "spread": {name: value.spread_ms for name, value in measured.values.items()},
    }


class AskingCounter:
    """The person who counts the cards that came."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def number(self, question: str) -> int:
        """Asks for a number, 0 or more."""
        words = self._texts(f"check.calibrate.{question}")
        return int(click.prompt(words, type=click.IntRange(0, 200), err=True))


def _with_a_bar(rig: Rig, counter: Counter, texts: Texts) -> Measured:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    from cannon.bringup.calibration import calibrate

    label = texts("check.calibrate.progress")
    columns = (TextColumn(label), BarColumn(), TextColumn("{task.completed}"))
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(label, total=None)
        return calibrate(rig, counter, lambda cards: progress.update(task, completed=cards))


def _refuse_nonsense(board: Board, measured: Measured, texts: Texts) -> None:
    """Raises CannonError if the result cannot be, or rests on too little."""
    from cannon.bringup.calibration import LEAST_CARDS, enough, problems
    from cannon.settings.calibrated import with_times
    from hardware.reading import ConfigurationError

    if not enough(measured) or not measured.values:
        what = texts("check.calibrate.too_few", count=measured.cards, least=LEAST_CARDS)
        raise CannonError(what, texts("check.fix.no_card"))
    for name, value, low, high in problems(measured):
        words = texts("check.calibrate.nonsense", name=name, value=value, low=low, high=high)
        raise CannonError(words, texts("check.fix.too_few_cards"))
    try:
        with_times(board, {name: value.ms for name, value in measured.values.items()}, board.name)
    except ConfigurationError as error:
        what = texts("check.calibrate.contradicts", problems=error)
        raise CannonError(what, texts("check.fix.too_few_cards")) from error


def _save(path: Path, board: Board, measured: Measured) -> None:
    from cannon.settings.calibrated import Calibration, keep

    calibration = Calibration(
        measured=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        cards=measured.cards,
        retries=measured.retries,
        feed={name: value.ms for name, value in measured.values.items()},
        spread={name: value.spread_ms for name, value in measured.values.items()},
        before={name: getattr(board.feed, name) for name in measured.values},
    )
    try:
        keep(path, calibration)
    except OSError as error:
        what = f"{path}: the calibration cannot be written: {error.strerror}"
        raise CannonError(what, "name another place for the history: [journal] path") from error


def _tell(board: Board, measured: Measured, texts: Texts) -> None:
    for name, value in measured.values.items():
        before = getattr(board.feed, name)
        line = texts(
            "check.calibrate.value",
            name=name,
            value=value.ms,
            before=before,
            spread=value.spread_ms,
        )
        click.echo(line, err=True)
    retries, cards = measured.retries, measured.cards
    click.echo(texts("check.calibrate.misfeeds", retries=retries, cards=cards), err=True)
    click.echo(texts("check.calibrate.course"), err=True)
    for line in _bars(measured.course):
        click.echo(line, err=True)


def _bars(course: tuple[Course, ...]) -> list[str]:
    """The time per card as bars, from the full stack to the last cards."""
    if not course:
        return []
    width_cards = max(1, -(-(course[-1].cards + 1) // BARS))
    longest = max(point.ms for point in course)
    lines = []
    for start in range(0, course[-1].cards + 1, width_cards):
        times = [point.ms for point in course if start <= point.cards < start + width_cards]
        if times:
            middle = sum(times) / len(times)
            lines.append(f"{start:5d} {'█' * round(BAR_WIDTH * middle / longest)} {middle:.0f} ms")
    return lines
