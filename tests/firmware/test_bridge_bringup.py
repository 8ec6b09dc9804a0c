"""`cannon check` and `cannon calibrate` on the bridge launcher, against the firmware.

A rig without a controller, the host's link and the board live in the same virtual milliseconds;
the person's hands are the stand-in's. What a signal does is shown in real time at the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cannon.bringup import rig as bringup
from cannon.bringup.calibration import Measured, calibrate
from cannon.bringup.session import SKIP, go_through
from cannon.bringup.steps import STEPS, Finding, Step
from cannon.devices.bridge import BridgeLauncher
from cannon.loop import EventQueue
from cannon.settings.controlling import feed_plan
from firmware_bridge.link import Link
from tests.firmware.lane import PHYSICS, Pico, Rig

CANNON = Path(sys.executable).parent / "cannon"
HAND_MS = 300
STEP, STILL_STEP = (5, 5), (20, 20)  # milliseconds, with the motor on and off
STACK = 60


class Bench:
    """A launcher on the bridge without its controller, and a person at it."""

    def __init__(self, lane: Rig) -> None:
        self.lane, self.pico = lane, lane.pico
        self.queue = EventQueue()
        board, self.plan = lane.pico.board, feed_plan(lane.pico.board)
        self.launcher = BridgeLauncher(self._on_link, self.queue.post, lane.clock, self.plan)
        self.rig = bringup.Rig(board, self.launcher, self.queue, lane.clock, self.plan)
        self.rig.let_pass = self._let_pass
        self.hands = Hands(self)
        lane.up()
        lane.step(200)

    def _on_link(self, on_event: Callable[[Any], None]) -> Link:
        self.lane.on_event = on_event
        return self.lane.link

    def _let_pass(self, for_s: float, until: Callable[[], bool] | None) -> bool:
        end = self.lane.now_ms + 1000 * for_s
        while until is None or not until():
            if self.lane.now_ms >= end:
                return False
            self.lane.step(*(STEP if self.pico.driven else STILL_STEP))
            self.hands.move()
            self.rig.step(self.lane.clock())
        return True

    def check(self, *only: str) -> list[tuple[str, str]]:
        """Each step with its cause, "" for a good one."""
        steps = [step for step in STEPS if step.needs(self.rig) and (not only or step.name in only)]
        results: list[dict[str, Any]] = []
        go_through(self.rig, self.hands, steps, results)
        self.lane.step(100)
        assert self.pico.driven == 0
        return [(result["step"], result["cause"]) for result in results]


class Hands:
    """Does what is asked, a little later, and answers by what is to be seen on the board."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._pico = bench, bench.pico
        self._due: list[tuple[float, tuple[Any, ...]]] = []
        self._looked = 0
        self._taken = 0
        self.swapped = False  # the motor's two wires
        self.lazy: set[str] = set()  # what it does not do

    def move(self) -> None:
        """Time has passed."""
        now = self._bench.lane.now_ms
        for entry in [entry for entry in self._due if entry[0] <= now]:
            self._due.remove(entry)
            self._pico.hand(*entry[1])

    def begin(self, number: int, count: int, step: Step) -> None: ...

    def found(self, finding: Finding) -> None: ...

    def choose(self) -> str:
        return SKIP

    def please(self, request: str) -> None:
        acts: dict[str, list[tuple[Any, ...]]] = {
            "close_lid": [("lid", 0)],
            "open_lid": [("lid", 1)],
            "open_lid_now": [("lid", 1)],
            "press_button": [("tap", 60)],
            "card_in": [("card", 1)],
            "card_out": [("card", 0)],
            "no_cards": [("unload",), ("lid", 0)],
            "load_cards": [("load", STACK), ("lid", 0)],
        }
        if request not in self.lazy:
            at = self._bench.lane.now_ms + HAND_MS
            self._due += [(at, act) for act in acts.get(request, [])]

    have = please

    def ask(self, question: str, **values: object) -> bool:
        drives = self._pico.drives[self._looked :]
        turned = [drive.percent * (-1 if self.swapped else 1) for drive in drives if drive.percent]
        match question:
            case "motor_turned":
                return bool(turned)
            case "turned_outward" | "turned_inward":
                self._looked = len(self._pico.drives)
                return (turned[-1] > 0) == (question == "turned_outward")
            case "count_is_right":
                return self.number("") == values["counted"]
            case "heard_two_tunes":
                return len(self._pico.sounds) > 1
        return True

    def number(self, question: str) -> int:
        came, self._taken = self._pico.cards_out - self._taken, self._pico.cards_out
        return came


@pytest.fixture
def bench(rig: Callable[..., Rig]) -> Callable[..., Bench]:
    return lambda **how: Bench(rig(**how))


def test_a_good_launcher_passes_every_step(bench: Callable[..., Bench]) -> None:
    bad = [found for found in bench(physics=PHYSICS | {"stack": 0}).check() if found[1]]
    assert bad == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "plant", "step", "cause"),
    [
        ({"lid_open": True}, {"lazy": {"close_lid"}}, "lid", "lid_always_open"),
        ({}, {"lazy": {"open_lid"}}, "lid", "lid_always_closed"),
        ({}, {"lazy": {"press_button"}}, "button", "button_dead"),
        ({"sensor_deaf": True}, {}, "sensor", "sensor_selftest"),
        ({}, {"lazy": {"card_in"}}, "sensor", "sensor_never_blocked"),
        ({}, {"lazy": {"card_out"}}, "sensor", "sensor_stays_blocked"),
        ({}, {"swapped": True}, "motor", "motor_backward"),
        ({"lid_open": True}, {"lazy": {"no_cards", "close_lid"}}, "motor", "lid_open"),
        ({}, {"lazy": {"load_cards"}}, "one_card", "no_card"),
        ({"physics": PHYSICS | {"jam_at": 1}}, {}, "one_card", "card_stuck"),
        ({}, {"lazy": {"open_lid_now"}}, "lid_while_running", "lid_does_not_cut"),
    ],
)
def test_a_planted_fault_is_found_by_its_step(
    bench: Callable[..., Bench],
    how: dict[str, Any],
    plant: dict[str, Any],
    step: str,
    cause: str,
) -> None:
    made = bench(**{"physics": PHYSICS | {"stack": 0}, **_empty(how)})
    for name, value in plant.items():
        setattr(made.hands, name, value)
    assert made.check(step) == [(step, cause)]


def _empty(how: dict[str, Any]) -> dict[str, Any]:
    return how | ({"physics": how["physics"] | {"stack": 0}} if "physics" in how else {})


def test_a_link_that_is_lost_in_a_step_is_a_finding_and_the_motor_stops(
    bench: Callable[..., Bench],
) -> None:
    made = bench(physics=PHYSICS | {"stack": 0})
    ask = made.hands.ask

    def pull_the_cable(question: str, **values: object) -> bool:
        made.lane.cut = True
        return ask(question, **values)

    made.hands.ask = pull_the_cable  # type: ignore[method-assign]
    assert made.check("motor", "retract") == [("motor", ""), ("retract", "fault")]


def measured(bench: Bench) -> Measured:
    return calibrate(bench.rig, bench.hands, lambda cards: None)


def test_the_board_is_measured_over_the_link(bench: Callable[..., Bench]) -> None:
    """The stand-in's motor waits for `spin_up` ms, then moves at full speed at once."""
    physics = PHYSICS | {"stack": STACK}
    found = measured(bench(physics=physics))
    middle = physics["spread"] / 2
    values = {name: value.ms for name, value in found.values.items()}
    assert found.cards == STACK
    assert abs(values["card_ms"] - (physics["pass"] + middle)) <= 3
    assert abs(values["burst_ms"] - (physics["pick"] + physics["pass"] + 2 * middle)) <= 5
    assert abs(values["spin_up_ms"] - 2 * physics["spin_up"]) <= 12, "even acceleration: twice it"
    assert abs(values["retract_ms"] - (physics["spin_up"] + physics["coast"] + 5)) <= 12


# --- in real time ---------------------------------------------------------------------------------


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Pico]:
    pico = Pico(tmp_path, clock="real", slow=2).start()
    yield pico
    pico.kill()


def started(pico: Pico, folder: Path, *words: str) -> subprocess.Popen[str]:
    config = folder / "cannon.toml"
    config.write_text(f'board = "launcher-pico"\n[journal]\npath = "{folder}/journal.db"\n')
    return subprocess.Popen(
        [CANNON, *words, "--bridge", pico.port, "--config", config],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"XDG_RUNTIME_DIR": str(folder)},
    )


def until_driven(pico: Pico, process: subprocess.Popen[str]) -> None:
    while not pico.driven:
        pico.look(0.05)
        assert process.poll() is None, process.communicate()[0]


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGTERM,
        signal.SIGKILL,
        pytest.param(signal.SIGINT, marks=pytest.mark.long),
        pytest.param(signal.SIGHUP, marks=pytest.mark.long),
    ],
)
def test_a_check_that_is_ended_in_the_middle_of_a_run(
    board: Pico, tmp_path: Path, how: signal.Signals
) -> None:
    """By its own hand at once; killed, by the end of its lease. All times are the board's."""
    process = started(board, tmp_path, "check", "--only", "lid_while_running")
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    until_driven(board, process)
    asked = board.mark()
    process.send_signal(how)
    said, _ = process.communicate(timeout=60)
    end = board.mark() + 800
    while board.mark() < end:
        board.look(0.02)
    assert board.driven == 0
    assert board.drives[-1].ms <= asked + 600
    if how != signal.SIGKILL:
        assert process.returncode == 1
        assert "Stopped; the motor is off." in said
        assert json.loads((tmp_path / "check.json").read_text())["stopped"] is True


def test_another_board_than_the_settings_name_is_refused(board: Pico, tmp_path: Path) -> None:
    process = started(board, tmp_path, "check", "--board", "launcher-pico-usb")
    said, _ = process.communicate("", timeout=60)
    assert process.returncode == 78
    assert "is flashed for launcher-pico" in said
    assert "--board launcher-pico" in said
