"""What the page keeps, damaged: it opens, says so, loses nothing, and counts no press twice."""

import asyncio
from contextlib import contextmanager

import pytest

from cannon.core import records
from cannon.page import keeping
from cannon.page.keeping import Followed, Keeping
from cannon.page.lines import Hello
from cannon.page.process import Following
from cannon.page.tables import NAME, open_table
from cannon.settings.texts import languages
from cannon.table import actions as a
from cannon.web.hub import News, Told
from cannon.web.launcher_view import Facts
from cannon.web.table_view import table_object
from cannon.web.wording import texts_in
from tests.web.tools import READY

START = a.Start("extreme", ("A", "B", "C"), "C", first="red 5")
HIT_2 = a.Lay("A", "red hit-2")
OUTCOME = {"delivered": 3, "extra": 0, "owed": 0, "suspects": 0, "rest": 0, "protruding": False}


def news(*presses):
    """The launcher's side tells of these presses; each is a record of that number, too."""
    told = [Told(press, records.OUTCOME, OUTCOME, press) for press in presses]
    return News(records=told, snapshot=READY)


@contextmanager
def page_in(folder, run="one"):
    """A page as it starts in `folder`, beside a launcher that has been on since `run` began."""
    hello = Hello(
        run=run,
        socket=-1,
        host="127.0.0.1",
        port=8080,
        names=[],
        pin="",
        language="en",
        facts=Facts(simulated=True, board="Toy", counts=True),
        board="launcher-pi",
        wanted="launcher-pi",
        config="",
        folder=str(folder),
        journal=str(folder / "journal.db"),
        model={},
        settings={},
    )
    following = Following(hello, lambda line: None)
    yield following
    following.page.keeper._kept.close()


def followed(folder, *presses, actions=(), run="one"):
    """Starts a page that is told of these presses; gives what is owed after them."""

    async def playing(following):
        keeper = following.page.keeper
        for action in actions:
            assert await keeper.act(action, keeper.version) is None
        await following.take(news())
        await following.take(news(*presses))
        return [owed.count for owed in keeper.game.state.owed]

    with page_in(folder, run) as following:
        return asyncio.run(playing(following))


def backlog(folder, *presses, run="one"):
    """Starts a page whose first news are these presses; gives what is owed after them."""

    async def playing(following):
        await following.take(news(*presses))
        return [owed.count for owed in following.page.keeper.game.state.owed]

    with page_in(folder, run) as following:
        return asyncio.run(playing(following))


# --- the page's own file -------------------------------------------------------------------------


def test_a_file_that_ends_anywhere_opens_and_is_written_anew(tmp_path):
    kept = Keeping(tmp_path)
    kept.kept.followed = Followed("one", 7, 3, 1, 9)
    kept.remember(["Anna", "Bo"])
    kept.save()
    path = tmp_path / keeping.NAME
    whole = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    for end in range(len(whole)):
        for content in (whole[:end], whole[:end] + b"\0" * (len(whole) - end)):
            path.write_bytes(content)
            opened = Keeping(tmp_path)
            assert opened.kept.followed == Followed()
            assert opened.kept.names == []
    opened.save()
    assert opened.trouble == ""
    assert Keeping(tmp_path).kept == opened.kept


def test_the_page_that_comes_next_has_missed_nothing(tmp_path):
    assert followed(tmp_path, 1, actions=(START, HIT_2)) == [1]
    assert backlog(tmp_path, 1) == [1]
    assert backlog(tmp_path, 1, 2) == []


@pytest.mark.parametrize("left", [None, b"", b'{"pairings": {"ke', b"\0" * 300])
def test_where_it_is_lost_no_press_counts_twice(tmp_path, left):
    assert followed(tmp_path, 1, actions=(START, HIT_2)) == [1]
    path = tmp_path / keeping.NAME
    if left is None:
        path.unlink()
    else:
        path.write_bytes(left)
    assert backlog(tmp_path, 1) == [1]
    assert backlog(tmp_path, 1, 2) == []  # that is known again
    assert backlog(tmp_path, 1, 2) == []


def test_where_it_is_lost_the_presses_of_the_next_run_count(tmp_path):
    assert followed(tmp_path, 1, actions=(START, HIT_2)) == [1]
    (tmp_path / keeping.NAME).unlink()
    assert backlog(tmp_path, 1) == [1]
    assert followed(tmp_path, 2, run="two") == []


# --- the game ------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path):
    """A folder with a game whose third line is damaged; the fourth is good."""
    assert followed(tmp_path, 1, actions=(START, HIT_2)) == [1]
    path = tmp_path / NAME
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"\0" * 30 + b"\n", *lines[2:]]))
    return tmp_path


@pytest.mark.parametrize("language", languages())
def test_a_damaged_game_goes_on_from_its_good_lines_and_that_is_said_once(damaged, language):
    whole = (damaged / NAME).read_bytes()
    keeper = open_table(damaged)
    try:
        texts = texts_in(language)
        assert (damaged / f"{NAME}.corrupt-1").read_bytes() == whole
        assert [owed.count for owed in keeper.game.state.owed] == [2]
        assert keeper.version == 2
        assert f"{NAME}.corrupt-1" in table_object(keeper, texts)["unkept"]
        assert asyncio.run(keeper.act(a.Pressed(3), 2)) is None
        assert table_object(keeper, texts)["unkept"] == ""
    finally:
        keeper._kept.close()
    again = open_table(damaged)
    assert ([owed.count for owed in again.game.state.owed], again.rescued) == ([1], "")
    again._kept.close()


def test_after_a_rescue_no_press_of_before_counts(damaged):
    assert backlog(damaged, 1) == [2]
    assert backlog(damaged, 1, 2) == [1]


def test_a_game_that_cannot_be_put_aside_is_left_alone_and_play_begins_anew(damaged):
    whole = (damaged / NAME).read_bytes()
    (damaged / f"{NAME}.corrupt-1.new").mkdir()  # in the way
    keeper = open_table(damaged)
    assert keeper.game.state.stage == "setup"
    assert keeper.unkept == "other"
    assert (damaged / NAME).read_bytes() == whole
