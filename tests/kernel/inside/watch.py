"""Watches the lines programs drive: every change with the kernel's own timestamp.

The kernel traces each level a program sets (event gpio_value). That costs no polling, misses
nothing, and its clock is that of `time.monotonic`. What it does not show is a line that falls back
by itself because its owner went away: for that, ask `Chip.level`.
"""

from __future__ import annotations

import itertools
import os
import re
import select
import subprocess
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from tests.kernel.inside.chip import Chip

TRACING = Path("/sys/kernel/tracing")
_in_use: set[int] = set()
_LINE = re.compile(rb"(\d+\.\d+): gpio_value: (\d+) set (\d)")


class Edge(NamedTuple):
    """A line was set to a level at a time (monotonic seconds). Setting the same level counts."""

    at_s: float
    line: int
    level: int


class Watch:
    """All levels set on one chip from now on, by whatever program; an own trace buffer.

    With `lines` only those are watched: a beeper's tone is thousands of edges a second, which keep
    a processor busy.
    """

    def __init__(self, chip: Chip, lines: Collection[int] = ()) -> None:
        if not (TRACING / "instances").exists():
            subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=True)
        self._chip = chip
        self._number = next(number for number in itertools.count() if number not in _in_use)
        _in_use.add(self._number)
        # A trace buffer takes a second to make, so they stay for the checks that come after.
        self._buffer = TRACING / f"instances/watch{self._number}"
        self._buffer.mkdir(exist_ok=True)
        (self._buffer / "trace_clock").write_text("mono")
        (self._buffer / "buffer_percent").write_text("0")
        (self._buffer / "trace").write_text("")
        # Levels that are only read would wake whoever watches, hundreds of times a second.
        wanted = " || ".join(f"gpio == {chip.base + line}" for line in lines) or "gpio >= 0"
        filter_file = self._buffer / "events/gpio/gpio_value/filter"
        filter_file.write_text(f"get == 0 && ({wanted})")
        self._pipe = os.open(self._buffer / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        self._enable(True)
        self._rest = b""

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def fileno(self) -> int:
        """For select and poll: readable when there are edges."""
        return self._pipe

    def edges(self, timeout_s: float = 0.0) -> list[Edge]:
        """What was set since the last call; waits up to `timeout_s` for the first edge."""
        if timeout_s > 0:
            select.select([self], [], [], timeout_s)
        try:
            self._rest += os.read(self._pipe, 65536)
        except BlockingIOError:
            return []
        *lines, self._rest = self._rest.split(b"\n")
        return [edge for line in lines if (edge := self._edge(line))]

    def until(self, line: int, level: int, timeout_s: float, since_s: float = 0.0) -> Edge | None:
        """The first edge of this line to this level at or after `since_s`, or None; edges before
        it are dropped."""
        for edge in self._stream(timeout_s):
            if (edge.line, edge.level) == (line, level) and edge.at_s >= since_s:
                return edge
        return None

    def _stream(self, timeout_s: float) -> Iterator[Edge]:
        end_s = time.monotonic() + timeout_s
        while (left_s := end_s - time.monotonic()) > 0:
            yield from self.edges(left_s)

    def _edge(self, line: bytes) -> Edge | None:
        found = _LINE.search(line)
        if not found:
            return None
        number = int(found[2]) - self._chip.base
        return Edge(float(found[1]), number, int(found[3]))

    def close(self) -> None:
        """Free the trace buffer for the next watch. May be called twice."""
        if self._pipe >= 0:
            self._enable(False)
            os.close(self._pipe)
            self._pipe = -1
            _in_use.remove(self._number)

    def _enable(self, on: bool) -> None:
        (self._buffer / "events/gpio/gpio_value/enable").write_text("1" if on else "0")
