"""Figures of matplotlib, which the extra `plot` brings, and writing them to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cannon.errors import CannonError


def new_figure(title: str) -> Any:
    """An empty figure for two axes side by side. Raises CannonError if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        fix = "install the extra plot: pip install 'card-cannon[plot]'"
        raise CannonError("drawing a picture needs matplotlib", fix) from error
    figure = Figure(figsize=(10, 4.2), dpi=150, layout="constrained")
    figure.suptitle(title)
    return figure


def save(figure: Any, path: Path) -> None:
    """Writes the picture to `path`; its ending says the format (png, svg, pdf).

    Raises CannonError if the file cannot be written.
    """
    try:
        figure.savefig(path)
    except ValueError as error:  # an ending that matplotlib does not know
        raise CannonError(f"{path}: {error}", "end its name in .png, .svg or .pdf") from error
    except OSError as error:
        what = f"{path}: the picture cannot be written: {error.strerror}"
        raise CannonError(what, "give a place that exists and may be written to") from error
