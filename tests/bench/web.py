"""The phone page: how soon a press is on it, what it costs the launcher under load, its memory.

- A press on the pins, from its first edge until a phone shows the button down; and until the phone
  has the press that counts, less `press.min_ms`, for which the settings ask it to stand; beside a
  POST to a bare starlette event-stream that comes back as an event.
- Press to motor, and lid to motor off, with 200 phones that listen and 1,000 requests a second,
  beside the same launcher without a page.
- Memory of `cannon play --web` with ten phones, beside a Python that imports starlette and
  uvicorn; and the processor's time when nothing happens.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from pathlib import Path
from typing import Any

from cannon.page.opening import bound, open_page
from cannon.settings.cannon_toml import CannonToml
from tests.bench.measure import bound as bounded
from tests.bench.measure import middle, result
from tests.bench.web_launcher import BenchLauncher

PRESSES = 60
CYCLES = 60  # of press and lid, in each of the blocks
ECHOES = 3.0  # goal
BLOCKS = 2  # without and with load, in turns
LISTENERS, REQUESTS = 200, 1_000
PHONES = 10
IDLE_S = 20.0
PATIENCE_S = 30.0
CANNON = Path(sys.executable).parent / "cannon"

ECHO = """
import asyncio, socket, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
queues = []
async def stream(request):
    queue = asyncio.Queue()
    queues.append(queue)
    async def events():
        while True:
            yield b"data: %s\\n\\n" % await queue.get()
    return StreamingResponse(events(), media_type="text/event-stream")
async def echo(request):
    body = await request.body()
    for queue in queues:
        queue.put_nowait(body)
    return Response()
app = Starlette(routes=[Route("/stream", stream), Route("/echo", echo, methods=["POST"])])
uvicorn.run(app, fd=int(sys.argv[1]), log_level="error", access_log=False)
"""


def run() -> list[dict[str, Any]]:
    return [*latency(), *under_load(), *footprint()]


# --- how soon a press is on the page ---------------------------------------------------------


def latency() -> list[dict[str, Any]]:
    """Presses and echoes in turns, one phone that listens."""
    min_ms = CannonToml().press.min_ms
    down: list[float] = []
    counted: list[float] = []
    echoes: list[float] = []
    echo, echo_port = _echo_server()
    with tempfile.TemporaryDirectory() as folder:
        launcher = BenchLauncher()
        page = _page(launcher, Path(folder))
        try:
            phone, other = Listener(page.port, "/api/stream"), Listener(echo_port, "/stream")
            phone.until(b'"state":"ready"')
            time.sleep(0.5)
            for number in range(1, PRESSES + 1):
                for times, taken in zip(
                    (down, counted), _press(launcher, phone, number), strict=True
                ):
                    times.append(taken)
                echoes.append(_echo(echo_port, other))
        finally:
            page.stop()
            launcher.stop()
            echo.kill()
            echo.wait()
    bare = middle(echoes)
    return [
        result("web.press_to_page", middle(down), bare, ECHOES, "s (median)", presses=PRESSES),
        result(
            "web.counted_press_to_page",
            middle(counted) - min_ms / 1000,
            bare,
            ECHOES,
            "s (median)",
            less_press_min_ms=min_ms,
        ),
    ]


def _press(launcher: BenchLauncher, phone: Listener, number: int) -> tuple[float, float]:
    """From the first edge until the button is down on the page, and until the press is on it."""
    sent = launcher.edge("button", True)
    down = phone.until(b'"button_down":true')
    counted = phone.until(b'"presses":%d,' % number)
    launcher.edge("button", False)
    launcher.until(lambda: launcher.ready)
    phone.until(b'"state":"ready"')
    return down - sent, counted - sent


def _echo(port: int, phone: Listener) -> float:
    word = uuid.uuid4().hex.encode()
    with socket.create_connection(("127.0.0.1", port)) as poster:
        sent = time.monotonic()
        poster.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 32\r\n\r\n" + word)
        return phone.until(word) - sent


def _echo_server() -> tuple[subprocess.Popen[bytes], int]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", ECHO, str(listener.fileno())], pass_fds=[listener.fileno()]
    )
    listener.close()
    _until_served(port, "/stream")
    return server, port


class Listener:
    """A phone that listens on a raw socket."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self._seen = b""

    def until(self, wanted: bytes) -> float:
        """When what was sent first had `wanted` in it; what came before is passed over."""
        while (at := self._seen.find(wanted)) < 0:
            data = self._socket.recv(65536)
            if not data:
                raise RuntimeError("the stream has ended")
            self._seen = self._seen[-200:] + data
        arrived = time.monotonic()
        self._seen = self._seen[at + len(wanted) :]
        return arrived

    def close(self) -> None:
        self._socket.close()


# --- what it costs the launcher --------------------------------------------------------------


def under_load() -> list[dict[str, Any]]:
    """Press and lid, without a page and with one under load, in turns."""
    quiet: dict[str, list[float]] = {"press": [], "lid": []}
    loaded: dict[str, list[float]] = {"press": [], "lid": []}
    sent: list[float] = []
    answered: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(BLOCKS):
            launcher = BenchLauncher()
            launcher.live.start()
            _cycles(launcher, quiet)
            launcher.stop()
            launcher = BenchLauncher()
            page = _page(launcher, Path(folder))
            load = _load(page.port)
            _cycles(launcher, loaded)
            for numbers, number in zip((sent, answered), _load_ends(load), strict=True):
                numbers.append(number)
            page.stop()
            launcher.stop()
    more = {
        "requests_per_s": round(middle(sent)),
        "answers_per_s": round(middle(answered)),
        "listeners": LISTENERS,
        "cycles": BLOCKS * CYCLES,
    }
    return [
        result(
            f"web.{name}_to_motor_{way}",
            middle(loaded[name]),
            middle(quiet[name]),
            1.3,
            "s (median)",
            **more,
        )
        for name, way in (("press", "on"), ("lid", "off"))
    ]


def _cycles(launcher: BenchLauncher, found: dict[str, list[float]]) -> None:
    launcher.until(lambda: launcher.ready)
    for _ in range(CYCLES):
        pressed = launcher.edge("button", True)
        found["press"].append(launcher.motor(on=True) - pressed)
        opened = launcher.edge("lid", True)
        found["lid"].append(launcher.motor(on=False) - opened)
        launcher.edge("button", False)
        launcher.until(lambda: launcher.state == "lid_open")
        launcher.edge("lid", False)
        launcher.until(lambda: launcher.ready)
        time.sleep(0.06)  # the button's own time after it was let go


def _load(port: int) -> subprocess.Popen[str]:
    load = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.web_load", str(port), str(LISTENERS), str(REQUESTS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert load.stdout is not None
    if load.stdout.readline() != "ready\n":
        raise RuntimeError("the load did not begin")
    return load


def _load_ends(load: subprocess.Popen[str]) -> list[float]:
    out, _ = load.communicate("")
    return [float(line) for line in out.split()]


class _Page:
    """The page of a launcher, served."""

    def __init__(self, launcher: BenchLauncher, folder: Path) -> None:
        opened = open_page(
            launcher.live,
            bound("127.0.0.1:0"),
            CannonToml(),
            simulated=False,
            model=launcher.plan.odds,
            board=launcher.board,
            journal=folder / "journal.db",
            pin="",
            language="en",
            change=lambda values: None,
            halt=lambda: None,
            tell=print,
        )
        self.port = int(opened.address.strip("/").rpartition(":")[2])
        self.stop = opened.link.stop
        opened.link.start()
        launcher.live.start()
        _until_served(self.port, "/api/state")


def _page(launcher: BenchLauncher, folder: Path) -> _Page:
    return _Page(launcher, folder)


# --- memory and idle time --------------------------------------------------------------------


def footprint() -> list[dict[str, Any]]:
    """A whole `cannon play --simulate --web`, a game on, ten phones that listen, nobody playing."""
    baseline = _imports_kib()
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        command = [CANNON, "play", "--simulate", "--journal", f"{folder}/journal.db"]
        command += ["--web", f"127.0.0.1:{port}"]
        play = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _until_served(port, "/api/state")
            _begin_a_game(port)
            phones = [Listener(port, "/api/stream") for _ in range(PHONES)]
            time.sleep(3)
            pids = [play.pid, *_children(play.pid)]
            began, before = time.monotonic(), _processor_s(pids)
            time.sleep(IDLE_S)
            share = (_processor_s(pids) - before) / (time.monotonic() - began)
            memory, plain = _resident_kib(pids)
            for phone in phones:
                phone.close()
        finally:
            play.send_signal(signal.SIGTERM)
            play.wait(PATIENCE_S)
    return [
        result(
            "web.resident_memory",
            plain,
            baseline,
            2.5,
            "KiB (launcher and page)",
            shared_counted_once=memory,
            phones=PHONES,
        ),
        bounded("web.idle_processor", 100 * share, 1.0, "% of one core", phones=PHONES),
    ]


def _imports_kib() -> int:
    script = "import starlette, uvicorn, sys; print('x', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as bare:
        assert bare.stdout is not None and bare.stdin is not None
        bare.stdout.readline()
        kib = _rollup(bare.pid)["Rss"]
        bare.stdin.close()
    return kib


def _begin_a_game(port: int) -> None:
    def talk(path: str, token: str = "", value: Any = None) -> Any:
        head = {"Content-Type": "application/json", "X-Cannon-Token": token}
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, head)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    hello = talk("/api/hello")
    said = {"moment": hello["moment"]}
    for version, action in enumerate(
        [
            {"do": "start", "edition": "extreme", "players": ["A", "B", "C"], "dealer": "C"},
            {"do": "first", "card": "red 5"},
        ]
    ):
        body = {"id": uuid.uuid4().hex, "version": version, "action": action} | said
        talk("/api/table", hello["token"], body)


def _resident_kib(pids: list[int]) -> tuple[int, int]:
    """What is in memory for these processes: once where they share it; and the plain sum."""
    found = [_rollup(pid) for pid in pids]
    own = [one["Private_Clean"] + one["Private_Dirty"] for one in found]
    shared = [one["Rss"] - mine for one, mine in zip(found, own, strict=True)]
    return sum(own) + max(shared), sum(one["Rss"] for one in found)


def _rollup(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) for line in lines}


def _processor_s(pids: list[int]) -> float:
    """Seconds that these processes have used of the processor."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(word) for task in tasks for word in (task / "children").read_text().split()]


def _until_served(port: int, path: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as asker:
                asker.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                if b" 200 " in asker.recv(64):
                    return
        except OSError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"nothing is served on port {port}")
