"""Whole games by bots, many of them: how long does an evening last with these odds?

Ties the table, which knows no odds, to the launcher's odds, which know no table.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cannon.core.odds import Odds
from cannon.errors import CannonError
from cannon.table.actions import Start
from cannon.table.bots import Bots, TooLong, counts_agree
from cannon.table.edition import Edition
from cannon.table.history import apply, new_game
from cannon.table.rules import Card, Option, Rules
from cannon.table.state import Refusal, rules_of

MOST_TURNS = 20_000  # of one game; a game beyond this counts as endless and is an error
_NAMES = "ABCDEFGHIJ"
_BROKEN = "a card was lost, or made, or miscounted"


class GamesPlayed:
    """What came of some games. `add` takes one game in; `as_object` is what `--json` prints."""

    def __init__(self, edition: str, players: int, odds: str, seed: int) -> None:
        self.edition, self.players, self.odds, self.seed = edition, players, odds, seed
        self.turns_of_games: list[int] = []
        self.turns_of_rounds: list[int] = []
        self.rounds = self.presses = self.cards = self.refills = self.largest_hand = 0
        self.seconds = 0.0
        self.assumed_deck: dict[str, int] | None = None

    def add(self, bots: Bots) -> None:
        self.turns_of_games.append(bots.turns)
        ends = [*bots.turns_of_rounds[1:], bots.turns]
        starts = bots.turns_of_rounds
        self.turns_of_rounds += [end - begun for begun, end in zip(starts, ends, strict=True)]
        self.rounds += len(bots.turns_of_rounds)
        self.presses += bots.presses
        self.cards += bots.cards
        self.refills += bots.refills
        self.largest_hand = max(self.largest_hand, bots.largest)

    def as_object(self) -> dict[str, Any]:
        games, turns = len(self.turns_of_games), sum(self.turns_of_games)
        found: dict[str, Any] = {
            "edition": self.edition,
            "players": self.players,
            "odds": self.odds,
            "seed": self.seed,
            "games": games,
            "rounds": self.rounds,
            "turns": turns,
            "presses": self.presses,
            "cards_drawn": self.cards,
            "largest_hand": self.largest_hand,
            "refills": self.refills,
            "turns_per_game": _spread(self.turns_of_games),
            "turns_per_round": _spread(self.turns_of_rounds),
            "rounds_per_game": self.rounds / games,
            "presses_per_game": self.presses / games,
            "most_turns_allowed": MOST_TURNS,
            "wall_s": round(self.seconds, 3),
            "turns_per_s": round(turns / self.seconds) if self.seconds else None,
        }
        if self.assumed_deck is not None:
            found["assumed_deck"] = self.assumed_deck
        return found


def play_games(
    edition: Edition,
    players: int,
    model: Mapping[str, Any],
    games: int,
    seed: int,
    options: Mapping[str, Option] | None = None,
    counted: bool = False,
    progress: Callable[[Iterator[int]], Iterator[int]] = iter,
) -> GamesPlayed:
    """Plays `games` games and tells what came of them; the same seed gives the same games.

    `model` is a compiled model of odds. With `counted` it is checked after every action that no
    card was lost. `progress` wraps the numbers of the games, for a progress bar. Raises
    CannonError for options that cannot be, and for a game that does not end.
    """
    played = GamesPlayed(edition.name, players, str(model.get("name", "")), seed)
    begun = time.perf_counter()
    rng = random.Random(seed)
    start = _start(edition, players, options or {})
    first = apply(new_game({edition.name: edition}), start)
    if isinstance(first, Refusal):
        values = ", ".join(f"{name} {value}" for name, value in first.values.items())
        raise CannonError(f"such a game cannot be: {first.code} ({values})")
    rules = rules_of(first.state)
    counts = deck_counts(rules)
    if None in rules.deck.values():
        played.assumed_deck = counts
    deck = cards_of(rules, counts)
    for number in progress(iter(range(games))):
        bots = Bots(first, deck, Odds(dict(model)), rng, _check if counted else None)
        try:
            bots.play(MOST_TURNS)
        except TooLong as error:
            raise CannonError(f"game {number + 1} of seed {seed} does not end: {error}") from error
        played.add(bots)
    played.seconds = time.perf_counter() - begun
    return played


def deck_counts(rules: Rules) -> dict[str, int]:
    """How many there are of each card. Where that is unknown, an assumption, for bots only.

    Of the cards not accounted for, half are then such that do nothing, and the rest is shared out
    evenly. With more draw cards than that, a game among bots hardly ever ends.
    """
    counts = dict(rules.deck)
    unknown = [card for card in rules.kinds if counts[card.name] is None]
    left = rules.total - sum(count for count in counts.values() if count is not None)
    plain = [card for card in unknown if card.plain]
    for share, kinds in (
        (left // 2, plain),
        (left - left // 2, [c for c in unknown if not c.plain]),
    ):
        for number, card in enumerate(kinds):
            counts[card.name] = share // len(kinds) + (number < share % len(kinds))
    return {name: count or 0 for name, count in counts.items()}


def cards_of(rules: Rules, counts: Mapping[str, int]) -> list[Card]:
    """The deck, card by card."""
    return [card for card in rules.kinds for _ in range(counts[card.name])]


def _start(edition: Edition, players: int, options: Mapping[str, Option]) -> Start:
    names = tuple(_NAMES[:players])
    return Start(edition.name, names, names[-1], options=dict(options))


def _check(bots: Bots) -> None:
    if not counts_agree(bots):
        raise CannonError(f"{_BROKEN} at {bots.game.action}: {bots.game.state}")


def _spread(numbers: list[int]) -> dict[str, float]:
    ordered = sorted(numbers)
    return {
        "mean": sum(ordered) / len(ordered),
        "median": ordered[len(ordered) // 2],
        "shortest": ordered[0],
        "longest": ordered[-1],
    }
