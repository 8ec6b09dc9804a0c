"""The languages of the page, and which one a phone reads."""

from __future__ import annotations

from functools import cache
from typing import Any

from cannon.settings.texts import ENGLISH, Texts, entries, languages

# What the page fills in by itself; all else comes in words from the server.
_TOPIC = "page."
_BY_THE_SERVER = tuple(
    f"{_TOPIC}{table}."
    for table in (
        "opened",
        "trouble",
        "refused",
        "shot",
        "did",
        "amount",
        "odds.verdict",
        "history.kind",
        "feed",
    )
)


@cache
def texts_in(language: str) -> Texts:
    """All texts of a language, read once."""
    return Texts(language)


def known(language: str | None) -> str | None:
    """`language` if the page has it, also for da-DK; else None."""
    code = (language or "").strip().lower().partition("-")[0]
    return code if code in languages() else None


def accepted(header: str, usual: str = ENGLISH) -> str:
    """The first language of an Accept-Language header that the page has, by the phone's order."""
    wishes = []
    for part in header.split(","):
        name, _, weight = part.partition(";q=")
        try:
            wishes.append((-float(weight or 1), name))
        except ValueError:
            continue
    found = (known(name) for _, name in sorted(wishes, key=lambda wish: wish[0]))
    return next((code for code in found if code), usual)


def for_page(language: str) -> dict[str, Any]:
    """The texts that the page fills in by itself, by key."""
    every = {**entries(ENGLISH), **entries(language)}
    return {
        key: text
        for key, text in every.items()
        if key.startswith(_TOPIC) and not key.startswith(_BY_THE_SERVER)
    }
