"""What the page looks up when somebody wants to see it: odds, history, settings, editions.

The history is read from the journal's file, which the launcher's process writes; nothing is
written here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from cannon.core.chances import chances_of
from cannon.page.diagnosing import Diagnosing
from cannon.page.keeping import Keeping
from cannon.page.lines import Hello
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.changes import changed
from cannon.settings.editions import all_editions
from cannon.settings.odds_models import load_odds, odds_names
from cannon.settings.wording import choice_words
from cannon.table.edition import Edition, OptionSpec, text
from cannon.web.game import Keeper
from cannon.web.page import Page, Sources
from cannon.web.verdict import verdict
from cannon.web.wording import texts_in
from hardware.reading import ConfigurationError


class Looking:
    """Looks things up. Each look takes a language and gives plain values."""

    def __init__(
        self, hello: Hello, keeper: Keeper, keeping: Keeping, page: Callable[[], Page]
    ) -> None:
        self._hello = hello
        self._keeping = keeping
        self._diagnosing = Diagnosing(hello, keeper, keeping, page)

    def sources(self) -> Sources:
        """All of them, for the page."""
        return Sources(
            odds=self.odds,
            history=self.history,
            diagnostics=self._diagnosing.diagnostics,
            settings=self.settings,
            editions=self.editions,
            doctor=self._diagnosing.doctor,
        )

    def check(self, values: dict[str, Any]) -> str:
        """What is wrong with these new settings; empty if nothing is."""
        try:
            changed(CannonToml(), values)
        except ConfigurationError as error:
            return str(error)
        return ""

    # --- odds --------------------------------------------------------------------------------

    async def odds(self, language: str) -> dict[str, Any]:
        """The model, what was measured, and whether they agree."""
        from cannon.page import past  # SQLite is a megabyte, for somebody who looks

        model = self._hello.model
        chances = chances_of(model)
        found = await asyncio.to_thread(past.counted, self._hello.journal, model["name"])
        judged = verdict(chances.launch_share_by_wait, found.launches_by_wait)
        texts = texts_in(language)
        return {
            "model": model["name"],
            **_model(model["name"], self._hello.settings["odds"], language),
            "shares": chances.launch_share_by_wait,
            "chances": chances.chance_by_wait,
            "counts": chances.count_share,
            "cards_per_launch": chances.cards_per_launch,
            "launches_per_press": chances.launches_per_press,
            "measured": msgspec.to_builtins(found, str_keys=True),
            "verdict": judged.code,
            "words": texts(
                f"page.odds.verdict.{judged.code}",
                presses=found.presses,
                launches=judged.launches,
            ),
        }

    # --- history -----------------------------------------------------------------------------

    async def history(self, language: str) -> dict[str, Any]:
        """The last presses, and totals; nothing where there is no journal."""
        from cannon.page import past

        journal = self._hello.journal
        return await asyncio.to_thread(past.presses, journal, texts_in(language))

    # --- settings ----------------------------------------------------------------------------

    async def settings(self, language: str) -> dict[str, Any]:
        """What can be changed, and to what."""
        return {
            "values": self._hello.settings,
            "models": [{"name": name, **_model(name, name, language)} for name in odds_names()],
        }

    async def editions(self, language: str) -> dict[str, Any]:
        """The games that can be begun, and the names of earlier players."""
        found = [self._edition(edition, language) for edition in all_editions().values()]
        return {"editions": found, "names": self._keeping.kept.names}

    def _edition(self, edition: Edition, language: str) -> dict[str, Any]:
        labels = (text(card.label, language) for card in edition.cards.values())
        return {
            "name": edition.name,
            "title": text(edition.title, language),
            "cards": [label for label in labels if label],
            "total": edition.total,
            "players": list(edition.players),
            "draws": edition.draws,
            "unknown": [
                {"name": key, "label": text(card.label, language) or key}
                for key, card in edition.cards.items()
                if card.count == "unknown"
            ],
            "options": [
                self._option(name, option, language) for name, option in edition.options.items()
            ],
        }

    def _option(self, name: str, option: OptionSpec, language: str) -> dict[str, Any]:
        texts = texts_in(language)
        return {
            "name": name,
            "label": text(option.label, language),
            "why": text(option.why, language),
            "default": option.default,
            "values": [{"value": v, "words": choice_words(texts, v)} for v in option.values],
            "min": option.min,
            "max": option.max,
        }


def _model(name: str, model: str, language: str) -> dict[str, str]:
    """A model in words; its bare name where its file is gone by now."""
    try:
        found = load_odds(model)
    except ConfigurationError:
        return {"title": name, "about": ""}
    title = text(found.title, language) or name
    return {"title": title, "about": text(found.about, language)}
