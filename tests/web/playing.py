"""A simulated launcher that runs now, with its page in a process of its own."""

import http.client
import json
import logging
import socket
import uuid
from http import HTTPStatus
from pathlib import Path

from cannon import app
from cannon.core.chances import chances_of
from cannon.core.shot import Outcome
from cannon.live import LiveTwin
from cannon.page.opening import bound, open_page
from cannon.settings import calibrated
from cannon.settings.calibrated import Calibration
from cannon.settings.cannon_toml import CannonToml, Journal, Play, Web
from cannon.settings.odds_models import compile_model, load_odds
from hardware import load_board
from tests.unit.journal_tools import opened
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

    def __init__(self, folder, *cards, remote_firing=False, stack=83, play=None):
        logging.getLogger("transitions").setLevel(logging.ERROR)  # it tells of every transition
        web = Web(pin=PIN, remote_firing=remote_firing)
        journal = Journal(path=str(folder / "journal.db"))
        settings = CannonToml(journal=journal, web=web, play=play or Play())
        plan = app.plan(settings, 1)
        self.live = LiveTwin(app.simulated(plan, odds=Odds(*cards), stack=stack))
        self.twin = self.live.twin
        self.folder = str(folder)
        self.changes = []
        self.told = []
        self.halts = []
        self.trouble = ()
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
            trouble=lambda: self.trouble,
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

    def troubled(self, trouble):
        """What the journal is in trouble for, from now on."""
        self.trouble = trouble
        self.page.hub.wake()

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


def keep_check_and_calibration(folder):
    """What `cannon check` and `cannon calibrate` have left in `folder` for the page to show."""
    steps = [
        {"step": "lid", "verdict": "good", "cause": "", "tries": 1},
        {"step": "button", "verdict": "bad", "cause": "button_dead", "tries": 2},
    ]
    check = {"board": "launcher-pi", "at": "2026-01-02T03:04:05+00:00", "steps": steps}
    (folder / "check-simulated.json").write_text(json.dumps(check))
    measured = Calibration(measured="2026-01-02", cards=24, retries=0, feed={"card_ms": 77})
    calibrated.keep(calibrated.place(folder, load_board("launcher-pi")), measured)


def keep_history(folder, launches=80):
    """An evening's history in `folder`, of a launcher that keeps its odds; with some trouble."""
    history = opened(folder / "journal.db")
    history.write("start", {"model": "measured", "board": "launcher-pi", "seed": 1})
    press = 0
    for wait, share in chances_of(
        compile_model(load_odds("measured"))
    ).launch_share_by_wait.items():
        for _ in range(round(share * launches)):
            for since in range(1, wait + 1):
                press += 1
                history.write("press", {"source": "button", "wait": since}, press)
                history.write("outcome", _outcome(3 if since == wait else 0), press)
    history.write("fault", {"cause": "jam", "detail": ""}, press)
    for kind, data in (
        ("cleared", {"cause": "jam", "source": "button"}),
        ("lid", {"open": True}),
        ("lid", {"open": False}),
        ("refill", {"source": "lid"}),
        ("refusal", {"reason": "lid_open", "source": "button"}),
    ):
        history.write(kind, data)
    assert history.close(PATIENCE_S)


def _outcome(cards):
    return Outcome(
        decided=cards,
        rest=0,
        delivered=cards,
        owed=0,
        extra=0,
        suspects=0,
        reason="" if cards else "blank",
        retries=0,
        slow=False,
        protruding=False,
    ).data()


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
