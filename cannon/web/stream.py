"""The stream of states to one phone, as server-sent events.

Each event holds what is new since the last one; the first, also after a reconnect, holds all. A
slow phone is not waited for: it gets the newest state once it takes something in again. Without
news a ping tells the phone that it is still up to date. The id of each event is its moment.
"""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Send

from cannon.web.moments import Moments
from cannon.web.parts import Parts

PING_S = 2.0  # a phone that hears nothing for longer greys out what it shows
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


async def stream(
    parts: Parts, moments: Moments, language: str, receive: Receive, send: Send
) -> None:
    """Streams until the phone goes away, or the server ends."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    sending = asyncio.ensure_future(_send_states(parts, moments, language, send))
    gone = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, gone):
            task.cancel()
        ended = await asyncio.gather(sending, gone, return_exceptions=True)
    if isinstance(ended[0], Exception):
        raise ended[0]


async def _send_states(parts: Parts, moments: Moments, language: str, send: Send) -> None:
    async def say(event: bytes, data: bytes) -> None:
        event = b"event: %s\ndata: %s\nid: %s\n\n" % (event, data, moments.now().encode())
        await send({"type": "http.response.body", "body": event, "more_body": True})

    seen = 0
    while not parts.ended:
        message = parts.since(seen, language)
        seen = parts.version
        await say(b"state", message)
        while not await parts.news(seen, PING_S):
            await say(b"ping", b"%d" % seen)
    await send({"type": "http.response.body"})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
