"""A wrong line is refused with its place, what is known there, and what was perhaps meant."""

import pytest

from cannon.simulation import load_scenario
from cannon.twin.scenario import read_scenario
from hardware.reading import ConfigurationError

GOOD = ["board launcher-pi", "odds 3", "switch on", "press", "wait 5 s", "expect cards 3"]


def problems(*lines):
    with pytest.raises(ConfigurationError) as caught:
        read_scenario("\n".join(lines), "evening.txt", "evening")
    return [str(problem) for problem in caught.value.problems]


def only(*lines):
    [problem] = problems(*lines)
    return problem


def with_line(line, at=4):
    return [*GOOD[:at], line, *GOOD[at:]]


def test_a_good_one_is_read():
    scenario = read_scenario("\n".join(["# An evening.", *GOOD]), "evening.txt", "evening")
    assert scenario.about == "An evening."
    assert scenario.setup.board == "launcher-pi"
    assert scenario.setup.decisions == (3,)
    assert [step.text for step in scenario.steps] == ["press", "wait 5 s", "expect cards 3"]
    assert [step.line for step in scenario.steps] == [5, 6, 7]
    assert not scenario.needs_journal and not scenario.needs_records and not scenario.plays


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pres", "evening.txt:5: 'pres' is not known here; did you mean 'press'?"),
        ("opne lid", "evening.txt:5: 'opne' is not known here; did you mean 'open lid'?"),
        ("expect stat ready", "did you mean 'expect state ready'?"),
        ("expect state redy", "'redy' is not known here; did you mean 'ready'? known: starting,"),
        ("expect fault jamm 1", "'jamm' is not known here; did you mean 'jam'?"),
        ("expect sound refussed", "did you mean 'refused'?"),
        ("expect cards many", "'many' cannot stand here; right is, for example: 3, at, unknown"),
        ("expect cards", "'expect cards' is cut short; known after 'expect cards': 3, at, unknown"),
        ("wait 1", "'1' cannot stand here; right is, for example: 1.5 s, for"),
        ("wait 1 seconds", "'1 seconds' cannot stand here; right is, for example: 1.5 s, for"),
        ("wait -1 s", "'-1 s' cannot stand here; right is, for example: 1.5 s, for"),
        ("wait nan s", "'nan s' cannot stand here"),
        ("wait 1e999 s", "'1e999 s' cannot stand here"),
        ("press for 60ms", "'60ms' cannot stand here; right is, for example: 1.5 s"),
        (
            "expect state ready within soon",
            "'soon' cannot stand here; right is, for example: 1.5 s",
        ),
        ("expect state ready within 2 parsecs", "'2 parsecs' cannot stand here"),
        ("sometimes lid-open 2 %", "did you mean 'lid-opened'?"),
        ("misfeeds 2.2", "'2.2' cannot stand here; right is, for example: 2.2 %"),
        ("card 3 jamms", "did you mean 'jams'?"),
        ("after card two open lid", "'two' cannot stand here; right is, for example: 3"),
        ("when redy press", "'redy' is not known here; did you mean 'ready'?"),
        ("at noon press", "'noon press' cannot stand here; right is, for example: 1.5 s"),
        ("press twice", "'twice' cannot stand here; right is, for example: 3, for"),
        ("disk ful", "did you mean 'disk full'?"),
        ("seed 7", "'seed 7' stands too late; it belongs before: switch on"),
        ("board diy-pi", "'board diy-pi' stands too late"),
        ("wall clock 5 s", "'5 s' cannot stand here; right is, for example: +86400 s"),
    ],
)
def test_a_typo(line, said):
    found = only(*with_line(line))
    assert found.startswith("evening.txt:5: ")
    assert said in found


@pytest.mark.parametrize("line", ["expect state ready", "after card 1 press", "when ready"])
def test_nothing_is_expected_or_waited_for_before_it_is_switched_on(line):
    found = only(*with_line(line, at=2))
    assert found == (
        "evening.txt:3: this stands too early; no time passes before the line: switch on"
    )


def test_all_wrong_lines_are_said_at_once():
    found = problems("bord launcher-pi", "switch on", "pres", "expect state redy", "expect cards 3")
    assert [problem.split(":")[1] for problem in found] == ["1", "3", "4"]


def test_a_scenario_without_an_expectation_is_refused():
    assert only(*GOOD[:-1]) == (
        "evening.txt: nothing is expected; say what must come of it, for example: "
        "expect state ready"
    )


@pytest.mark.parametrize("lines", [[], ["# nothing"], GOOD[:2]])
def test_a_scenario_that_never_switches_on_is_refused(lines):
    assert "evening.txt: the launcher is never switched on" in only(*lines)


def test_comments_and_empty_lines_are_nothing():
    lines = ["", "  # An evening.", *GOOD[:3], "press  # with two fingers", *GOOD[4:], "   "]
    scenario = read_scenario("\n".join(lines), "evening.txt", "evening")
    assert [step.text for step in scenario.steps] == ["press", "wait 5 s", "expect cards 3"]


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(ConfigurationError, match="no such file"):
        load_scenario(str(tmp_path / "none.txt"))
    path = tmp_path / "evening.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="is not UTF-8 text"):
        load_scenario(str(path))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_scenario(str(tmp_path))


def test_a_name_that_is_not_known():
    with pytest.raises(ConfigurationError) as caught:
        load_scenario("feild")
    [problem] = caught.value.problems
    assert str(problem).startswith("scenario 'feild': there is none; did you mean 'field'? known: ")


def test_for_a_number_of_presses_only_the_launcher_and_its_mishaps_are_taken():
    text = "odds 2\nswitch on\nexpect presses 0\nmisfeeds 1 %\nplay 5 presses\nexpect presses 5"
    scenario = read_scenario(text, "evening.txt", "evening").for_presses(70)
    assert [step.text for step in scenario.steps] == ["misfeeds 1 %", "play 70 presses"]
    with pytest.raises(ValueError, match="not enough values"):
        read_scenario("\n".join(GOOD), "evening.txt", "evening").for_presses(70)
