"""Answers of one key from a person: on a terminal without Enter, else a line each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

import click

from cannon.terminal.keys import Keys

IDLE_S = 0.05


class NoAnswer(Exception):
    """There is nobody who could answer: the end of input."""


class Asking:
    """While it is entered, asks on standard error. `idle` is called again and again meanwhile."""

    def __init__(self) -> None:
        self.idle: Callable[[], object] = lambda: None
        self._keys: Keys | None = None
        self._release = ExitStack()

    def __enter__(self) -> Asking:
        if sys.stdin.isatty():
            self._keys = self._release.enter_context(Keys())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release.close()
        self._keys = None

    def key(self, words: str, keys: str, default: str) -> str:
        """Asks until one of `keys` is pressed; Enter is `default`. Raises NoAnswer."""
        shown = "/".join(keys.replace(default, default.upper()))
        click.echo(f"{words} [{shown}] ", nl=False, err=True)
        while True:
            for key in self._answer():
                chosen = default if key in "\r\n" else key
                if chosen in keys:
                    click.echo(chosen if self._keys else "", err=True)
                    return chosen

    def any_key(self, words: str) -> str:
        """Waits for a key, and returns it. Raises NoAnswer."""
        click.echo(words, err=True)
        return self._answer()[0]

    def pressed(self) -> str:
        """The keys that were pressed since the last look; never waits. "" where lines are read."""
        return (self._keys.read(0.0) or "") if self._keys else ""

    def _answer(self) -> str:
        """What was typed: at least one key."""
        if self._keys is None:
            line = sys.stdin.readline()
            if not line:
                raise NoAnswer
            return line.strip().lower() or "\n"
        while True:
            pressed = self._keys.read(IDLE_S)
            if pressed is None:
                raise NoAnswer
            if pressed:
                return pressed
            self.idle()
