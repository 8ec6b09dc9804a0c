"""Draws what a calibration has measured. Needs matplotlib, which the extra `plot` brings."""

from __future__ import annotations

from pathlib import Path

from cannon.bringup.calibration import Measured
from cannon.pictures import new_figure, save
from hardware.board import Board


def draw(board: Board, measured: Measured, path: Path) -> None:
    """Writes the picture to `path`; its ending says the format (png, svg, pdf).

    Raises CannonError if matplotlib is missing or the file cannot be written.
    """
    figure = new_figure(
        f"{board.title}: {measured.cards} cards, {measured.retries} needed another try"
    )
    names = list(measured.values)
    now, spread = figure.subplots(1, 2)
    places = range(len(names))
    values = list(measured.values.values())
    now.barh(
        [place + 0.2 for place in places],
        [value.ms for value in values],
        height=0.4,
        color="#c0392b",
        label="measured",
    )
    now.barh(
        [place - 0.2 for place in places],
        [getattr(board.feed, name) for name in names],
        height=0.4,
        color="#8fb8de",
        label="before",
    )
    now.set(title="Times", xlabel="ms")
    now.set_yticks(list(places), names)
    now.legend(frameon=False)
    spread.barh(list(places), [value.spread_ms for value in values], color="#1b2a41")
    spread.set(title="Spread of the middle half", xlabel="ms")
    spread.set_yticks(list(places), names)
    save(figure, path)
