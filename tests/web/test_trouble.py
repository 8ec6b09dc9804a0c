"""Trouble with the history is on the page in its reader's language, as long as it lasts."""

import signal

import pytest

from cannon.cli.play import Teller
from cannon.journal import BACK, FULL, OVERFLOW, READ_ONLY, Notice
from cannon.settings.texts import Texts
from cannon.web.launcher_view import Facts
from tests.unit.play_tools import Machine
from tests.web.playing import Client, Playing
from tests.web.tools import Made, wait_until

FULL_DISK = "The disk is full: play goes on, the history waits."


@pytest.fixture
def teller():
    made = Teller(Texts("en"))
    made.said = []
    made.say = made.said.append
    return made


def test_trouble_stands_until_the_history_is_written_again(teller, tmp_path):
    for code in (FULL, OVERFLOW):
        teller.notice(Notice(code, tmp_path))
    assert [code for code, _ in teller.trouble] == [FULL, OVERFLOW]
    teller.notice(Notice(BACK, tmp_path, lost=3))
    assert teller.trouble == ()
    assert teller.said[0] == FULL_DISK
    assert len(teller.said) == 3


def test_the_page_shows_it_while_it_lasts(teller, tmp_path):
    with Playing(tmp_path) as playing:
        teller.changed = lambda: playing.troubled(teller.trouble)
        phone = playing.client()
        assert phone.parts["launcher"]["trouble"] == []
        teller.notice(Notice(READ_ONLY, tmp_path))
        said = Texts("da")("launcher.notice.journal_read_only")
        wait_until(lambda: phone.get("state?lang=da")["parts"]["launcher"]["trouble"] == [said])
        teller.notice(Notice(BACK, tmp_path))
        wait_until(lambda: phone.parts["launcher"]["trouble"] == [])


def test_a_launcher_without_a_place_for_its_history_says_so_on_the_page(tmp_path):
    machine = Machine(tmp_path)
    (tmp_path / "kept").write_text("a file")
    journal = tmp_path / "kept" / "journal.db"
    words = ("play", "--simulate", "--journal", str(journal), "--web", "127.0.0.1:0")
    try:
        program = machine.start(*words)
        program.until("Phone page: ")
        line = next(line for line in program.lines if "Phone page: " in line)
        port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
        wait_until(lambda: shown(port))
        assert "The history cannot be written" in shown(port)[0]
        assert program.end(signal.SIGTERM) == 0
    finally:
        machine.close()


def shown(port):
    """The trouble on the page; nothing yet where there is no page yet."""
    try:
        return Client(port).parts["launcher"].get("trouble")
    except OSError:
        return None


@pytest.mark.parametrize(
    ("setting", "end"), [("press", "owed: the next press brings them"), ("command", "still owed")]
)
def test_owed_cards_are_told_as_they_will_come(setting, end):
    made = Made(Facts(simulated=True, board="Toy", counts=True, owed=setting))
    owing = made.page.launcher.news.snapshot._replace(owed=2)
    made.page.launcher.news = type(made.page.launcher.news)(snapshot=owing)
    assert made.page.launcher.as_object(Texts("en"))["owed_words"].endswith(end)
