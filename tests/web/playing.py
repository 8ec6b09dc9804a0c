"""A simulated launcher that runs now, with its page in a process of its own."""

import http.client
import json
import logging
import socket
import uuid
from http import HTTPStatus
from pathlib import Path

from cannon import app
from cannon.live import LiveTwin
from cannon.page.opening import bound, open_page
from cannon.settings.cannon_toml import CannonToml, Journal, Web
from tests.web.tools import PATIENCE_S, Odds, Stream, wait_until

PIN = "13579"


class Client:
    """A phone that talks to a page on this machine."""

    def __init__(self, port):
        self.port = port
        self.token = self.get("hello")["token"]

    def get(self, name):
        status, answer = self._talk("GET", name)
        if status == HTTPStatus.TOO_MANY_REQUESTS:  # as for a moment after a flood
            raise ConnectionRefusedError(answer)
        return answer

    def post(self, name, **values):
        moment = self.get("hello")["moment"]
        return self._talk("POST", name, {"id": uuid.uuid4().hex, "moment": moment, **values})

    def act(self, **action):
        """An action at the table as it is now. Gives the status and the answer."""
        return self.post("table", version=self.table["version"], action=action)

    @property
    def parts(self):
        return self.get("state")["parts"]

    @property
    def table(self):
        return self.parts["table"]

    @property
    def owed(self):
        return [(owed["by"], owed["count"]) for owed in self.table.get("owed", ())]

    def _talk(self, method, name, value=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        head = {"Content-Type": "application/json", "X-Cannon-Token": getattr(self, "token", "")}
        try:
            sent = None if value is None else json.dumps(value)
            connection.request(method, f"/api/{name}", sent, head)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


class Playing:
    """Enter it to play; `cards` are what the presses will bring. Times are real."""

    def __init__(self, folder, *cards, remote_firing=False, stack=83):
        logging.getLogger("transitions").setLevel(logging.ERROR)  # it tells of every transition
        web = Web(pin=PIN, remote_firing=remote_firing)
        settings = CannonToml(journal=Journal(path=str(folder / "journal.db")), web=web)
        plan = app.plan(settings, 1)
        self.live = LiveTwin(app.simulated(plan, odds=Odds(*cards), stack=stack))
        self.twin = self.live.twin
        self.folder = str(folder)
        self.changes = []
        self.told = []
        self.halts = []
        self.page = open_page(
            self.live,
            bound("127.0.0.1:0"),
            settings,
            simulated=True,
            model=plan.odds,
            board=plan.board,
            journal=folder / "journal.db",
            pin=PIN,
            language="en",
            change=self.changes.append,
            halt=lambda: self.halts.append(1),
            tell=self.told.append,
        )
        self.link = self.page.link
        self.port = int(self.page.address.rpartition(":")[2].strip("/"))

    def __enter__(self):
        self.link.start()
        self.live.start()
        self.wait_for_page()
        return self

    def __exit__(self, *error):
        self.live.stop()
        self.link.stop()
        assert self.twin.account.violations == []

    def wait_for_page(self):
        """Until the page shows the launcher."""
        wait_until(
            lambda: self.reached(lambda: Client(self.port).parts["launcher"]["state"] != "away")
        )

    def reached(self, asked):
        try:
            return asked()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            return False

    def client(self):
        return Client(self.port)

    def stream(self):
        return Stream(self.port)

    def press(self):
        """A finger presses; returns when the launcher is ready again."""
        before = self.presses
        self.live.hand(lambda twin: twin.press())
        wait_until(lambda: self.presses == before + 1 and self.state != "feeding")
        wait_until(lambda: self.state not in ("suspense", "feeding", "retracting", "settling"))

    @property
    def presses(self):
        return self.live.loop.controller.snapshot().presses

    @property
    def state(self):
        return self.live.loop.controller.state


def is_there(pid):
    """Whether a process is there, and no mere remains of one."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]
