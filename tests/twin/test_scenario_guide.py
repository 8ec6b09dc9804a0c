"""The guide to scenarios lists every line there is, and no other."""

import re
from pathlib import Path

from cannon.twin.actions import ACTIONS, MOMENTS
from cannon.twin.expectations import EXPECTATIONS, FIGURES
from cannon.twin.mechanism import FAULTS
from cannon.twin.scenario import SETUP, read_scenario

GUIDE = Path(__file__).parents[2] / "cannon" / "data" / "scenarios" / "README.md"


def test_every_line_is_in_the_guide_and_no_other():
    parts = re.split(r"^## ", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tables = [re.findall(r"^\| `([^`]+)` \|", part, flags=re.MULTILINE) for part in parts]
    for table in tables:
        assert len(table) == len(set(table))
    assert [set(table) for table in tables] == [
        set(),
        set(SETUP),
        set(MOMENTS),
        set(ACTIONS),
        set(EXPECTATIONS),
    ]


def test_what_it_says_of_values_is_so():
    text = GUIDE.read_text(encoding="utf-8")
    assert f"`{' '.join(FIGURES)}`" in text
    for fault in FAULTS:
        assert f"`{fault}`" in text


def test_its_example_is_one():
    example = GUIDE.read_text(encoding="utf-8").split("```")[1]
    lines = [line.split("   ")[0] for line in example.splitlines()]
    scenario = read_scenario("\n".join(lines), "README.md", "example")
    assert scenario.about == "The lid is opened at the second of five cards."
    assert len(scenario.steps) == 4
