"""One shot to its outcome, the account of cards owed, hints, and the button that is held."""

import pytest

from cannon.core import feeding
from cannon.core.commands import Feed, Off, Record, Run
from cannon.core.events import CardSeen, FeedEnded
from cannon.core.health import Health
from cannon.core.held import HeldButton
from cannon.core.remote import RemoteFeed
from cannon.core.shooting import Shooter
from cannon.core.shot import Shot, outcome
from cannon.core.values import Settings
from tests.unit.core_tools import DOUBLE_S, MIN_BLOCKED_S, MIN_CLEAR_S, Abilities, plan


class Range:
    """A shooter and everything that it said."""

    def __init__(self, counts=True, feeds_itself=False, owed=0, **settings):
        self.said = []
        self.shooter = Shooter(
            Settings(plan(), MIN_BLOCKED_S, MIN_CLEAR_S, DOUBLE_S, **settings),
            Abilities(counts, feeds_itself),
            self.said.append,
            owed,
        )

    def records(self, kind):
        return [c.data for c in self.said if isinstance(c, Record) and c.kind == kind]

    def card(self, at):
        self.shooter.edge(True, at, at)
        self.shooter.edge(False, at + 0.085, at + 0.085)
        self.shooter.tick(at + 0.090)

    def finish(self, at):
        while self.shooter.deadline is not None:
            at = max(at, self.shooter.deadline)
            self.shooter.tick(at)
        return self.shooter.result()


def test_a_shot_runs_at_the_power_that_was_set():
    here = Range(power=0.6)
    here.shooter.begin(Shot(1, 2, 0), False, 0.0)
    assert here.said[0] == Run(1, 0.6, 1.5)


def test_the_outcome_is_handed_over_once():
    here = Range()
    here.shooter.begin(Shot(1, 1, 0), False, 0.0)
    here.card(0.1)
    result = here.finish(0.2)
    assert (result.delivered, result.owed, result.reason) == (1, 0, feeding.ENOUGH)
    assert here.shooter.result() is None
    assert here.shooter.shot is None
    assert here.shooter.phase == feeding.DONE
    assert here.shooter.deadline is None


def test_more_cards_than_wanted_are_extra_and_not_delivered():
    shot = Shot(1, 2, 0)
    shot.feed = RemoteFeed(plan(), 2, counts=True)
    shot.feed.ended(FeedEnded("enough", 5, 2, False, False, 1))
    result = outcome(shot, "")
    assert (result.delivered, result.owed, result.extra) == (2, 0, 3)
    assert (result.suspects, result.retries) == (2, 1)


def test_a_shot_that_never_moved_owes_everything():
    result = outcome(Shot(4, 3, 0), "lid")
    assert (result.delivered, result.owed, result.reason) == (0, 3, "lid")


def test_the_account_of_owed_cards_adds_up_over_shots():
    here = Range(owed=2)
    assert here.shooter.take_owed() == 2
    assert here.shooter.owed == 0
    here.shooter.begin(Shot(1, 0, 2), False, 0.0)
    here.card(0.1)
    here.finish(0.2)
    assert here.shooter.owed == 1
    here.shooter.begin(Shot(2, 4, 0), False, 10.0)
    here.shooter.abort("lid", 10.1)
    here.finish(10.1)
    assert here.shooter.owed == 5
    here.shooter.waive("web")
    assert here.records("waived") == [{"cards": 5, "source": "web"}]
    assert here.shooter.owed == 0


def test_a_stuck_card_that_is_taken_pays_one_owed_card_once():
    here = Range()
    here.shooter.begin(Shot(7, 3, 0), False, 0.0)
    here.card(0.1)
    here.shooter.edge(True, 0.3, 0.3)
    here.shooter.tick(0.31)
    here.shooter.abort("lid", 0.4)
    result = here.finish(0.4)
    assert result.protruding
    assert here.shooter.sticking == 7
    here.shooter.card_taken()
    assert here.records("protruding") == [{"delivered": 1, "extra": 0, "owed": 1}]
    assert here.shooter.sticking is None


def test_abort_without_a_shot_still_orders_off():
    here = Range()
    here.shooter.abort("fault", 0.0)
    assert here.said == [Off()]
    assert here.shooter.result() is None


def test_what_happens_without_a_shot_is_nothing():
    here = Range()
    here.shooter.edge(True, 0.0, 0.0)
    here.shooter.hold(0.0)
    here.shooter.resume(0.0)
    here.shooter.ran_out(0.0)
    here.shooter.report(CardSeen(1, False, 0.0))
    here.shooter.tick(9.0)
    assert here.said == []


def test_a_launcher_that_feeds_itself_gets_one_order_and_no_run():
    here = Range(feeds_itself=True)
    here.shooter.begin(Shot(1, 4, 0), False, 0.0)
    here.shooter.edge(True, 0.1, 0.1)
    here.shooter.hold(0.2)
    here.shooter.resume(0.3)
    here.shooter.ran_out(0.4)
    assert here.said == [Feed(4)]


def test_a_launcher_that_feeds_itself_and_does_not_count_gives_no_count():
    here = Range(feeds_itself=True, counts=False)
    here.shooter.begin(Shot(1, 4, 0), False, 0.0)
    here.shooter.report(CardSeen(1, False, 0.1))
    here.shooter.report(FeedEnded("enough", None, 0, False, False, 0))
    result = here.shooter.result()
    assert (result.delivered, result.owed, result.extra) == (None, None, 0)
    assert here.records("card") == []


# --- hints --------------------------------------------------------------------------------------


def test_worn_cards_are_more_than_a_tenth_of_slips_among_the_last_fifty():
    health = Health()
    for _ in range(45):
        health.add(cards=1, retries=0, stalled=False, slow=False)
    for _ in range(5):
        health.add(cards=1, retries=1, stalled=False, slow=False)
    assert health.hints == frozenset(), "5 of 50"
    assert health.add(cards=1, retries=1, stalled=False, slow=False) == {"worn_cards"}
    for _ in range(50):
        health.add(cards=1, retries=0, stalled=False, slow=False)
    assert health.hints == frozenset()


def test_a_few_slips_on_the_first_cards_say_nothing_yet():
    health = Health()
    for _ in range(10):
        health.add(cards=1, retries=1, stalled=False, slow=False)
    assert health.hints == frozenset()


def test_a_hint_is_new_once_and_goes_when_its_reason_goes():
    health = Health()
    assert health.add(2, 0, stalled=False, slow=True) == {"low_power"}
    assert health.add(2, 0, stalled=False, slow=True) == frozenset()
    assert health.add(2, 0, stalled=False, slow=False) == frozenset()
    assert health.hints == frozenset()
    assert health.add(2, 0, stalled=False, slow=True) == {"low_power"}


def test_three_stalls_in_ten_shots_want_care_and_ten_good_ones_end_it():
    health = Health()
    for _ in range(2):
        health.add(0, 2, stalled=True, slow=False)
    assert health.hints == frozenset()
    assert health.add(0, 2, stalled=True, slow=False) == {"needs_care"}
    for _ in range(10):
        health.add(0, 0, stalled=False, slow=False)
    assert health.hints == frozenset()


# --- the held button ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("holdable", "told"), [(True, [(12.0, "hold"), (40.0, "stuck")]), (False, [(40.0, "stuck")])]
)
def test_a_held_button_is_told_of_when_it_means_something(holdable, told):
    held = HeldButton(2.0, 30.0)
    assert held.deadline is None
    held.press(10.0, holdable)
    heard = []
    while held.deadline is not None:
        assert held.tick(held.deadline - 0.001) is None
        heard.append((held.deadline, held.tick(held.deadline)))
    assert heard == told


def test_a_released_button_says_nothing():
    held = HeldButton(2.0, 30.0)
    held.press(0.0, holdable=True)
    held.release()
    assert held.deadline is None
    assert held.tick(100.0) is None
