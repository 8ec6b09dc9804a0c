"""The launcher's end of the line to the page: a thread that starts the page and looks after it.

The control loop only leaves things in a `Hub`. A page that ends, or says nothing for `SILENT_S`,
is started anew after a pause that grows; the address it is served on is held here, so phones find
it again. Nothing that happens to the page ends a thread of this process.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import IO

import msgspec

from cannon.page.lines import LONGEST, Alive, Hello, Line, Said
from cannon.priority import give_way
from cannon.web.hub import Hub
from cannon.web.limits import Bucket
from cannon.web.wishes import Wish

IDLE_S = 1.0  # without news the page's process is looked at that often
SILENT_S = 15.0  # a page that says nothing for so long hangs; it says that it is alive every 2 s
FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 60.0  # before it is started anew
WELL_S = 60.0  # a page that ran so long had no trouble at the start
WISHES = (50.0, 100)  # a second, and at once; the page has bounds of its own, this is for a mad one
STOP_S = 1.0  # a page that is just starting takes longer to end; there is nothing to save in it
NICENESS = 5  # the launcher comes first, also where a service has a better one than others

log = logging.getLogger("cannon.page")


class Link:
    """Keeps a page running until `stop`. `obey` is given what it wishes, `tell` what went
    wrong: "hangs" or "broken".

    `hello` is said to every new page; `listener` is the socket that it names.
    """

    def __init__(
        self,
        hello: Hello,
        listener: socket.socket,
        hub: Hub,
        obey: Callable[[Wish], None],
        tell: Callable[[str], None] = log.warning,
    ) -> None:
        self.phones = 0
        self.pid: int | None = None
        self._hello = msgspec.structs.replace(hello, socket=listener.fileno())
        self._listener = listener
        self._hub = hub
        self._obey = obey
        self._tell = tell
        self._stopping = threading.Event()
        self._page: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._work, name="page", daemon=True)

    def start(self) -> None:
        """Starts the page."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the page, at once if it does not end by itself."""
        self._stopping.set()
        self._hub.wake()
        if self._thread.is_alive():
            self._thread.join(STOP_S)
        if self._thread.is_alive() and self._page is not None:
            self._page.kill()  # it takes in nothing any more, so that the thread waits for it
            self._thread.join(STOP_S)
        self._listener.close()

    def _work(self) -> None:
        give_way()
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                self._serve()
            except Exception:
                log.exception("the page could not be started")
                self._say("broken")
            if time.monotonic() - began > WELL_S:
                pause_s = FIRST_PAUSE_S
            if self._stopping.wait(pause_s):
                return
            pause_s = min(LAST_PAUSE_S, 2 * pause_s)
            log.info("the page is started anew")

    def _serve(self) -> None:
        """One life of the page."""
        page = self._page = _started(self._listener)
        self.pid = page.pid
        reader = threading.Thread(target=self._listen, args=(page,), name="page lines", daemon=True)
        reader.start()
        try:
            assert page.stdin is not None
            self._feed(page, page.stdin)
        except OSError:
            pass  # it has ended; the line is broken
        finally:
            _end(page)
            reader.join(STOP_S)
            if page.stdout is not None and not reader.is_alive():
                page.stdout.close()
            self.pid = None
            self.phones = 0

    def _feed(self, page: subprocess.Popen[bytes], line: IO[bytes]) -> None:
        _write(line, self._hello)
        number = 0
        while not self._stopping.is_set() and page.poll() is None:
            following = self._hub.next_number
            _write(line, self._hub.since(number))
            number = following
            while not self._hub.wait(IDLE_S):
                if self._stopping.is_set() or page.poll() is not None:
                    return

    def _listen(self, page: subprocess.Popen[bytes]) -> None:
        """Takes what the page says, until it ends or hangs."""
        assert page.stdout is not None
        bucket = Bucket(WISHES[1], time.monotonic())
        try:
            while select.select([page.stdout], [], [], SILENT_S)[0]:
                line = page.stdout.readline(LONGEST)
                if not line:
                    return
                if bucket.take(*WISHES, time.monotonic()):
                    self._take(line)
            self._say("hangs")
            page.kill()
        except Exception:  # whatever the page says must not end more than the page
            log.exception("the page's line")
            page.kill()

    def _take(self, line: bytes) -> None:
        try:
            said = _DECODER.decode(line)
        except msgspec.DecodeError as error:
            log.warning("the page said something that means nothing: %s", error)
            return
        if isinstance(said, Alive):
            self.phones = said.phones
        elif isinstance(said, Said):
            log.warning("page: %s", said.words)
        else:
            self._obey(said.wish)

    def _say(self, code: str) -> None:
        try:
            self._tell(code)
        except Exception:
            log.exception("what the page is in trouble for could not be told")


def _started(listener: socket.socket) -> subprocess.Popen[bytes]:
    """A page's process. It is in a session of its own, so Ctrl-C ends it by the line's end only."""
    page = subprocess.Popen(
        [sys.executable, "-m", "cannon.page.process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(listener.fileno(),),
        start_new_session=True,
        bufsize=0,
    )
    own = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, page.pid, max(own, NICENESS))
    except PermissionError as error:  # of a sandbox; a page is better than its priority
        log.warning("the page comes as soon as the launcher does, not after it: %s", error)
    return page


def _end(page: subprocess.Popen[bytes]) -> None:
    """Lets the page end at the end of its input, or kills it."""
    try:
        if page.stdin is not None:
            page.stdin.close()
    except OSError:
        pass  # what was still to be written has no reader
    try:
        page.wait(STOP_S)
    except subprocess.TimeoutExpired:
        page.kill()
        page.wait()


def _write(line: IO[bytes], value: msgspec.Struct) -> None:
    data = memoryview(msgspec.json.encode(value) + b"\n")
    while data:
        data = data[line.write(data) :]


_DECODER = msgspec.json.Decoder(Line)
