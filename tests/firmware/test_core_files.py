"""The core's files that also run on a microcontroller do the same in the real MicroPython."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import cannon.core
from cannon.settings.odds_models import compile_model, load_odds, odds_names

CORE = Path(cannon.core.__file__).parent
MICROPYTHON = Path(sys.executable).parent / "micropython"

# Runs in both interpreters: the same presses from the same numbers.
PLAY_ODDS = """
import json
import sys

sys.path.insert(0, sys.argv[1])
from odds import Odds

with open(sys.argv[2]) as file:
    given = json.load(file)


class Given:
    def __init__(self):
        self.at = -1

    def random(self):
        self.at += 1
        return given["numbers"][self.at]


rng = Given()
odds = Odds(given["model"], given["state"])
played = []
for press, now_s in enumerate(given["times_s"]):
    if press % 50 == 49:
        odds.lid_opened()
    if press % 90 == 89:
        odds = Odds(given["model"], json.loads(json.dumps(odds.state())))
        odds.powered_on()
    cards = odds.press(rng, now_s)
    state = odds.state()
    played.append([cards, odds.wait] + [state[key] for key in sorted(state)])
refused = []
for state in given["bad_states"]:
    try:
        Odds(given["model"], state)
        refused.append("")
    except ValueError as error:
        refused.append(str(error))
print(json.dumps({"played": played, "refused": refused}))
"""


def run(interpreter, script, *arguments):
    done = subprocess.run(
        [interpreter, script, *arguments], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", odds_names())
def test_odds_give_the_same_cards_in_both_interpreters(name, tmp_path):
    rng = random.Random(f"both {name}")
    presses = 400
    times_s = [0.0]
    while len(times_s) < presses:
        times_s.append(times_s[-1] + rng.choice([0.2, 1.0, 1.4, 2.0, 30.0]))
    given = {
        "model": compile_model(load_odds(name)),
        "state": {"blanks": 1, "in_a_row": 0, "position": 0},
        "numbers": [rng.random() for _ in range(2 * presses)],
        "times_s": times_s,
        "bad_states": [[], {}, {"blanks": True, "in_a_row": 0, "position": 0}, None, "x"],
    }
    data = tmp_path / "given.json"
    data.write_text(json.dumps(given))
    script = tmp_path / "play_odds.py"
    script.write_text(PLAY_ODDS)
    here = run(sys.executable, script, CORE, data)
    there = run(MICROPYTHON, script, CORE, data)
    assert here == there
    assert any(cards for cards, *_ in here["played"])
    assert [bool(text) for text in here["refused"]] == [True, True, True, False, True]


def test_odds_draw_from_micropythons_own_random_module(tmp_path):
    """On the microcontroller the module `random` itself is the source; its numbers fit."""
    data = tmp_path / "model.json"
    data.write_text(json.dumps(compile_model(load_odds("measured"))))
    script = tmp_path / "draw.py"
    script.write_text(
        "import json, random, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from odds import Odds\n"
        "odds = Odds(json.load(open(sys.argv[2])))\n"
        "random.seed(5)\n"
        "print(json.dumps([odds.press(random, 60 * n) for n in range(20000)]))\n"
    )
    cards = run(MICROPYTHON, script, CORE, data)
    launches = [n for n in cards if n]
    assert abs(len(launches) / 20_000 - 323 / 801) < 0.02
    assert set(launches) <= set(range(1, 14))
    assert sum(cards) / 20_000 == pytest.approx(2.10, abs=0.1)
