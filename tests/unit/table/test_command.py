"""`cannon table` from outside: replays as JSON, in words and as a score; options; editions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cannon.cli.table import command

KEYS = [
    "phase", "turn", "direction", "colour", "owed", "uno_window", "hands_known", "scores",
    "launcher_cards", "refused",
]  # fmt: skip
EVENING = """
# an evening
{"do": "start", "edition": "extreme", "players": ["A","B","C"], "dealer": "C", "first": "red 7"}
{"do": "lay", "by": "A", "card": "red hit-2"}
{"do": "pressed", "cards": 3}
{"do": "pressed", "cards": null}

{"do": "lay", "by": "C", "card": "extreme-hit", "colour": "blue", "player": "A"}
{"do": "lay", "by": "B", "card": "blue draw-two"}
"""


def run(*arguments: str, text: str | None = None, **environment: str) -> Result:
    return CliRunner().invoke(
        command,
        list(arguments),
        input=text,
        env={"LANG": "C", "COLUMNS": "200", **environment},
    )


def replayed(tmp_path: Path, text: str, *arguments: str, **environment: str) -> Result:
    path = tmp_path / "game.jsonl"
    path.write_text(text)
    result = run("replay", str(path), *arguments, **environment)
    assert result.exit_code == 0, result.output
    return result


def states(tmp_path: Path, text: str) -> list[dict[str, Any]]:
    lines = replayed(tmp_path, text, "--json").stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_one_object_after_each_action_with_the_documented_keys(tmp_path: Path) -> None:
    shown = states(tmp_path, EVENING)
    assert len(shown) == 6
    assert all(list(state) == KEYS for state in shown)
    assert shown[0] == {
        "phase": "turn",
        "turn": "A",
        "direction": "left",
        "colour": "red",
        "owed": [],
        "uno_window": None,
        "hands_known": {"A": 7, "B": 7, "C": 7},
        "scores": {"A": 0, "B": 0, "C": 0},
        "launcher_cards": 90,
        "refused": None,
    }
    assert shown[1]["owed"] == [{"by": "B", "presses": 2, "takes": "B", "reason": "hit-2"}]
    assert shown[2]["owed"] == [{"by": "B", "presses": 1, "takes": "B", "reason": "hit-2"}]
    assert shown[3]["hands_known"] == {"A": 6, "B": None, "C": 7}
    assert shown[3]["launcher_cards"] is None
    assert shown[4]["owed"] == [{"by": "C", "presses": 2, "takes": "A", "reason": "extreme-hit"}]


def test_a_refusal_names_the_edition_and_changes_nothing(tmp_path: Path) -> None:
    shown = states(tmp_path, EVENING)
    refused = shown[5].pop("refused")
    assert refused.startswith("unknown_card: ")
    assert "UNO Extreme" in refused
    assert shown[5] == {key: value for key, value in shown[4].items() if key != "refused"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "not_an_action: "),
        ('{"do": "fly"}', "Invalid value 'fly'"),
        ('{"do": "lay"}', "missing required field by"),
        ('{"do": "lay", "by": "A", "card": "red 7", "colur": "red"}', "unknown field colur"),
        ('{"do": "pressed", "cards": -1}', "Expected int >= 0"),
        ('{"do": "lay", "by": "A", "card": "red 7"}', "not_started: No game has begun."),
        ("[]", "Expected object"),
        ('{"do": "press", "by": ""}', "matching regex"),
        ('{"do": "press", "by": "\\u001b[2J"}', "matching regex"),
        ('{"do": "press", "by": "%s"}' % ("x" * 41), "length <= 40"),
    ],
)
def test_lines_that_are_no_actions_are_refused(tmp_path: Path, line: str, said: str) -> None:
    (shown,) = states(tmp_path, line)
    assert said in shown["refused"]
    assert shown["phase"] == "setup"


def test_in_danish(tmp_path: Path) -> None:
    result = replayed(tmp_path, EVENING, CANNON_LANG="da")
    assert "B trykker 2 gange til (Tryk 2)." in result.output
    assert "C trykker 2 gange til, og A tager kortene (Ekstrem-joker)." in result.output
    assert "Kortet blue draw-two findes ikke i udgaven UNO Extreme." in result.output


def test_in_the_language_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cannon.toml").write_text('language = "da"\n')
    monkeypatch.chdir(tmp_path)
    assert "Turen er hos C." in replayed(tmp_path, EVENING).output
    assert "C's turn." in replayed(tmp_path, EVENING, CANNON_LANG="en").output


def test_from_standard_input() -> None:
    result = run("replay", "-", "--json", text=EVENING)
    assert len(result.stdout.splitlines()) == 6


def test_the_score_as_csv(tmp_path: Path) -> None:
    start = '{"do": "start", "edition": "classic", "players": ["A", "B"], "dealer": "B"}'
    text = "\n".join(
        [
            start,
            '{"do": "first", "card": "red 7"}',
            '{"do": "lay", "by": "A", "card": "red 1", "last": true}',
            '{"do": "count", "by": "B", "points": 40}',
            '{"do": "next", "first": "red 7"}',
            '{"do": "lay", "by": "B", "card": "red 2", "last": true}',
            '{"do": "count", "by": "A", "cards": ["wild", "red skip"]}',
        ]
    )
    rows = list(csv.DictReader(replayed(tmp_path, text, "--csv").output.splitlines()))
    assert [tuple(row.values()) for row in rows] == [
        ("1", "A", "A", "0", "40"),
        ("1", "A", "B", "40", "0"),
        ("2", "B", "A", "70", "40"),
        ("2", "B", "B", "0", "70"),
    ]


def test_wrong_use() -> None:
    assert run("replay").exit_code == 2
    assert run("replay", "no-such-file").exit_code == 2
    assert run("replay", "-", "--json", "--csv", text="").exit_code == 2


def test_an_edition_of_ones_own_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text('based_on = "classic"\ntitle = "Ours"\nhand = 5\n')
    start = {"do": "start", "edition": "ours.toml", "players": ["A", "B"], "dealer": "A"}
    (shown,) = states(tmp_path, json.dumps(start))
    assert shown["hands_known"] == {"A": 5, "B": 5}
    assert shown["refused"] is None


@pytest.mark.parametrize("name", ["extreme", "original", "mega-hit", "classic", "classic-2018"])
def test_options_are_listed_and_explained(name: str) -> None:
    for language in ("en", "da"):
        told = json.loads(run("options", name, "--json", CANNON_LANG=language).stdout)
        shown = run("options", name, CANNON_LANG=language).output
        assert told["edition"] == name
        assert sum(told["cards"].values()) == told["total"]
        for option in told["options"]:
            assert option["why"]
            assert option["name"] in shown


def test_options_without_an_edition_list_the_editions() -> None:
    told = json.loads(run("options", "--json").stdout)
    names = [edition["edition"] for edition in told["editions"]]
    shown = run("options").output
    assert len(names) == 6
    assert all(name in shown for name in names)
    assert "Hit-Fire" in shown


def test_options_of_no_edition() -> None:
    from hardware.reading import ConfigurationError

    result = run("options", "exstreme")
    assert isinstance(result.exception, ConfigurationError)
