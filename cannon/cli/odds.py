"""`cannon odds`: what a model of odds does, computed exactly or drawn."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cannon.core.chances import Chances, chances_of
from cannon.core.drawing import Drawing, Drawn
from cannon.seeds import fresh_seed
from cannon.settings.odds_models import (
    DEFAULT_ODDS,
    OddsModel,
    compile_model,
    load_odds,
    odds_names,
)
from cannon.settings.texts import ENGLISH
from cannon.table.edition import text

if TYPE_CHECKING:
    from rich.table import Table

AT_A_TIME = 20_000
_RESETS = {"lid": "the lid is opened", "power": "power comes on"}


@click.command()
@click.argument("model", default="", metavar="[MODEL]")
@click.option("--check", type=click.IntRange(min=1), metavar="N", help="Draw N presses.")
@click.option("--seed", type=int, metavar="S", help="Seed of the drawn presses; else a new one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; shares from 0 to 1.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="F", help="Draw a picture.")
def command(
    model: str, check: int | None, seed: int | None, as_json: bool, plot: Path | None
) -> None:
    """Shows what a model of odds does.

    MODEL is the name of one that comes along or the path of a file of your own; without it the
    default is shown and the others are listed. The figures are computed exactly; with --check
    they are drawn, press by press, the way the launcher does it.
    """
    if seed is not None and check is None:
        raise click.UsageError("--seed is for drawn presses: give --check N too.")
    loaded = load_odds(model or DEFAULT_ODDS)
    compiled = compile_model(loaded)
    chances = chances_of(compiled)
    drawn = None
    if check is not None:
        seed = fresh_seed() if seed is None else seed
        drawn = _draw(compiled, seed, check)
    if plot is not None:
        from cannon.odds_picture import draw_odds

        draw_odds(loaded.name, chances, drawn, plot)
    if as_json:
        result = _object(loaded, chances) if drawn is None else _drawn_object(loaded, drawn, seed)
        click.echo(json.dumps(result))
        return
    _print(loaded, chances, drawn, seed, with_others=not model)


def _draw(model: dict[str, Any], seed: int, presses: int) -> Drawn:
    from rich.console import Console
    from rich.progress import track

    drawing = Drawing(model, random.Random(seed))
    portions = [AT_A_TIME] * (presses // AT_A_TIME) + [presses % AT_A_TIME]
    for portion in track(portions, "pressing", console=Console(stderr=True), transient=True):
        drawing.press(portion)
    return drawing.drawn


def _drawn_object(model: OddsModel, drawn: Drawn, seed: int | None) -> dict[str, Any]:
    return {
        "model": model.name,
        "presses": drawn.presses,
        "launches": drawn.launches,
        "cards": drawn.cards,
        "cards_per_press": drawn.cards / drawn.presses,
        "launch_share_by_wait": drawn.launch_share_by_wait,
        "mean_cards_by_wait": drawn.mean_cards_by_wait,
        "longest_blank_streak": drawn.longest_blank_streak,
        "seed": seed,
    }


def _object(model: OddsModel, chances: Chances) -> dict[str, Any]:
    return {
        "model": model.name,
        "launches_per_press": chances.launches_per_press,
        "cards_per_press": chances.cards_per_press,
        "cards_per_launch": chances.cards_per_launch,
        "chance_by_wait": chances.chance_by_wait,
        "launch_share_by_wait": chances.launch_share_by_wait,
        "mean_cards_by_wait": chances.mean_cards_by_wait,
        "share_by_cards": chances.count_share,
        "longest_blank_streak": chances.longest_blank_streak,
    }


def _print(
    model: OddsModel, chances: Chances, drawn: Drawn | None, seed: int | None, with_others: bool
) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    console.print(f"[bold]{escape(model.name)}[/bold]  {escape(text(model.about, ENGLISH))}")
    if model.sequence:
        console.print(_sequence_line(model))
    console.print(_waits_table(chances, drawn))
    console.print(_cards_table(chances, drawn))
    console.print(_summary(chances))
    for line in _options(model):
        console.print(line)
    if drawn is not None:
        console.print(
            f"drawn: {drawn.presses} presses, {drawn.launches} launches, {drawn.cards} cards, "
            f"at most {drawn.longest_blank_streak} blanks in a row, seed {seed}"
        )
    if with_others:
        console.print("\nOther models ([bold]cannon odds NAME[/bold]):", _others(model.name))


def _waits_table(chances: Chances, drawn: Drawn | None) -> Table:
    table = _table(
        "press since\nlast cards", "chance of\ncards", "share of\nlaunches", "mean\ncards"
    )
    if drawn is not None:
        _right(table, "share\ndrawn", "mean\ndrawn")
    for wait, chance in chances.chance_by_wait.items():
        share = chances.launch_share_by_wait.get(wait, 0.0)
        mean = chances.mean_cards_by_wait.get(wait)
        row = [str(wait), _percent(chance), _percent(share), _decimals(mean)]
        if drawn is not None:
            row.append(_percent(drawn.launch_share_by_wait.get(wait, 0.0)))
            row.append(_decimals(drawn.mean_cards_by_wait.get(wait)))
        table.add_row(*row)
    return table


def _cards_table(chances: Chances, drawn: Drawn | None) -> Table:
    table = _table("cards", "share of\nlaunches", *(["share\ndrawn"] if drawn else []))
    for count, share in chances.count_share.items():
        row = [str(count), _percent(share)]
        if drawn is not None:
            launches = drawn.launches_by_count.get(count, 0)
            row.append(_percent(launches / drawn.launches if drawn.launches else 0.0))
        table.add_row(*row)
    return table


def _others(shown: str) -> Table:
    from rich.table import Table

    others = Table.grid(padding=(0, 2))
    for name in odds_names():
        if name != shown:
            others.add_row(f"  [bold]{name}[/bold]", text(load_odds(name).about, ENGLISH))
    return others


def _table(*headings: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    _right(table, *headings)
    return table


def _right(table: Table, *headings: str) -> None:
    for heading in headings:
        table.add_column(heading, justify="right")


def _summary(chances: Chances) -> str:
    return (
        f"{chances.launches_per_press:.3f} launches and {chances.cards_per_press:.2f} cards per "
        f"press, {chances.cards_per_launch:.2f} cards per launch, mean wait "
        f"{chances.mean_wait:.2f} presses, at most {chances.longest_blank_streak} blanks in a row"
    )


def _options(model: OddsModel) -> list[str]:
    lines = []
    rapid = model.rapid_presses
    if rapid is not None:
        factors = ", ".join(f"{factor:.0%}" for factor in rapid.factors)
        lines.append(
            f"rapid presses (each within {rapid.within_s:g} s of the one before) have their chance "
            f"lowered to {factors}; the figures are for presses without haste"
        )
    if model.reset_on:
        reasons = " or ".join(_RESETS[reason] for reason in model.reset_on)
        lines.append(f"begins anew when {reasons}; the figures are without that")
    return lines


def _sequence_line(model: OddsModel) -> str:
    numbers = " ".join(map(str, model.sequence or []))
    return f"cards on presses {numbers} of {model.length}, over and over"


def _percent(share: float) -> str:
    return f"{share:.2%}".replace("%", " %")


def _decimals(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:.2f}"
