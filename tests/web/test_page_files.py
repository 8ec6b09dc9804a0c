"""The page's files: text is never markup, nothing comes from elsewhere, no word is missing."""

import re
from typing import get_args

import pytest

from cannon.core.states import STATES
from cannon.journal.history import EVENTS
from cannon.page import hands
from cannon.settings.editions import all_editions
from cannon.settings.odds_models import load_odds, odds_names
from cannon.settings.texts import entries, languages
from cannon.twin.mechanism import FAULTS
from cannon.web import wishes
from cannon.web.files import FOLDER, PACKED, all_files
from cannon.web.launcher_view import TONES
from cannon.web.wording import for_page
from hardware.board import FeedTimes

SCRIPTS = sorted(path for path in FOLDER.glob("*.js") if path.name != "preact.js")
TEXT = {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS}
FORBIDDEN = """innerHTML outerHTML insertAdjacentHTML document.write dangerouslySetInnerHTML eval(
    Function( srcdoc createContextualFragment javascript:"""
KEY = re.compile(r"\bt\(\s*'([\w.-]+)'")
PART_OF_KEY = re.compile(r"\bt\(\s*'([\w.-]+[._])'\s*\+")
CHOSEN_KEY = re.compile(r"\? '([\w.]+)' : '([\w.]+)'")


@pytest.mark.parametrize("name", TEXT)
def test_text_is_never_markup(name):
    forbidden = FORBIDDEN.split()
    assert [word for word in forbidden if word in TEXT[name]] == []


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path):
    if path.suffix == ".png":
        return
    text = path.read_text(encoding="utf-8")
    text = text.replace("http://www.w3.org/", "").replace("https://preactjs.com", "")
    assert not re.search(r"https?://|url\(|@import|//cdn", text), path.name


def test_the_document_has_no_script_or_style_of_its_own():
    document = (FOLDER / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)", document) == []
    assert not re.search(r"<style|\sstyle=|\son\w+=", document)


def test_icons_of_the_manifest_are_there():
    files = all_files()
    manifest = files["manifest.webmanifest"].body.decode()
    for name in re.findall(r'"/static/([\w.-]+)"', manifest):
        assert name in files


def test_all_that_is_loaded_first_is_small():
    """Packed, with all scripts, the words and no picture but the icon."""
    files = all_files()
    first = [file for name, file in files.items() if name.endswith(PACKED)]
    assert sum(len(file.packed) for file in first) < 60_000


def used_keys():
    """Keys that the scripts name, and beginnings of such that they put together."""
    keys, beginnings = set(), set()
    for text in TEXT.values():
        keys.update(KEY.findall(text))
        beginnings.update(PART_OF_KEY.findall(text))
        for pair in CHOSEN_KEY.findall(text):
            keys.update(pair)
    return {key for key in keys if not key.endswith((".", "_"))}, beginnings


@pytest.mark.parametrize("language", languages())
def test_every_word_that_a_script_uses_is_there(language):
    words, (keys, beginnings) = for_page(language), used_keys()
    known = {key.removeprefix("page.") for key in words}
    keys = {key for key in keys if "." in key or key in known}
    assert keys - known == set()
    for beginning in beginnings:
        assert any(key.startswith(beginning) for key in known), beginning


BY_THE_SERVER = {"launcher.away", "table.rescued", "table.unkept"}


def test_no_word_is_left_over():
    keys, beginnings = used_keys()
    keys |= BY_THE_SERVER
    for key in for_page("en"):
        name = key.removeprefix("page.")
        assert name in keys or name.startswith(tuple(beginnings)) or "." not in name, name


@pytest.mark.parametrize("language", languages())
def test_codes_of_the_program_have_words(language):
    words = entries(language)
    for fault in get_args(wishes.Fault):
        assert f"page.fault.{fault}" in words
    for key in ("pending", "blank", "cards", "rest", "cut", "unknown", "doubtful"):
        assert f"page.shot.{key}" in words
    for state in STATES:
        assert f"launcher.state.{state}" in words
    for time in FeedTimes.__struct_fields__:
        assert f"page.feed.{time}" in words
    for kind in set(EVENTS) - {"lid"}:
        assert f"page.history.kind.{kind}" in words
    assert set(TONES) <= set(STATES)


@pytest.mark.parametrize("language", languages())
def test_models_of_odds_and_editions_are_told_in_every_language(language):
    told = [load_odds(name) for name in odds_names()]
    words = [word for model in told for word in (model.title, model.about)]
    for edition in all_editions().values():
        words.append(edition.title)
        words += [
            word for option in edition.options.values() for word in (option.label, option.why)
        ]
        words += [card.label for card in edition.cards.values() if card.label]
    for word in words:
        assert (isinstance(word, str) and word.isupper()) or word[language], word


LITERAL = re.compile(r"'((?:[^'\\\n]|\\.)*)'|`([^`]*)`")
FOR_PEOPLE = re.compile(r"^[A-ZÆØÅ][a-zæøå]+\b(?!-)|[a-zæøå]{2} [a-zæøå]{2,}.*[.!?:…]$")
NO_LANGUAGE = {"Dansk", "English", "UNO", "Escape", "Tab"}  # names; keys of a keyboard


@pytest.mark.parametrize("name", TEXT)
def test_no_script_has_words_of_its_own(name):
    """What people read comes from the texts."""
    found = {one or other for one, other in LITERAL.findall(without_comments(TEXT[name]))}
    assert {word for word in found if FOR_PEOPLE.search(word)} <= NO_LANGUAGE


def test_words_in_a_script_would_be_found():
    for words in ("Refill", "The launcher is empty", "one card only …", "Vis mere"):
        assert FOR_PEOPLE.search(words), words


def without_comments(script):
    return re.sub(r"(?m)(^|\s)//.*$", "", script)


def test_the_faults_to_plant_are_those_that_there_are():
    listed = re.findall(
        r"'(\w+)'", TEXT["play.js"].partition("ALL_FAULTS = [")[2].partition("]")[0]
    )
    assert sorted(listed) == sorted(get_args(wishes.Fault)) == sorted(hands._FAULTS)
    assert set(hands._MENDS) <= set(hands._FAULTS)
    assert {"jams", "sticks"} <= set(FAULTS)
