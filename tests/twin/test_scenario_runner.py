"""The runner: what is expected can fail, a line that cannot be done ends it, promises are kept."""

import pytest

from cannon.core.commands import Run
from cannon.settings import signals
from cannon.settings.texts import Texts
from cannon.simulation import SimulatedProgram
from cannon.twin import words
from cannon.twin.expectations import EXPECTATIONS, FIGURES
from cannon.twin.lines import Language, one_of
from cannon.twin.scenario import read_scenario
from cannon.twin.stage import Stage
from tests.twin.scenario_tools import played_text

# A press of 3 cards that jams at the second, with the lid opened afterwards.
BEFORE = ["odds 3", "card 2 jams", "switch on", "press", "wait 8 s"]
AFTER = ["open lid", "wait 1 s", "take card", "press", "wait 500 ms"]

# What is right and what is wrong to expect then; every kind of expectation occurs.
RIGHT_AND_WRONG = [
    ("state lid_open", "state jammed"),
    ("state lid_open within 1 s", "state ready within 1 s"),
    ("no cause", "cause jam"),
    ("presses 1", "presses 2"),
    ("decided 3", "decided 4"),
    ("delivered at least 1", "delivered at least 3"),
    ("owed at most 1", "owed at most 0"),
    ("refusals 1", "refusals 0"),
    ("motor off", "motor on"),
    ("motor still for 2 s", "motor on"),
    ("refused lid_open 1", "refused lid_open 2"),
    ("fault jam 1", "fault jam 0"),
    ("fault jam", "fault slow"),
    ("notice low_power 0", "notice low_power 1"),
    ("no hint", "hint worn_cards"),
    ("sound refused", "sound ding"),
    ("sounds refused", "sounds refused refused"),
    ("light slow", "light alarm"),
    ("record outcome", "record stop"),
    ("record outcome decided=3 owed=2", "record outcome decided=3 owed=3"),
    ("1 records of outcome", "2 records of outcome"),
    ("0 records of outcome decided=5", "1 records of outcome decided=5"),
    ("on file press", "on file stop"),
    ("on file press rest=no", "on file press rest=yes"),
    ("1 on file of press", "0 on file of press"),
    ("1 on file of outcome decided=3", "2 on file of outcome decided=3"),
]
IN_OTHER_PLACES = {  # held against other scenarios below
    "cause {cause}",
    "start refused",
    "{figure} unknown",
    "silence",
    "notice {notice}",
    "hint {hint}",
    "protruding card",
    "journal tells {journal notice}",
    "motor on",
}


def failures(*lines):
    result, _ = played_text(*lines)
    return [str(failed) for failed in result.failed]


@pytest.mark.parametrize(("right", "wrong"), RIGHT_AND_WRONG)
def test_each_expectation_can_be_met_and_can_fail(right, wrong):
    assert failures(*BEFORE, *AFTER, f"expect {right}") == []
    [failed] = failures(*BEFORE, *AFTER, f"expect {wrong}")
    assert failed.startswith(f"line 11: expect {wrong}: found ")


@pytest.mark.parametrize(
    ("lines", "right", "wrong"),
    [
        # (what happens, what is right to expect then, what is wrong)
        (BEFORE, "cause jam", "cause slow"),
        (BEFORE, "notice low_power 0", "notice empty"),
        (["break pin of sensor", "switch on"], "start refused", "presses 1"),
        (["switch on"], "presses 0", "start refused"),
        (["switch on", "wait 1 s"], "sounds beep", "silence"),
        (["open lid", "switch on", "wait 1 s"], "silence", "sound beep"),
        (
            ["board launcher-pi-basic", "odds 2", "switch on", "press", "wait 4 s"],
            "delivered unknown",
            "delivered 2",
        ),
        (["switch on"], "delivered 0", "delivered unknown"),
        (
            ["odds 1", "card 1 sticks", "switch on", "press", "wait 4 s"],
            "protruding card",
            "state ready",
        ),
        (["switch on", "wait 1 s"], "motor off", "protruding card"),
        (["odds 3", "switch on", "press", "when feeding wait 50 ms"], "motor on", "motor off"),
        (
            ["odds 1", "motor at 35 %", "switch on", "press", "wait 4 s"],
            "hint low_power",
            "no hint",
        ),
        (
            ["odds 9", "motor at 35 %", "switch on", "press"],
            "motor on within 1 s",
            "hint low_power",
        ),
    ],
)
def test_the_same_in_other_places(lines, right, wrong):
    assert failures(*lines, f"expect {right}") == []
    assert len(failures(*lines, f"expect {wrong}")) == 1


def test_a_journal_that_tells_nothing(monkeypatch):
    monkeypatch.setattr("cannon.simulation.PATIENCE_S", 0.05)
    lines = ["odds 1", "switch on", "press", "wait 2 s"]
    [failed] = failures(*lines, "expect journal tells journal_full")
    assert failed.endswith("found not told (at 2.000 s)")


def test_every_kind_of_expectation_was_tried():
    language = Language(
        {text: text for text in EXPECTATIONS},
        {**words.SLOTS, "figure": one_of(FIGURES, "presses")},
    )
    tried = set()
    for pair in RIGHT_AND_WRONG:
        for line in pair:
            tried.add(language.read(line.split(" within ")[0].split())[0])
    assert tried | IN_OTHER_PLACES == set(EXPECTATIONS)


def test_all_wrong_expectations_are_said_and_the_scenario_goes_on():
    found = failures(*BEFORE, "expect cards 9", "expect state ready", "expect cards 1")
    assert found == [
        "line 6: expect cards 9: found 1 (at 8.000 s)",
        "line 7: expect state ready: found jammed (at 8.000 s)",
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("after card 5 open lid", "card 5 did not come within 60 s; the state is jammed"),
        ("when ready press", "the state ready did not come within 60 s; the state is jammed"),
        ("at 2 s press", "it is 8.000 s already"),
        ("switch on", "the launcher is on already"),
        ("hopper seen empty", "the board 'launcher-pi' has no such input: hopper"),
        ("break light", "the board 'launcher-pi' has no light"),
    ],
)
def test_a_line_that_cannot_be_done_ends_the_scenario(line, why):
    assert failures(*BEFORE, line, "expect cards 9") == [f"line 6: {line}: {why}"]


def test_a_person_who_gets_nowhere_gives_up():
    lines = ["sensor blocked", "switch on", "people pause 10 ms", "play 1 presses"]
    assert failures(*lines, "expect presses 1") == [
        "line 4: play 1 presses: after 200 tries the launcher is still jammed"
    ]


@pytest.mark.parametrize("line", ["wait 1 s", "wait for ready", "play 1 presses", "cut power"])
def test_no_time_passes_before_it_is_switched_on(line):
    assert failures(line, "switch on", "expect presses 0") == [
        f"line 1: {line}: the launcher is off"
    ]


def test_nothing_can_be_waited_for_while_it_is_off():
    lines = ["break pin of sensor", "switch on", "expect presses 0", "wait 1 s"]
    assert failures(*lines) == [
        "line 4: wait 1 s: the launcher is off, it refused to start: GPIO22 does not answer"
    ]


def test_a_broken_promise_fails_every_scenario(monkeypatch):
    """A guard that does not look at the lid, and a loop that is stuck: the account must see it."""
    monkeypatch.setattr("cannon.devices.guard.MotorGuard.lid_edge", lambda guard: None)
    monkeypatch.setattr("cannon.twin.twin.Twin._check_guard", lambda twin: None)
    lines = ["odds 3", "switch on", "press", "after card 1 loop freezes for 1 s", "wait 60 ms"]
    [failed] = failures(*lines, "open lid", "wait 3 s", "expect state lid_open")
    assert failed.startswith("line 0: no promise is broken: the motor ran 0.")
    assert failed.endswith("s with the lid open")


def test_a_motor_that_starts_without_a_press_breaks_a_promise():
    scenario = read_scenario("switch on\nexpect presses 0", "scenario.txt", "scenario")
    with SimulatedProgram(scenario.setup, with_journal=False) as program:
        stage = Stage(program)
        stage.begin([])
        stage.wait(1.0)
        stage.twin.launcher.do(Run(1, 1.0, 0.1))
        stage.wait(1.0)
    assert stage.violations() == ["at 1.000 s the motor started without a press"]


def test_the_same_seed_gives_the_same_records():
    lines = ["seed 5", "misfeeds 5 %", "double feeds 2 %", "jams 1 %", "switch on"]
    after = ["play 40 presses", "expect 40 records of press"]
    runs = [played_text(*lines, *after) for _ in range(2)]
    assert runs[0][1].records == runs[1][1].records
    other = played_text("seed 6", *lines[1:], *after)
    assert other[1].records != runs[0][1].records


def test_the_codes_that_scenarios_may_name_are_the_real_ones():
    texts = Texts("en")

    def codes(prefix):
        return {key.removeprefix(prefix) for key in texts.keys(prefix)}

    assert words.TUNES == signals.TUNES
    assert set(words.CAUSES) == codes("launcher.cause.title.")
    assert set(words.NOTICES) | set(words.JOURNAL_NOTICES) <= codes("launcher.notice.")
    assert set(words.REFUSALS) == codes("launcher.refused.")
