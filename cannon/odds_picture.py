"""Draws what a model of odds does. Needs matplotlib, which the extra `plot` brings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cannon.core.chances import Chances
from cannon.core.drawing import Drawn
from cannon.pictures import new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE, _BAR, _DOT = "#c0392b", "#8fb8de", "#1b2a41"


def draw_odds(name: str, chances: Chances, drawn: Drawn | None, path: Path) -> None:
    """Writes the picture to `path`; its ending says the format (png, svg, pdf).

    Raises CannonError if matplotlib is missing or the file cannot be written.
    """
    figure = new_figure(
        f"{name}: {chances.launches_per_press:.3f} launches and {chances.cards_per_press:.2f} "
        f"cards per press, at most {chances.longest_blank_streak} blanks in a row"
    )
    when, how_many = figure.subplots(1, 2)
    _draw_waits(when, chances, drawn)
    _draw_counts(how_many, chances, drawn)
    save(figure, path)


def _draw_waits(axes: Axes, chances: Chances, drawn: Drawn | None) -> None:
    waits = list(chances.chance_by_wait)
    shares = [100 * chances.launch_share_by_wait.get(wait, 0.0) for wait in waits]
    axes.bar(waits, shares, color=_BAR, label="share of all launches")
    percents = [100 * chance for chance in chances.chance_by_wait.values()]
    axes.plot(waits, percents, "o-", color=_LINE, label="chance of cards on this press")
    if drawn is not None:
        found = [100 * drawn.launch_share_by_wait.get(wait, 0.0) for wait in waits]
        axes.plot(waits, found, "D", color=_DOT, ms=4, label=f"share in {drawn.presses:,} presses")
    axes.set(xlabel="press since the last cards", ylabel="%", ylim=(0, 105), title="When")
    axes.locator_params(axis="x", integer=True)
    axes.legend(loc="upper left", frameon=False)


def _draw_counts(axes: Axes, chances: Chances, drawn: Drawn | None) -> None:
    counts = list(chances.count_share)
    axes.bar(counts, [100 * share for share in chances.count_share.values()], color=_BAR)
    mean = chances.cards_per_launch
    axes.axvline(mean, color=_LINE, label=f"mean {mean:.2f}")
    if drawn is not None and drawn.launches:
        found = [100 * drawn.launches_by_count.get(n, 0) / drawn.launches for n in counts]
        axes.plot(counts, found, "D", color=_DOT, ms=4, label=f"in {drawn.presses:,} presses")
    axes.set(xlabel="cards in a launch", ylabel="% of all launches", title="How many")
    axes.locator_params(axis="x", integer=True)
    axes.margins(y=0.25)  # room for the legend
    axes.legend(loc="upper right", frameon=False)
