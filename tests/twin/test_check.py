"""`cannon check` on the twin: a good launcher passes, and a planted fault is found by its step."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cannon import app
from cannon.bringup.steps import STEPS
from cannon.core.events import BATTERY, BUTTON, EXIT, LID
from cannon.settings.cannon_toml import CannonToml
from cannon.twin.mechanism import JAMS
from cannon.workbench import SimulatedHands, rig_on

CANNON = Path(sys.executable).parent / "cannon"


class Hands(SimulatedHands):
    """Simulated hands for the steps, which know of `have` too."""

    def have(self, request: str) -> None:
        self.please(request)


Plant = Callable[[Hands], None]


def first_cause(plant: Plant, board: str = "launcher-pi", only: str = "") -> tuple[str, str]:
    """The first step that finds something, and the cause; two empty words if none does."""
    twin = app.simulated(app.plan(CannonToml(board=board), 5))
    rig, hands = rig_on(twin), Hands(twin)
    plant(hands)
    try:
        for step in STEPS:
            if step.needs(rig) and (not only or step.name == only):
                cause = step.do(rig, hands).cause
                assert twin.launcher.guard.deadline is None, f"{step.name} leaves the motor on"
                if cause:
                    return step.name, cause
        assert not broken_promises(hands)
        return "", ""
    finally:
        twin.launcher.close()


def broken_promises(hands: Hands) -> list[str]:
    """What the account complains of, but for runs without a press: here there are no presses."""
    said = hands.twin.account.violations
    return [sentence for sentence in said if "without a press" not in sentence]


@pytest.mark.parametrize("board", ["launcher-pi", "launcher-pi-basic", "diy-pi"])
def test_a_good_launcher_passes(board: str) -> None:
    assert first_cause(lambda hands: None, board) == ("", "")


def _physics(**values: float) -> Plant:
    def plant(hands: Hands) -> None:
        for name, value in values.items():
            setattr(hands.twin.mechanism.physics, name, value)

    return plant


def _noisy_sensor(hands: Hands) -> None:
    twin = hands.twin

    def flip() -> None:
        twin.wires.flip(EXIT)
        twin.agenda.at(twin.clock.now + 0.01, lambda: twin.wires.restore(EXIT))
        twin.agenda.at(twin.clock.now + 0.7, flip)

    twin.agenda.at(0.1, flip)


def _springy_lid(hands: Hands) -> None:
    twin = hands.twin
    honest = twin.open_lid

    def open_lid(bounces: bool = True) -> None:
        honest(bounces)
        twin.agenda.at(twin.clock.now + 0.2, lambda: twin.wires.set(LID, False))

    twin.open_lid = open_lid  # type: ignore[method-assign]


def _chattering_button(hands: Hands) -> None:
    twin = hands.twin

    def press(hold_s: float = 0.06, bounces: bool = True) -> None:
        for number in range(12):
            at = twin.clock.now + number * 0.01
            level = number % 2 == 0
            twin.agenda.at(at, lambda level=level: twin.move(BUTTON, level))  # type: ignore[misc]

    twin.press = press  # type: ignore[method-assign]


def _no_reverse(hands: Hands) -> None:
    """The wire to the driver's second input is off."""
    twin = hands.twin
    honest = twin.pins.output_changed
    backward = f"GPIO{twin.board.motor.backward}"
    twin.pins.output_changed = lambda name, value: honest(name, 0.0 if name == backward else value)


def _stack_of(cards: int) -> Plant:
    def plant(hands: Hands) -> None:
        hands.twin.mechanism.unload()
        hands.twin.load(cards)

    return plant


def _jam(hands: Hands) -> None:
    hands.twin.mechanism.plan[1] = JAMS


def _deaf_hands(hands: Hands) -> None:
    hands.hears = False


FAULTS: dict[str, tuple[Plant, str, str]] = {
    "low battery": (lambda h: h.twin.wires.set(BATTERY, True), "supply", "low_battery"),
    "lid wire cut": (lambda h: h.twin.cut_wire(LID), "lid", "lid_always_open"),
    "lid switch welded": (lambda h: h.twin.wires.stick(LID, False), "lid", "lid_always_closed"),
    "lid switch springs back": (_springy_lid, "lid", "lid_does_not_stay_open"),
    "button wire cut": (lambda h: h.twin.cut_wire(BUTTON), "button", "button_dead"),
    "button stuck": (lambda h: h.twin.wires.stick(BUTTON, True), "button", "button_always_down"),
    "button worn": (_chattering_button, "button", "button_chatters"),
    "beeper off": (_deaf_hands, "beeper", "beeper_silent"),
    "sensor in the sun": (
        lambda h: h.twin.wires.stick(EXIT, True),
        "sensor",
        "sensor_always_blocked",
    ),
    "sensor beside the slot": (
        lambda h: h.twin.wires.stick(EXIT, False),
        "sensor",
        "sensor_never_blocked",
    ),
    "sensor noisy": (_noisy_sensor, "sensor", "sensor_noisy"),
    "motor without power": (_physics(speed=0.0), "motor", "motor_dead"),
    "motor wires swapped": (
        lambda h: setattr(h.twin.mechanism, "swapped", True),
        "motor",
        "motor_backward",
    ),
    "no reverse": (_no_reverse, "retract", "reverse_dead"),
    "roller slips": (_physics(pick_s=5.0), "one_card", "no_card"),
    "card jams": (_jam, "one_card", "card_stuck"),
    "two at a time": (_physics(double=1.0), "one_card", "double_feed"),
    "stack too small": (_stack_of(3), "five_cards", "too_few_cards"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_its_step(fault: str) -> None:
    plant, step, cause = FAULTS[fault]
    assert first_cause(plant) == (step, cause)


def test_a_lid_that_does_not_stop_the_motor_is_found() -> None:
    def plant(hands: Hands) -> None:
        hands.twin.wires.stick(LID, False)

    found = first_cause(plant, only="lid_while_running")
    assert found == ("lid_while_running", "lid_does_not_cut")


def test_the_command_saves_what_it_found_and_prints_json_alone(tmp_path: Path) -> None:
    config = tmp_path / "cannon.toml"
    config.write_text(f'[journal]\npath = "{tmp_path}/journal.db"\n')
    run = subprocess.run(
        [CANNON, "check", "--simulate", "--json", "--config", config],
        capture_output=True,
        text=True,
        check=True,
    )
    steps = json.loads(run.stdout)["steps"]
    assert [step["step"] for step in steps] == [step.name for step in STEPS]
    assert {step["verdict"] for step in steps} == {"good"}
    assert json.loads((tmp_path / "check.json").read_text())["steps"] == steps


def test_an_unknown_part_is_wrong_use() -> None:
    run = subprocess.run(
        [CANNON, "check", "--simulate", "--only", "lit"], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "there is no part 'lit'" in run.stderr
