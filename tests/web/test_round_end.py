"""The end of a round as phones see it: another winner can be named, on any phone, and undone."""

import pytest

from tests.web.tools import Made, body, call, posting

BEGINNING = (
    {"do": "start", "edition": "extreme", "players": ["A", "B", "C"], "dealer": "C"},
    {"do": "first", "card": "red 5"},
    {"do": "lay", "by": "A", "card": "red 9", "last": True},
)


@pytest.fixture
def made():
    made = Made()
    for action in BEGINNING:
        assert act(made, action).status == 200
    return made


def act(made, action, version=None):
    at = made.keeper.version if version is None else version
    return call(
        made.app,
        "POST",
        "/api/table",
        posting(made.new_phone()),
        body(made, version=at, action=action),
    )


def table(made, language="en"):
    return call(made.app, "GET", f"/api/state?lang={language}").json["parts"]["table"]


def test_another_winner_is_named_while_the_cards_are_counted(made):
    assert act(made, {"do": "count", "by": "C", "points": 7}).status == 200
    assert act(made, {"do": "won", "by": "B"}).status == 200
    shown = table(made)
    assert (shown["winner"], shown["to_count"], shown["phase"]) == ("B", ["A"], "round_end")
    assert shown["past"][0]["words"] == "B has won the round"
    assert table(made, "da")["past"][0]["words"] == "B har vundet runden"
    assert act(made, {"do": "count", "by": "A", "points": 5}).status == 200
    assert table(made)["scores"] == {"A": 0, "B": 12, "C": 0}


def test_another_winner_is_named_when_all_is_counted_and_undo_takes_it_back(made):
    for by, points in (("B", 30), ("C", 7)):
        act(made, {"do": "count", "by": by, "points": points})
    assert table(made)["scores"] == {"A": 37, "B": 0, "C": 0}
    assert act(made, {"do": "won", "by": "B"}).status == 200
    assert table(made)["to_count"] == ["A"]
    assert table(made)["rounds"] == []
    assert act(made, {"do": "undo"}).status == 200
    assert table(made)["scores"] == {"A": 37, "B": 0, "C": 0}


def test_it_can_be_taken_out_of_what_was_done(made):
    act(made, {"do": "won", "by": "B"})
    named = table(made)["past"][0]
    act(made, {"do": "count", "by": "C", "points": 7})
    assert act(made, {"do": "correct", "at": named["at"]}).status == 200
    assert table(made)["winner"] == "A"
    assert table(made)["to_count"] == ["B"]


@pytest.mark.parametrize(
    ("by", "language", "said"), [("A", "en", "anyway"), ("A", "da", "allerede")]
)
def test_who_has_won_cannot_win_again(made, by, language, said):
    answer = call(
        made.app,
        "POST",
        f"/api/table?lang={language}",
        posting(made.new_phone()),
        body(made, version=made.keeper.version, action={"do": "won", "by": by}),
    )
    assert answer.status == 409
    assert said in answer.json["words"]
