"""`cannon doctor`: what is wrong with this computer, and the fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cannon.service.doctor import Checked
    from cannon.service.finding import Case
    from cannon.settings.texts import Texts


@click.command()
@click.option("--board", help="The board that is meant: a name, or a file.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option("--journal", help="The database with the history.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(board: str | None, config: str | None, journal: str | None, as_json: bool) -> None:
    """Looks for everything that may keep the launcher from working, and says what to do.

    It changes nothing, and needs neither root nor a Raspberry Pi. Exit code 1 if anything is
    wrong.
    """
    from cannon.service.doctor import examine

    case, texts = _case(board, config, journal)
    checked = []
    for one in examine(case, texts):
        checked.append(one)
        if not as_json:
            _show(one, texts)
    wrong = [one for one in checked if not one.ok]
    if as_json:
        import msgspec

        found = {"checks": [one._asdict() for one in checked]}
        click.echo(msgspec.json.encode(found).decode())
    else:
        found_some = texts("doctor.count", count=len(wrong), all=len(checked))
        click.echo(found_some if wrong else texts("doctor.all_well"))
    if wrong:
        raise click.exceptions.Exit(1)


def _case(board: str | None, config: str | None, journal: str | None) -> tuple[Case, Texts]:
    """This computer with its settings, right or wrong; and the texts in their language."""
    import os

    from cannon.journal import place_to_read
    from cannon.service.finding import Case
    from cannon.service.machine import Machine
    from cannon.settings.cannon_toml import CannonToml, load_settings
    from cannon.settings.texts import ENGLISH, Texts, texts_for
    from hardware import ConfigurationError, load_board

    settings, found, wrong, texts = CannonToml(), None, "", Texts(ENGLISH)
    try:
        texts = texts_for()
        settings = load_settings(config)
        texts = texts_for(settings.language or None)
        found = load_board(board or settings.board)
    except ConfigurationError as error:
        wrong = str(error)
    place = journal or settings.journal.path or str(place_to_read(os.environ))
    return Case(Machine(), found, wrong, place), texts


def _show(one: Checked, texts: Texts) -> None:
    mark = click.style("ok  ", fg="green") if one.ok else click.style("FIX ", fg="red", bold=True)
    click.echo(f"{mark}{texts(f'doctor.name.{one.name}')}: {one.detail}")
    if one.fix:
        click.echo(f"    {one.fix}")
