"""The one error of this package that people read."""

from __future__ import annotations


class BridgeError(Exception):
    """A port or board cannot be used: a `code`, `what` is wrong, and how to `fix` it."""

    def __init__(self, code: str, what: str, fix: str) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.what}\n{self.fix}"
