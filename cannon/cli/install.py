"""`cannon install`: makes the launcher a service that starts with the computer."""

from __future__ import annotations

from pathlib import Path

import click


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
    from cannon.journal.places import SERVICE_FOLDER
    from cannon.service import installing
    from cannon.service.machine import Machine
    from cannon.settings.cannon_toml import load_settings
    from hardware import load_board

    machine = Machine()
    if not dry_run:
        installing.check_rights(machine)
    settings = load_settings(config)
    options = play_options
    if load_board(settings.board).computer == "pico" and "--bridge" not in options:
        options = ("--bridge", "auto", *options)
    writes: tuple[str, ...] = ()
    if config is not None:
        options = ("--config", str(Path(config).absolute()), *options)
    if settings.journal.path:
        folder = Path(settings.journal.path).absolute().parent
        writes = () if folder.is_relative_to(SERVICE_FOLDER) else (str(folder),)
    wish = installing.Wish(user, options, writes, power_off=settings.web.shutdown)
    changes = installing.to_install(machine, wish)
    for change in changes:
        click.echo(change.shown())
        if not dry_run:
            installing.make(machine, change)
    if not changes:
        click.echo("The launcher is a service already, and all is as it should be.")
    elif not dry_run:
        click.echo("The launcher runs as a service. What it says: journalctl -fu cannon")
