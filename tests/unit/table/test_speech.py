"""What people type at the prompt, in English and in Danish."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cannon.cli.table import command
from cannon.companion.speech import Speech
from cannon.companion.vocabulary import NotUnderstood
from cannon.settings.editions import all_editions
from cannon.settings.texts import Texts
from cannon.table import actions as a
from cannon.table.history import Game, apply, new_game

EDITIONS = all_editions()
PLAYERS = ("Anna", "Bo", "Tom")


def game(edition: str = "extreme", *then: a.Action, **options: bool) -> Game:
    start = a.Start(edition, PLAYERS, "Tom", first="red 7", options=dict(options))
    found = apply(new_game(EDITIONS), start)
    for action in then:
        assert isinstance(found, Game)
        found = apply(found, action)
    assert isinstance(found, Game)
    return found


def said(line: str, on: Game | None = None, language: str = "en") -> a.Action | str:
    return Speech(Texts(language), on or game()).understand(line)


@pytest.mark.parametrize(
    ("english", "danish", "action"),
    [
        ("red 8", "rød 8", a.Lay("Anna", "red 8")),
        ("8 red", "8 rød", a.Lay("Anna", "red 8")),
        ("r skip", "r spring over", a.Lay("Anna", "red skip")),
        ("RED Hit 2", "Rød Tryk 2", a.Lay("Anna", "red hit-2")),
        ("red +2", "rød +2", a.Lay("Anna", "red hit-2")),
        ("red reverse", "rød skift retning", a.Lay("Anna", "red reverse")),
        ("wild blue", "joker blå", a.Lay("Anna", "wild", "blue")),
        ("wild", "joker", a.Lay("Anna", "wild")),
        ("extreme hit blue bo", "ekstrem-joker blå bo", a.Lay("Anna", "extreme-hit", "blue", "Bo")),
        (
            "extreme hit tom blue",
            "ekstrem joker tom blå",
            a.Lay("Anna", "extreme-hit", "blue", "Tom"),
        ),
        (
            "red discard all with 3",
            "rød smid alle med 3",
            a.Lay("Anna", "red discard-all", others=3),
        ),
        ("red 8 last", "rød 8 sidste", a.Lay("Anna", "red 8", last=True)),
        ("bo red 8", "bo rød 8", a.Lay("Bo", "red 8")),
        ("tom red 8", "tom rød 8", a.Lay("Tom", "red 8")),
        ("press", "tryk", a.Press("Anna")),
        ("3", "3", a.Pressed(3, source="hand")),
        ("?", "ukendt", a.Pressed("unknown", source="hand")),
        ("draw", "træk", a.Draw("Anna")),
        ("draw 2", "træk 2", a.Draw("Anna", 2)),
        ("draw bo 2", "træk bo 2", a.Draw("Bo", 2)),
        ("keep", "behold", a.Keep("Anna")),
        ("uno", "uno", a.Uno("Anna")),
        ("uno bo", "uno bo", a.Uno("Bo")),
        ("catch bo", "taget bo", a.Catch("Anna", "Bo")),
        ("catch bo by tom", "taget bo af tom", a.Catch("Tom", "Bo")),
        ("advice bo", "råd bo", a.Advice("Bo")),
        ("wrong", "forkert", a.Wrong("Anna")),
        ("penalty bo 3", "straf bo 3", a.Penalty("Bo", 3)),
        ("hand bo 5", "hånd bo 5", a.Hand("Bo", 5)),
        ("hand bo ?", "hånd bo ?", a.Hand("Bo", "unknown")),
        ("jam", "sidder fast", a.Jam(0)),
        ("jam 2", "fast 2", a.Jam(2)),
        ("empty", "tom", a.Empty()),
        ("refill", "fyld op", a.Refill()),
        ("refill 30", "fyld 30", a.Refill(30)),
        ("taken", "stak ud", a.Taken()),
        ("taken 2", "stak ud 2", a.Taken(2)),
        ("appeared", "farven kom", a.Appeared()),
        ("waive", "eftergiv", a.Waive()),
        ("waive bo", "eftergiv bo", a.Waive("Bo")),
        ("won bo", "vandt bo", a.Won("Bo")),
        ("next", "næste", a.Next()),
        ("next bo", "næste bo", a.Next("Bo")),
        ("first red 3", "første rød 3", a.First("red 3")),
        ("join Kaj", "ny Kaj", a.Join("Kaj")),
        ("join Kaj after bo", "ny Kaj efter bo", a.Join("Kaj", "Bo")),
        ("leave bo", "går bo", a.Leave("Bo")),
        ("leave bo hand on", "går bo giv videre", a.Leave("Bo", "hand-on")),
        ("leave bo waive", "går bo eftergiv", a.Leave("Bo", "waive")),
        ("take over bo Kaj", "overtag bo Kaj", a.TakeOver("Bo", "Kaj")),
        ("undo", "fortryd", a.Undo()),
        ("redo", "gør om", a.Redo()),
        ("end", "slut", a.End()),
        ("count bo 37", "tæl bo 37", a.Count("Bo", None, 37)),
        ("count bo red 8, wild", "tæl bo rød 8, joker", a.Count("Bo", ("red 8", "wild"))),
        ("help", "hjælp", "help"),
        ("log", "liste", "log"),
        ("quit", "farvel", "quit"),
        ("start", "start", "start"),
    ],
)
def test_words(english: str, danish: str, action: a.Action | str) -> None:
    assert said(english) == action
    assert said(danish, language="da") == action
    assert said(english, language="da") == action or english in ("tom red 8", "log")


def test_who_is_meant_follows_from_the_game() -> None:
    hit = game("classic", a.Lay("Anna", "red draw-two"), stacking=True)
    assert said("blue draw two", hit) == a.Lay("Bo", "blue draw-two")
    assert said("draw", hit) == a.Draw("Bo")
    challenged = game("classic", a.Lay("Anna", "wild-draw-four", "blue"))
    assert said("guilty", challenged) == a.Challenge("Bo", "guilty")
    assert said("uskyldig", challenged, "da") == a.Challenge("Bo", "innocent")
    drawn = game("classic", a.Draw("Anna"))
    assert said("red 8", drawn) == a.Play("Anna", "red 8")
    one_left = game("extreme", a.Hand("Anna", 2), a.Lay("Anna", "red 8"))
    assert said("uno", one_left) == a.Uno("Anna")
    assert said("catch", one_left) == a.Catch("Bo", "Anna")
    wild = game("extreme", a.Lay("Anna", "wild"))
    assert said("green", wild) == a.Colour("Anna", "green")
    assert said("colour green", wild) == a.Colour("Anna", "green")
    assert said("grøn", wild, "da") == a.Colour("Anna", "green")
    jumping = game("classic", a.Lay("Anna", "red 8"), jump_in=True)
    assert said("jump in tom red 8", jumping) == a.JumpIn("Tom", "red 8")
    counting = game("extreme", a.Hand("Anna", 1), a.Lay("Anna", "red 8"))
    assert said("bo 37", counting) == a.Count("Bo", None, 37)
    assert said("bo red 8, red skip", counting) == a.Count("Bo", ("red 8", "red skip"))


def test_a_correction_is_understood_as_of_then() -> None:
    later = game("extreme", a.Lay("Anna", "red 8"), a.Lay("Bo", "red 9"))
    assert said("correct 2 red 3", later) == a.Correct(2, (a.Lay("Anna", "red 3"),))
    assert said("ret 3 intet", later, "da") == a.Correct(3)
    assert said("correct 3", later) == a.Correct(3)


def test_json_is_understood_too() -> None:
    assert said('{"do": "press", "by": "Anna"}') == a.Press("Anna")


@pytest.mark.parametrize(
    "line",
    ["blargh", "red", "red 8 blargh", "pink 8", "count bo", "count bo red 8 wild", "catch by zoe",
     "advice zoe", "advice", "take over bo", "jump in red 8", "correct x", "correct 1 undo",
     "refill many", "join", '{"do": "fly"}', "colour pink", "draw-two", "undo it"],
)  # fmt: skip
def test_what_is_not_understood_is_said(line: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        said(line)
    assert str(caught.value)


def test_before_a_game_only_a_start_is_understood() -> None:
    nothing = new_game(EDITIONS)
    assert said("start", nothing) == "start"
    with pytest.raises(NotUnderstood):
        said("red 8", nothing)


def test_playing_at_the_prompt(tmp_path: Path) -> None:
    typed = [
        "red 8", "start", "extreme", "Anna, Bo, Tom", "", "uno=4 scoring=own last_hit=false oops",
        "rød 7", "blargh", "start", "", "anna rød 8", "bo blå 9", "5", "log", "fortryd", "slut",
        "start", "nothing", "farvel",
    ]  # fmt: skip
    result = CliRunner().invoke(
        command,
        ["--file", str(tmp_path / "game.jsonl")],
        input="\n".join(typed) + "\n",
        env={"CANNON_LANG": "da"},
    )
    assert result.exit_code == 0
    for line in (
        "Ikke forstået: red 8. Skriv hjælp for hjælp.",
        "Skriv regler som navn=værdi, ikke oops.",
        "På bunken: rød 7.",
        "Slut først dette spil (slut).",
        "spring ind B rød 7",
        "blå 9 passer ikke på rød 8 (rød)",
        "Bo 12",
        '"options": {"uno": 4, "scoring": "own", "last_hit": false}',
        "Spillet er sluttet.",
        "nothing: is not an edition",
        "Spillet er gemt i",
    ):
        assert line in result.output, line


def test_only_what_can_be_read_again_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    typed = f"start\nextreme\nA, B\n\n\nred 5\njoin {'x' * 60}\njoin \x1b[2J\nred 6\nquit\n"
    result = CliRunner().invoke(command, ["--file", str(path)], input=typed, env={"LANG": "C"})
    assert result.exit_code == 0
    assert result.output.count("That is not an action") == 2
    again = CliRunner().invoke(command, ["--file", str(path)], input="log\nquit\n")
    assert again.exit_code == 0
    assert "red 6" in again.output


def test_the_end_of_the_input_ends_the_prompt(tmp_path: Path) -> None:
    arguments = ["--file", str(tmp_path / "game.jsonl")]
    for typed in ("", "start\n", "start\nextreme\n"):
        assert CliRunner().invoke(command, arguments, input=typed).exit_code == 0
