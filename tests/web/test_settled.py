"""What settled each round, as phones are told it; and earlier rounds corrected with that."""

import pytest

from cannon.settings.editions import all_editions
from cannon.table.actions import from_object
from cannon.table.history import Game, apply, new_game
from cannon.table.scoring import scores
from cannon.table.state import GAME_OVER, Refusal
from cannon.web.settled import settled
from cannon.web.wording import texts_in

PLAYERS = ["A", "B", "C"]


def played(*actions, game=None):
    """The game after these actions; none is refused."""
    game = game or new_game(all_editions())
    for action in actions:
        result = apply(game, from_object(action))
        assert isinstance(result, Game), result
        game = result
    return game


def start(players=PLAYERS, edition="extreme", **options):
    dealer = players[-1]
    return {
        "do": "start",
        "edition": edition,
        "players": players,
        "dealer": dealer,
        "options": options,
    }


def lays_last(by):
    return [
        {"do": "first", "card": "red 5"},
        {"do": "lay", "by": by, "card": "red 9", "last": True},
    ]


def counts(**points):
    return [{"do": "count", "by": by, "points": n} for by, n in points.items()]


TWO_ROUNDS = [
    start(),
    *lays_last("A"),
    *counts(B=10, C=20),
    {"do": "next"},
    *lays_last("B"),
    *counts(A=5, C=7),
]


def told(game, language="en"):
    return settled(game, texts_in(language))


def test_each_round_has_the_actions_that_settled_it():
    first, second = told(played(*TWO_ROUNDS))
    assert [entry["at"] for entry in first["actions"]] == [4, 5]
    assert [entry["at"] for entry in second["actions"]] == [9, 10]
    assert first["actions"][1]["action"] == {"do": "count", "by": "C", "points": 20}
    assert first["actions"][1]["words"] == "C is caught with 20 points"
    assert (first["others"], first["spared"]) == (["B", "C"], ["A"])
    assert (second["others"], second["spared"]) == (["A", "C"], ["B"])
    danish, _ = told(played(*TWO_ROUNDS), "da")
    assert danish["actions"][0]["words"] == "B er taget med 10 point"


def test_a_round_that_is_still_counted_is_none():
    assert told(played(*TWO_ROUNDS[:4])) == []
    assert len(told(played(*TWO_ROUNDS, {"do": "next"}, *lays_last("C"), *counts(A=1)))) == 2


def test_a_winner_named_afterwards_settles_the_same_round():
    game = played(*TWO_ROUNDS[:5], {"do": "won", "by": "B"}, *counts(A=3))
    (only,) = told(game)
    assert [entry["action"]["do"] for entry in only["actions"]] == [
        "count",
        "count",
        "won",
        "count",
    ]
    assert (only["others"], only["spared"]) == (["A", "C"], ["B"])
    assert told(played({"do": "won", "by": "C"}, game=game)) == []


def test_only_rounds_of_this_game():
    game = played(*TWO_ROUNDS, {"do": "end"}, start(), *lays_last("A"), *counts(B=1, C=2))
    (only,) = told(game)
    assert [entry["at"] for entry in only["actions"]] == [15, 16]


def test_where_nothing_is_counted_the_last_card_settles_the_round():
    (only,) = told(played(start(scoring="none"), *lays_last("A")))
    assert [entry["action"]["do"] for entry in only["actions"]] == ["lay"]
    assert (only["others"], only["spared"]) == (["B", "C"], [])


def test_partners_are_spared_both():
    four = [*PLAYERS, "D"]
    game = played(start(four, "classic", scoring="partners"), *lays_last("A"), *counts(B=3, D=4))
    (only,) = told(game)
    assert (only["others"], only["spared"]) == (["B", "C", "D"], ["A", "C"])


def corrected(game, number, by, **points):
    """Another winner of that round, said as the page says it."""
    closing = told(game)[number]["actions"][-1]
    return apply(
        game,
        from_object(
            {
                "do": "correct",
                "at": closing["at"],
                "actions": [closing["action"], {"do": "won", "by": by}, *counts(**points)],
            }
        ),
    )


def test_another_winner_of_an_earlier_round():
    game = played(*TWO_ROUNDS)
    assert scores(game.state) == {"A": 30, "B": 12, "C": 0}
    changed = corrected(game, 0, "C", A=40)
    assert scores(changed.state) == {"A": 0, "B": 12, "C": 50}
    assert [round_.winner for round_ in changed.state.rounds] == ["C", "B"]
    assert scores(played({"do": "undo"}, game=changed).state) == {"A": 30, "B": 12, "C": 0}


def test_another_winner_where_partners_play_and_where_nothing_is_counted():
    four = [*PLAYERS, "D"]
    partners = played(
        start(four, "classic", scoring="partners"), *lays_last("A"), *counts(B=3, D=4)
    )
    assert scores(corrected(partners, 0, "B", A=5, C=6).state) == {"A": 0, "B": 11, "C": 0, "D": 11}
    assert scores(corrected(partners, 0, "C").state) == {"A": 7, "B": 0, "C": 7, "D": 0}
    none = played(start(scoring="none"), *lays_last("A"))
    assert scores(corrected(none, 0, "C").state) == {"A": 0, "B": 0, "C": 1}


@pytest.mark.parametrize(("limit", "ends"), [(60, True), (100, False)])
def test_whether_the_game_is_over_is_worked_out_anew(limit, ends):
    game = played(start(limit=limit), *TWO_ROUNDS[1:], *[{"do": "next"}, *lays_last("C")])
    game = played(*counts(A=1, B=2), game=game)
    changed = corrected(game, 2, "A", C=29)
    assert (changed.state.stage == GAME_OVER) == ends


def test_a_correction_that_ends_the_game_too_early_is_refused():
    game = played(start(limit=60), *TWO_ROUNDS[1:])
    refused = corrected(game, 0, "B", A=50)
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.values["reason"]) == ("correction_breaks", "game_over")
