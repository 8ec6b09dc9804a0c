"""Programs under test, as processes of their own: started, waited for, killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

SUBJECTS = Path(__file__).parent / "subjects"


class Subject:
    """A process; ended by the end of `with`. Its output is in `output` as far as it was read."""

    def __init__(self, command: list[str], env: dict[str, str] | None = None) -> None:
        self.output = ""
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | {"LG_WD": "/tmp"} | (env or {}),
        )

    @classmethod
    def script(cls, name: str, *arguments: object) -> Subject:
        """One of the small scripts in subjects/, run by the project's Python."""
        return cls([sys.executable, str(SUBJECTS / f"{name}.py"), *map(str, arguments)])

    def __enter__(self) -> Subject:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()

    def wait_for(self, text: str, timeout_s: float = 60) -> float:
        """Wait until the process has written `text`; returns the monotonic time of seeing it.

        Raises RuntimeError with all it has written when it ends or is silent for too long.
        """
        assert self.process.stdout
        pipe = self.process.stdout.fileno()
        end_s = time.monotonic() + timeout_s
        while text not in self.output:
            ready, _, _ = select.select([pipe], [], [], max(0, end_s - time.monotonic()))
            piece = os.read(pipe, 65536) if ready else b""
            if not piece:
                raise RuntimeError(f"no {text!r} from {self.process.args!r}:\n{self.output}")
            self.output += piece.decode(errors="replace")
        return time.monotonic()


@contextmanager
def stopped(program: Subject) -> Iterator[None]:
    """It takes none of the processor meanwhile."""
    program.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        program.process.send_signal(signal.SIGCONT)
