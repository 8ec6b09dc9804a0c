"""`cannon off`: switches all outputs off, now, whatever state they are in.

Without options, and where a launcher has run on pins since the computer started, this module is
not even loaded: see `cannon.cli` and `cannon.service.off`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cannon.errors import CannonError

if TYPE_CHECKING:
    from hardware import Board


@click.command()
@click.option("--board", help="The board whose outputs are meant: a name, or a file.")
@click.option("--bridge", help="The port of a microcontroller, or auto.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option("--pins-failed", type=int, hidden=True)
def command(
    board: str | None, bridge: str | None, chip: str, config: str | None, pins_failed: int | None
) -> None:
    """Switches all outputs off, now.

    A launcher that runs is told, and does not go on before somebody acknowledges it (the button
    held, or cannon acknowledge). Without options: that launcher, and else the outputs of the one
    that ran last, or of the board in the settings.
    """
    from cannon.service import stopping

    trouble = None
    try:
        told = stopping.tell_launcher()
    except CannonError as error:  # its outputs may be reached all the same
        told, trouble = False, error
    if told:
        click.echo("The launcher that runs has switched off, until that is acknowledged.")
    if board or bridge or chip or config or not (told or pins_failed is not None):
        _outputs_off(board, bridge, chip, config, told)
    if trouble is not None:
        raise trouble
    raise click.exceptions.Exit(pins_failed or 0)


def _outputs_off(
    board: str | None, bridge: str | None, chip: str, config: str | None, told: bool
) -> None:
    """The outputs that are meant, without any launcher. Raises CannonError where they stay on."""
    from cannon.service import stopping
    from cannon.settings.cannon_toml import load_settings
    from hardware import load_board

    if bridge:
        stopping.stop_boards(bridge, told)
        return
    chosen = load_board(board or load_settings(config).board)
    if chosen.computer == "pi":
        _pins_off(chosen, chip)
    else:
        stopping.stop_boards("auto", told)


def _pins_off(board: Board, chip: str) -> None:
    from cannon.service import lines, off

    found = lines.chips()
    wanted = lines.find(found, chip)
    if wanted is None:
        seen = "; ".join(f"{c.path} is {c.label or 'closed to this user'}" for c in found)
        what = f"There is no GPIO chip {chip or 'of a Raspberry Pi'}: found {seen or 'none'}."
        raise CannonError(what, "Try it with sudo, or name one with --chip.")
    failed = off.switch_off(wanted.path, wanted.label or "", board.outputs())
    if failed:
        raise CannonError(*failed.split("\n", 1))
