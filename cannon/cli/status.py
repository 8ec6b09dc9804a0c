"""`cannon status`: how the launcher that runs on this computer stands."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(as_json: bool) -> None:
    """How the launcher that runs on this computer stands."""
    import msgspec

    from cannon.service.control import STATUS, ask
    from cannon.settings.texts import texts_for
    from cannon.telling import standing

    _, now = ask(STATUS)
    if as_json:
        click.echo(msgspec.json.encode(now._asdict()).decode())
        return
    for line in standing(texts_for(), now):
        click.echo(line)
