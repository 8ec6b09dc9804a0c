"""What readers are told is in their words: no codes, no names of files, no English in Danish."""

import asyncio
import errno
import fcntl

import pytest

from cannon.companion.saving import ActionFile
from cannon.core import records
from cannon.page.keeping import Keeping
from cannon.page.tables import NAME, open_table
from cannon.settings.texts import languages
from cannon.settings.troubles import CODES, trouble_of, trouble_words
from cannon.settings.wording import choice_words, refusal_words
from cannon.table import actions as a
from cannon.table.history import apply, new_game
from cannon.table.state import Refusal, refuse
from cannon.web.game import Keeper, Unclaimed
from cannon.web.hub import Told
from cannon.web.launcher_view import Facts, LauncherNow
from cannon.web.table_view import table_object
from cannon.web.wording import texts_in
from hardware import board_names, load_board
from tests.web.tools import EDITIONS, Clock, Made, call, post

EN, DA = texts_in("en"), texts_in("da")
TITLED = Facts(
    simulated=True,
    board={"en": "Toy launcher", "da": "Legetøjskanon"},
    counts=True,
    odds={"en": "measured", "da": "målt"},
)


def start(**values):
    return {"do": "start", "edition": "extreme", "players": ["A", "B"], "dealer": "B", **values}


# --- the launcher ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (EN, "Board: Toy launcher. Odds: measured. Seed: 1."),
        (DA, "Kanon: Legetøjskanon. Chancer: målt. Frø: 1."),
    ],
)
def test_a_start_is_told_with_titles(texts, line):
    launcher = LauncherNow(TITLED)
    data = {"board": "launcher-pi", "model": "measured", "seed": 1, "simulated": True}
    launcher.record(Told(1, records.START, data, None), "")
    assert launcher.lines(texts) == [line]


@pytest.mark.parametrize(("language", "title"), [("en", "Toy launcher"), ("da", "Legetøjskanon")])
def test_a_phone_is_told_the_title_of_the_board(language, title):
    assert call(Made(TITLED).app, "GET", f"/api/hello?lang={language}").json["board"] == title


@pytest.mark.parametrize("name", board_names())
def test_every_board_has_a_title_in_every_language(name):
    board = load_board(name)
    assert set(board.titles) == set(languages())
    assert len(set(board.titles.values())) == len(languages())
    assert board.title == board.titles["en"]


# --- the table -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "texts", "shown"),
    [("unknown", EN, "unknown"), ("unknown", DA, "ukendt"), (None, DA, "ukendt"), (3, DA, 3)],
)
def test_cards_that_nobody_claims_are_told_in_words(cards, texts, shown):
    keeper = Keeper(new_game(EDITIONS), None)
    keeper.unclaimed = Unclaimed(7, cards, refuse("nothing_to_press"))
    assert table_object(keeper, texts)["unclaimed"]["cards"] == shown


REFUSED = [
    (
        start(options={"limit": 0}),
        "Points limit (limit) can be 1–10000.",
        "Pointgrænse (limit) kan være 1–10000.",
    ),
    (
        start(options={"limit": None}),
        "Points limit (limit) can be 1–10000.",
        "Pointgrænse (limit) kan være 1–10000.",
    ),
    (
        start(options={"last_hit": 3}),
        "Going out on a hit (last_hit) can be on (true), off (false).",
        "Slutte på et tryk-kort (last_hit) kan være til (true), fra (false).",
    ),
    (
        start(options={"wrong_card_turn": "x"}),
        "Turn after a wrong card (wrong_card_turn) can be stays, passes.",
        "Turen efter et forkert kort (wrong_card_turn) kan være "
        "bliver (stays), går videre (passes).",
    ),
    (
        start(options={"luck": 3}),
        "UNO Extreme has no option luck.",
        "UNO Extreme har ingen regel, der hedder luck.",
    ),
    (
        start(edition="classic", options={"luck": 3}),
        "Classic UNO has no option luck.",
        "Klassisk UNO har ingen regel, der hedder luck.",
    ),
    (
        start(deck={"red": 3}),
        "There is no card red in the edition UNO Extreme.",
        "Kortet red findes ikke i udgaven UNO Extreme.",
    ),
]


@pytest.mark.parametrize(("action", "english", "danish"), REFUSED)
def test_why_a_game_cannot_begin(action, english, danish):
    made = Made()
    for language, said in (("en", english), ("da", danish)):
        head = {"accept-language": language}
        answer = post(made, "table", head=head, version=0, action=action)
        assert (answer.status, answer.json["words"]) == (409, said)
    assert made.keeper.version == 0


def test_editions_are_told_with_the_names_to_type():
    made = Made()
    action = start(edition="extrem")
    words = post(made, "table", head={"accept-language": "da"}, version=0, action=action).json
    assert words["words"].startswith("extrem er ikke en udgave; der er ")
    for name, edition in EDITIONS.items():
        assert f"{edition.title['da']} ({name})" in words["words"]


def test_in_a_game_its_edition_is_told_by_its_title():
    game = apply(new_game(EDITIONS), a.Start("extreme", ("A", "B"), "B", first="red 5"))
    refused = Refusal("no_jump_in", {"edition": "extreme"})
    assert "(UNO Extreme)" in refusal_words(DA, game.state, refused)


def test_what_an_option_can_be_is_told_in_danish_to_danes():
    options = [option for edition in EDITIONS.values() for option in edition.options.values()]
    values = {value for option in options for value in option.values}
    assert "challenge" in values
    assert [value for value in values if choice_words(DA, value) == choice_words(EN, value)] == []


# --- what cannot be kept ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "english", "danish"),
    [
        (errno.ENOSPC, "the disk is full", "disken er fuld"),
        (errno.EDQUOT, "the disk is full", "disken er fuld"),
        (
            errno.EROFS,
            "the disk can only be read, not written",
            "disken kan kun læses, ikke skrives på",
        ),
        (
            errno.EACCES,
            "the program has no right to write in its folder",
            "programmet har ikke lov til at skrive i sin mappe",
        ),
        (errno.EIO, "the disk has a fault", "disken har en fejl"),
        (errno.ENOTDIR, "writing to the disk has failed", "det mislykkedes at skrive på disken"),
    ],
)
def test_why_nothing_can_be_kept(number, english, danish):
    class Broken:
        actions = ()

        def append(self, action):
            raise OSError(number, "in the system's English")

    keeper = Keeper(new_game(EDITIONS), Broken())
    asyncio.run(keeper.act(a.Start("extreme", ("A", "B"), "B"), 0))
    shown = {texts.language: table_object(keeper, texts)["unkept"] for texts in (EN, DA)}
    assert shown == {
        "en": f"Nothing is kept after switching off: {english}.",
        "da": f"Intet bliver gemt, når der slukkes: {danish}.",
    }


def test_every_trouble_has_words_and_none_has_none():
    assert all(trouble_words(DA, code) != trouble_words(EN, code) for code in CODES)
    assert trouble_words(DA, "") == ""
    assert trouble_of(OSError("without a number")) == "other"


def test_a_game_that_another_program_has_open(tmp_path):
    with ActionFile(tmp_path / NAME):
        assert open_table(tmp_path).unkept == "in_use"


def test_a_game_that_cannot_be_opened_at_all(tmp_path):
    (tmp_path / NAME).mkdir()
    assert open_table(tmp_path).unkept == "other"


def test_a_game_that_may_not_be_opened(tmp_path, monkeypatch):
    def refused(file, how):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(fcntl, "flock", refused)
    assert open_table(tmp_path).unkept == "no_rights"


def test_the_file_of_the_page_that_cannot_be_kept(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    keeping = Keeping(tmp_path)
    monkeypatch.setattr("os.fsync", full)
    keeping.save()
    assert keeping.trouble == "full"
    monkeypatch.undo()
    keeping.save()
    assert keeping.trouble == ""


def test_a_line_that_was_not_written_whole_means_a_full_disk(tmp_path, monkeypatch):
    with ActionFile(tmp_path / NAME) as kept:
        monkeypatch.setattr(kept, "_file", Short(kept._file))
        with pytest.raises(OSError) as raised:
            kept.append(a.Undo())
        assert trouble_of(raised.value) == "full"


class Short:
    """A file that takes only the half of a line."""

    def __init__(self, file):
        self._file = file

    def write(self, line):
        return self._file.write(line[: len(line) // 2])

    def __getattr__(self, name):
        return getattr(self._file, name)


# --- what a page sends -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sent", "words", "problem"),
    [
        (
            "table",
            {"version": 0, "action": {"do": "lay", "by": 5}},
            "Siden sendte noget, der ikke kan gøres. Åbn den igen.",
            "Expected str, got int - at by",
        ),
        (
            "hand",
            {"do": "dance"},
            "Siden sendte noget, der ikke kan læses. Åbn den igen.",
            "Invalid enum value 'dance' - at $.do",
        ),
        (
            "settings",
            {"values": {"board": "x"}},
            "Den indstilling går ikke; intet er ændret.",
            "there is no such setting",
        ),
    ],
)
def test_what_is_wrong_with_what_was_sent(name, sent, words, problem):
    """People are told what it means for them; the English of the machine is beside it."""
    made = Made(clock=Clock())
    token = made.new_phone()
    assert post(made, "pair", token, pin="246810").status == 200
    answer = post(made, name, token, {"accept-language": "da"}, **sent)
    assert answer.status == 422
    assert (answer.json["words"], answer.json["problem"]) == (words, problem)
