"""`cannon calibrate` on the twin: it finds what the mechanism was given, and refuses nonsense."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from cannon import app
from cannon.bringup.calibration import (
    RETRACT_MARGIN_MS,
    Measured,
    Value,
    calibrate,
    enough,
    problems,
)
from cannon.core import states
from cannon.settings.calibrated import Calibration, calibrated, keep, with_times
from cannon.settings.cannon_toml import CannonToml
from cannon.twin.mechanism import Physics
from cannon.workbench import SimulatedHands, rig_on
from hardware import ConfigurationError, load_board
from hardware.board import FeedTimes

CANNON = Path(sys.executable).parent / "cannon"
SEEDS = (1, 2, 3)


def measure(board: str, physics: Physics, seed: int, stack: int = 83) -> Measured:
    """A calibration of a simulated launcher."""
    twin = app.simulated(app.plan(CannonToml(board=board), seed), physics=physics, stack=stack)
    try:
        return calibrate(rig_on(twin), SimulatedHands(twin), lambda cards: None)
    finally:
        twin.launcher.close()


def within(value: float, share: float, of: float) -> bool:
    return abs(value - of) <= share * of


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("spin_up_s", "pass_s"), [(0.070, 0.085), (0.050, 0.085), (0.100, 0.085), (0.070, 0.130)]
)
def test_the_sensor_finds_what_the_mechanism_was_given(
    spin_up_s: float, pass_s: float, seed: int
) -> None:
    physics = Physics(spin_up_s=spin_up_s, pass_s=pass_s)
    values = measure("launcher-pi", physics, seed).values
    assert within(values["card_ms"].ms, 0.10, 1000 * pass_s)
    assert within(values["spin_up_ms"].ms, 0.10, 1000 * spin_up_s)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("spin_up_s", "coast_s"), [(0.070, 0.020), (0.050, 0.030), (0.1, 0.012)])
def test_the_retract_undoes_what_the_motor_coasts(
    spin_up_s: float, coast_s: float, seed: int
) -> None:
    """Both speed up and slow down evenly: half of `coast_s` forward takes sqrt(spin-up x coast)."""
    values = measure("launcher-pi", Physics(spin_up_s=spin_up_s, coast_s=coast_s), seed).values
    true_ms = 1000 * math.sqrt(spin_up_s * coast_s) + RETRACT_MARGIN_MS
    assert within(values["retract_ms"].ms, 0.10, true_ms)
    assert values["retract_ms"].spread_ms <= 2


@pytest.mark.parametrize("board", ["launcher-pi", "launcher-pi-basic"])
def test_a_heavy_stack_is_slower_than_the_last_cards(board: str) -> None:
    course = measure(board, Physics(full_stack_s=0.06), 1, stack=100).course
    assert [point.cards for point in course] == sorted({point.cards for point in course})
    third = len(course) // 3
    full, nearly_empty = course[:third], course[-third:]
    assert sum(p.ms for p in full) / third > sum(p.ms for p in nearly_empty) / third + 15


@pytest.mark.parametrize("board", ["launcher-pi", "launcher-pi-basic"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_time_per_card_is_found_with_and_without_a_sensor(board: str, seed: int) -> None:
    physics = Physics()
    middle = 1000 * (physics.pick_s + physics.pass_s + physics.full_stack_s * 0.40)
    assert within(measure(board, physics, seed).values["burst_ms"].ms, 0.10, middle)


def test_misfeeds_are_counted() -> None:
    physics = Physics(misfeed=0.10)
    found = [measure("launcher-pi", physics, seed) for seed in SEEDS]
    assert 5 <= sum(one.retries for one in found) <= 40, "about a tenth of 249 cards"
    assert measure("launcher-pi", Physics(), 1).retries == 0


def test_open_loop_launches_hit_the_wanted_count_afterwards(tmp_path: Path) -> None:
    """Within one card in at least nine of ten, from a full to a nearly empty stack."""
    settings = CannonToml(
        board="launcher-pi-basic",
        journal=msgspec.structs.replace(CannonToml().journal, path=str(tmp_path / "j.db")),
    )
    found = measure("launcher-pi-basic", Physics(), 4)
    feed = {name: value.ms for name, value in found.values.items()}
    keep(tmp_path / "calibration-launcher-pi-basic.toml", Calibration("now", 80, 0, feed))
    plan = app.plan(settings, 4)
    assert plan.board.feed.burst_ms == feed["burst_ms"]
    hits = [off_by(plan, wanted, stack) for wanted in range(1, 10) for stack in range(20, 84, 6)]
    near = sum(abs(miss) <= 1 for miss in hits)
    assert near >= 0.9 * len(hits), f"{near} of {len(hits)}: {hits}"


def off_by(plan: app.Plan, wanted: int, stack: int) -> int:
    """How many cards too many one launch of `wanted` brings from a stack of that height."""

    class Always:
        wait = 0

        def press(self, rng: random.Random, now_s: float) -> int:
            return wanted

        def state(self) -> dict[str, int]:
            return {}

        def lid_opened(self) -> None:
            pass

    twin = app.simulated(plan, physics=Physics(), stack=stack, odds=Always())
    twin.start()
    twin.press()
    twin.run(0.2)
    assert twin.run(20, until=lambda: twin.loop.controller.state == states.READY)
    twin.stop()
    return twin.mechanism.out - wanted


def test_what_cannot_be_is_not_kept() -> None:
    assert problems(Measured({"card_ms": Value(5, 0)}, 80, 0)) == [("card_ms", 5, 10, 1000)]
    assert problems(Measured({"card_ms": Value(85, 3)}, 80, 0)) == []
    assert not enough(Measured({}, 19, 0))
    assert enough(Measured({}, 20, 0))


def test_a_board_takes_the_measured_times_and_keeps_the_others(tmp_path: Path) -> None:
    board = load_board("launcher-pi")
    path = tmp_path / "calibration-launcher-pi.toml"
    assert calibrated(board, path) == board
    keep(path, Calibration("now", 80, 1, {"card_ms": 97}, {"card_ms": 4}, {"card_ms": 85}))
    assert calibrated(board, path).feed == msgspec.structs.replace(FeedTimes(), card_ms=97)


def test_times_that_contradict_each_other_are_refused() -> None:
    board = load_board("launcher-pi")
    assert with_times(board, {"card_ms": 97}, "x").feed.card_ms == 97
    with pytest.raises(ConfigurationError, match=r"x: feed: double_ms.* must be longer than card"):
        with_times(board, {"card_ms": 200}, "x")
    with pytest.raises(ConfigurationError, match="x: feed: card_ms"):
        with_times(board, {"card_ms": 5}, "x")


def test_the_command_keeps_and_tells(tmp_path: Path) -> None:
    config, picture = tmp_path / "cannon.toml", tmp_path / "picture.png"
    config.write_text(f'[journal]\npath = "{tmp_path}/journal.db"\n')
    command = [CANNON, "calibrate", "--simulate", "--config", config, "--json", "--plot", picture]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)
    assert result["cards"] == 83
    assert picture.stat().st_size > 10_000
    kept = tmp_path / "calibration-launcher-pi-simulated.toml"
    board = calibrated(load_board("launcher-pi"), kept)
    assert board.feed.card_ms == result["feed"]["card_ms"]
    assert not (tmp_path / "calibration-launcher-pi.toml").exists(), "no real launcher uses it"


def test_without_cards_nothing_is_kept(tmp_path: Path) -> None:
    found = measure("launcher-pi", Physics(), 1, stack=3)
    assert not enough(found)
