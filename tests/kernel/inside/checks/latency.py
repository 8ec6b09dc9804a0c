"""Edge in, output out: bare lgpio and bare gpiozero, quiet and with noise on another line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.kernel.inside.chip import Chip
from tests.kernel.inside.timing import Follower, Timed, compare
from tests.kernel.inside.watch import Watch

EDGES = 100
NOISE_REST_S = 0.0005
"about 700 edges a second where two processors are free"


def quiet() -> dict[str, Any]:
    """The two in turns, nothing else going on."""
    with Chip() as chip, Watch(chip) as watch, bare_programs(chip, watch) as programs:
        return compare(chip, programs, EDGES)


def noisy() -> dict[str, Any]:
    """The two in turns, each with noise on another line that it listens to."""
    with Chip() as chip, Watch(chip) as watch, bare_programs(chip, watch) as programs:
        return compare(chip, programs, EDGES, NOISE_REST_S)


@contextmanager
def bare_programs(chip: Chip, watch: Watch) -> Iterator[dict[str, Timed]]:
    """The two programs to measure others against, on lines 5 to 10 of the chip."""
    lgpio = Follower("bare_lgpio", chip, watch, button=5, out=6, noisy=7)
    gpiozero = Follower("bare_gpiozero", chip, watch, button=8, out=9, noisy=10)
    with lgpio.subject, gpiozero.subject:
        yield {"bare_lgpio": lgpio, "bare_gpiozero": gpiozero}
