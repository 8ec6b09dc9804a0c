"""The page's own small file: pairings, remembered names, and how far the launcher was followed.

Written anew as a whole each time, so that a power cut leaves the old or the new one. Where it
cannot be written the page goes on with what it has in memory; where it cannot be read, anew.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from cannon.settings import storage
from cannon.settings.troubles import trouble_of
from cannon.web.phones import Pairings, new_pairings

NAME = "page.json"
MOST_NAMES = 40
OURS_ONLY = 0o600  # with the key of the pairings a token can be made up

log = logging.getLogger("cannon.page")


class Followed(msgspec.Struct, frozen=True):
    """The last record that the table was told of, and the table's version before that.

    It is kept before the table acts on it: if the table's version has moved on, it did. `run` is
    empty where nobody knows what the table was told of.
    """

    run: str = ""
    number: int = 0
    press: int = 0
    step: int = 0  # among the records of that press
    version: int = 0


class PageFile(msgspec.Struct):
    """All that the page keeps for itself."""

    pairings: Pairings
    names: list[str] = []
    followed: Followed = Followed()


class Keeping:
    """The file, and what is in it. `trouble` is why it cannot be kept, if it cannot,
    as a code of `cannon.settings.troubles`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self.trouble = ""
        self.kept = self._read()

    def save(self) -> None:
        """Puts what is in `kept` on the disk; it is there when this returns, or `trouble` is."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            storage.put(self._path, msgspec.json.encode(self.kept), OURS_ONLY)
        except OSError as error:
            trouble = trouble_of(error)
            if trouble != self.trouble:
                log.warning("the page's own things cannot be kept: %s", error)
            self.trouble = trouble
        else:
            self.trouble = ""

    def remember(self, names: list[str]) -> bool:
        """Puts these names first among those remembered; tells whether anything changed."""
        rest = [name for name in self.kept.names if name not in names]
        new = [*names, *rest][:MOST_NAMES]
        changed = new != self.kept.names
        self.kept.names = new
        return changed

    def _read(self) -> PageFile:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=PageFile)
        except (OSError, msgspec.DecodeError):
            return PageFile(new_pairings())  # without it phones have to be paired again, no more
