"""Times several programs against each other, edge in to edge out, in turns on one chip.

In turns, because this machine's speed changes from second to second: what slows one program down
slows the others as well, and only ratios of one run mean something. The time of the edge that goes
in is taken before it is made, that of the edge that comes out is the kernel's.
"""

from __future__ import annotations

import signal
import statistics
import time
from typing import Any, Protocol

from tests.kernel.inside.chip import Chip
from tests.kernel.inside.subject import Subject
from tests.kernel.inside.watch import Watch

TURN = 10
"edges measured before the next program has its turn"
ANSWER_S = 2.0
"who answers later has missed the edge"


class Timed(Protocol):
    """A program that answers an edge with an edge."""

    noisy: int
    "a line it listens to, free for noise"

    def answer_s(self) -> float | None:
        """Make one edge; how long the answer took, or None. Then everything is as before."""


class Follower:
    """One of the subjects whose output follows its button: bare lgpio or bare gpiozero."""

    def __init__(
        self, script: str, chip: Chip, watch: Watch, *, button: int, out: int, noisy: int
    ) -> None:
        self.noisy = noisy
        self._chip, self._watch, self._button, self._out = chip, watch, button, out
        chip.pull(button, 1)
        chip.pull(noisy, 1)
        self.subject = Subject.script(script, chip.number, button, out, noisy)
        self.subject.wait_for("ready")

    def answer_s(self) -> float | None:
        """Press and release the button; see `Timed`."""
        self._watch.edges()  # nothing from before
        pressed_s = time.monotonic()
        self._chip.pull(self._button, 0)
        on = self._watch.until(self._out, 1, ANSWER_S, pressed_s)
        self._chip.pull(self._button, 1)
        self._watch.until(self._out, 0, ANSWER_S)
        return on.at_s - pressed_s if on else None


def compare(
    chip: Chip, programs: dict[str, Timed], edges: int, noise_rest_s: float | None = None
) -> dict[str, Any]:
    """Measure each program `edges` times, in turns; while a program has its turn there can be
    noise on its noisy line, with this rest after each edge. By program: median_ms, p99_ms, missed;
    and noise_edges_per_s as really made."""
    times: dict[str, list[float | None]] = {name: [] for name in programs}
    noise = _noise(chip, programs, noise_rest_s)
    for _ in range(edges // TURN):
        for name, program in programs.items():
            times[name] += [program.answer_s() for _ in range(TURN)]
            if noise:
                noise.process.send_signal(signal.SIGUSR1)
    result: dict[str, Any] = {name: _figures(taken) for name, taken in times.items()}
    if noise:
        noise.process.terminate()
        noise.process.wait()
        assert noise.process.stdout
        result["noise_edges_per_s"] = int(noise.process.stdout.read())
    return result


def _noise(chip: Chip, programs: dict[str, Timed], rest_s: float | None) -> Subject | None:
    if rest_s is None:
        return None
    paths = [chip.path(program.noisy) for program in programs.values()]
    noise = Subject.script("noise", rest_s, *paths)
    noise.wait_for("ready")
    return noise


def _figures(taken: list[float | None]) -> dict[str, float]:
    answered_ms = [taken_s * 1000 for taken_s in taken if taken_s is not None]
    percentiles = statistics.quantiles(answered_ms, n=100)
    return {
        "median_ms": round(statistics.median(answered_ms), 3),
        "p99_ms": round(percentiles[98], 3),
        "missed": len(taken) - len(answered_ms),
    }
