"""The page in a real browser: whole rounds by two phones, sleep and wake, looks, accessibility.

Run by tests/lanes/browser.sh, which installs Chromium and playwright-core. The scenarios are in
`browser/`; here is the launcher that they play with, and what they ask to be done to it.
"""

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from cannon.settings.cannon_toml import Play
from cannon.settings.texts import entries
from tests.web.playing import Playing, keep_check_and_calibration, keep_history
from tests.web.tools import PATIENCE_S, wait_until

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
MODULES = Path(os.environ.get("CANNON_BROWSER", ROOT / ".cache" / "browser"))
PICTURES = Path(os.environ.get("CANNON_PICTURES", ROOT / ".cache" / "pictures"))


def play(name, playing):
    """Plays a scenario; what it asks to be done to the launcher is done meanwhile."""
    deeds = hands(playing)
    assert (MODULES / "node_modules").is_dir(), "run tests/lanes/browser.sh, which installs them"
    PICTURES.mkdir(parents=True, exist_ok=True)
    scenario = Path(__file__).parent / "browser" / f"{name}.mjs"
    with subprocess.Popen(
        ["node", scenario, f"http://127.0.0.1:{playing.port}/", PICTURES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "CANNON_BROWSER": str(MODULES)},
    ) as process:
        for line in process.stdout:
            answer = deeds[json.loads(line)["launcher"]]()
            process.stdin.write(json.dumps(answer) + "\n")
            process.stdin.flush()
    assert process.returncode == 0, f"{name}: see above"


def hands(playing):
    """What scenarios can ask to be done to the launcher."""

    def hand(act):
        playing.live.hand(act)

    still = threading.Event()

    def feed():
        """A press; in the midst of it the world stands still, so that it can be looked at."""
        snapshot = playing.live.loop.controller.snapshot
        still.clear()
        hand(lambda twin: twin.press())
        wait_until(lambda: (snapshot().cards or 0) >= 2)
        hand(lambda twin: still.wait(PATIENCE_S))

    def settled():
        still.set()
        wait_until(lambda: playing.state not in ("suspense", "feeding", "retracting", "settling"))

    def jam():
        hand(lambda twin: twin.mechanism.plan.update({twin.mechanism.drawn + 1: "jams"}))
        hand(lambda twin: twin.press())
        wait_until(lambda: playing.state == "jammed")

    def open_lid():
        hand(lambda twin: (twin.clear(), twin.open_lid()))
        wait_until(lambda: playing.state == "lid_open")

    def clear():
        hand(lambda twin: twin.close_lid())
        wait_until(lambda: playing.state == "ready")

    def empty():
        """A press on a launcher without cards."""
        hand(lambda twin: twin.press())
        wait_until(lambda: playing.state == "empty")

    def kill_page():
        os.kill(playing.link.pid, signal.SIGKILL)

    def disk(*trouble):
        return lambda: playing.troubled(trouble)

    return {
        "english": english_only,
        "disk full": disk(("journal_full", {})),
        "disk well": disk(),
        "feed": feed,
        "fed": settled,
        "jam": jam,
        "open": open_lid,
        "clear": clear,
        "press": playing.press,
        "empty": empty,
        "kill page": kill_page,
        "three presses": lambda: [playing.press() for _ in range(3)] and None,
    }


def english_only():
    """Texts of the program that no Danish text is like."""
    english, danish = (
        {text for entry in entries(language).values() for text in said(entry)}
        for language in ("en", "da")
    )
    return sorted(text for text in english - danish if "{" not in text)


def said(entry):
    return entry.values() if isinstance(entry, dict) else [entry]


def test_looks(tmp_path):
    keep_check_and_calibration(tmp_path)
    keep_history(tmp_path)
    with Playing(tmp_path, 5, 3, 2) as playing:
        play("looks", playing)


def test_two_phones_play_a_round(tmp_path):
    cards = (3, 0, 5, 2, 2, 4, 1, 0, 1, 2, 0, 0)
    with Playing(tmp_path, *cards) as playing:
        play("round", playing)


def test_three_players_and_an_earlier_round_corrected(tmp_path):
    with Playing(tmp_path) as playing:
        play("three", playing)


def test_suspense_cards_asked_for_and_a_full_disk(tmp_path):
    with Playing(tmp_path, 5, 4, 0, play=Play(suspense_s=3, owed="command")) as playing:
        play("shots", playing)


def test_rules_that_only_some_games_have(tmp_path):
    with Playing(tmp_path) as playing:
        play("rules", playing)


def test_sleep_and_wake(tmp_path):
    with Playing(tmp_path, 1, 2, 3, 1, 2, 3) as playing:
        play("sleep", playing)


def test_hostile_names_danish_and_keyboard(tmp_path):
    with Playing(tmp_path, 2, 1) as playing:
        play("strangers", playing)


def test_settings_by_pin(tmp_path):
    with Playing(tmp_path) as playing:
        play("settings", playing)
        assert playing.changes == [{"odds": "even"}]


def test_the_scripts_are_for_old_phones_too():
    """They use the language of 2018 and no more."""
    check = (
        "const m = require('module').createRequire(process.argv[1] + '/package.json');"
        "const acorn = m('acorn'), fs = require('fs');"
        "for (const f of process.argv.slice(2)) acorn.parse(fs.readFileSync(f, 'utf8'),"
        "  {ecmaVersion: 2018, sourceType: 'module', allowImportExportEverywhere: true});"
    )
    scripts = sorted((ROOT / "cannon" / "web" / "static").glob("*.js"))
    assert scripts
    subprocess.run(["node", "-e", check, MODULES, *scripts], check=True)
