"""Draws how long games and rounds by bots were. Needs matplotlib, which the extra `plot` brings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cannon.companion.games import GamesPlayed
from cannon.pictures import new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE, _BAR = "#c0392b", "#8fb8de"
_MOST_BARS = 40


def draw_games(played: GamesPlayed, path: Path) -> None:
    """Writes two histograms to `path`: turns of a game, and turns of a round.

    Raises CannonError if matplotlib is missing or the file cannot be written.
    """
    games = len(played.turns_of_games)
    figure = new_figure(
        f"{games:,} games of {played.edition}, {played.players} players, odds {played.odds}"
    )
    whole, single = figure.subplots(1, 2)
    _draw(whole, played.turns_of_games, "turns of a game", "games")
    _draw(single, played.turns_of_rounds, "turns of a round", "rounds")
    save(figure, path)


def _draw(axes: Axes, turns: list[int], what: str, counted: str) -> None:
    axes.hist(turns, bins=min(_MOST_BARS, max(turns) - min(turns) + 1), color=_BAR)
    mean = sum(turns) / len(turns)
    axes.axvline(mean, color=_LINE, label=f"mean {mean:.0f}")
    axes.set(xlabel=what, ylabel=counted)
    axes.legend(loc="upper right", frameon=False)
