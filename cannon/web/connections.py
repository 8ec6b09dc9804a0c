"""One connection of a phone, with the bounds that uvicorn leaves open.

A connection that sends no whole request in time, or takes in nothing for too long, is cut off;
beyond a number of them new ones are not taken.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from cannon.web.limits import CONNECTIONS, REQUEST_S, SLOW_S, WAITING_BYTES


class Connection(H11Protocol):
    """Given to uvicorn as its class of connections."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._patience = _Timer(self.loop)
        self._taking = _Timer(self.loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=WAITING_BYTES)
        # What waits in the kernel is a backlog too; by default it would be megabytes.
        wire = transport.get_extra_info("socket")
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, WAITING_BYTES)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        else:
            self._patience.start(REQUEST_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._patience.stop()
        elif not self._patience.running:  # the next request has begun, and is not whole yet
            self._patience.start(REQUEST_S, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._taking.start(SLOW_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._taking.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.stop()
        self._taking.stop()
        super().connection_lost(exc)


class _Timer:
    """Something to be done later, unless it is stopped."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        return self._handle is not None

    def start(self, after_s: float, act: Callable[[], None]) -> None:
        self.stop()
        self._handle = self._loop.call_later(after_s, act)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
