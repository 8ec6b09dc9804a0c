"""`cannon simulate`: the whole controller on a simulated launcher in virtual time; or whole games.

With --presses a person presses, refills and clears jams; with --scenario things happen as a file
says, and what it expects is held against what comes of it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cannon.errors import EXIT_FAILED

if TYPE_CHECKING:
    from cannon.companion.games import GamesPlayed
    from cannon.twin.scenario import Scenario

USUAL = "switch on\nplay 1 presses\nexpect presses at least 1"
REPORT_EVERY = 50  # presses between two movements of the progress bar
COUNT = click.IntRange(min=1)


@click.command()
@click.option("--presses", type=COUNT, metavar="N", help="So many presses that are taken.")
@click.option("--scenario", metavar="F", help="A scenario: a name, or the path of a file.")
@click.option("--odds", metavar="M", help="The odds model: a name, or the path of a file.")
@click.option("--board", metavar="B", help="The board: a name, or the path of a file.")
@click.option("--seed", type=int, metavar="S", help="Repeats a run; else each is another.")
@click.option("--games", type=COUNT, metavar="N", help="Whole games by bots, without a launcher.")
@click.option("--edition", metavar="E", help="The edition that the games are of.")
@click.option(
    "--players", type=click.IntRange(2, 10), metavar="P", help="So many players in each game."
)
@click.option("--plot", type=click.Path(path_type=Path), metavar="F", help="Draw the games.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--debug", is_flag=True, hidden=True)
def command(
    presses: int | None,
    scenario: str | None,
    odds: str | None,
    board: str | None,
    seed: int | None,
    games: int | None,
    edition: str | None,
    players: int | None,
    plot: Path | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Runs the controller on a simulated launcher, far faster than in life.

    With --presses N somebody presses, refills and clears jams until N presses have been taken.
    With --scenario F things happen as the file says, and what it expects must come of it; with
    both, the file says what the launcher is and what befalls it. --games N plays whole games.
    """
    launcher = {"--presses": presses, "--scenario": scenario, "--board": board}
    table = {"--edition": edition, "--players": players, "--plot": plot}
    if games is None:
        _refuse(table, "goes with --games only")
        if presses is None and scenario is None:
            raise click.UsageError("say --presses N, --scenario F, or --games N")
        wanted = _scenario(scenario, presses)
        if board:
            wanted.setup.board = board
        if odds:
            wanted.setup.odds, wanted.setup.decisions = odds, ()
        if seed is not None:
            wanted.setup.seed = seed
        if not debug:
            logging.getLogger("cannon").setLevel(logging.CRITICAL)  # faults are meant to happen
        _simulate(wanted, presses, scenario or "", as_json)
        return
    _refuse(launcher, "goes without --games")
    _play_games(games, edition, players, odds, seed, plot, as_json)


def _refuse(options: dict[str, Any], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise click.UsageError(f"{name} {why}")


def _scenario(name: str | None, presses: int | None) -> Scenario:
    from cannon.seeds import fresh_seed
    from cannon.simulation import load_scenario
    from cannon.twin.scenario import read_scenario

    if name is None:
        scenario = read_scenario(USUAL, "", "")
        scenario.setup.seed = fresh_seed()
    else:
        scenario = load_scenario(name)
    if presses is None:
        return scenario
    if len(scenario.plays) != 1:
        raise click.UsageError(
            f"--presses goes with a scenario that has one line 'play N presses'; {name} has "
            f"{len(scenario.plays) or 'none'}"
        )
    return scenario.for_presses(presses)


def _simulate(scenario: Scenario, presses: int | None, name: str, as_json: bool) -> None:
    from cannon.simulation import SimulatedProgram
    from cannon.twin.report import report
    from cannon.twin.running import run
    from cannon.twin.stage import Stage

    with (
        SimulatedProgram(scenario.setup, scenario.needs_journal) as program,
        _progress(presses) as pressed,
    ):
        stage = Stage(program)
        stage.pressed = pressed
        began = time.perf_counter()
        result = run(scenario, program, stage)
        wall_s = time.perf_counter() - began
    found = report(stage, result, program.plan.seed, wall_s)
    found["odds"] = program.odds_name
    if name:
        found["scenario"] = scenario.name
    if as_json:
        click.echo(json.dumps(found))
    else:
        _print(found, scenario.about if name else "")
    if result.failed:
        raise click.exceptions.Exit(EXIT_FAILED)


@contextmanager
def _progress(presses: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, if that is a terminal and the number of presses is known."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if presses is None or not console.is_terminal:
        yield lambda done: None
        return
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("pressing", total=presses)

        def pressed(done: int) -> None:
            if done % REPORT_EVERY == 0:
                progress.update(bar, completed=done)

        yield pressed


def _print(found: dict[str, Any], about: str) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    if about:
        console.print(escape(about), style="bold")
    table = Table.grid(padding=(0, 2))
    for name in _LINES:
        value = found[name]
        if isinstance(value, dict):
            value = ", ".join(f"{kind} {count}" for kind, count in value.items()) or "none"
        table.add_row(_LINES[name], "unknown" if value is None else str(value))
    console.print(table)
    if "expectations" in found and "failed" not in found:
        console.print(f"{found['expectations']} expectations, all met", style="green")
    for failed in found.get("failed", []):
        console.print(escape(failed), style="red")


_LINES = {
    "presses": "presses",
    "launches": "  with cards",
    "blanks": "  without",
    "rests": "  for cards that were owed",
    "cards_decided": "cards decided",
    "cards_delivered": "  delivered",
    "cards_owed": "  still owed, or given up",
    "cards_extra": "cards beyond that",
    "refills": "refills",
    "refusals": "presses refused",
    "faults": "faults",
    "notices": "notices",
    "mishaps": "mishaps",
    "invariant_violations": "broken promises",
    "board": "board",
    "odds": "odds",
    "seed": "seed",
    "virtual_s": "seconds of play",
    "wall_s": "seconds of computing",
    "presses_per_s": "presses per second",
}


def _play_games(
    games: int,
    edition: str | None,
    players: int | None,
    odds: str | None,
    seed: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    from rich.console import Console
    from rich.progress import track

    from cannon.companion.games import play_games
    from cannon.seeds import fresh_seed
    from cannon.settings.editions import DEFAULT_EDITION, load_edition
    from cannon.settings.odds_models import DEFAULT_ODDS, compile_model, load_odds

    def progress(numbers: Iterator[int]) -> Iterator[int]:
        console = Console(stderr=True)
        if not console.is_terminal:
            return numbers
        return iter(track(numbers, "playing", total=games, console=console, transient=True))

    played = play_games(
        load_edition(edition or DEFAULT_EDITION),
        4 if players is None else players,
        compile_model(load_odds(odds or DEFAULT_ODDS)),
        games,
        fresh_seed() if seed is None else seed,
        progress=progress,
    )
    if plot is not None:
        from cannon.companion.games_picture import draw_games

        draw_games(played, plot)
    if as_json:
        click.echo(json.dumps(played.as_object()))
    else:
        _print_games(played)


def _print_games(played: GamesPlayed) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for name, value in played.as_object().items():
        if isinstance(value, dict):
            value = ", ".join(f"{kind} {_short(part)}" for kind, part in value.items())
        table.add_row(name.replace("_", " "), _short(value))
    Console(highlight=False).print(table)


def _short(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
