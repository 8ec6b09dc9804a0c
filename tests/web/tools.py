"""What the tests of the page share: a page without a launcher, and ways to talk to it."""

import asyncio
import json
import socket
import threading
import time
import uuid

from cannon.core.values import Snapshot
from cannon.settings.editions import all_editions
from cannon.table.history import new_game
from cannon.web.game import Keeper
from cannon.web.hub import News
from cannon.web.launcher_view import Facts
from cannon.web.page import Page, Place, Sources
from cannon.web.phones import new_pairings
from cannon.web.server import make_app, make_server

HOST = "127.0.0.1:8080"
PIN = "246810"
PATIENCE_S = 30.0  # no test waits that long unless it fails

READY = Snapshot(
    state="ready",
    cause="",
    cause_since=None,
    refusal="",
    lid_open=False,
    button_down=False,
    battery_low=False,
    protruding=False,
    presses=0,
    wait=0,
    press=None,
    wanted=None,
    cards=None,
    owed=0,
    hints=(),
)


EDITIONS = all_editions()


class Odds:
    """Brings the numbers it is given, one after the other, then nothing."""

    wait = 0

    def __init__(self, *cards):
        self.left = list(cards)

    def press(self, rng, now):
        return self.left.pop(0) if self.left else 0

    def state(self):
        return {}

    def lid_opened(self):
        pass

    def powered_on(self):
        pass


class Clock:
    """A clock that stands until it is set."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Made:
    """A page with everything around it replaced by lists that can be looked at."""

    def __init__(self, facts=None, pin=PIN, kept=None, clock=None, language="en"):
        self.wishes = []
        self.pairings = []
        self.clock = clock or Clock()
        self.keeper = Keeper(new_game(EDITIONS), kept)

        async def look(language):
            return {"in": language}

        self.page = Page(
            place=Place("127.0.0.1", 8080),
            facts=facts or Facts(simulated=True, board="Toy", counts=True),
            keeper=self.keeper,
            pairings=new_pairings(),
            pin=pin,
            sources=Sources(*[look] * len(Sources.__struct_fields__)),
            check=lambda values: "" if set(values) <= {"odds"} else "there is no such setting",
            ask=self.wishes.append,
            keep=self.pairings.append,
            language=language,
            clock=self.clock,
        )
        self.page.launcher.take(News(snapshot=READY))
        self.page.show_launcher()
        self.app = make_app(self.page)

    def new_phone(self):
        """The token of a new phone."""
        return self.page.phones.new_token()


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


def call(app, method, path, headers=None, body=b"", host=HOST, client="192.0.2.7"):
    """One request to the application, without a socket."""
    return asyncio.run(acall(app, method, path, headers, body, host, client))


async def acall(app, method, path, headers=None, body=b"", host=HOST, client="192.0.2.7"):
    head = {"host": host, **(headers or {})}
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in head.items()],
        "client": (client, 50000),
        "server": ("127.0.0.1", 8080),
    }
    chunks = [body[at : at + 4096] for at in range(0, len(body), 4096)] or [b""]
    sent = []

    async def receive():
        if chunks:
            chunk = chunks.pop(0)
            return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}
        return await asyncio.sleep(3600)

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    start = sent[0]
    found = {k.decode(): v.decode("latin-1") for k, v in start["headers"]}
    return Answer(start["status"], found, b"".join(m.get("body", b"") for m in sent[1:]))


def posting(token, **more):
    """The headers of a POST as a page of ours sends it."""
    head = {
        "content-type": "application/json",
        "origin": f"http://{HOST}",
        "sec-fetch-site": "same-origin",
        "x-cannon-token": token,
    }
    head.update(more)
    return {name: value for name, value in head.items() if value is not None}


def body(made, **values):
    """What a phone that is up to date sends."""
    value = {"id": uuid.uuid4().hex, "moment": made.page.moments.now(), **values}
    return json.dumps(value).encode()


def post(made, name, token=None, head=None, **values):
    """A POST as a page of ours sends it."""
    headers = posting(token or made.new_phone(), **(head or {}))
    return call(made.app, "POST", f"/api/{name}", headers, body(made, **values))


class Served:
    """A made page on a real socket, in a thread of its own."""

    def __init__(self, made):
        self.made = made
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.loop = asyncio.new_event_loop()
        self._server = make_server(made.app)
        self._thread = threading.Thread(target=self._work)
        self._streams = []

    def stream(self, **how):
        """A new phone that listens; it is closed in the end."""
        self._streams.append(Stream(self.port, **how))
        return self._streams[-1]

    def __enter__(self):
        self._thread.start()
        wait_until(lambda: self._server.started)
        return self

    def __exit__(self, *error):
        for stream in self._streams:
            stream.close()
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(PATIENCE_S)
        self.loop.close()

    def do(self, act):
        """Does `act` in the server's loop and gives what it gives."""

        async def doing():
            return act()

        return asyncio.run_coroutine_threadsafe(doing(), self.loop).result(PATIENCE_S)

    def _work(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._server.serve([self.listener]))


def wait_until(true, patience_s=PATIENCE_S):
    """Waits until `true()` is, and fails if that takes too long."""
    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


class Stream:
    """A phone that listens, on a raw socket."""

    def __init__(self, port, path="/api/stream", receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self._file = self.socket.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        while self._file.readline() not in (b"\r\n", b""):
            pass

    def next(self):
        """The next event: its name and its data; `moment` is that of the event."""
        lines = []
        while True:
            line = self._line()
            if not line:
                self.moment = lines[2].removeprefix(b"id: ").decode()
                return lines[0].partition(b": ")[2].decode(), json.loads(lines[1][6:])
            lines.append(line)

    def state(self):
        """The next state; pings are passed over."""
        while True:
            name, data = self.next()
            if name == "state":
                return data

    def close(self):
        self._file.close()
        self.socket.close()

    def _line(self):
        """A line of the event, out of the chunks it came in."""
        while b"\n" not in self._text:
            size = self._file.readline()
            if not size:
                raise EOFError("the stream has ended")
            self._text += self._file.read(int(size, 16))
            self._file.readline()
        line, _, self._text = self._text.partition(b"\n")
        return line

    _text = b""
    moment = ""
