"""`cannon uninstall`: takes the service away again; history and settings stay."""

from __future__ import annotations

import click


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
def command(dry_run: bool) -> None:
    """Stops the service and takes it away. History, settings and the user of it stay."""
    from cannon.service import installing
    from cannon.service.machine import Machine

    machine = Machine()
    if not dry_run:
        installing.check_rights(machine)
    changes = installing.to_uninstall(machine)
    for change in changes:
        click.echo(change.shown())
        if not dry_run:
            installing.make(machine, change)
    if changes:
        click.echo(f"# What stays: {installing.STATE} (history), /etc/card-cannon (settings)")
    else:
        click.echo("There is no service to take away.")
