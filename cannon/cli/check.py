"""`cannon check`: brings up a launcher part by part, with a person's hands and eyes."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from cannon.app import Plan
    from cannon.settings.texts import Texts
    from cannon.workbench import Place

FILE, SIMULATED_FILE = "check.json", "check-simulated.json"


@click.command()
@click.option("--simulate", is_flag=True, help="On a simulated launcher, to see how it goes.")
@click.option("--board", help="The board: a name, or the path of a file.")
@click.option("--bridge", help="The port of a microcontroller, or auto.")
@click.option("--chip", default="", help="The GPIO chip: number, path or label.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option("--only", multiple=True, metavar="PART", help="Only this part; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, nothing else.")
def command(
    simulate: bool,
    board: str | None,
    bridge: str | None,
    chip: str,
    config: str | None,
    only: tuple[str, ...],
    as_json: bool,
) -> None:
    """Checks a launcher part by part: supply, lid, button, beeper, sensor, motor, cards.

    It says what to do, looks, and says what is wrong and how to mend it. The motor runs only in
    short, limited runs; q or Ctrl-C at any time switches it off first.
    """
    from cannon import app, workbench
    from cannon.bringup.session import GOOD
    from cannon.bringup.steps import STEPS
    from cannon.settings.texts import texts_for

    known = [step.name for step in STEPS]
    for name in only:
        if name not in known:
            raise click.UsageError(f"there is no part {name!r}; there are {', '.join(known)}")
    place = workbench.Place(simulate, bridge or "", chip)
    settings = workbench.settings(config, board, place)
    texts, plan = texts_for(settings.language or None), app.plan(settings)
    results: list[dict[str, Any]] = []
    stopped = _session(plan, place, texts, only, results)
    outcome = {
        "board": plan.board.name,
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "simulated": simulate,
        "stopped": stopped,
        "steps": results,
    }
    path = app.journal_path(settings).with_name(SIMULATED_FILE if simulate else FILE)
    kept = _save(path, outcome)
    if as_json:
        click.echo(json.dumps(outcome))
    else:
        click.echo(texts("check.saved" if kept else "check.not_saved", path=path), err=True)
        _sum_up(results, texts, stopped)
    if stopped or any(result["verdict"] != GOOD for result in results):
        raise click.exceptions.Exit(1)


def _session(
    plan: Plan, place: Place, texts: Texts, only: tuple[str, ...], results: list[dict[str, Any]]
) -> bool:
    """Goes through the steps; whether the person has stopped it. `results` are filled in."""
    from cannon import telling, workbench
    from cannon.bringup.session import Stop, go_through
    from cannon.bringup.steps import STEPS
    from cannon.terminal.asking import Asking
    from cannon.terminal.guiding import TerminalGuide

    try:
        with workbench.opened(plan, place, texts) as (rig, hands), Asking() as asking:
            guide = TerminalGuide(texts, asking, hands)
            asking.idle = lambda: rig.step(rig.clock())
            rig.between = guide.look
            steps = [step for step in STEPS if step.needs(rig) and (not only or step.name in only)]
            click.echo(texts("check.intro"), err=True)
            for line in plan.advice:
                click.echo(telling.notice(texts, "advice", what=line), err=True)
            go_through(rig, guide, steps, results)
    except (Stop, KeyboardInterrupt):
        click.echo(f"\n{texts('check.stopped')}", err=True)
        return True
    return False


def _save(path: Path, outcome: dict[str, Any]) -> bool:
    """Keeps the outcome beside the history; whether that went well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(outcome, indent=1) + "\n", encoding="utf-8")
    except OSError:
        return False
    return True


def _sum_up(results: list[dict[str, Any]], texts: Texts, stopped: bool) -> None:
    from cannon.bringup.session import BAD, SKIPPED

    all_good = not stopped
    for verdict, key in ((BAD, "check.not_all_good"), (SKIPPED, "check.not_looked_at")):
        steps = [result["step"] for result in results if result["verdict"] == verdict]
        if steps:
            names = ", ".join(texts(f"check.title.{name}") for name in steps)
            click.echo(texts(key, names=names), err=True)
            all_good = False
    if all_good:
        click.echo(texts("check.all_good"), err=True)
