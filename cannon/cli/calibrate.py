"""`cannon calibrate`: measures how this launcher moves its cards, and keeps the result."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from cannon.errors import CannonError

if TYPE_CHECKING:
    from cannon.bringup.calibration import Counter, Measured
    from cannon.bringup.rig import Rig
    from cannon.settings.texts import Texts
    from hardware.board import Board


@click.command()
@click.option("--simulate", is_flag=True, help="On a simulated launcher, to see how it goes.")
@click.option("--board", help="The board: a name, or the path of a file.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draws what was measured.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, nothing else.")
def command(
    simulate: bool,
    board: str | None,
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
    from cannon.settings.calibrated import place
    from cannon.settings.cannon_toml import load_settings
    from cannon.settings.texts import texts_for

    settings = load_settings(config)
    if board:
        settings = msgspec.structs.replace(settings, board=board)
    texts = texts_for(settings.language or None)
    plan = app.plan(settings)
    where = workbench.Place(simulate, "", chip)
    click.echo(texts("check.calibrate.intro"), err=True)
    with workbench.opened(plan, where, _say) as (rig, hands):
        counter = hands if hands is not None else AskingCounter(texts)
        if hands is None:
            click.pause(texts("check.enter"), err=True)
        measured = _with_a_bar(rig, counter, texts)
    _refuse_nonsense(measured, texts)
    path = place(app.journal_path(settings).parent, plan.board)
    _save(path, plan.board, measured)
    if plot is not None:
        from cannon.calibration_picture import draw

        draw(plan.board, measured, plot)
    if as_json:
        values = {name: value.ms for name, value in measured.values.items()}
        result = {"cards": measured.cards, "retries": measured.retries, "feed": values}
        click.echo(json.dumps(result))
    else:
        _tell(plan.board, measured, texts)
        click.echo(texts("check.calibrate.saved", path=path), err=True)


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


def _refuse_nonsense(measured: Measured, texts: Texts) -> None:
    """Raises CannonError if the result cannot be, or rests on too little."""
    from cannon.bringup.calibration import LEAST_CARDS, enough, problems

    if not enough(measured) or not measured.values:
        what = texts("check.calibrate.too_few", count=measured.cards, least=LEAST_CARDS)
        raise CannonError(what, texts("check.fix.no_card"))
    for name, value, low, high in problems(measured):
        words = texts("check.calibrate.nonsense", name=name, value=value, low=low, high=high)
        raise CannonError(words, texts("check.fix.too_few_cards"))


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


def _say(line: str) -> None:
    click.echo(line, err=True)
