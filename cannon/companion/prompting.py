"""Plays a game by prompts in the terminal. What was confirmed is on the disk before it is shown."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from msgspec.structs import replace

from cannon.companion.replay import with_edition_of
from cannon.companion.saving import ActionFile
from cannon.companion.speech import Speech
from cannon.companion.vocabulary import NotUnderstood
from cannon.settings.editions import DEFAULT_EDITION, load_edition
from cannon.settings.texts import Texts
from cannon.settings.troubles import trouble_of, trouble_words
from cannon.settings.wording import refusal_words, state_words
from cannon.table.actions import Action, NotAnAction, Start, read, write
from cannon.table.history import Game, apply, new_game
from cannon.table.state import ENDED, GAME_OVER, SETUP, Refusal
from hardware.reading import ConfigurationError


def play(texts: Texts, kept: ActionFile) -> None:
    """Goes on with the game in `kept`, until the person quits or the input ends."""
    game = restored(kept)
    if kept.actions:
        click.echo(texts("table.ask.kept_on", path=kept.path))
    while True:
        _show(texts, game)
        line = _asked(texts("table.ask.prompt"), "")
        if line is None:
            break
        try:
            said = Speech(texts, game).understand(line) if line else "help"
        except NotUnderstood as error:
            click.echo(str(error))
            continue
        if said == "quit":
            break
        if said == "help":
            click.echo(texts("table.help.text"))
        elif said == "log":
            _print_log(game)
        elif said == "start":
            game = _started(texts, game, kept)
        elif not isinstance(said, str):
            game = _done(texts, game, said, kept)
    click.echo(texts("table.ask.kept", path=kept.path))


def restored(kept: ActionFile) -> Game:
    """The game after all actions in `kept`, as it was when they were confirmed.

    An action that is refused now was kept by another version of the rules; it is left out.
    """
    game = new_game({})
    for action in kept.actions:
        game = with_edition_of(game, action, Path())
        result = apply(game, action)
        if not isinstance(result, Refusal):
            game = result
    return game


def _done(texts: Texts, game: Game, action: Action, kept: ActionFile) -> Game:
    """`game` after `action`, kept first; or as it was, with the reason told."""
    try:
        action = read(write(action))  # only what can be read again is kept
    except NotAnAction as error:
        click.echo(texts("table.refused.not_an_action", problem=str(error)))
        return game
    result = apply(game, action)
    if isinstance(result, Refusal):
        click.echo(refusal_words(texts, game.state, result))
        return game
    try:
        kept.append(action)
    except OSError as error:
        reason = trouble_words(texts, trouble_of(error))
        click.echo(texts("table.ask.not_kept", reason=reason), err=True)
    return result


def _started(texts: Texts, game: Game, kept: ActionFile) -> Game:
    if game.state.stage not in (SETUP, ENDED, GAME_OVER):
        click.echo(texts("table.ask.other_game"))
        return game
    start = _asked_start(texts)
    if start is None:
        return game
    return _done(texts, with_edition_of(game, start, Path()), start, kept)


def _asked_start(texts: Texts) -> Start | None:
    """The start of a game, asked for bit by bit; None if the input ended."""
    edition = _asked(texts("table.ask.edition"), DEFAULT_EDITION)
    if edition is None:
        return None
    try:
        load_edition(edition)
    except ConfigurationError as error:
        click.echo(str(error))
        return None
    if edition.endswith(".toml"):
        edition = str(Path(edition).resolve())
    players = _asked(texts("table.ask.players"), "") or ""
    names = tuple(name.strip() for name in players.split(",") if name.strip())
    dealer = _asked(texts("table.ask.dealer"), names[-1] if names else "")
    options = _options(texts, _asked(texts("table.ask.options"), "") or "")
    first = _asked(texts("table.ask.first"), "")
    start = Start(edition, names, dealer or None, options=options)
    return replace(start, first=_first_card(texts, start, first)) if first else start


def _options(texts: Texts, line: str) -> dict[str, bool | int | str | None]:
    options: dict[str, bool | int | str | None] = {}
    for word in line.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals:
            click.echo(texts("table.ask.option_form", words=word))
        elif value in ("true", "false"):
            options[name] = value == "true"
        else:
            options[name] = int(value) if value.isdecimal() else value
    return options


def _first_card(texts: Texts, start: Start, words: str) -> str:
    """The canonical name of the first card, or what was typed if the game cannot be begun."""
    game = with_edition_of(new_game({}), start, Path())
    begun = apply(game, start)
    if isinstance(begun, Refusal):
        return words
    try:
        action = Speech(texts, begun).understand(words)
    except NotUnderstood:
        return words
    return getattr(action, "card", words)


def _show(texts: Texts, game: Game) -> None:
    click.echo("")
    for line in state_words(texts, game.state):
        click.echo(line)
    if game.state.stage in (SETUP, ENDED, GAME_OVER):
        click.echo(texts("table.ask.begin"))


def _print_log(game: Game) -> None:
    for number, action in enumerate(game.actions(), 1):
        click.echo(f"{number:4} {write(action)}")


def _asked(question: str, usual: str) -> str | None:
    """What was typed, `usual` if nothing was, None at the end of the input."""
    suffix = f" [{usual}]" if usual else ""
    click.echo(f"{question}{suffix} ", nl=False)
    line = sys.stdin.readline()
    if not line:
        click.echo("")
        return None
    return line.strip() or usual
