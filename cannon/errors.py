"""The errors that people read: what is wrong, where, and what to do now.

Everything that ends a command with a message derives from `CannonError`. A traceback is shown
only with `--debug`. Problems found in files (boards, settings, models) are collected by
`hardware.reading` into one `ConfigurationError`, so that all of them are reported at once.
"""

from __future__ import annotations

EXIT_FAILED = 1
EXIT_WRONG_USE = 2
EXIT_WRONG_CONFIGURATION = 78  # EX_CONFIG of sysexits.h; systemd is told not to restart on it


class CannonError(Exception):
    """A failure with a sentence for the person: `what` happened, and how to `fix` it.

    `exit_code` is the code that the command ends with.
    """

    exit_code = EXIT_FAILED

    def __init__(self, what: str, fix: str = "", *, exit_code: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.what}\n{self.fix}" if self.fix else self.what


class NotYet(CannonError):
    """A failure that may be over in a moment, as right after the start of the computer.

    `kind` tells one trouble from another, for whoever tells each of them once.
    """

    def __init__(self, kind: str, what: str, fix: str = "") -> None:
        super().__init__(what, fix)
        self.kind = kind
