"""What phones are shown, in parts with version numbers; of each part only the newest is kept.

A part is made in a language when the first phone that reads it asks, and encoded once for all.
A phone that was away, or is slow, gets the newest of each part it has not seen, never a backlog.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

import msgspec

InLanguage = Callable[[str], Any]
"""Makes the plain value of a part for readers of a language."""


class Parts:
    """The parts by name. One event loop uses it. `run` tells two runs of the server apart."""

    def __init__(self) -> None:
        self.run = secrets.token_hex(4)
        self.version = 0
        self.ended = False
        self._parts: dict[str, _Part] = {}
        self._made: dict[tuple[int, str], bytes] = {}
        self._changed = asyncio.Event()

    def put(self, name: str, make: InLanguage) -> None:
        """The part `name` is new from now on."""
        self.version += 1
        self._parts[name] = _Part(self.version, make)
        self._made.clear()
        self._wake()

    def end(self) -> None:
        """There will be nothing new: whoever listens may go."""
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def since(self, seen: int, language: str) -> bytes:
        """What is newer than the version `seen`, as JSON: run, version, parts. 0 gives all."""
        message = self._made.get((seen, language))
        if message is None:
            parts = b",".join(
                b'"%s":%s' % (name.encode(), part.encoded(language))
                for name, part in self._parts.items()
                if part.version > seen
            )
            head = b'{"run":"%s","version":%d,"parts":{' % (self.run.encode(), self.version)
            message = self._made[seen, language] = head + parts + b"}}"
        return message

    async def news(self, seen: int, for_s: float) -> bool:
        """Waits for a version newer than `seen`, or the end, at most `for_s`; tells if it came."""
        if self.version <= seen and not self.ended:
            try:
                # Not wait_for: up to Python 3.11 it loses a cancellation that comes with the news.
                async with asyncio.timeout(for_s):
                    await self._changed.wait()
            except TimeoutError:
                return False
        return True


class _Part:
    def __init__(self, version: int, make: InLanguage) -> None:
        self.version = version
        self._make = make
        self._encoded: dict[str, bytes] = {}

    def encoded(self, language: str) -> bytes:
        if language not in self._encoded:
            self._encoded[language] = msgspec.json.encode(self._make(language))
        return self._encoded[language]
