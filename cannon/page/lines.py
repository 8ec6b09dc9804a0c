"""What goes over the line between the launcher's process and the page's: one value a line, JSON.

The launcher's side says one `Hello` and then `News` of `cannon.web.hub`. The page's side says
what it wishes, what it wants to have logged, and that it is alive.
"""

from __future__ import annotations

from typing import Any

import msgspec

from cannon.web.launcher_view import Facts
from cannon.web.wishes import Wish

LONGEST = 4_000_000  # bytes of a line; more is a mistake


class Hello(msgspec.Struct, frozen=True):
    """All that the page must know to begin. `socket` is the number of the open, bound socket.

    `run` names this run of the launcher's program: records are numbered anew in each. `folder` is
    where the page keeps its things, `journal` the history, `settings` what can be changed now.
    `board` is the board's name; `wanted` and `config` are the board and the file of settings as
    they were asked for, `config` empty for the usual one.
    """

    run: str
    socket: int
    host: str
    port: int
    names: list[str]
    pin: str
    language: str
    facts: Facts
    board: str
    wanted: str
    config: str
    folder: str
    journal: str
    model: dict[str, Any]
    settings: dict[str, Any]


class Wished(msgspec.Struct, frozen=True, tag_field="line", tag="wished"):
    """The page wishes something of the launcher's side."""

    wish: Wish


class Said(msgspec.Struct, frozen=True, tag_field="line", tag="said"):
    """Something for the log."""

    words: str


class Alive(msgspec.Struct, frozen=True, tag_field="line", tag="alive"):
    """The page still turns. `phones` listen to it."""

    phones: int


Line = Wished | Said | Alive
