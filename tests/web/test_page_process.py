"""The page in its own process: killed, stopped, mad, or away, it costs the launcher nothing.

All of it for real: processes, signals, sockets, a simulated launcher that runs on the clock.
"""

import logging
import os
import signal
import sys
import threading

import pytest

from cannon.page import link as link_module
from cannon.page.link import Link
from cannon.twin.mechanism import DOUBLE
from tests.web.playing import Playing, is_there, keep_check_and_calibration
from tests.web.tools import PATIENCE_S, wait_until

HIT_2 = [
    {
        "do": "start",
        "edition": "extreme",
        "players": ["A", "B", "C"],
        "dealer": "C",
        "first": "red 5",
    },
    {"do": "lay", "by": "A", "card": "red hit-2"},
]


def prepared(playing, actions=HIT_2):
    phone = playing.client()
    for action in actions:
        status, answer = phone.act(**action)
        assert status == 200, answer
    return phone


def test_a_press_on_the_pins_is_on_the_page_and_counts_at_the_table(tmp_path):
    with Playing(tmp_path, 3, 0) as playing:
        phone = prepared(playing)
        stream = playing.stream()
        stream.state()
        assert phone.owed == [("B", 2)]
        playing.press()
        seen = []
        while "ready" not in seen or "feeding" not in seen:
            launcher = stream.state()["parts"].get("launcher")
            if launcher:
                seen.append(launcher["state"])
        wait_until(lambda: phone.owed == [("B", 1)])
        playing.press()
        wait_until(lambda: phone.owed == [])
        assert hands(phone) == {"A": 6, "B": 10, "C": 7}
        shots = phone.parts["launcher"]["shots"]
        assert [(shot["kind"], shot["cards"], shot["whose"]) for shot in shots] == [
            ("blank", 0, "B"),
            ("cards", 3, "B"),
        ]
        stream.close()


def hands(phone):
    return {player["name"]: player["hand"] for player in phone.table["players"]}


def test_two_that_may_have_come_as_one_are_told_and_the_hand_is_unknown_until_counted(tmp_path):
    with Playing(tmp_path, 3) as playing:
        phone = prepared(playing)
        playing.live.hand(lambda twin: twin.mechanism.plan.update({2: DOUBLE}))
        playing.press()
        wait_until(lambda: phone.owed == [("B", 1)])
        assert hands(phone) == {"A": 6, "B": None, "C": 7}
        launcher = phone.parts["launcher"]
        assert launcher["shots"][0]["words"] == "3 cards; perhaps two came as one: count the hand"
        assert launcher["lines"][0] == "Press 1: 3 cards; perhaps two at once: 1"
        in_danish = phone.get("state?lang=da")["parts"]["launcher"]["shots"][0]["words"]
        assert in_danish == "3 kort; måske kom to som ét: tæl kortene på hånden"
        assert phone.act(do="hand", by="B", cards=11)[0] == 200
        assert hands(phone) == {"A": 6, "B": 11, "C": 7}


def test_the_button_is_down_on_the_page_as_long_as_it_is_on_the_pins(tmp_path):
    with Playing(tmp_path, 0) as playing:
        stream = playing.stream()
        launcher: dict[str, object] = {}

        def shown_with(**wanted):
            while not wanted.items() <= launcher.items():
                launcher.update(stream.state()["parts"].get("launcher", {}))

        shown_with(button_down=False, presses=0)
        playing.live.hand(lambda twin: twin.contact("button", True))
        shown_with(button_down=True)
        shown_with(button_down=True, presses=1)
        playing.live.hand(lambda twin: twin.contact("button", False))
        shown_with(button_down=False, presses=1)
        stream.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A page that several tests use, one after the other; each leaves the launcher ready."""
    folder = tmp_path_factory.mktemp("shared")
    keep_check_and_calibration(folder)
    with Playing(folder, 2, remote_firing=True) as playing:
        yield playing


@pytest.fixture
def quick_restart(monkeypatch):
    """A page that ended is started anew at once."""
    monkeypatch.setattr(link_module, "FIRST_PAUSE_S", 0.02)


def test_hands_on_the_page_reach_the_simulated_launcher(shared):
    playing, phone = shared, shared.client()
    assert phone.post("hand", do="lid")[0] == 200
    wait_until(lambda: phone.parts["launcher"]["state"] == "lid_open")
    phone.post("hand", do="press")
    wait_until(lambda: phone.parts["launcher"]["refusal"])
    assert playing.presses == 0
    phone.post("hand", do="lid")
    wait_until(lambda: phone.parts["launcher"]["state"] == "ready")
    assert playing.presses == 0
    phone.post("hand", do="plant", fault="jam")
    phone.post("hand", do="press")
    wait_until(lambda: phone.parts["launcher"]["state"] == "jammed")
    phone.post("hand", do="take")
    phone.post("launcher", do="acknowledge")
    wait_until(lambda: phone.parts["launcher"]["state"] == "ready")
    phone.post("hand", do="plant", fault="sensor_blocked")
    wait_until(lambda: phone.parts["launcher"]["faults"] == ["sensor_blocked"])
    phone.post("hand", do="mend")
    wait_until(lambda: phone.parts["launcher"]["faults"] == [])


def test_a_press_from_a_phone_is_passed_on_and_what_comes_of_it_is_seen_in_the_state(shared):
    playing, phone = shared, shared.client()
    refused = "Refused: The lid is open. Close it until it clicks."
    assert phone.post("pair", pin="13579")[0] == 200
    phone.post("hand", do="lid")
    wait_until(lambda: phone.parts["launcher"]["state"] == "lid_open")
    presses, before = playing.presses, phone.parts["launcher"]
    assert phone.post("launcher", do="press") == (200, {})
    wait_until(lambda: phone.parts["launcher"]["lines"][0] == refused)
    after = phone.parts["launcher"]
    assert after["lines"] == [refused, *before["lines"]]
    assert after["refusal"] == "The lid is open. Close it until it clicks."
    assert after["shots"] == before["shots"]
    assert playing.presses == presses
    phone.post("hand", do="lid")
    wait_until(lambda: phone.parts["launcher"]["state"] == "ready")


def test_the_state_is_shown_while_the_launchers_loop_is_stuck(shared):
    playing, phone = shared, shared.client()
    stuck, let_go = threading.Event(), threading.Event()

    def hang(twin):
        stuck.set()
        assert let_go.wait(PATIENCE_S)

    playing.live.hand(hang)
    try:
        assert stuck.wait(PATIENCE_S)
        assert phone.parts["launcher"]["state"] == "ready"
        assert not let_go.is_set()
    finally:
        let_go.set()


def test_the_launcher_comes_before_the_page(shared):
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, shared.link.pid) == max(own, link_module.NICENESS) > 0


def test_a_priority_that_may_not_be_set_costs_no_page(tmp_path, monkeypatch, caplog):
    def refused(which, who, priority):
        raise PermissionError(1, "no")

    monkeypatch.setattr(os, "setpriority", refused)
    with Playing(tmp_path, 3, 0) as playing:
        assert playing.client().act(**HIT_2[0])[0] == 200
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_killed_in_mid_game_it_comes_back_and_has_missed_nothing(tmp_path, caplog, quick_restart):
    caplog.set_level(logging.CRITICAL)
    with Playing(tmp_path, 3, 4, 2) as playing:
        phone = prepared(playing)
        assert phone.post("pair", pin="13579") == (200, {"paired": True})
        playing.press()
        wait_until(lambda: phone.owed == [("B", 1)])
        first = playing.link.pid
        os.kill(first, signal.SIGKILL)
        playing.press()  # the launcher does not notice
        assert playing.presses == 2
        playing.wait_for_page()
        assert playing.link.pid != first
        again = playing.client()
        wait_until(lambda: again.owed == [])
        assert hands(again) == {"A": 6, "B": 14, "C": 7}
        assert again.token.partition(".")[0] != ""
        assert again.post("hand", do="lid")[0] == 200
        assert phone.post("settings", values={"odds": "even"})[0] == 200  # it stays paired
        wait_until(lambda: playing.changes == [{"odds": "even"}])


def test_stopped_dead_the_launcher_plays_on_and_the_page_is_started_anew(
    tmp_path, caplog, monkeypatch, quick_restart
):
    caplog.set_level(logging.CRITICAL)
    monkeypatch.setattr(link_module, "SILENT_S", 4.0)
    with Playing(tmp_path, 1, 1, 1) as playing:
        phone = prepared(playing)
        first = playing.link.pid
        os.kill(first, signal.SIGSTOP)
        playing.press()
        playing.press()
        assert playing.presses == 2
        wait_until(lambda: playing.link.pid not in (None, first))
        playing.wait_for_page()
        wait_until(lambda: phone.owed == [])
        assert any("hangs" in words for words in playing.told)
        assert not is_there(first)


def test_settings_change_and_halt_only_with_the_pin(shared):
    playing, phone = shared, shared.client()
    assert phone.post("settings", values={"odds": "even"})[0] == 403
    assert phone.post("pair", pin="00000")[0] == 403
    assert phone.post("pair", pin="13579")[0] == 200
    status, answer = phone.post("settings", values={"odds": "nonsense"})
    assert (status, answer["refused"]) == (422, "setting")
    assert phone.post("settings", values={"owed": "forget", "suspense_s": 2})[0] == 200
    wait_until(lambda: playing.changes == [{"owed": "forget", "suspense_s": 2}])
    assert phone.post("power", do="halt")[0] == 403  # never in a simulation
    assert playing.halts == []


def test_looking_things_up(shared):
    playing, phone = shared, shared.client()
    odds = phone.get("odds")
    assert odds["verdict"] == "few"
    assert odds["shares"]["2"] == pytest.approx(132 / 323)
    assert {model["name"] for model in phone.get("settings")["models"]} >= {"measured", "even"}
    editions = phone.get("editions")["editions"]
    assert editions[0]["name"] == "extreme"
    assert phone.get("history") == {}  # there is no journal in this test
    found = phone.get("diagnostics")
    assert found["items"]["folder"] == playing.folder
    assert found["calibration"]["feed"] == {"one card passes (ms)": 77}
    assert found["calibration"]["measured"] == 1767312000  # 2026-01-02, in seconds since 1970
    assert found["check"]["at"] == 1767323045
    danish = phone.get("diagnostics?lang=da")
    assert danish["calibration"]["feed"] == {"ét kort passerer (ms)": 77}
    assert danish["items"]["board"] == "Legetøjskanon med en Raspberry Pi"
    assert danish["items"]["odds"] == "målt"
    assert phone.get("odds?lang=da")["title"] == "målt"
    assert [step["verdict"] for step in found["check"]["steps"]] == ["good", "bad"]
    assert found["check"]["steps"][1]["words"] == "The press was not seen."
    checks = phone.get("doctor")["checks"]
    assert len(checks) > 10
    assert phone.get("doctor")["checks"] == checks
    in_danish = {one["name"]: one for one in phone.get("doctor?lang=da")["checks"]}
    assert [one["name"] for one in checks] == list(in_danish)
    assert playing.folder in in_danish["journal"]["detail"]  # that of the launcher that runs
    assert in_danish["settings"]["title"] == "indstillinger"
    assert in_danish["settings"]["detail"] == "det hele kan bruges; boardet er launcher-pi"


def test_what_cannot_be_written_costs_what_is_kept_only(tmp_path):
    for name in ("table.jsonl", "page.json.new"):
        (tmp_path / name).mkdir()  # in the way of the files of that name
    with Playing(tmp_path, 1) as playing:
        phone = prepared(playing)
        assert "Nothing is kept" in phone.table["unkept"]
        assert (
            phone.get("diagnostics")["items"]["folder_trouble"] == "writing to the disk has failed"
        )
        playing.press()
        wait_until(lambda: phone.owed == [("B", 1)])


def mad(script):
    """What the page is replaced by: a program that says what it likes."""

    def started(listener):
        import subprocess

        return subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    return started


PRESS = b'{"line": "wished", "wish": {"wish": "launcher", "do": "press"}}\n'
HALF = b'{"line": "wished", "wish": {"wish": "simulated", "do": "plant"}}\n'


@pytest.mark.parametrize(
    "script",
    [
        "import os\nwhile True: os.write(1, os.urandom(4000))",
        f"import os\nwhile True: os.write(1, {PRESS!r})",
        f"import os\nwhile True: os.write(1, {HALF!r})",
        "raise SystemExit(3)",
        "import os; os.close(1); import time; time.sleep(60)",
    ],
    ids=["noise", "presses", "half wishes", "ends", "silent"],
)
def test_a_mad_page_moves_nothing(tmp_path, monkeypatch, caplog, script):
    caplog.set_level(logging.CRITICAL)
    monkeypatch.setattr(link_module, "_started", mad(script))
    playing = Playing(tmp_path, 2)
    playing.link.start()
    playing.live.start()
    wait_until(lambda: playing.state == "ready")
    playing.press()
    playing.press()
    assert playing.presses == 2  # none of them the page's
    playing.live.stop()
    playing.link.stop()
    assert playing.twin.account.violations == []


def test_the_end_of_the_launcher_is_the_end_of_the_page(tmp_path):
    with Playing(tmp_path) as playing:
        pid = playing.link.pid
        assert is_there(pid)
    assert not is_there(pid)
    assert isinstance(playing.link, Link)
