"""`cannon rest`: what becomes of cards that a cut-short shot still owes."""

from __future__ import annotations

import click


@click.command()
@click.argument("what", type=click.Choice(["deliver", "cancel"]))
def command(what: str) -> None:
    """What becomes of cards that a cut-short shot still owes.

    deliver: the next press brings them. cancel: they are given up. Nothing is fired by either.
    """
    from cannon.service.control import ask
    from cannon.settings.texts import texts_for
    from cannon.telling import standing

    before, now = ask(what)
    texts = texts_for()
    if not before.owed:
        click.echo(texts("launcher.told.nothing_owed"))
    elif what == "cancel":
        click.echo(texts("launcher.told.waived", count=before.owed))
    for line in standing(texts, now):
        click.echo(line)
