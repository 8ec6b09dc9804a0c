"""The table: bot turns per second beside RLCard's UNO engine, and what a long past costs.

RLCard is fetched into `.cache` by this bench alone; nothing else needs it. Both engines play in
turn, in the same process, so that a busy machine slows both.
"""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cannon.companion.games import play_games
from cannon.settings.editions import all_editions, load_edition
from cannon.settings.odds_models import DEFAULT_ODDS, compile_model, load_odds
from cannon.table.actions import Pressed, Start
from cannon.table.history import Game, apply, new_game
from tests.bench.measure import middle, result

RLCARD = "rlcard==1.2.0"
PLAYERS = 4
PAIRS = 15
SEGMENT_S = 0.4
BATCH = 200
BATCHES = 300


def run() -> list[dict[str, Any]]:
    return [bot_turns(), cost_of_a_long_past()]


def bot_turns() -> dict[str, Any]:
    """Whole games of `extreme` by bots, through engine and odds, beside RLCard's random play."""
    rlcard_game = _rlcard_game()
    ours: list[float] = []
    theirs: list[float] = []
    for seed in range(PAIRS):
        ours.append(_our_turns_per_s(seed))
        theirs.append(_rlcard_turns_per_s(rlcard_game, seed))
    return result(
        "table: one turn of a bot, extreme, 4 players, beside RLCard",
        1e6 / middle(ours),
        1e6 / middle(theirs),
        at_most=1,
        unit="us",
        turns_per_s=round(middle(ours)),
        turns_per_s_rlcard=round(middle(theirs)),
    )


def cost_of_a_long_past() -> dict[str, Any]:
    """One `apply` after 10 actions and after 10,000."""
    short, long = _after(10), _after(10_000)
    short_us: list[float] = []
    long_us: list[float] = []
    for _ in range(BATCHES):
        short_us.append(_apply_us(short))
        long_us.append(_apply_us(long))
    return result(
        "table: one action with 10,000 on record beside 10",
        middle(long_us),
        middle(short_us),
        at_most=1.2,
        unit="us",
    )


def _our_turns_per_s(seed: int) -> float:
    edition = load_edition("extreme")
    model = compile_model(load_odds(DEFAULT_ODDS))
    turns = 0

    def some_games() -> None:
        nonlocal turns
        played = play_games(edition, PLAYERS, model, 10, seed + turns)
        turns += sum(played.turns_of_games)

    return _per_second(some_games, lambda: turns)


def _rlcard_turns_per_s(game_class: Any, seed: int) -> float:
    rng = random.Random(seed)
    turns = 0

    def a_game() -> None:
        nonlocal turns
        game = game_class(num_players=PLAYERS)
        game.init_game()
        while not game.is_over():
            game.step(rng.choice(game.get_legal_actions()))
            turns += 1

    return _per_second(a_game, lambda: turns)


def _per_second(step: Callable[[], None], done: Callable[[], int]) -> float:
    begun = time.process_time()
    while (elapsed := time.process_time() - begun) < SEGMENT_S:
        step()
    return done() / elapsed


def _after(actions: int) -> Game:
    names = tuple("ABCD")
    game = apply(new_game(all_editions()), Start("extreme", names, "D", first="red 7"))
    assert isinstance(game, Game)
    for _ in range(actions - 1):
        game = _pressed(game)
    return game


def _pressed(game: Game) -> Game:
    after = apply(game, Pressed(0))
    assert isinstance(after, Game)
    return after


def _apply_us(game: Game) -> float:
    begun = time.perf_counter()
    for _ in range(BATCH):
        _pressed(game)
    return (time.perf_counter() - begun) / BATCH * 1e6


def _rlcard_game() -> Any:
    """RLCard's `Game` of UNO, fetched on first use."""
    folder = Path(".cache") / "bench" / RLCARD
    if not folder.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--target", str(folder), RLCARD], check=True)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module("rlcard.games.uno.game").UnoGame
