"""The game on the server: versions, the order of things, what cannot be kept, lost presses."""

import asyncio
import threading

import pytest

from cannon.settings.editions import all_editions
from cannon.table import actions as a
from cannon.table.history import apply, new_game
from cannon.table.state import Refusal
from cannon.web.game import Keeper, Stale
from tests.web.tools import PATIENCE_S

EDITIONS = all_editions()
START = a.Start("extreme", ("A", "B", "C"), "C", first="red 5")


class Kept:
    """A file in memory that can be made to fail."""

    def __init__(self):
        self.actions = []
        self.broken = False

    def append(self, action):
        if self.broken:
            raise OSError(28, "No space left on device")
        self.actions.append(action)


class SlowKept(Kept):
    """A file that takes as long as the test likes."""

    def __init__(self):
        super().__init__()
        self.asked, self.let_go = threading.Event(), threading.Event()

    def append(self, action):
        self.asked.set()
        assert self.let_go.wait(PATIENCE_S)
        super().append(action)


def keeper_of(kept=None):
    return Keeper(new_game(EDITIONS), kept)


def play(*steps, kept=None):
    """Each step (action, version); gives the keeper and what came of them."""

    async def playing():
        keeper = keeper_of(kept)
        return keeper, [await keeper.act(action, version) for action, version in steps]

    return asyncio.run(playing())


def test_an_action_on_the_present_version_is_done():
    keeper, results = play((START, 0), (a.Lay("A", "red 7"), 1))
    assert results == [None, None]
    assert keeper.version == 2
    assert keeper.game.state.top.name == "red 7"


def test_an_old_version_is_refused_and_changes_nothing():
    keeper, results = play((START, 0), (a.Lay("A", "red 7"), 0), (a.Lay("A", "red 7"), 2))
    assert results == [None, Stale(1), Stale(1)]
    assert keeper.game.state.turn == 0


def test_a_refused_action_leaves_the_version():
    keeper, results = play((START, 0), (a.Lay("B", "red 7"), 1), (a.Lay("A", "red 7"), 1))
    assert isinstance(results[1], Refusal)
    assert results[2] is None
    assert keeper.version == 2


def test_undo_and_redo_have_versions_of_their_own():
    keeper, results = play(
        (START, 0), (a.Lay("A", "red 7"), 1), (a.Undo(), 2), (a.Undo(), 2), (a.Redo(), 3)
    )
    assert results == [None, None, None, Stale(3), None]
    assert keeper.version == 4


def test_two_phones_at_the_same_instant():
    """Both catch the same player: one penalty, the other phone is told to look."""

    async def playing():
        keeper = keeper_of()
        await keeper.act(START, 0)
        for action in (a.Hand("A", 2), a.Lay("A", "red 7")):
            await keeper.act(action, keeper.version)
        version = keeper.version
        caught = [keeper.act(a.Catch(by, "A"), version) for by in ("B", "C")]
        results = await asyncio.gather(*caught)
        return keeper, results

    keeper, results = asyncio.run(playing())
    assert sorted(results, key=str) == [None, Stale(4)] or results == [None, Stale(4)]
    assert [owed.count for owed in keeper.game.state.owed] == [2]


def test_each_action_is_kept_before_it_counts():
    kept = Kept()
    play((START, 0), (a.Lay("A", "red 7"), 1), (a.Undo(), 2), kept=kept)
    assert kept.actions == [START, a.Lay("A", "red 7"), a.Undo()]


def test_what_cannot_be_kept_is_told_and_made_up_for():
    async def playing():
        kept = Kept()
        keeper = keeper_of(kept)
        await keeper.act(START, 0)
        kept.broken = True
        assert await keeper.act(a.Lay("A", "red 7"), 1) is None
        assert keeper.unkept == "full"
        assert keeper.version == 2
        assert len(kept.actions) == 1
        kept.broken = False
        assert await keeper.act(a.Lay("B", "red 8"), 2) is None
        assert keeper.unkept == ""
        assert [type(action) for action in kept.actions] == [a.Start, a.Lay, a.Lay]
        assert keeper.version == 3

    asyncio.run(playing())


def test_the_launcher_counts_at_whatever_version():
    async def playing():
        keeper = keeper_of()
        await keeper.act(START, 0)
        await keeper.act(a.Lay("A", "red hit-2"), 1)
        await keeper.happened([a.Pressed(3)], 1)
        assert keeper.version == 3
        assert keeper.game.state.owed[0].count == 1
        assert keeper.unclaimed is None

    asyncio.run(playing())


def test_a_press_that_nobody_owes_is_shown_until_somebody_acts():
    async def playing():
        keeper = keeper_of()
        await keeper.act(a.Start("classic", ("A", "B"), "B", first="red 5"), 0)
        await keeper.happened([a.Pressed(1)], 7)  # drawn by choice; it may be laid now, or kept
        await keeper.happened([a.Pressed(3)], 8)
        assert (keeper.unclaimed.press, keeper.unclaimed.cards) == (8, 3)
        assert keeper.unclaimed.refusal.code == "play_or_keep"
        assert keeper.version == 2
        await keeper.act(a.Keep("A"), 2)
        assert keeper.unclaimed is None

    asyncio.run(playing())


@pytest.mark.parametrize("count", [1, 3])
def test_undo_to_the_beginning_and_back_gives_the_same(count):
    async def playing():
        keeper = keeper_of()
        steps = [START, a.Lay("A", "red 7"), a.Lay("B", "red hit-2")][:count]
        for step in steps:
            await keeper.act(step, keeper.version)
        state = keeper.game.state
        for _ in steps:
            await keeper.act(a.Undo(), keeper.version)
        assert keeper.game.state == new_game(EDITIONS).state
        for _ in steps:
            await keeper.act(a.Redo(), keeper.version)
        assert keeper.game.state == state

    asyncio.run(playing())


@pytest.mark.parametrize(
    "begin",
    [
        lambda keeper: keeper.act(START, 0),
        lambda keeper: keeper.happened([START], None),
    ],
    ids=["phone", "launcher"],
)
def test_who_gives_up_waiting_leaves_no_half_action_and_the_next_one_works(begin):
    async def playing():
        kept = SlowKept()
        keeper = keeper_of(kept)
        first = asyncio.create_task(begin(keeper))
        assert await asyncio.to_thread(kept.asked.wait, PATIENCE_S)
        first.cancel()
        await asyncio.wait([first])
        assert first.cancelled()
        assert (keeper.version, keeper.game.state) == (0, new_game(EDITIONS).state)
        following = asyncio.create_task(keeper.act(a.Lay("A", "red 7"), 1))
        kept.let_go.set()
        assert await following is None
        assert kept.actions == [START, a.Lay("A", "red 7")]
        assert keeper.version == 2
        replayed = new_game(EDITIONS)
        for action in kept.actions:
            replayed = apply(replayed, action)
        assert keeper.game.state == replayed.state

    asyncio.run(playing())


def test_while_an_action_is_being_kept_phones_see_the_version_of_what_they_see():
    async def playing():
        kept = SlowKept()
        keeper = keeper_of(kept)
        acting = asyncio.create_task(keeper.act(START, 0))
        assert await asyncio.to_thread(kept.asked.wait, PATIENCE_S)
        assert (keeper.version, keeper.game.state.stage) == (0, "setup")
        kept.let_go.set()
        await acting
        assert (keeper.version, keeper.game.state.stage) == (1, "play")

    asyncio.run(playing())
