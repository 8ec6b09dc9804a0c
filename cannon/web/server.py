"""The server of the page: its addresses, and the ways in and out of each.

Reading is free to everybody in reach. A change needs the token of a phone, which only a page that
came from here can read, and passes `cannon.web.gate` before it gets this far.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from cannon.settings.texts import languages
from cannon.table.edition import text
from cannon.web import changes
from cannon.web.changes import Changes
from cannon.web.connections import Connection
from cannon.web.files import File, all_files, made
from cannon.web.gate import Gate
from cannon.web.hosts import is_loopback, own_names, page_address
from cannon.web.limits import BODY_BYTES, BODY_S, STREAMS, WRITES, Once, Rate
from cannon.web.page import Look, Page
from cannon.web.refusing import CLOSE, Refused, as_json, encoded
from cannon.web.stream import stream
from cannon.web.wording import accepted, for_page, known

TOKEN = "x-cannon-token"

Change = Callable[[Any, str, str], Awaitable[dict[str, Any]]]


def make_app(page: Page, more_names: tuple[str, ...] = ()) -> ASGIApp:
    """The whole application, gate first."""
    site = _Site(page)
    app = Starlette(
        routes=site.routes(),
        exception_handlers={Refused: site.refused, HTTPException: site.http_error},
    )
    return Gate(app, own_names(more_names), page.clock)


def make_server(app: ASGIApp) -> uvicorn.Server:
    """The server for `app`. It is given the sockets that it listens on."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
    )


class _Site:
    """The handlers. One for each address."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._files = all_files()
        self._once = Once()
        self._order = asyncio.Lock()
        self._writes = Rate(WRITES, page.clock)
        self._texts: dict[str, File] = {}
        self._qr: dict[str, File] = {}

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        do, sources = Changes(self._page), self._page.sources
        bodies: list[tuple[str, type[msgspec.Struct], Change]] = [
            ("table", changes.TableBody, do.table),
            ("launcher", changes.LauncherBody, do.launcher),
            ("hand", changes.HandBody, do.hand),
            ("settings", changes.SettingsBody, do.settings),
            ("power", changes.HaltBody, do.power),
            ("pair", changes.PairBody, do.pair),
        ]
        looks = [(name, getattr(sources, name)) for name in sources.__struct_fields__]
        return [
            *(Route(path, partial(self._file, "index.html")) for path in ("/", "/join")),
            Route("/manifest.webmanifest", partial(self._file, "manifest.webmanifest")),
            Route("/static/{name}", self._static),
            Route("/qr.svg", self._qr_code),
            Route("/api/hello", self._hello),
            Route("/api/state", self._state),
            Route("/api/stream", _Stream(self._open_stream)),
            Route("/api/texts/{language}", self._texts_file),
            *(Route(f"/api/{name}", partial(self._look, look)) for name, look in looks),
            *(
                Route(f"/api/{name}", partial(self._change, name, body, act), methods=["POST"])
                for name, body, act in bodies
            ),
        ]

    # --- reading -----------------------------------------------------------------------------

    async def _file(self, name: str, request: Request) -> Response:
        return self._files[name].answer(request)

    async def _static(self, request: Request) -> Response:
        found = self._files.get(request.path_params["name"])
        if found is None:
            raise Refused(404, "not_found")
        return found.answer(request)

    async def _texts_file(self, request: Request) -> Response:
        language = known(request.path_params["language"])
        if language is None:
            raise Refused(404, "not_found")
        if language not in self._texts:
            body = json.dumps(for_page(language), ensure_ascii=False).encode()
            self._texts[language] = made(body, ".webmanifest")._replace(kind="application/json")
        return self._texts[language].answer(request)

    async def _qr_code(self, request: Request) -> Response:
        address = self._address()
        if address not in self._qr:
            self._qr = {address: made(_qr_picture(address), ".svg")}
        return self._qr[address].answer(request)

    async def _hello(self, request: Request) -> Response:
        """What a phone is told first: its token, and where it is."""
        page, language = self._page, self._language(request)
        token = request.headers.get(TOKEN, "")
        phone = page.phones.phone(token)
        if phone is None:
            token = page.phones.new_token()
        return as_json(
            {
                "token": token,
                "run": page.parts.run,
                "moment": page.moments.now(),
                "language": language,
                "languages": languages(),
                "paired": phone is not None and page.phones.paired(phone),
                "can_pair": page.phones.can_pair,
                "address": self._address(),
                "local": is_loopback(page.place.host),
                **msgspec.to_builtins(page.facts),
                "board": text(page.facts.board, language),
                "odds": text(page.facts.odds, language),
            }
        )

    async def _state(self, request: Request) -> Response:
        state = msgspec.json.decode(self._page.parts.since(0, self._language(request)))
        return as_json({"simulated": self._page.facts.simulated, **state})

    async def _look(self, look: Look, request: Request) -> Response:
        return as_json(await look(self._language(request)))

    async def _open_stream(self, request: Request, receive: Receive, send: Send) -> None:
        page = self._page
        if page.phones_listening >= STREAMS:
            raise Refused(503, "too_many", {"retry-after": "5", **CLOSE})
        page.phones_listening += 1
        try:
            await stream(page.parts, page.moments, self._language(request), receive, send)
        finally:
            page.phones_listening -= 1

    # --- changing ----------------------------------------------------------------------------

    async def _change(
        self, name: str, form: type[msgspec.Struct], act: Change, request: Request
    ) -> Response:
        phone = self._page.phones.phone(request.headers.get(TOKEN, ""))
        if phone is None:
            raise Refused(403, "token", CLOSE)
        if not self._writes.allows(phone):
            raise Refused(429, "too_often", {"retry-after": "1"})
        body: Any = await _body(request, form)
        async with self._order:
            known_answer = self._once.answer(phone, f"{name} {body.id}")
            if known_answer is None:
                known_answer = await self._answer(act, body, phone, self._language(request))
                self._once.remember(phone, f"{name} {body.id}", known_answer)
        return encoded(*known_answer)

    async def _answer(self, act: Change, body: Any, phone: str, language: str) -> tuple[int, bytes]:
        try:
            if not self._page.moments.is_recent(body.moment):
                raise Refused(409, "late")
            return 200, msgspec.json.encode(await act(body, phone, language))
        except Refused as refused:
            answer = refused.answer(language)
            return answer.status_code, bytes(answer.body)

    # --- what all share ----------------------------------------------------------------------

    async def refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return error.answer(self._language(request))

    async def http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "not_found", 405: "method"}.get(error.status_code, "not_found")
        headers = dict(error.headers) if error.headers else None
        return Refused(error.status_code, code, headers).answer(self._language(request))

    def _language(self, request: Request) -> str:
        """What the phone chose, else what it reads, else what the launcher speaks."""
        chosen = known(request.query_params.get("lang"))
        header = request.headers.get("accept-language", "")
        return chosen or accepted(header, self._page.language)

    def _address(self) -> str:
        return page_address(self._page.place.host, self._page.place.port)


class _Stream:
    """An ASGI application of its own, as nothing else is streamed."""

    def __init__(self, open_stream: Callable[[Request, Receive, Send], Awaitable[None]]) -> None:
        self._open = open_stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._open(Request(scope), receive, send)


async def _body(request: Request, form: type[msgspec.Struct]) -> msgspec.Struct:
    """The body, bounded in size and time, in its form. Raises Refused."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > BODY_BYTES:
        raise Refused(413, "too_large", CLOSE)
    body = b""
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_BYTES:
                    raise Refused(413, "too_large", CLOSE)
    except TimeoutError:
        raise Refused(408, "too_slow", CLOSE) from None
    try:
        return msgspec.json.decode(body, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(422, "body", problem=str(error).replace("`", "")) from None


def _qr_picture(address: str) -> bytes:
    import io

    import segno

    out = io.BytesIO()
    segno.make(address, micro=False, error="m").save(
        out, kind="svg", scale=1, border=3, dark="#111", light="#fff", svgclass=None, lineclass=None
    )
    return out.getvalue()
