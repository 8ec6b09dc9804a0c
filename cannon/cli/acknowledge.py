"""`cannon acknowledge`: what holding the button does, from a command line."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Says that a jam, a fault or an empty hopper has been seen to: the launcher goes on.

    Like holding its button. Nothing is fired: it waits for a press.
    """
    from cannon.core.states import EMPTY, FAULT, JAMMED
    from cannon.service.control import ask
    from cannon.settings.texts import texts_for
    from cannon.telling import standing

    before, now = ask("acknowledge")
    texts = texts_for()
    if before.state not in (EMPTY, JAMMED, FAULT):
        click.echo(texts("launcher.told.nothing_to_acknowledge"))
    for line in standing(texts, now):
        click.echo(line)
