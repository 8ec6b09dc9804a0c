"""The firmware without a host: it plays by itself, by the odds that it has in its flash."""

from __future__ import annotations

import json
from collections import Counter

import msgspec
import pytest

from cannon.core.odds import Odds
from cannon.settings.odds_models import compile_model, load_odds
from firmware_bridge import messages as m
from firmware_bridge.frames import crc_hqx
from tests.firmware.conftest import quick_board
from tests.firmware.lane import PHYSICS, QUICK, Pico
from tests.firmware.test_firmware_host import feed

DING, NOTHING, BEEP = 1319, 392, 1760
CARDS, REFUSED, JAM, EMPTY, FAULT = 784, 220, 330, 523, 880

# Chances of the launch on press 1, 2, ... since the last one, as measured: see odds/measured.toml.
MEASURED = [58, 132, 78, 30, 25]


class Table:
    """A board that plays alone, and hands on it."""

    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self.now = 0.0

    def wait(self, ms: float) -> Table:
        self.now += ms
        self.pico.go(self.now)
        return self

    def ready(self) -> Table:
        return self.wait(3200)

    def press(self) -> int:
        """Presses, waits until all is quiet; returns how many cards came."""
        before = self.pico.cards_out
        self.pico.hand("tap", 60)
        self.wait(200)
        while self.pico.driven or self.pico.drives[-1].ms > self.now - 300:
            self.wait(50)
        self.wait(100)
        return self.pico.cards_out - before

    def lid(self, is_open: bool) -> Table:
        self.pico.hand("lid", int(is_open))
        return self.wait(100)

    def heard(self, since: int = 0) -> list[int]:
        """The tones since then, without silence."""
        return [hz for _, hz in self.pico.sounds[since:] if hz]


@pytest.fixture
def table(pico):
    return lambda **how: Table(pico(**how))


def always(cards: int) -> dict:
    """A model that fires on every press."""
    model = compile_model(load_odds("even"))
    return model | {"name": "always", "chances": [1.0], "cards": [[[cards, 1.0]]]}


def with_odds(table: Table, model: dict) -> Table:
    (table.pico.flash / "odds.json").write_text(json.dumps(model))
    table.pico.reset()
    table.now = 0.0
    return table


# --- the evening --------------------------------------------------------------------------------


def test_it_waits_three_seconds_for_a_host_then_beeps_and_plays(table):
    player = table()
    player.wait(2900)
    assert player.heard() == []
    player.pico.hand("tap", 60)
    player.wait(95)
    assert player.heard() == []  # that press was for nobody
    player.wait(100)
    assert player.heard() == [BEEP]
    player.press()
    assert DING in player.heard()


def test_two_hundred_presses_have_the_measured_shares(table):
    seed = 8
    print("seed", seed)
    player = table(board=quick_board(), physics=QUICK, seed=seed, heap_kb=192).ready()
    waits, wait, cards = Counter(), 0, []
    for _ in range(200):
        wait += 1
        came = player.press()
        if came:
            waits[wait] += 1
            cards.append(came)
            wait = 0
    launches = sum(waits.values())
    expected = [launches * n / sum(MEASURED) for n in MEASURED]
    chi_square = sum((waits[i + 1] - e) ** 2 / e for i, e in enumerate(expected))
    print(dict(waits), f"chi-square {chi_square:.2f}")
    assert max(waits) <= 5
    assert chi_square < 13.28  # 4 degrees of freedom, 1 %
    assert max(cards) <= 13
    assert min(cards) >= 1
    assert 4.2 < sum(cards) / len(cards) < 6.3
    assert player.pico.ends == []


def test_each_start_plays_another_game(table):
    games = set()
    for seed in range(4):
        player = table(board=quick_board(), physics=QUICK, seed=seed).ready()
        games.add(tuple(player.press() for _ in range(8)))
        player.pico.kill()
    assert len(games) == 4


def test_it_decides_as_the_core_does(table):
    """The same model and numbers in CPython give the same cards: one file, two interpreters."""
    player = with_odds(table(board=quick_board(), physics=QUICK), always(3)).ready()
    odds = Odds(always(3))

    class Numbers:
        def random(self) -> float:
            return 0.5

    for _ in range(3):
        assert player.press() == odds.press(Numbers(), 0.0) == 3


# --- the lid ------------------------------------------------------------------------------------


def test_with_the_lid_open_a_press_is_refused_and_not_stored(table):
    player = table(lid_open=True).ready()
    assert player.heard() == []
    assert player.press() == 0
    assert set(player.heard()) == {REFUSED}
    before = len(player.pico.sounds)
    player.lid(False).wait(3000)
    assert player.heard(before) == [BEEP]
    assert player.pico.on_spans() == []


def test_the_lid_opened_in_mid_shot_stops_it_and_the_rest_comes_with_the_next_press(table):
    player = with_odds(table(), always(5)).ready()
    player.pico.hand("tap", 60)
    while player.pico.cards_out < 2:
        player.wait(5)
    while not player.pico.driven:
        player.wait(5)
    at = player.now
    player.lid(True)
    assert player.pico.on_spans()[-1][1] - at < 1
    for _ in range(4):
        player.pico.hand("tap", 60)
        player.wait(200)
    spans = len(player.pico.on_spans())
    player.lid(False).wait(6000)
    assert len(player.pico.on_spans()) == spans
    before = player.pico.cards_out
    player.press()
    assert player.pico.cards_out - before in (2, 3)  # 3, or 2 and the one that stuck out
    before = player.pico.cards_out
    assert player.press() == 5
    assert player.pico.cards_out - before == 5


def test_a_bouncing_button_is_one_press(table):
    player = with_odds(table(), always(1)).ready()
    player.pico.hand("chatter", 0, 11)
    player.wait(1500)
    assert player.pico.cards_out == 1
    assert player.heard().count(DING) == 1


def test_spikes_are_no_presses(table):
    player = table().ready()
    player.pico.hand("noise", 0, 100)
    player.wait(1000)
    assert player.heard() == [BEEP]


def test_a_button_held_at_the_start_is_no_press(table):
    player = table()
    player.pico.hand("press", 1)
    player.ready().wait(1000)
    player.pico.hand("press", 0)
    player.wait(500)
    assert player.heard() == [BEEP]
    player.press()
    assert DING in player.heard()


def test_a_press_in_a_shot_is_nothing(table):
    player = with_odds(table(), always(4)).ready()
    player.pico.hand("tap", 30)
    player.wait(150)
    player.pico.hand("tap", 30)
    player.wait(5000)
    assert player.pico.cards_out == 4


# --- jam, empty, fault --------------------------------------------------------------------------


def test_a_jam_is_sounded_and_nothing_moves_until_the_lid_was_opened_and_closed(table):
    player = with_odds(table(physics=PHYSICS | {"jam_at": 3}), always(4)).ready()
    player.press()
    assert JAM in player.heard()
    spans = len(player.pico.on_spans())
    before = len(player.pico.sounds)
    player.press()
    assert set(player.heard(before)) == {REFUSED}
    assert len(player.pico.on_spans()) == spans
    player.lid(True)
    player.pico.hand("jam_at", 0)
    before = len(player.pico.sounds)
    player.lid(False).wait(500)
    assert player.heard(before) == [BEEP]
    assert player.press() == 2  # what was owed


def test_an_empty_hopper_has_a_sound_of_its_own(table):
    player = with_odds(table(physics=PHYSICS | {"stack": 0}), always(2)).ready()
    player.press()
    assert EMPTY in player.heard()
    assert JAM not in player.heard()[2:]


def test_holding_the_button_acknowledges_too(table):
    player = with_odds(table(physics=PHYSICS | {"stack": 0}), always(2)).ready()
    player.press()
    player.pico.hand("load", 20)
    player.pico.hand("press", 1)
    player.wait(2300)
    player.pico.hand("press", 0)
    player.wait(300)
    assert player.heard()[-1] == BEEP
    assert player.press() == 2


def test_a_hopper_sensor_refuses_before_the_motor_turns(table):
    player = table(board="diy-pico").ready()
    player.pico.hand("hopper", 0)
    player.wait(100)
    player.press()
    assert player.pico.on_spans() == []
    assert REFUSED in player.heard()


def test_a_sensor_that_sees_light_in_the_dark_disables_the_launcher(table):
    player = with_odds(table(sensor_deaf=True), always(2)).ready()
    assert player.heard()[0] == FAULT
    player.press()
    assert player.pico.on_spans() == []
    player.pico.hand("deaf", 0)
    player.lid(True).lid(False)
    player.wait(300)
    assert player.heard()[-1] == BEEP
    assert player.press() == 2


# --- odds over a restart, and from the host -----------------------------------------------------


def test_switching_off_and_on_gives_nobody_an_advantage(table):
    model = compile_model(load_odds("even")) | {
        "name": "third",
        "chances": [0.0, 0.0, 1.0],
        "cards": [[[2, 1.0]]],
    }
    player = with_odds(table(board=quick_board(), physics=QUICK), model).ready()
    assert [player.press() for _ in range(2)] == [0, 0]
    player.pico.reset()
    player.now = 0.0
    player.ready()
    assert player.press() == 2


def test_a_damaged_file_in_the_flash_costs_its_content_only(table):
    player = table(board=quick_board(), physics=QUICK)
    for name in ("odds.json", "state.json"):
        (player.pico.flash / name).write_text('{"model": "measured", "od')
    player.pico.reset()
    player.now = 0.0
    player.ready()
    for _ in range(6):
        player.press()
    assert player.pico.cards_out > 0
    assert json.loads((player.pico.flash / "state.json").read_text())["model"] == "measured"


def send_model(host, data: bytes, crc: int | None = None) -> str:
    crc = crc_hqx(data, 0xFFFF) if crc is None else crc
    assert host.ask(m.ODDS, m.ODDS_FORM, len(data), crc) == "ok"
    for at in range(0, len(data), 48):
        assert host.ask(m.PART, m.PART_FORM, at, rest=data[at : at + 48]) == "ok"
    return host.ask(m.KEEP)


def test_a_host_can_leave_another_model(raw):
    host = raw(board=quick_board(), physics=QUICK).take()
    assert host.tally().odds == "measured"
    assert send_model(host, json.dumps(always(6)).encode()) == "ok"
    assert host.tally().odds == "always"
    host.pico.reset()
    player = Table(host.pico).ready()
    assert player.press() == 6


@pytest.mark.parametrize(
    "model",
    [
        {},
        [],
        always(6) | {"chances": [1.5]},
        always(6) | {"chances": []},
        always(6) | {"cards": []},
        always(6) | {"cards": [[[3, 0.5], [2, 1.0]]]},
        always(6) | {"cards": [[[3, 0.5]]]},
        always(255),
        always(0),
        always(6) | {"cards": [[["3", 1.0]]]},
        always(6) | {"max_blanks": None},
        always(6) | {"sequence": [0], "length": 4},
        always(6) | {"reset_on": ["monday"]},
        always(6) | {"more": 1},
    ],
)
def test_a_model_that_is_none_is_not_kept(raw, model):
    host = raw().take()
    assert send_model(host, json.dumps(model).encode()) == "not kept"
    assert host.tally().odds == "measured"
    assert host.tally().exceptions == 0
    assert not (host.pico.flash / "odds.json").exists()


def test_a_model_that_was_damaged_on_the_way_is_not_kept(raw):
    host = raw().take()
    data = json.dumps(always(6)).encode()
    assert send_model(host, data, crc=1) == "not kept"
    assert host.ask(m.KEEP) == "malformed"
    assert host.ask(m.ODDS, m.ODDS_FORM, 50_000, 1) == "beyond limits"
    assert host.ask(m.ODDS, m.ODDS_FORM, 10, 1) == "ok"
    assert host.ask(m.PART, m.PART_FORM, 8, rest=b"123") == "beyond limits"


@pytest.mark.parametrize("name", ["measured", "sequence-96", "sequence-96-reset", "ascending"])
def test_the_models_that_come_along_fit_through_the_wire(raw, name):
    host = raw(heap_kb=192).take()
    model = compile_model(load_odds(name)) | {"name": f"my {name}"}
    assert send_model(host, json.dumps(model).encode()) == "ok"
    assert host.tally().odds == f"my {name}"[:24]


# --- a host comes and goes ----------------------------------------------------------------------


def test_a_host_takes_over_between_shots_not_in_one(raw):
    host = raw()
    (host.pico.flash / "odds.json").write_text(json.dumps(always(4)))
    host.pico.reset()
    board = None
    host.step(3500)
    board = host.hello()
    host.pico.hand("tap", 60)
    host.step(100)  # the first card is on its way; between two the motor rests
    assert host.pico.driven == 100
    assert host.ask(m.TAKE, m.TAKE_FORM, board.boot) == "busy"
    assert feed(host) == "not taken"
    host.step(2100)
    assert host.pico.cards_out == 4
    assert host.ask(m.TAKE, m.TAKE_FORM, board.boot) == "ok"
    host.pico.hand("tap", 60)
    host.step(2000)
    assert host.pico.cards_out == 4  # presses are the host's affair now
    assert host.tally().presses == 1


def test_a_host_that_lets_go_gives_the_board_back(raw):
    host = raw().take()
    assert feed(host, cards=9) == "ok"
    host.step(100)
    assert host.ask(m.BYE) == "ok"
    assert host.pico.driven == 0
    host.step(3500)
    assert host.status().mode == "alone"
    assert feed(host, shot=2) == "not taken"


def test_a_host_that_is_gone_for_a_minute_has_let_go(raw):
    host = raw(idle_ms=50).take()
    host.step(59_000)
    assert host.status().mode == "hosted"  # asking is a sign of life
    host.step(59_000)
    assert host.status().mode == "hosted"
    host.step(64_000)
    assert host.status().mode == "alone"


def test_a_press_that_a_dead_host_will_not_answer_is_sounded(raw):
    host = raw().take()
    host.step(1000)
    host.pico.hand("tap", 60)
    host.step(500)
    assert host.pico.sounds == []
    host.step(1500)
    host.pico.hand("tap", 60)
    host.step(500)
    assert FAULT in [hz for _, hz in host.pico.sounds]
    assert host.pico.on_spans() == []


def test_without_a_beeper_it_plays_in_silence(table):
    board = msgspec.structs.replace(quick_board(), beeper=None)
    player = with_odds(table(board=board, physics=QUICK), always(2)).ready()
    assert player.press() == 2
    assert player.pico.sounds == []
