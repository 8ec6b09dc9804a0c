"""Single keys from a terminal, without Enter."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from types import TracebackType


class Keys:
    """While it is entered, `read` gives the keys that were pressed. Restores the terminal."""

    def __init__(self) -> None:
        self._fd = sys.stdin.fileno()

    def __enter__(self) -> Keys:
        self._before = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def read(self, wait_s: float) -> str | None:
        """The keys pressed within `wait_s`, lower case; "" if none, None at the end of input."""
        ready, _, _ = select.select([self._fd], [], [], wait_s)
        if not ready:
            return ""
        data = os.read(self._fd, 32)
        return data.decode(errors="ignore").lower() if data else None
