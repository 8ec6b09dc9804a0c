"""Whole games by bots: no card is lost, none made, none endless, and the engine never objects."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cannon.companion.games import MOST_TURNS, cards_of, deck_counts, play_games
from cannon.companion.games_picture import draw_games
from cannon.core.odds import Odds
from cannon.errors import CannonError
from cannon.settings.editions import all_editions, load_edition
from cannon.settings.odds_models import compile_model, load_odds, odds_names
from cannon.table.actions import Start
from cannon.table.bots import Bots, TooLong, counts_agree
from cannon.table.history import Game, apply, new_game
from cannon.table.rules import Rules
from tests.share import share

EDITIONS = all_editions()
MEASURED = compile_model(load_odds("measured"))
HOUSE = ("stacking", "seven_zero", "jump_in", "targeted_loses_turn")


def house_rules(name: str) -> dict[str, bool]:
    return {option: True for option in HOUSE if option in EDITIONS[name].options}


@pytest.mark.parametrize("players", [2, 3, 4, 10])
@pytest.mark.parametrize("name", EDITIONS)
def test_games_with_every_card_counted_after_every_action(name: str, players: int) -> None:
    seed = 20_000 + players
    for options in ({}, house_rules(name)):
        played = play_games(EDITIONS[name], players, MEASURED, 5, seed, options, counted=True)
        assert len(played.turns_of_games) == 5
        assert max(played.turns_of_games) < MOST_TURNS


@pytest.mark.parametrize("name", EDITIONS)
def test_games_with_every_way_to_keep_the_score(name: str) -> None:
    for scoring in EDITIONS[name].options["scoring"].values:
        if scoring != "none":  # without points no game ever ends
            options = {"scoring": scoring}
            play_games(EDITIONS[name], 4, MEASURED, 3, 7, options, counted=True)


@pytest.mark.parametrize("name", EDITIONS)
def test_games_with_every_option_one_by_one(name: str) -> None:
    for option, spec in EDITIONS[name].options.items():
        values: list[Any] = list(spec.values)
        if isinstance(spec.default, bool):
            values = [True, False]
        for value in values:
            if (option, value) not in {("scoring", "none"), ("deal", "launcher")}:
                play_games(EDITIONS[name], 4, MEASURED, 1, 11, {option: value}, counted=True)


@pytest.mark.parametrize("odds", odds_names())
def test_games_with_all_odds(odds: str) -> None:
    model = compile_model(load_odds(odds))
    play_games(load_edition("extreme"), 4, model, 5, 3, counted=True)


@pytest.mark.long
@pytest.mark.parametrize("name", EDITIONS)
def test_ten_thousand_games(name: str, record_property: Callable[[str, object], None]) -> None:
    """Of each edition: 2,500 games with 2, 3, 4 and 10 players, half of them with house rules."""
    games = 0
    for players in (2, 3, 4, 10):
        for options in ({}, house_rules(name)):
            played = play_games(
                EDITIONS[name], players, MEASURED, share(1250), 5 + players, options, counted=True
            )
            assert max(played.turns_of_games) < MOST_TURNS
            games += len(played.turns_of_games)
    record_property("games", games)


def test_the_same_seed_gives_the_same_games() -> None:
    def once(seed: int) -> list[int]:
        return play_games(load_edition("extreme"), 4, MEASURED, 5, seed).turns_of_games

    assert once(1) == once(1) != once(2)


def test_what_is_told_of_games_adds_up() -> None:
    told = play_games(load_edition("extreme"), 4, MEASURED, 20, 1).as_object()
    assert told["games"] == 20
    assert told["rounds"] >= 20
    assert told["rounds_per_game"] == told["rounds"] / 20
    assert told["turns"] == round(told["turns_per_game"]["mean"] * 20)
    assert told["turns"] == round(told["turns_per_round"]["mean"] * told["rounds"])
    assert told["turns_per_game"]["shortest"] <= told["turns_per_game"]["median"]
    # Of the measured odds about 2.1 cards a press come; the last of a stack may be fewer.
    assert 1.8 < told["cards_drawn"] / told["presses"] < 2.3
    assert "assumed_deck" not in told


def test_an_unknown_deck_is_assumed_and_told() -> None:
    told = play_games(load_edition("all-wild"), 3, MEASURED, 2, 1).as_object()
    assert sum(told["assumed_deck"].values()) == 112
    assert told["assumed_deck"]["wild"] == 56


def test_the_picture_of_games(tmp_path: Path) -> None:
    played = play_games(load_edition("extreme"), 4, MEASURED, 20, 1)
    path = tmp_path / "games.svg"
    draw_games(played, path)
    assert "<svg" in path.read_text()
    with pytest.raises(CannonError, match="cannot be written"):
        draw_games(played, tmp_path / "no" / "games.svg")


def test_games_that_cannot_be() -> None:
    with pytest.raises(CannonError, match="partners_are_four"):
        play_games(load_edition("classic"), 3, MEASURED, 1, 1, {"scoring": "partners"})
    with pytest.raises(CannonError, match="too_few_players"):
        play_games(load_edition("classic"), 1, MEASURED, 1, 1)


def bots(seed: int) -> Bots:
    names = tuple("ABCD")
    game = apply(new_game(EDITIONS), Start("extreme", names, "D"))
    assert isinstance(game, Game)
    rules = Rules(EDITIONS["extreme"], {})
    deck = cards_of(rules, deck_counts(rules))
    return Bots(game, deck, Odds(MEASURED), random.Random(seed))


def test_a_bound_on_turns_ends_a_game() -> None:
    with pytest.raises(TooLong):
        bots(1).play(10)


def test_a_lost_card_is_noticed() -> None:
    playing = bots(1)
    with pytest.raises(TooLong):
        playing.play(10)
    assert counts_agree(playing)
    playing.hands[0].pop()
    assert not counts_agree(playing)
