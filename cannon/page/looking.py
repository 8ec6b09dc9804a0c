"""What the page looks up when somebody wants to see it: odds, history, settings, diagnostics.

The history is read from the journal's file, which the launcher's process writes; nothing is
written here.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from cannon.core.chances import chances_of
from cannon.page.keeping import Keeping
from cannon.page.lines import Hello
from cannon.settings import storage
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.changes import changed
from cannon.settings.editions import all_editions
from cannon.settings.odds_models import load_odds, odds_names
from cannon.settings.texts import Texts
from cannon.settings.wording import choice_words
from cannon.table.edition import Edition, OptionSpec, text
from cannon.web.game import Keeper
from cannon.web.page import Page, Sources
from cannon.web.verdict import verdict
from cannon.web.wording import texts_in
from hardware.reading import ConfigurationError

DOCTOR_S = 60.0  # a finding is that old at most
DOCTOR_TAKES_S = 60.0  # more is given up


class CheckedStep(msgspec.Struct, frozen=True):
    """A step of `cannon check`, as far as it is shown here."""

    step: str
    verdict: str
    cause: str = ""


class LastCheck(msgspec.Struct, frozen=True):
    """What `cannon check` keeps."""

    at: str
    steps: list[CheckedStep]


class LastCalibration(msgspec.Struct, frozen=True):
    """What `cannon calibrate` keeps, as far as it is shown here; times in ms."""

    measured: str
    cards: int
    feed: dict[str, int]


class Looking:
    """Looks things up. Each look takes a language and gives plain values."""

    def __init__(
        self, hello: Hello, keeper: Keeper, keeping: Keeping, page: Callable[[], Page]
    ) -> None:
        self._hello = hello
        self._keeper = keeper
        self._keeping = keeping
        self._page = page
        self._began = time.monotonic()
        self._doctor: dict[str, tuple[float, dict[str, Any]]] = {}  # by language
        self._one_doctor = asyncio.Lock()

    def sources(self) -> Sources:
        """All of them, for the page."""
        return Sources(
            odds=self.odds,
            history=self.history,
            diagnostics=self.diagnostics,
            settings=self.settings,
            editions=self.editions,
            doctor=self.doctor,
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

    # --- diagnostics -------------------------------------------------------------------------

    async def diagnostics(self, language: str) -> dict[str, Any]:
        """How this program and its page are, for somebody who looks for a fault."""
        from importlib.metadata import version  # two megabytes, for somebody who looks

        page, keeping = self._page(), self._keeping
        journal = Path(self._hello.journal)
        return {
            "items": {
                "version": version("card-cannon"),
                "python": platform.python_version(),
                "system": f"{platform.system()} {platform.release()} {platform.machine()}",
                "board": self._hello.facts.board,
                "odds": self._hello.model["name"],
                "page_minutes": int((time.monotonic() - self._began) / 60),
                "page_memory_mib": round(_resident_kib() / 1024, 1),
                "phones": page.phones_listening,
                "paired": len(keeping.kept.pairings.paired),
                "table_actions": self._keeper.version,
                "folder": self._hello.folder,
                "folder_trouble": self._keeper.unkept or keeping.trouble,
                "journal": str(journal),
                "journal_kib": _size_kib(journal),
            },
            "calibration": self._calibration(language),
            "check": self._check(language),
        }

    def _calibration(self, language: str) -> dict[str, Any] | None:
        """What `cannon calibrate` measured, if it did."""
        path = Path(self._hello.folder) / f"calibration-{self._hello.board}.toml"
        try:
            kept = tomllib.loads(storage.load(path).text or "")
            found = msgspec.convert(kept, LastCalibration)
        except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError):
            return None  # there is none; or the launcher itself has said so at its start
        texts = texts_in(language)
        feed = {texts(f"page.feed.{key}"): value for key, value in found.feed.items()}
        return {"measured": found.measured, "cards": found.cards, "feed": feed}

    def _check(self, language: str) -> dict[str, Any] | None:
        """What `cannon check` found last, in words."""
        name = "check-simulated.json" if self._hello.facts.simulated else "check.json"
        try:
            found = msgspec.json.decode(
                (Path(self._hello.folder) / name).read_bytes(), type=LastCheck
            )
        except (OSError, msgspec.DecodeError):
            return None
        texts = texts_in(language)
        steps = [
            {
                "title": _said(texts, f"check.title.{step.step}", step.step),
                "verdict": step.verdict,
                "words": _said(texts, f"check.cause.{step.cause}", step.cause),
                "fix": _said(texts, f"check.fix.{step.cause}", ""),
            }
            for step in found.steps
        ]
        return {"at": found.at, "steps": steps}

    async def doctor(self, language: str) -> dict[str, Any]:
        """What `cannon doctor` says of this machine: looked at anew after `DOCTOR_S` at most."""
        async with self._one_doctor:
            now, (at, found) = time.monotonic(), self._doctor.get(language, (0.0, {}))
            if not found or now - at > DOCTOR_S:
                found = await _examined(language)
                self._doctor[language] = now, found
        texts = texts_in(language)
        titled = [
            check | {"title": _said(texts, f"doctor.name.{check['name']}", check["name"])}
            for check in found["checks"]
        ]
        return {"checks": titled}


async def _examined(language: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "cannon", "doctor", "--json"]
    process = await asyncio.create_subprocess_exec(
        *command,
        env=os.environ | {"CANNON_LANG": language},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(DOCTOR_TAKES_S):
            out, _ = await process.communicate()
        return msgspec.json.decode(out, type=dict[str, Any])
    except (TimeoutError, msgspec.DecodeError):
        if process.returncode is None:
            process.kill()
        return {"checks": []}


def _said(texts: Texts, key: str, otherwise: str) -> str:
    return texts(key) if key in texts else otherwise


def _model(name: str, model: str, language: str) -> dict[str, str]:
    """A model in words; its bare name where its file is gone by now."""
    try:
        found = load_odds(model)
    except ConfigurationError:
        return {"title": name, "about": ""}
    title = text(found.title, language) or name
    return {"title": title, "about": text(found.about, language)}


def _size_kib(path: Path) -> int:
    """0 where there is no such file, or nobody tells."""
    try:
        return path.stat().st_size // 1024
    except OSError:
        return 0


def _resident_kib() -> int:
    """Memory of this process; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024
