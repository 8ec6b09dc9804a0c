"""`cannon table`: the table companion in the terminal, without a launcher or a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from cannon.settings.texts import Texts
    from cannon.table.edition import Edition


@click.group(invoke_without_command=True)
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the game is kept; by default in your home folder.",
)
@click.option("--new", is_flag=True, help="Begin anew instead of going on with the game there.")
@click.pass_context
def command(context: click.Context, path: Path | None, new: bool) -> None:
    """Keeps turns, owed presses and the score of a game with real cards.

    Without a sub-command it plays by prompts. Each confirmed action is saved at once: after a
    power cut the game goes on where it was.
    """
    if context.invoked_subcommand is not None:
        return
    from cannon.companion.prompting import play
    from cannon.companion.saving import ActionFile, usual_place

    with ActionFile(path or usual_place()) as kept:
        if new:
            kept.clear()
        play(_texts(), kept)


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object after each action.")
@click.option("--csv", "as_csv", is_flag=True, help="Print only the score of each round, as CSV.")
def replay(file: str, as_json: bool, as_csv: bool) -> None:
    """Plays the actions in FILE (- is standard input) and prints the state after each.

    One JSON object a line, as told in cannon/table/README.md.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other.")
    from cannon.companion.replay import as_json as object_of
    from cannon.companion.replay import in_words, replayed, scores_as_csv
    from cannon.table.history import new_game

    texts, last = _texts(), new_game({})
    with click.open_file(file, "rb") as opened:
        lines = opened.read().splitlines()
    for number, game, refusal in replayed(lines, Path(file).parent):
        last = game
        if as_json:
            click.echo(object_of(texts, game.state, refusal))
        elif not as_csv:
            line = lines[number - 1].decode(errors="replace").strip()
            click.echo(in_words(texts, number, line, game, refusal))
    if as_csv:
        click.echo(scores_as_csv(last.state), nl=False)


@command.command()
@click.argument("edition", default="", metavar="[EDITION]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def options(edition: str, as_json: bool) -> None:
    """Lists the options of EDITION, what each is by default, and why.

    Without EDITION it lists the editions and the cards by which to know them.
    """
    from cannon.settings.editions import all_editions, load_edition

    texts = _texts()
    if not edition:
        editions = list(all_editions().values())
        if as_json:
            click.echo(json.dumps({"editions": [_edition_object(texts, e) for e in editions]}))
        else:
            _print_editions(texts, editions)
        return
    loaded = load_edition(edition)
    if as_json:
        click.echo(json.dumps(_edition_object(texts, loaded), ensure_ascii=False))
    else:
        _print_options(texts, loaded)


def _texts() -> Texts:
    """The texts in the language of the settings, or of the environment."""
    from cannon.settings.cannon_toml import load_settings
    from cannon.settings.texts import texts_for

    return texts_for(load_settings().language)


def _edition_object(texts: Texts, edition: Edition) -> dict[str, Any]:
    from cannon.table.edition import text
    from cannon.table.rules import Rules

    rules = Rules(edition, {})
    return {
        "edition": edition.name,
        "title": text(edition.title, texts.language),
        "cards": {name: rules.deck[name] for name in rules.deck},
        "total": edition.total,
        "options": [
            {
                "name": name,
                "default": option.default,
                "values": list(option.values) or None,
                "min": option.min,
                "max": option.max,
                "why": text(option.why, texts.language),
            }
            for name, option in edition.options.items()
        ],
    }


def _print_editions(texts: Texts, editions: list[Edition]) -> None:
    from rich.table import Table

    from cannon.table.edition import text

    shown = Table.grid(padding=(0, 2))
    for edition in editions:
        labels = (text(card.label, texts.language) for card in edition.cards.values())
        title = text(edition.title, texts.language)
        shown.add_row(f"[bold]{edition.name}[/bold]", title, ", ".join(filter(None, labels)))
    _console().print(shown)


def _print_options(texts: Texts, edition: Edition) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from cannon.settings.wording import choice_words
    from cannon.table.edition import text

    title = text(edition.title, texts.language)
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    shown.title = escape(texts("table.options.heading", title=title))
    for column in ("name", "default", "values", "why"):
        shown.add_column(texts(f"table.options.{column}"))
    for name, option in edition.options.items():
        values = _values(texts, option.values, option.min, option.max, option.default)
        default = choice_words(texts, option.default) if option.default != "" else "–"
        label = text(option.label, texts.language)
        shown.add_row(
            f"[bold]{escape(name)}[/bold]\n{escape(label)}",
            escape(_with_code(default, option.default)),
            escape(values),
            escape(text(option.why, texts.language)),
        )
    console = _console()
    console.print(shown)
    console.print(escape(texts("table.options.how", name=next(iter(edition.options), "…"))))


def _values(texts: Texts, values: Any, low: int | None, high: int | None, default: Any) -> str:
    from cannon.settings.wording import choice_words

    if values:
        return "\n".join(_with_code(choice_words(texts, value), value) for value in values)
    if isinstance(default, bool):
        return "\n".join(_with_code(choice_words(texts, v), v) for v in (True, False))
    return texts("table.options.text") if isinstance(default, str) else f"{low}–{high}"


def _with_code(words: str, value: object) -> str:
    code = str(value).lower() if isinstance(value, bool) else str(value)
    return words if words == code or code == "" else f"{code}: {words}"


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False)
