"""Opens the page for one launcher: its address, what it must know, and the line to it."""

from __future__ import annotations

import io
import os
import random
import socket
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from cannon.dating import Dated
from cannon.errors import EXIT_WRONG_USE, CannonError
from cannon.live import Live, listen
from cannon.page.lines import Hello
from cannon.page.link import Link
from cannon.page.obeying import Obeying
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.changes import present
from cannon.settings.odds_models import load_odds
from cannon.web.hosts import is_loopback, page_address
from cannon.web.hub import Hub, Trouble
from cannon.web.launcher_view import Facts
from hardware.board import Board

BACKLOG = 200  # connections that wait to be taken in


def address_of(text: str) -> tuple[str, int]:
    """Host and port of HOST:PORT, :PORT, HOST or [HOST]:PORT. Without a host it is open to the
    network, without a port it is 8080. Raises ValueError."""
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            raise ValueError(text)
        port = rest[1:]
    else:
        host, _, port = text.partition(":")
    number = int(port) if port else 8080
    if not 0 <= number <= 65535 or ":" in port:
        raise ValueError(text)
    return host or "0.0.0.0", number


def new_pin() -> str:
    """A PIN for this start of the program, where the settings give none."""
    return f"{random.SystemRandom().randrange(1_000_000):06d}"


def bound(where: str) -> socket.socket:
    """A socket that listens on `where`, HOST:PORT. Raises CannonError."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        fix = "pip install 'card-cannon[web]'"
        raise CannonError("the phone page needs starlette and uvicorn", fix)
    try:
        host, port = address_of(where)
    except ValueError:
        fix = "give HOST:PORT, as 127.0.0.1:8080, or :8080 for every phone in the network"
        what = f"{where!r} is no address for the page"
        raise CannonError(what, fix, exit_code=EXIT_WRONG_USE) from None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        what = f"the page cannot be opened on {host}:{port}: {error.strerror or error}"
        raise CannonError(
            what, "another program may use it: give another --web HOST:PORT"
        ) from error
    return listener


class Opened(NamedTuple):
    """A page for one launcher. `address` is where to find it, `local` whether only from here."""

    link: Link
    hub: Hub
    address: str
    local: bool

    def poster(self) -> str:
        """The address as a QR code for a terminal; empty where no phone could follow it."""
        if self.local:
            return ""
        import segno

        out = io.StringIO()
        segno.make(self.address, micro=False).terminal(out, border=2, compact=True)
        return out.getvalue()


def open_page(
    live: Live,
    listener: socket.socket,
    settings: CannonToml,
    *,
    simulated: bool,
    model: dict[str, Any],
    board: Board,
    journal: Path,
    pin: str,
    language: str,
    change: Callable[[dict[str, Any]], None],
    halt: Callable[[], None],
    tell: Callable[[str], None],
    config: str = "",
    trouble: Callable[[], Trouble] = tuple,
) -> Opened:
    """Lets a page listen to `live`, which has not started yet. Its `link` is to be started.

    `config` is the file that the settings are from, empty for the usual one.
    """
    host, port = listener.getsockname()[:2]
    obeying = Obeying(live, settings.web.remote_firing, change, halt)
    hub = Hub(Dated(live.loop), obeying.beside, trouble=trouble)
    listen(live.loop, hub.tell)
    live.loop.watch = hub.watch
    facts = Facts(
        simulated=simulated,
        board=board.titles,
        odds=load_odds(settings.odds).title or model["name"],
        counts=live.loop.launcher.capabilities.counts,
        remote_firing=settings.web.remote_firing,
        shutdown=settings.web.shutdown and not simulated,
        owed=settings.play.owed,
    )
    hello = Hello(
        run=os.urandom(8).hex(),
        socket=-1,
        host=host,
        port=port,
        names=settings.web.names,
        pin=pin,
        language=language,
        facts=facts,
        board=board.name,
        wanted=settings.board,
        config=config,
        folder=str(journal.parent),
        journal=str(journal),
        model=model,
        settings=present(settings),
    )
    link = Link(hello, listener, hub, obeying, tell)
    return Opened(link, hub, page_address(host, port), is_loopback(host))
