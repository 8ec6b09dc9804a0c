"""Plays a list of actions and tells what holds after each: as JSON, in words, or the score."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from cannon.companion.saving import numbered
from cannon.settings.editions import all_editions, edition_names, load_edition
from cannon.settings.texts import Texts
from cannon.settings.wording import refusal_words, state_words
from cannon.table.actions import Action, NotAnAction, Start, read
from cannon.table.history import Game, apply, new_game
from cannon.table.scoring import tallies
from cannon.table.state import Refusal, State, refuse, replace
from cannon.table.view import as_object


def replayed(lines: Iterable[bytes], beside: Path) -> Iterator[tuple[int, Game, Refusal | None]]:
    """After each action: the number of its line, the game, and why it was refused if it was.

    A game may start with an edition of one's own, a path as seen from the folder `beside`.
    """
    game = new_game({})
    for number, line in numbered(lines):
        refusal: Refusal | None = None
        try:
            action = read(line)
        except NotAnAction as error:
            refusal = refuse("not_an_action", problem=str(error))
        else:
            game = with_edition_of(game, action, beside)
            result = apply(game, action)
            if isinstance(result, Refusal):
                refusal = result
            else:
                game = result
        yield number, game, refusal


def with_edition_of(game: Game, action: Action, beside: Path) -> Game:
    """`game` with the edition that `action` starts, read only now; of a wrong name, with all."""
    known = game.state.editions
    if not isinstance(action, Start) or action.edition in known:
        return game
    name = action.edition
    if name.endswith(".toml"):
        read = {name: replace(load_edition(beside / name), name=name)}
    else:
        read = {name: load_edition(name)} if name in edition_names() else all_editions()
    return replace(game, state=replace(game.state, editions={**known, **read}))


def as_json(texts: Texts, state: State, refusal: Refusal | None) -> str:
    """One line of JSON. What was refused is told as its code and the sentence."""
    return json.dumps(as_object(state, refused_text(texts, state, refusal)), ensure_ascii=False)


def refused_text(texts: Texts, state: State, refusal: Refusal | None) -> str | None:
    if refusal is None:
        return None
    return f"{refusal.code}: {refusal_words(texts, state, refusal)}"


def in_words(texts: Texts, number: int, line: str, game: Game, refusal: Refusal | None) -> str:
    said = [f"{number}: {line}"]
    if refusal is not None:
        said.append(refusal_words(texts, game.state, refusal))
    else:
        said.extend(state_words(texts, game.state))
    return "\n   ".join(said)


def scores_as_csv(state: State) -> str:
    """Every round: who won, what each was caught with, and the score after it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["round", "winner", "player", "caught_with", "score"])
    for number, played in enumerate(state.rounds, 1):
        assert state.rules is not None
        total = tallies(state.rules, state.rounds[:number])
        caught = dict(played.points)
        for name in total:
            writer.writerow([number, played.winner, name, caught.get(name, 0), total[name]])
    return out.getvalue()
