"""`cannon install`: makes the launcher a service that starts with the computer."""

from __future__ import annotations

import click

NOT_IN_A_SERVICE = {
    "simulate": "a service drives a real launcher",
    "seed": "each start of the service would bring the same cards",
}


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--user", default="", help="Who runs it; by default a user of its own, card-cannon.")
@click.option("--config", help="The settings; by default /etc/card-cannon/cannon.toml.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.argument("play_options", nargs=-1, type=click.UNPROCESSED)
def command(user: str, config: str | None, dry_run: bool, play_options: tuple[str, ...]) -> None:
    """Makes the launcher a service that starts with the computer.

    PLAY_OPTIONS are those of `cannon play`, such as --web 0.0.0.0:8080. Doing it again changes
    only what is not as it should be.
    """
    given = _options_of_play(config, play_options)
    from cannon.service import installing
    from cannon.service.machine import Machine
    from cannon.service_wish import wish_for

    machine = Machine()
    if not dry_run:
        installing.check_rights(machine)
    changes = installing.to_install(machine, wish_for(machine, user, given))
    for change in changes:
        click.echo(change.shown())
        if not dry_run:
            installing.make(machine, change)
    if not changes:
        click.echo("The launcher is a service already, and all is as it should be.")
    elif not dry_run:
        click.echo("The launcher runs as a service. What it says: journalctl -fu cannon")


def _options_of_play(config: str | None, words: tuple[str, ...]) -> dict[str, str]:
    """The options that play is to be started with, by their names, read as play itself reads them:
    a service with a word that play does not know would end with 2 at each start.

    Raises click.UsageError.
    """
    from cannon.cli import play

    whole = words if config is None else ("--config", config, *words)
    context = play.command.make_context("cannon install", list(whole))
    for name, why in NOT_IN_A_SERVICE.items():
        if context.params[name] is not None and context.params[name] is not False:
            raise click.UsageError(f"--{name}: {why}", context)
    given = context.params.items()
    return {name: value for name, value in given if isinstance(value, str) and value}
