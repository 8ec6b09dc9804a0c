"""The page's process. Reads the launcher's lines, serves the phones, keeps the game.

Started by `cannon.page.link`; ends when its input ends. It opens no pin and has no rights over the
launcher but to ask.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import msgspec

from cannon.companion.linking import moves_for, request_for, takes_next
from cannon.core import records
from cannon.core.commands import Record
from cannon.core.events import Request
from cannon.page.keeping import Followed, Keeping
from cannon.page.lines import LONGEST, Alive, Hello, Line, Said, Wished
from cannon.page.looking import Looking
from cannon.page.tables import open_table
from cannon.table.state import DEALING, PLAY, State
from cannon.web import wishes
from cannon.web.hub import News, Told
from cannon.web.page import Page, Place
from cannon.web.phones import Pairings
from cannon.web.server import make_app, make_server
from cannon.web.wishes import Wish

ALIVE_S = 2.0

log = logging.getLogger(__name__)
STEPS = {records.OUTCOME: 1, records.PROTRUDING: 2}  # the order of a press's records

Say = Callable[[Line], None]


def main() -> None:
    """Serves until the input ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing else may write between the lines

    def say(line: Line) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more: the input ends too
            out.write(msgspec.json.encode(line) + b"\n")

    logging.basicConfig(level=logging.WARNING, handlers=[_Telling(say)])
    try:
        asyncio.run(_serve(say))
    except Exception:
        say(Said(traceback.format_exc()))
        sys.exit(1)


class _Telling(logging.Handler):
    """Gives what is logged to the launcher's side."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(Said(self.format(record)))


async def _serve(say: Say) -> None:
    reader = asyncio.StreamReader(limit=LONGEST)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    hello = msgspec.json.decode(await reader.readline(), type=Hello)
    following = Following(hello, say)
    server = make_server(make_app(following.page, tuple(hello.names)))
    with socket.socket(fileno=hello.socket) as listener:
        serving = asyncio.create_task(server.serve([listener]))
        alive = asyncio.create_task(_keep_saying(say, following))
        with contextlib.suppress(asyncio.IncompleteReadError):
            while line := await reader.readline():
                await following.take(msgspec.json.decode(line, type=News))
        alive.cancel()
        following.page.parts.end()
        server.should_exit = server.force_exit = True
        await serving


async def _keep_saying(say: Say, following: Following) -> None:
    while True:
        say(Alive(following.page.phones_listening))
        await asyncio.sleep(ALIVE_S)


class Following:
    """Follows the launcher: shows what it does, and lets the table know."""

    def __init__(self, hello: Hello, say: Say) -> None:
        self._hello = hello
        self._say = say
        self._keeping = Keeping(Path(hello.folder))
        self._requested = Request()
        self._last = 0  # number of the last record taken
        keeper = open_table(Path(hello.folder))
        self._rescued = bool(keeper.rescued)
        looking = Looking(hello, keeper, self._keeping, lambda: self.page)
        self.page = Page(
            place=Place(hello.host, hello.port),
            facts=hello.facts,
            keeper=keeper,
            pairings=self._keeping.kept.pairings,
            pin=hello.pin,
            sources=looking.sources(),
            check=looking.check,
            ask=self._ask,
            keep=self._keep,
            language=hello.language,
            on_table=self._table_changed,
        )
        self._keeping.save()
        self._show_trouble()

    async def take(self, news: News) -> None:
        """Takes what the launcher's side says."""
        page = self.page
        if not self._keeping.kept.followed.run or self._rescued:
            self._begin_after(news.records)
        page.launcher.take(news)
        for told in news.records:
            if told.number > self._last:
                self._last = told.number
                try:
                    page.launcher.record(told, whose(page.keeper.game.state))
                    await self._follow(told)
                except Exception:  # the same record would end the next page too
                    log.exception("a record could not be followed: %s", told)
        page.show_launcher()

    async def _follow(self, told: Told) -> None:
        """What a record means at the table, once only."""
        keeper = self.page.keeper
        if told.kind == records.PRESS:
            self._requested = Request()  # it held for this press
            self._send_request()
        moves = moves_for(Record(told.kind, told.data, told.press), keeper.game.state)
        if not moves or self._was_followed(told):
            return
        self.page.show_launcher()  # phones need not wait for the disk
        self._keeping.kept.followed = Followed(
            self._hello.run,
            told.number,
            told.press or 0,
            STEPS.get(told.kind, 0),
            keeper.version,
        )
        await asyncio.to_thread(self._keeping.save)
        await keeper.happened(moves, told.press)
        self.page.show_table()

    def _begin_after(self, records: list[Told]) -> None:
        """Nobody knows which of these the table was told of: they count as told. A press too few
        is seen, and entered by hand; one too many would be cards that nobody has."""
        last = records[-1].number if records else 0
        self._keeping.kept.followed = Followed(self._hello.run, last, version=-1)
        self._rescued = False
        self._keeping.save()

    def _was_followed(self, told: Told) -> bool:
        """Whether the table has been told of this record, perhaps by a page before this one."""
        last, version = self._keeping.kept.followed, self.page.keeper.version
        if last.run == self._hello.run:
            if told.number != last.number:
                return told.number < last.number
        elif told.press is None:
            return False
        else:
            this, before = (told.press, STEPS.get(told.kind, 0)), (last.press, last.step)
            if this != before:
                return this < before
        return version > last.version

    def _table_changed(self) -> None:
        """Somebody did something at the table, or the launcher did."""
        state = self.page.keeper.game.state
        if state.ring and self._keeping.remember(list(state.ring)):
            self._keeping.save()
        self._send_request()
        self._show_trouble()

    def _send_request(self) -> None:
        request = request_for(self.page.keeper.game.state, self._hello.facts.counts)
        if request != self._requested:
            self._requested = request
            self._ask(wishes.Request(request.cards, request.purpose))

    def _show_trouble(self) -> None:
        """The table's file and ours are in one folder: what one cannot keep, neither can."""
        keeper = self.page.keeper
        if self._keeping.trouble and not keeper.unkept:
            keeper.unkept = self._keeping.trouble

    def _ask(self, wish: Wish) -> None:
        self._say(Wished(wish))

    def _keep(self, pairings: Pairings) -> None:
        self._keeping.kept.pairings = pairings
        self._keeping.save()


def whose(state: State) -> str:
    """Who takes the cards of the next press; nobody knows without a round."""
    return takes_next(state) if state.stage in (PLAY, DEALING) else ""


if __name__ == "__main__":
    main()
