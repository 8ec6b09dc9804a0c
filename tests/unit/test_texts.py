"""The texts for people: the same in both languages, none missing, none that nobody uses.

A text is used if its key stands in the code, as a string or as one of a family: an f-string such
as `f"table.refused.{code}"`. Each family is declared in `FAMILIES`, with what can stand there.
"""

from __future__ import annotations

import ast
import string
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import cannon
from cannon.core.states import STATES
from cannon.journal.history import EVENTS
from cannon.service.doctor import CHECKS
from cannon.settings.editions import all_editions
from cannon.settings.texts import Texts, chosen_language, entries, languages
from cannon.settings.troubles import CODES
from cannon.table import state
from cannon.table.actions import Move
from cannon.table.edition import PLACES
from cannon.web.verdict import DOUBTFUL, FEW, FITS, OFF
from cannon.web.wording import for_page
from hardware.board import FeedTimes
from hardware.reading import ConfigurationError

ROOT = Path(cannon.__file__).parent
TOPICS = tuple(sorted(path.stem for path in (ROOT / "data" / "texts" / "en").glob("*.toml")))


@cache
def trees(folder: str = "") -> list[ast.AST]:
    return [ast.parse(path.read_text()) for path in sorted((ROOT / folder).rglob("*.py"))]


def first_strings(function: str, place: int = 0) -> set[str]:
    """The strings that `function` is called with in `cannon/table` and `cannon/companion`."""
    found: set[str] = set()
    for tree in [*trees("table"), *trees("companion")]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
                for part in ast.walk(node.args[place]) if len(node.args) > place else ():
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        found.add(part.value)
    return found


def words_of_the_prompt() -> set[str]:
    """The keys of tables of commands, and the words that the reader of speech asks for."""
    source = (ROOT / "companion" / "speech.py").read_text()
    strings = {n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)}
    return {key for key in english("table.word.") if key in strings}


def choices() -> set[str]:
    values = {"true", "false"}
    for edition in all_editions().values():
        for option in edition.options.values():
            values.update(map(str, option.values))
    return values


@cache
def constants() -> frozenset[str]:
    """All strings of the code."""
    return frozenset(
        node.value
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def said_in_the_code(prefix: str) -> Callable[[], set[str]]:
    """The members of a family whose codes stand all over the code, as far as they do."""
    return lambda: english(prefix) & constants()


def refused_by_the_page() -> set[str]:
    calls = (
        node
        for tree in trees("web")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused"
    )
    codes = (call.args[1] for call in calls if len(call.args) > 1)
    return {code.value for code in codes if isinstance(code, ast.Constant)}


FAMILIES: dict[str, Callable[[], set[str]]] = {
    "table.refused.": lambda: first_strings("refuse") | first_strings("Refusal"),
    "table.note.": lambda: first_strings("note") | first_strings("_waived", 2),
    "table.reason.": lambda: {*state.PENALTIES, state.CHOICE, state.DEAL},
    "table.colour.": lambda: {c for edition in all_editions().values() for c in edition.colours},
    "table.choice.": choices,
    "table.word.": words_of_the_prompt,
    "table.show.": lambda: {state.SETUP, state.ENDED},
    "table.show.owes_until_": lambda: set(PLACES["until"]) - {""},
    "table.options.": lambda: {"name", "default", "values", "why"},
    "launcher.state.": lambda: set(STATES),
    "launcher.on_": lambda: {"pins", "bridge"},
    "launcher.sound.": said_in_the_code("launcher.sound."),
    "launcher.told.": said_in_the_code("launcher.told."),
    "launcher.told.lid_": lambda: {"opened", "closed"},
    "launcher.notice.": said_in_the_code("launcher.notice."),
    "launcher.refused.": said_in_the_code("launcher.refused."),
    "launcher.cause.title.": said_in_the_code("launcher.cause.title."),
    "launcher.cause.advice.": said_in_the_code("launcher.cause.title."),
    "check.title.": said_in_the_code("check.title."),
    "check.cause.": said_in_the_code("check.cause."),
    "check.fix.": said_in_the_code("check.cause."),
    "check.please.": said_in_the_code("check.please."),
    "check.question.": said_in_the_code("check.question."),
    "check.seen.": said_in_the_code("check.seen."),
    "check.calibrate.": said_in_the_code("check.calibrate."),
    "doctor.name.": lambda: set(CHECKS),
    "doctor.": lambda: {code for code in english("doctor.") if code.split(".")[-1] in constants()},
    "page.did.": lambda: (
        {str(kind.__struct_config__.tag) for kind in get_args(Move)} - {"challenge"}
        | {"draw-owed", "waive-all"}
    ),
    "page.did.challenge-": lambda: {"guilty", "innocent"},
    "page.feed.": lambda: set(FeedTimes.__struct_fields__),
    "page.history.kind.": lambda: set(EVENTS) - {"lid"},
    "page.odds.verdict.": lambda: {FEW, FITS, DOUBTFUL, OFF},
    "page.refused.": refused_by_the_page,
    "page.trouble.": lambda: {"hangs", "broken"},
    "trouble.": lambda: set(CODES),
    "page.shot.": lambda: {"pending", "blank", "rest", "unknown", "cards", "cut", "doubtful"},
}


BEGINNINGS = {"launcher.refused", "launcher.cause.title", "launcher.notice"}  # of keys


def english(prefix: str) -> set[str]:
    return {key.removeprefix(prefix) for key in entries("en") if key.startswith(prefix)}


def used_keys() -> set[str]:
    return {
        node.value
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and is_key(node.value)
    }


def used_families() -> set[str]:
    found = set()
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                start = str(node.values[0].value)
                if start.partition(".")[0] in TOPICS and "." in start and " " not in start:
                    found.add(start)
    return found | {key for key in used_keys_with_dot() if key in FAMILIES}


def used_keys_with_dot() -> set[str]:
    strings = (n.value for tree in trees() for n in ast.walk(tree) if isinstance(n, ast.Constant))
    return {text for text in strings if isinstance(text, str) and text.endswith(".")}


def is_key(value: object) -> bool:
    if not isinstance(value, str) or value.partition(".")[0] not in TOPICS:
        return False
    allowed = set(string.ascii_lowercase + string.digits + "._-")
    a_file = value.endswith((".toml", ".jsonl", ".json"))
    whole = value not in BEGINNINGS
    return (
        "." in value and not a_file and whole and value[-1] not in "._-" and set(value) <= allowed
    )


def test_every_family_is_declared() -> None:
    assert used_families() <= set(FAMILIES)


def test_no_text_is_missing() -> None:
    wanted = {f"{start}{member}" for start, members in FAMILIES.items() for member in members()}
    assert wanted | used_keys() <= set(entries("en"))


def test_no_text_is_unused() -> None:
    """The page's own are looked for in its scripts, beside them."""
    members = {f"{start}{member}" for start, found in FAMILIES.items() for member in found()}
    assert set(entries("en")) - set(for_page("en")) - members <= used_keys()


@pytest.mark.parametrize("language", languages())
def test_languages_have_the_same_texts_with_the_same_places(language: str) -> None:
    theirs, ours = entries(language), entries("en")
    assert set(theirs) == set(ours)
    for key, entry in theirs.items():
        assert type(entry) is type(ours[key]), key
        assert places(entry) == places(ours[key]), key
        assert all(texts_in(entry)), key


def texts_in(entry: str | dict[str, str]) -> list[str]:
    return list(entry.values()) if isinstance(entry, dict) else [entry]


def places(entry: str | dict[str, str]) -> set[str]:
    """The names in braces; `count` may be said or left out."""
    found = {name for text in texts_in(entry) for _, name, _, _ in parts(text) if name}
    return found - {"count"} if isinstance(entry, dict) else found


def parts(text: str) -> Iterator[tuple[str, str | None, str | None, str | None]]:
    return iter(string.Formatter().parse(text))


@pytest.mark.parametrize("language", languages())
def test_files_are_toml_and_keys_are_not_said_twice(language: str) -> None:
    for path in (ROOT / "data" / "texts" / language).glob("*.toml"):
        assert tomllib.loads(path.read_text())


def test_words_that_are_typed_mean_one_thing_each() -> None:
    for language in languages():
        texts = Texts(language)
        words = [w.strip() for key in texts.keys("table.word.") for w in texts(key).split("|")]
        assert len(set(words)) == len(words), language


@pytest.mark.parametrize(
    ("setting", "environment", "language"),
    [
        (None, {}, "en"),
        (None, {"LANG": "da_DK.UTF-8"}, "da"),
        (None, {"LANG": "C.UTF-8"}, "en"),
        (None, {"LANG": "da_DK.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        (None, {"LANG": "da_DK.UTF-8", "LC_ALL": "C"}, "en"),
        (None, {"LANG": "en_GB.UTF-8", "LC_ALL": "da_DK"}, "da"),
        ("da", {"LANG": "en_GB.UTF-8"}, "da"),
        ("da", {"CANNON_LANG": "en"}, "en"),
        (None, {"CANNON_LANG": "da-DK"}, "da"),
        (None, {"LANG": "sv_SE.UTF-8"}, "en"),
        ("", {"CANNON_LANG": "", "LANG": "da"}, "da"),
    ],
)
def test_the_language_that_is_wished_for(
    setting: str | None, environment: dict[str, str], language: str
) -> None:
    assert chosen_language(setting, environment) == language


def test_a_language_that_there_is_not_is_said() -> None:
    with pytest.raises(ConfigurationError, match="CANNON_LANG: no language 'sv'; there are da, en"):
        chosen_language(None, {"CANNON_LANG": "sv"})
    with pytest.raises(ConfigurationError, match="language: no language 'xx'"):
        chosen_language("xx", {})


def test_plurals() -> None:
    assert "1 more time " in Texts("en")("table.show.owes_presses", by="B", count=1, reason="x")
    assert "2 gange " in Texts("da")("table.show.owes_presses", by="B", count=2, reason="x")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("cause", ["jam", "no_feed", "empty", "slow"])
def test_the_advice_for_what_weak_batteries_look_like_names_them(cause: str, language: str) -> None:
    """No sensor tells a motor that is too weak for one card from a card that is stuck."""
    assert "batteri" in Texts(language)(f"launcher.cause.advice.{cause}")
