"""What the page tells of the history: in the reader's language, nothing where there is none."""

import pytest

from cannon.page import past
from cannon.settings.texts import languages
from cannon.web.wording import texts_in
from tests.unit.journal_tools import PATIENCE_S, opened

RECORDS = [
    ("start", {"odds": "measured", "board": "toy"}),
    ("lid", {"open": True}),
    ("lid", {"open": False}),
    ("refusal", {"reason": "lid_open"}),
    ("fault", {"cause": "lid_wiring", "detail": "pin 5"}),
    ("notice", {"code": "low_battery"}),
    ("notice", {"code": "advice", "what": "a wire"}),
    ("notice", {"code": "unheard_of"}),
    ("cleared", {"source": "button"}),
    ("refill", {}),
    ("waived", {"cards": 3}),
    ("stop", {}),
]


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "journal.db"
    kept = opened(path)
    for kind, data in RECORDS:
        kept.write(kind, data)
    assert kept.close(PATIENCE_S)
    return str(path)


def words(journal, language):
    return [line["words"] for line in past.presses(journal, texts_in(language))["lines"]]


@pytest.mark.parametrize("language", languages())
def test_every_event_is_told_in_words(journal, language):
    said = words(journal, language)
    assert len(said) == len(RECORDS)
    assert all(said)
    assert not any("_" in line or "{" in line for line in said)


def test_each_language_has_its_own(journal):
    english, danish = words(journal, "en"), words(journal, "da")
    same = [one for one, other in zip(english, danish, strict=True) if one == other]
    assert set(same) <= {"start", "stop"}
    assert danish[1] == texts_in("da")("launcher.told.lid_opened")
    assert danish[3].startswith("afvist: ")


def test_without_a_journal_there_is_nothing(tmp_path):
    (tmp_path / "file").write_text("no database")
    for path in (tmp_path / "none.db", tmp_path / "file", tmp_path / "file" / "x.db", tmp_path):
        assert past.presses(str(path), texts_in("en")) == {}
        assert past.counted(str(path), "measured").presses == 0
