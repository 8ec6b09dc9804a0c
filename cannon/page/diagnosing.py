"""What the page tells somebody who looks for a fault: how it runs, what was measured and checked
last, and what `cannon doctor` says of this machine."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import time
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from cannon.page.keeping import Keeping
from cannon.page.lines import Hello
from cannon.settings import storage
from cannon.settings.texts import Texts
from cannon.settings.troubles import trouble_words
from cannon.table.edition import text
from cannon.web.game import Keeper
from cannon.web.page import Page
from cannon.web.wording import texts_in

DOCTOR_S = 60.0  # a finding is that old at most
DOCTOR_TAKES_S = 60.0  # more is given up


class CheckedStep(msgspec.Struct, frozen=True):
    """A step of `cannon check`, as far as it is shown here."""

    step: str
    verdict: str
    cause: str = ""


class LastCheck(msgspec.Struct, frozen=True):
    """What `cannon check` keeps."""

    at: datetime
    steps: list[CheckedStep]


class LastCalibration(msgspec.Struct, frozen=True):
    """What `cannon calibrate` keeps, as far as it is shown here; times in ms."""

    measured: str
    cards: int
    feed: dict[str, int]


class Finding(msgspec.Struct, frozen=True):
    """A check of `cannon doctor`, as it says it."""

    name: str
    ok: bool
    detail: str
    fix: str


class Findings(msgspec.Struct, frozen=True):
    """What `cannon doctor --json` says."""

    checks: list[Finding]


class Diagnosing:
    """Looks these things up. Each look takes a language and gives plain values."""

    def __init__(
        self, hello: Hello, keeper: Keeper, keeping: Keeping, page: Callable[[], Page]
    ) -> None:
        self._hello = hello
        self._keeper = keeper
        self._keeping = keeping
        self._page = page
        self._began = time.monotonic()
        self._doctor: dict[str, tuple[float, Findings]] = {}  # by language
        self._one_doctor = asyncio.Lock()

    async def diagnostics(self, language: str) -> dict[str, Any]:
        """How this program and its page are."""
        from importlib.metadata import version  # two megabytes, for somebody who looks

        page, keeping, facts = self._page(), self._keeping, self._hello.facts
        journal = Path(self._hello.journal)
        trouble = self._keeper.unkept or keeping.trouble
        return {
            "items": {
                "version": version("card-cannon"),
                "python": platform.python_version(),
                "system": f"{platform.system()} {platform.release()} {platform.machine()}",
                "board": text(facts.board, language),
                "odds": text(facts.odds, language),
                "page_minutes": int((time.monotonic() - self._began) / 60),
                "page_memory_mib": round(_resident_kib() / 1024, 1),
                "phones": page.phones_listening,
                "paired": len(keeping.kept.pairings.paired),
                "table_actions": self._keeper.version,
                "folder": self._hello.folder,
                "folder_trouble": trouble_words(texts_in(language), trouble),
                "journal": str(journal),
                "journal_kib": _size_kib(journal),
            },
            "calibration": self._calibration(language),
            "check": self._check(language),
        }

    def _calibration(self, language: str) -> dict[str, Any] | None:
        """What `cannon calibrate` measured, if it did, and when, in seconds since 1970."""
        path = Path(self._hello.folder) / f"calibration-{self._hello.board}.toml"
        try:
            kept = tomllib.loads(storage.load(path).text or "")
            found = msgspec.convert(kept, LastCalibration)
            measured = _seconds(datetime.fromisoformat(found.measured))
        except (OSError, ValueError):
            return None  # there is none; or the launcher itself has said so at its start
        texts = texts_in(language)
        feed = {texts(f"page.feed.{key}"): value for key, value in found.feed.items()}
        return {"measured": measured, "cards": found.cards, "feed": feed}

    def _check(self, language: str) -> dict[str, Any] | None:
        """What `cannon check` found last, in words, and when, in seconds since 1970."""
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
        return {"at": _seconds(found.at), "steps": steps}

    async def doctor(self, language: str) -> dict[str, Any]:
        """What `cannon doctor` says of this machine and what runs on it: looked at anew after
        `DOCTOR_S` at most. `examined` is whether it could say anything."""
        async with self._one_doctor:
            now, found = time.monotonic(), self._remembered(language)
            if found is None:
                found = await _examined(self._hello, language)
                if found is None:
                    return {"examined": False, "checks": []}
                self._doctor[language] = now, found
        texts = texts_in(language)
        titled = [
            msgspec.to_builtins(one) | {"title": _said(texts, f"doctor.name.{one.name}", one.name)}
            for one in found.checks
        ]
        return {"examined": True, "checks": titled}

    def _remembered(self, language: str) -> Findings | None:
        at, found = self._doctor.get(language, (0.0, None))
        return found if time.monotonic() - at <= DOCTOR_S else None


async def _examined(hello: Hello, language: str) -> Findings | None:
    """What the doctor finds with all that this launcher runs with; None if it does not say."""
    given = {"--board": hello.wanted, "--journal": hello.journal, "--config": hello.config}
    options = [part for option, value in given.items() if value for part in (option, value)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "cannon", "doctor", "--json", *options),
        env=os.environ | {"CANNON_LANG": language},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(DOCTOR_TAKES_S):
            out, _ = await process.communicate()
        return msgspec.json.decode(out, type=Findings)
    except (TimeoutError, msgspec.DecodeError):
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _seconds(at: datetime) -> float:
    """Seconds since 1970; a time that names no zone is of UTC."""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _said(texts: Texts, key: str, otherwise: str) -> str:
    return texts(key) if key in texts else otherwise


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
