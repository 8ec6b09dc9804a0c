"""The gate that every request passes first, and the headers that every answer carries.

Refused here: floods, names that are not ours (DNS rebinding), methods we do not know, and all
changes that another site's page could have sent. A GET never changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cannon.web.hosts import is_ours
from cannon.web.limits import ALL_REQUESTS, READS, Clock, Rate
from cannon.web.refusing import CLOSE, Refused
from cannon.web.wording import accepted

POLICY = "; ".join(
    [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "manifest")),
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
METHODS = ("GET", "HEAD", "POST")


class Gate:
    """Stands before `app`. `names` are the names of this machine."""

    def __init__(self, app: ASGIApp, names: frozenset[str], clock: Clock) -> None:
        self._app = app
        self._names = names
        self._reads = Rate(READS, clock)
        self._all = Rate(ALL_REQUESTS, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        headers = scope["headers"]
        try:
            self._check(scope, headers)
        except Refused as refused:
            language = accepted(_value(headers, b"accept-language"))
            await refused.answer(language)(scope, receive, send_on)
            return
        await self._app(scope, receive, send_on)

    def _check(self, scope: Scope, headers: Iterable[tuple[bytes, bytes]]) -> None:
        client = scope["client"][0] if scope["client"] else ""
        if not (self._reads.allows(client) and self._all.allows("")):
            raise Refused(429, "too_often", {"retry-after": "1"})
        host = _value(headers, b"host")
        if not is_ours(host, self._names):
            raise Refused(403, "host", CLOSE)
        if scope["method"] not in METHODS:
            raise Refused(405, "method", {"allow": ", ".join(METHODS)})
        if scope["method"] == "POST":
            _check_change(headers, host)


def _check_change(headers: Iterable[tuple[bytes, bytes]], host: str) -> None:
    """A change must come from a page of ours. Browsers say where a POST comes from."""
    origin = _value(headers, b"origin")
    if origin and origin not in (f"http://{host}", f"https://{host}"):
        raise Refused(403, "origin", CLOSE)
    if _value(headers, b"sec-fetch-site") not in ("", "same-origin", "none"):
        raise Refused(403, "origin", CLOSE)
    kind = _value(headers, b"content-type").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "type", CLOSE)


def _value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """The header `name`; of several alike, all of them, so that none can hide."""
    return ",".join(value.decode("latin-1") for key, value in headers if key == name)
