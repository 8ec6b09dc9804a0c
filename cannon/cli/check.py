"""`cannon check`: brings up a launcher part by part, with a person's hands and eyes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    from cannon.bringup.rig import Rig
    from cannon.bringup.steps import Step
    from cannon.settings.texts import Texts
    from cannon.workbench import SimulatedHands


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
    short, limited runs; Ctrl-C switches it off first.
    """
    from cannon import app, workbench
    from cannon.bringup.steps import STEPS
    from cannon.settings.cannon_toml import load_settings
    from cannon.settings.texts import texts_for

    known = [step.name for step in STEPS]
    for name in only:
        if name not in known:
            raise click.UsageError(f"there is no part {name!r}; there are {', '.join(known)}")
    settings = load_settings(config)
    if board:
        settings = msgspec.structs.replace(settings, board=board)
    texts = texts_for(settings.language or None)
    place = workbench.Place(simulate, bridge or "", chip)
    with workbench.opened(app.plan(settings), place, _say) as (rig, hands):
        results = _all_steps(rig, TerminalGuide(texts, hands), texts, only)
    path = app.journal_path(settings).with_name("check.json")
    _save(path, results)
    if as_json:
        click.echo(json.dumps({"steps": results}))
    else:
        click.echo(texts("check.saved", path=path), err=True)
        _sum_up(results, texts)
    if any(result["verdict"] == "bad" for result in results):
        raise click.exceptions.Exit(1)


class TerminalGuide:
    """Asks in the terminal. `hands` does to a simulated launcher what a person is asked to do."""

    def __init__(self, texts: Texts, hands: SimulatedHands | None) -> None:
        self._texts = texts
        self._hands = hands

    @property
    def simulated(self) -> bool:
        """Whether there is nobody to ask."""
        return self._hands is not None

    def please(self, request: str) -> None:
        """Says what to do now."""
        click.echo(f"  → {self._texts(f'check.please.{request}')}", err=True)
        if self._hands is not None:
            self._hands.please(request)

    def have(self, request: str) -> None:
        """Says what to do, and waits until the person says that it is done."""
        self.please(request)
        if self._hands is None:
            click.pause(self._texts("check.enter"), err=True)

    def ask(self, question: str, **values: object) -> bool:
        """Asks yes or no. Simulated hands answer themselves."""
        words = f"  ? {self._texts(f'check.question.{question}', **values)}"
        if self._hands is None:
            return click.confirm(words, default=True, err=True)
        answer = self._hands.ask(question, **values)
        click.echo(f"{words} {'✓' if answer else '✗'}", err=True)
        return answer


def _all_steps(
    rig: Rig, guide: TerminalGuide, texts: Texts, only: tuple[str, ...]
) -> list[dict[str, Any]]:
    from cannon.bringup.steps import STEPS

    click.echo(texts("check.intro"), err=True)
    steps = [step for step in STEPS if step.needs(rig) and (not only or step.name in only)]
    results = []
    for number, step in enumerate(steps, start=1):
        title = texts(f"check.title.{step.name}")
        click.echo(texts("check.step", number=number, count=len(steps), title=title), err=True)
        results.append(_one_step(rig, guide, texts, step))
    return results


def _one_step(rig: Rig, guide: TerminalGuide, texts: Texts, step: Step) -> dict[str, Any]:
    """One step, again and again until it is good or the person has had enough."""
    while True:
        finding = step.do(rig, guide)
        rig.launcher.off()
        seen = ", ".join(f"{name} {value}" for name, value in finding.seen.items())
        verdict = "bad" if finding.cause else "good"
        click.echo(
            f"  {'✗' if finding.cause else '✓'} {texts(f'check.{verdict}')} {seen}", err=True
        )
        result = {"step": step.name, "verdict": verdict, "cause": finding.cause, **finding.seen}
        if not finding.cause:
            return result
        click.echo(f"    {texts(f'check.cause.{finding.cause}')}", err=True)
        click.echo(f"    {texts(f'check.fix.{finding.cause}')}", err=True)
        choice = "s" if guide.simulated else _again(texts)
        if choice == "s":
            return result
        if choice == "q":
            raise click.Abort


def _again(texts: Texts) -> str:
    choices = click.Choice(["r", "s", "q"])
    return str(click.prompt(f"    {texts('check.again')}", type=choices, default="r", err=True))


def _say(line: str) -> None:
    click.echo(line, err=True)


def _save(path: Path, results: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"steps": results}, indent=1) + "\n", encoding="utf-8")


def _sum_up(results: list[dict[str, Any]], texts: Texts) -> None:
    bad = [r["step"] for r in results if r["verdict"] == "bad"]
    if bad:
        names = ", ".join(texts(f"check.title.{name}") for name in bad)
        click.echo(texts("check.not_all_good", names=names), err=True)
    else:
        click.echo(texts("check.all_good"), err=True)
