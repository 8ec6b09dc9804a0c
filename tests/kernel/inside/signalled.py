"""When a process was sent a signal, by whomever: as the kernel traces it, by its own time."""

from __future__ import annotations

import re
import subprocess
import time
from signal import Signals
from types import TracebackType

from tests.kernel.inside.watch import TRACING

_AT = re.compile(r"(\d+\.\d+): signal_generate: ")
LOOK_S = 0.05


class Signalled:
    """Notes this signal to this process, between `with` and its end."""

    def __init__(self, pid: int, number: Signals) -> None:
        if not (TRACING / "instances").exists():
            subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=True)
        self._what = f"{number.name} to {pid}"
        self._buffer = TRACING / "instances/signals"
        self._buffer.mkdir(exist_ok=True)
        self._event = self._buffer / "events/signal/signal_generate"
        (self._buffer / "trace_clock").write_text("mono")
        (self._buffer / "trace").write_text("")
        (self._event / "filter").write_text(f"sig == {int(number)} && pid == {pid}")

    def __enter__(self) -> Signalled:
        (self._event / "enable").write_text("1")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        (self._event / "enable").write_text("0")

    def when(self, within_s: float) -> float:
        """Waits for it; when that was (monotonic). Raises RuntimeError if it is not sent."""
        end_s = time.monotonic() + within_s
        while not (found := _AT.search((self._buffer / "trace").read_text())):
            if time.monotonic() > end_s:
                raise RuntimeError(f"nobody sent {self._what}")
            time.sleep(LOOK_S)
        return float(found[1])
