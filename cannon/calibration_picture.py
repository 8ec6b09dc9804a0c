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
    times, course = figure.subplots(1, 2)
    names, values = list(measured.values), list(measured.values.values())
    places = range(len(names))
    times.barh(
        [place + 0.2 for place in places],
        [value.ms for value in values],
        height=0.4,
        xerr=[value.spread_ms / 2 for value in values],
        color="#c0392b",
        label="measured, with its spread",
    )
    times.barh(
        [place - 0.2 for place in places],
        [getattr(board.feed, name) for name in names],
        height=0.4,
        color="#8fb8de",
        label="before",
    )
    times.set(title="Times", xlabel="ms")
    times.set_yticks(list(places), names)
    times.legend(frameon=False)
    course.plot(
        [point.cards for point in measured.course],
        [point.ms for point in measured.course],
        ".",
        color="#1b2a41",
    )
    course.set(title="Time per card", xlabel="cards that had come out before", ylabel="ms")
    course.set_ylim(bottom=0)
    save(figure, path)
