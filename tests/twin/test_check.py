"""`cannon check` on the twin: a good launcher passes, and a planted fault is found by its step.

The person is scripted: again, skip or stop at any point. What a signal does to the command stands
in tests/unit/test_check_command.py; the same steps against the firmware in tests/firmware.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cannon import app
from cannon.bringup.session import AGAIN, SKIP, STOP, Skip, Stop, go_through
from cannon.bringup.steps import STEPS, Finding, Step
from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Failure
from cannon.devices.ports import DeviceFault
from cannon.settings.cannon_toml import CannonToml
from cannon.twin.mechanism import DOUBLE, JAMS
from cannon.twin.twin import Twin
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


def _planned(what: str) -> Plant:
    def plant(hands: Hands) -> None:
        hands.twin.mechanism.plan[1] = what

    return plant


def _lid_left_open(hands: Hands) -> None:
    """The person takes the cards out, and does not shut the lid, whatever they are told."""
    hands.twin.close_lid = lambda bounces=True: None  # type: ignore[method-assign]
    hands.twin.open_lid()


def _failed_self_test(hands: Hands) -> None:
    hands.twin.events.post(Failure("sensor_selftest", "the exit sensor sees light"))


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
    "sensor without its light": (_failed_self_test, "sensor", "sensor_selftest"),
    "motor without power": (_physics(speed=0.0), "motor", "motor_dead"),
    "motor wires swapped": (
        lambda h: setattr(h.twin.mechanism, "swapped", True),
        "motor",
        "motor_backward",
    ),
    "no reverse": (_no_reverse, "retract", "reverse_dead"),
    "roller slips": (_physics(pick_s=5.0), "one_card", "no_card"),
    "card jams": (_planned(JAMS), "one_card", "card_stuck"),
    "two at a time": (_planned(DOUBLE), "one_card", "double_feed"),
    "stack too small": (_stack_of(3), "five_cards", "too_few_cards"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_its_step(fault: str) -> None:
    plant, step, cause = FAULTS[fault]
    assert first_cause(plant) == (step, cause)


@pytest.mark.parametrize(
    ("plant", "step", "cause"),
    [
        (lambda h: setattr(h, "sees", False), "light", "light_dark"),
        (lambda h: h.twin.wires.stick(HOPPER, False), "hopper", "hopper_sees_no_cards"),
        (lambda h: h.twin.wires.stick(HOPPER, True), "hopper", "hopper_always_full"),
    ],
)
def test_a_planted_fault_of_a_board_with_more_parts_is_found(
    plant: Plant, step: str, cause: str
) -> None:
    assert first_cause(plant, "diy-pi") == (step, cause)


def test_a_lid_that_does_not_stop_the_motor_is_found() -> None:
    def plant(hands: Hands) -> None:
        hands.twin.wires.stick(LID, False)

    found = first_cause(plant, only="lid_while_running")
    assert found == ("lid_while_running", "lid_does_not_cut")


@pytest.mark.parametrize("step", ["motor", "retract", "one_card", "five_cards"])
def test_with_the_lid_open_the_motor_is_not_blamed(step: str) -> None:
    assert first_cause(_lid_left_open, only=step) == (step, "lid_open")


# --- the person -----------------------------------------------------------------------------------


class Scripted(Hands):
    """A person who does what is asked, and what `script` says after a part that is not good.

    `at` is called with the number of each thing that is asked of them, before they do it.
    """

    def __init__(self, twin: Twin, *script: str) -> None:
        super().__init__(twin)
        self.script = list(script)
        self.at: Callable[[int], None] = lambda number: None
        self.asked = 0
        self.before_choice: Callable[[], None] = lambda: None
        self.told: list[str] = []

    def _asked(self) -> None:
        self.asked += 1
        self.at(self.asked - 1)

    def begin(self, number: int, count: int, step: Step) -> None:
        self._asked()

    def please(self, request: str) -> None:
        self._asked()
        super().please(request)

    def ask(self, question: str, **values: object) -> bool:
        self._asked()
        return super().ask(question, **values)

    def found(self, finding: Finding) -> None:
        self.told.append(finding.cause)

    def choose(self) -> str:
        self._asked()
        self.before_choice()
        return self.script.pop(0)


class Session:
    """A twin, a scripted person, and the results."""

    def __init__(self, *script: str, board: str = "launcher-pi") -> None:
        self.twin = app.simulated(app.plan(CannonToml(board=board), 5))
        self.rig, self.person = rig_on(self.twin), Scripted(self.twin, *script)
        self.results: list[dict[str, object]] = []

    def go(self, *only: str) -> None:
        steps = [step for step in STEPS if step.needs(self.rig) and (not only or step.name in only)]
        try:
            go_through(self.rig, self.person, steps, self.results)
        finally:
            self.is_off = self.twin.launcher.guard.deadline is None and self._outputs_low()
            self.twin.launcher.close()

    def _outputs_low(self) -> bool:
        motor = self.twin.board.motor
        return all(
            not self.twin.pins.pin(f"GPIO{pin}").state
            for pin in (motor.forward, motor.backward)
            if pin is not None
        )

    @property
    def verdicts(self) -> list[tuple[object, ...]]:
        return [(r["step"], r["verdict"], r["cause"], r["tries"]) for r in self.results]


def test_tried_again_after_mending_it_is_good() -> None:
    session = Session(AGAIN, AGAIN)
    session.twin.cut_wire(BUTTON)
    choices = iter([lambda: None, lambda: session.twin.mend(BUTTON)])
    session.person.before_choice = lambda: next(choices)()
    session.go("button", "beeper")
    assert session.person.told == ["button_dead", "button_dead", "", ""]
    assert session.verdicts == [("button", "good", "", 3), ("beeper", "good", "", 1)]


def test_skipped_it_stays_bad_and_the_next_part_follows() -> None:
    session = Session(SKIP)
    session.person.hears = False
    session.go("beeper", "motor")
    assert session.verdicts == [
        ("beeper", "bad", "beeper_silent", 1),
        ("motor", "good", "", 1),
    ]


def test_stopped_after_a_bad_part_nothing_follows() -> None:
    session = Session(STOP)
    session.person.hears = False
    with pytest.raises(Stop):
        session.go("beeper", "motor")
    assert session.verdicts == [("beeper", "bad", "beeper_silent", 1)]
    assert session.is_off


def test_skipped_while_it_is_looked_at_it_is_neither_good_nor_bad() -> None:
    session = Session()

    def skip_the_first(number: int) -> None:
        if number == 1:
            raise Skip

    session.person.at = skip_the_first
    session.go("lid", "beeper")
    assert session.verdicts == [("lid", "skipped", "", 0), ("beeper", "good", "", 1)]


@pytest.mark.parametrize("way", [Stop, KeyboardInterrupt])
def test_stopped_at_any_question_the_outputs_are_off(way: type[BaseException]) -> None:
    number = questions = 0
    while number <= questions:
        session = Session()

        def stop(asked: int, at: int = number) -> None:
            if asked == at:
                raise way

        session.person.at = stop
        try:
            session.go()
        except way:
            questions = number + 1
        assert session.is_off, f"at question {number}"
        number += 1
    assert number > 30, "every question was tried"


def test_stopped_in_any_run_of_the_motor_the_outputs_are_off() -> None:
    """Whenever the motor has just been switched on, for the n-th time."""
    number, runs = 0, 0
    while number <= runs:
        session = Session()
        if not _stopped_in_run(session, number):
            break
        runs = number + 1
        assert session.is_off, f"in run {number}"
        number += 1
    assert runs >= 8, "nudges, six cards, and the run that the lid ends"


def _stopped_in_run(session: Session, number: int) -> bool:
    """Whether the session was stopped right after the motor's n-th start."""
    guard, wait, starts = session.twin.launcher.guard, session.twin.run, [0]
    drive = session.twin.pins.output_changed

    def watched(name: str, value: float) -> None:
        drive(name, value)
        starts[0] += name == f"GPIO{session.twin.board.motor.forward}" and value > 0

    def let_pass(for_s: float, until: Callable[[], bool] | None) -> bool:
        def over() -> bool:
            if starts[0] > number and guard.deadline is not None:
                raise Stop
            return until is not None and until()

        return wait(for_s, over)

    session.twin.pins.output_changed = watched
    session.rig.let_pass = let_pass
    try:
        session.go()
    except Stop:
        return True
    return False


def test_a_launcher_that_fails_in_a_step_is_a_finding() -> None:
    session = Session(AGAIN)
    honest = session.twin.launcher.do
    fails = [True]

    def do(command: object) -> None:
        if fails:
            fails.pop()
            raise DeviceFault("bridge_lost", "the cable is out")
        honest(command)  # type: ignore[arg-type]

    session.twin.launcher.do = do  # type: ignore[method-assign]
    session.go("beeper")
    assert session.person.told == ["fault", ""]
    assert session.verdicts == [("beeper", "good", "", 2)]


# --- the command ----------------------------------------------------------------------------------


def settings_in(folder: Path) -> Path:
    config = folder / "cannon.toml"
    config.write_text(f'[journal]\npath = "{folder}/journal.db"\n')
    return config


def test_the_command_saves_what_it_found_and_prints_json_alone(tmp_path: Path) -> None:
    run = subprocess.run(
        [CANNON, "check", "--simulate", "--json", "--config", settings_in(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(run.stdout)
    wanted = [step.name for step in STEPS if step.name not in ("light", "hopper")]
    assert [step["step"] for step in found["steps"]] == wanted
    assert {step["verdict"] for step in found["steps"]} == {"good"}
    assert (found["board"], found["simulated"], found["stopped"]) == ("launcher-pi", True, False)
    assert json.loads((tmp_path / "check-simulated.json").read_text()) == found
    assert not (tmp_path / "check.json").exists(), "a simulation is no check of a real launcher"


def test_an_unknown_part_is_wrong_use() -> None:
    run = subprocess.run(
        [CANNON, "check", "--simulate", "--only", "lit"], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "there is no part 'lit'" in run.stderr
