"""The person who goes through the steps of `cannon check`, at a terminal.

q stops at any time, s goes on without the part that is being looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cannon import telling
from cannon.bringup.session import AGAIN, SKIP, STOP, Skip, Stop
from cannon.bringup.steps import Finding, Step
from cannon.settings.texts import Texts
from cannon.terminal.asking import Asking, NoAnswer

if TYPE_CHECKING:
    from cannon.workbench import SimulatedHands

CHOICES = {"r": AGAIN, "s": SKIP, "q": STOP}


class TerminalGuide:
    """Tells and asks. `hands` do to a simulated launcher what a person is asked to do."""

    def __init__(self, texts: Texts, asking: Asking, hands: SimulatedHands | None) -> None:
        self._texts = texts
        self._asking = asking
        self._hands = hands

    def begin(self, number: int, count: int, step: Step) -> None:
        """Names the part."""
        title = self._texts(f"check.title.{step.name}")
        self._say(self._texts("check.step", number=number, count=count, title=title))

    def please(self, request: str) -> None:
        """Says what to do now."""
        self._say(f"  → {self._texts(f'check.please.{request}')}")
        if self._hands is not None:
            self._hands.please(request)

    def have(self, request: str) -> None:
        """Says what to do, and waits until the person says that it is done."""
        self.please(request)
        if self._hands is None:
            self._obey(self._any_key())

    def ask(self, question: str, **values: object) -> bool:
        """Asks yes or no. Simulated hands answer themselves."""
        words = f"  ? {self._texts(f'check.question.{question}', **values)}"
        if self._hands is not None:
            answer = self._hands.ask(question, **values)
            self._say(f"{words} {'✓' if answer else '✗'}")
            return answer
        key = self._key(words, "ynq", "y")
        self._obey(key)
        return key == "y"

    def found(self, finding: Finding) -> None:
        """Says whether the part is good; else the likely cause, and what to do."""
        texts, bad = self._texts, bool(finding.cause)
        seen = ", ".join(self._seen(name, value) for name, value in finding.seen.items())
        verdict = texts("check.bad" if bad else "check.good")
        self._say(f"  {'✗' if bad else '✓'} {verdict}{f'  ({seen})' if seen else ''}")
        if bad:
            self._say(f"    {texts(f'check.cause.{finding.cause}')}")
            self._say(f"    {texts(f'check.fix.{finding.cause}')}")

    def choose(self) -> str:
        """Asks what to do after a part that is not good; a simulated one is left as it is."""
        if self._hands is not None:
            return SKIP
        return CHOICES[self._key(f"    {self._texts('check.again')}", "rsq", "r")]

    def look(self) -> None:
        """Obeys keys that were pressed while nothing was asked. Raises Stop or Skip."""
        self._obey(self._asking.pressed())

    def _obey(self, keys: str) -> None:
        if "q" in keys:
            raise Stop
        if "s" in keys:
            raise Skip

    def _key(self, words: str, keys: str, default: str) -> str:
        try:
            return self._asking.key(words, keys, default)
        except NoAnswer:
            raise Stop from None

    def _any_key(self) -> str:
        try:
            return self._asking.any_key(self._texts("check.enter"))
        except NoAnswer:
            raise Stop from None

    def _seen(self, name: str, value: object) -> str:
        if name == "fault":
            return telling.cause(self._texts, str(value))
        known = self._texts("check.unknown") if value is None else value
        return self._texts(f"check.seen.{name}", value=known)

    def _say(self, line: str) -> None:
        click.echo(line, err=True)
