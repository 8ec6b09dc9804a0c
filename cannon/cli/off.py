"""`cannon off`: switches all outputs off, now, whatever state they are in.

Without options, and where a launcher has run since the computer started, this module is not even
loaded: see `cannon.cli` and `cannon.service.off`.
"""

from __future__ import annotations

import click

from cannon.errors import CannonError


@click.command()
@click.option("--board", help="The board whose outputs are meant: a name, or a file.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
def command(board: str | None, chip: str, config: str | None) -> None:
    """Switches all outputs off, now.

    Without options: those of the launcher that runs, or ran last. It works from outside: a
    launcher that still runs is not told, so stop it too (sudo systemctl stop cannon).
    """
    from cannon.service import lines, off
    from cannon.settings.cannon_toml import load_settings
    from hardware import load_board

    chosen = load_board(board or load_settings(config).board)
    if chosen.computer != "pi":
        click.echo(f"{chosen.title}: the microcontroller switches off by itself.")
        return
    found = lines.chips()
    wanted = lines.find(found, chip)
    if wanted is None:
        seen = "; ".join(f"{c.path} is {c.label or 'closed to this user'}" for c in found)
        what = f"There is no GPIO chip {chip or 'of a Raspberry Pi'}: found {seen or 'none'}."
        raise CannonError(what, "Try it with sudo, or name one with --chip.")
    failed = off.switch_off(wanted.path, wanted.label or "", chosen.outputs())
    if failed:
        raise CannonError(*failed.split("\n", 1))
