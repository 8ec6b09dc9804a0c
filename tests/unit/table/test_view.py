"""What is shown of a game and what may be done: the next press, the refill hint, the offers."""

from __future__ import annotations

from typing import Any

import pytest

from cannon.settings.editions import all_editions
from cannon.settings.texts import Texts
from cannon.settings.wording import owed_words, state_words
from cannon.table import actions as a
from cannon.table.history import Game, apply, new_game
from cannon.table.offers import offers, playable
from cannon.table.view import NextPress, next_press, refill_soon

EDITIONS = all_editions()


def game(edition: str, *then: a.Action, players: str = "ABC", **options: Any) -> Game:
    first = "wild" if edition == "all-wild" else "red 5"
    started = None if options.get("deal") == "launcher" else first
    start = a.Start(edition, tuple(players), players[-1], first=started, options=options)
    found = apply(new_game(EDITIONS), start)
    for action in then:
        assert isinstance(found, Game), found
        found = apply(found, action)
    assert isinstance(found, Game), found
    return found


@pytest.mark.parametrize(
    ("played", "press"),
    [
        (game("extreme"), None),
        (game("extreme", a.Press("A")), NextPress("A", "A", "choice", None, 1)),
        (game("extreme", a.Lay("A", "red hit-2")), NextPress("B", "B", "hit-2", None, 2)),
        (
            game("extreme", a.Lay("A", "extreme-hit", "red", "C")),
            NextPress("A", "C", "extreme-hit", None, 2),
        ),
        (game("classic", a.Lay("A", "red draw-two")), NextPress("B", "B", "draw-two", 2, 1)),
        (
            game("classic", a.Lay("A", "red draw-two"), a.Pressed(1)),
            NextPress("B", "B", "draw-two", 1, 1),
        ),
        (
            game("classic", a.Lay("A", "red draw-two"), draw="presses"),
            NextPress("B", "B", "draw-two", None, 2),
        ),
        (game("classic", a.Lay("A", "red draw-two"), draw="hand"), None),
        (game("classic", deal="launcher"), NextPress("A", "A", "deal", 7, 1)),
        (game("classic", deal="launcher", draw="hand"), NextPress("A", "A", "deal", 7, 1)),
        (
            game("original", a.Lay("A", "hit-fire", "red"), a.Pressed(0)),
            NextPress("B", "B", "hit-fire", None, 1),
        ),
    ],
)
def test_what_the_next_press_is_for(played: Game, press: NextPress | None) -> None:
    assert next_press(played.state) == press


def test_the_refill_hint_comes_in_time() -> None:
    assert not refill_soon(game("extreme").state)
    few = game("extreme", a.Lay("A", "red 1"), a.Pressed(75))
    assert few.state.launcher == 15
    assert refill_soon(few.state)
    assert not refill_soon(game("extreme", a.Lay("A", "red 1"), a.Pressed(74)).state)
    assert refill_soon(game("extreme", a.Lay("A", "red 1"), a.Pressed(40), refill_hint=50).state)
    # With only the top card on the pile there is nothing to refill with.
    assert not refill_soon(game("extreme", a.Pressed(80)).state)
    unknown = game("extreme", a.Lay("A", "red 1"), a.Pressed(None))
    assert not refill_soon(unknown.state)
    empty = game("extreme", a.Lay("A", "red hit-2"), a.Empty())
    assert not refill_soon(empty.state)


def test_cards_that_do_not_add_up_are_told() -> None:
    told = game("extreme", a.Lay("A", "red 1"), a.Empty()).state
    assert [(note.code, note.values) for note in told.notes] == [("unaccounted", {"count": 90})]


def test_offers_at_a_turn() -> None:
    found = offers(game("extreme").state)
    assert found["lay"] == ("A",)
    assert found["press"] == ("A",)
    assert found["pressed"] == ()
    assert found["advice"] == ("A", "B", "C")
    assert found["leave"] == ("A", "B", "C")
    for impossible in ("draw", "keep", "catch", "challenge", "colour", "count", "next", "jump-in"):
        assert impossible not in found


def test_offers_follow_the_game() -> None:
    caught = game("extreme", a.Hand("A", 2), a.Lay("A", "red 1"))
    assert offers(caught.state)["catch"] == ("A",)
    assert offers(caught.state)["uno"] == ("A", "B")
    wild = game("extreme", a.Lay("A", "wild"))
    assert offers(wild.state)["colour"] == ("A",)
    challenged = game("classic", a.Lay("A", "wild-draw-four", "red"))
    assert offers(challenged.state)["challenge"] == ("B",)
    assert "lay" not in offers(challenged.state)
    drawn = game("classic", a.Draw("A"))
    assert offers(drawn.state)["keep"] == ("A",)
    assert offers(drawn.state)["play"] == ("A",)
    answer = game("classic", a.Lay("A", "red draw-two"), stacking=True)
    assert offers(answer.state)["lay"] == ("B",)
    jumping = game("classic", a.Lay("A", "red 1"), jump_in=True)
    assert offers(jumping.state)["jump-in"] == ("A", "C")
    over = game("extreme", a.Hand("A", 1), a.Lay("A", "red 1"))
    assert offers(over.state)["count"] == ("B", "C")
    done = game("extreme", a.Hand("A", 1), a.Lay("A", "red 1"), scoring="none")
    assert offers(done.state)["next"] == ()
    assert "start" not in offers(new_game(EDITIONS).state)


def test_playable_cards() -> None:
    names = [card.name for card in playable(game("extreme").state, "A")]
    assert "red 9" in names
    assert "blue 5" in names
    assert "extreme-hit" in names
    assert "blue 9" not in names
    assert playable(game("extreme").state, "B") == []
    assert len(playable(game("all-wild").state, "A")) == 8
    answer = game("mega-hit", a.Lay("A", "red hit-2"))
    groups = {card.rank for card in playable(answer.state, "B")}
    assert groups == {"hit-1", "hit-2", "attack-attack"}
    drawn = game("classic", a.Draw("A")).state
    assert playable(drawn, "A") == []
    assert "red 1" in [card.name for card in playable(drawn, "A", "play")]
    jumping = game("classic", a.Lay("A", "red 1"), jump_in=True).state
    assert [card.name for card in playable(jumping, "C", "jump-in")] == ["red 1"]


@pytest.mark.parametrize(
    ("played", "english", "danish"),
    [
        (
            game("extreme", a.Lay("A", "red hit-2")),
            "B presses 2 more times (Hit 2).",
            "B trykker 2 gange til (Tryk 2).",
        ),
        (
            game("extreme", a.Hand("A", 2), a.Lay("A", "red 1"), a.Catch("B")),
            "A presses 2 more times (missed UNO).",
            "A trykker 2 gange til (glemt UNO).",
        ),
        (
            game("extreme", a.Lay("A", "extreme-hit", "red", "C")),
            "A presses 2 more times, C takes the cards (Extreme Hit).",
            "A trykker 2 gange til, og C tager kortene (Ekstrem-joker).",
        ),
        (
            game("original", a.Lay("A", "hit-fire", "red")),
            "B presses until cards come (Wild Hit-Fire).",
            "B trykker, til der kommer kort (Tryk løs-joker).",
        ),
        (
            game("original", a.Lay("A", "hit-fire", "red"), hit_fire_until="colour"),
            "B presses until a card of the colour comes (Wild Hit-Fire).",
            "B trykker, til der kommer et kort i farven (Tryk løs-joker).",
        ),
        (
            game("classic", a.Lay("A", "red draw-two"), a.Pressed(1)),
            "B draws 1 card (Draw Two).",
            "B trækker 1 kort (Træk to).",
        ),
    ],
)
def test_what_is_owed_in_words(played: Game, english: str, danish: str) -> None:
    state = played.state
    assert owed_words(Texts("en"), state, state.owed[0]) == english
    assert owed_words(Texts("da"), state, state.owed[0]) == danish
    assert english in list(state_words(Texts("en"), state))


def test_the_end_of_a_game_in_words() -> None:
    over = game("extreme", a.Hand("A", 1), a.Lay("A", "red 1"), a.Count("B", points=500))
    waiting = "\n".join(state_words(Texts("en"), over.state))
    assert "A has won the round. Count the cards of C." in waiting
    ended = apply(over, a.Count("C", points=0))
    assert isinstance(ended, Game)
    assert list(state_words(Texts("da"), ended.state)) == [
        "Spillet er slut. Vinder: A.",
        "Point: A 500, B 0, C 0.",
    ]
