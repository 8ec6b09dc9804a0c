"""The bridge launcher: commands to the board, the board's words as events, and what it believes."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from cannon.core import events
from cannon.core.commands import Feed, Light, Off, Record, Run, Sound
from cannon.core.feeding import FeedPlan
from cannon.devices.bridge import LEASE_MS, BridgeLauncher
from cannon.devices.ports import Capabilities, DeviceFault
from firmware_bridge import messages as m
from firmware_bridge.link import Link
from tests.firmware.fake import FakeBoard, FakePort

PLAN = FeedPlan(0.075, 0.085, 0.13, 0.04, 0.4, 2, 0.15, 0.04, 0.06, 0.12, 1.5, 2.0, 1.5)


class Bench:
    """A bridge launcher with a fake board behind its link, in virtual time."""

    def __init__(self, abilities: int = 127, power: float = 1.0, duty: float = 0.5) -> None:
        self.now = 5.0
        self.board = FakeBoard(abilities=abilities)
        self.port = FakePort(self.board, lambda: self.now)
        self.posted: list[Any] = []
        self.ticking = True
        self.launcher = BridgeLauncher(
            lambda on_event: Link(
                "/dev/ttyACM0", on_event, lambda: self.now, lambda device: self.port, list
            ),
            self.posted.append,
            lambda: self.now,
            PLAN,
            power,
            duty,
        )
        self.step(0.1)
        assert self.launcher.came_up.is_set()

    def step(self, seconds: float) -> list[Any]:
        seen = len(self.posted)
        for _ in range(round(seconds / 0.005)):
            self.now += 0.005
            if self.ticking:
                self.launcher.tick(self.now)
            self.launcher.link.pump()
        return self.posted[seen:]

    def feed(self, cards: int = 3) -> None:
        self.launcher.do(Feed(cards))
        self.step(0.02)
        assert self.board.moving is not None

    def acts(self) -> str:
        return "".join(act for act, _ in self.board.acts)


def of(kind: type, posted: list[Any]) -> list[Any]:
    return [event for event in posted if isinstance(event, kind)]


# --- the port -----------------------------------------------------------------------------------


def test_it_says_what_the_board_can_do_and_posts_nothing_at_the_start() -> None:
    bench = Bench()
    assert bench.launcher.capabilities == Capabilities(True, True, feeds_itself=True)
    assert bench.posted == []
    assert Bench(abilities=0).launcher.capabilities == Capabilities(False, False, True)


def test_levels_are_none_where_the_board_has_no_such_input() -> None:
    bench = Bench(abilities=m.COUNTING)
    assert bench.launcher.levels() == events.Levels(False, False, False, None, None)
    bench.board.levels = 1 << m.LID | 1 << m.EXIT
    bench.step(0.5)
    assert bench.launcher.levels() == events.Levels(False, True, True, None, None)


def test_edges_are_posted_with_the_time_at_which_they_happened() -> None:
    bench = Bench()
    bench.step(1.0)
    at = bench.now
    bench.board.edge(m.HOPPER, True, at)
    bench.board.faults.drop_events = 2
    (edge,) = bench.step(0.5)
    assert (edge.input, edge.active) == (events.HOPPER, True)
    assert edge.at == pytest.approx(at, abs=0.006)
    assert bench.launcher.levels().hopper is True


def test_levels_do_not_run_ahead_of_the_edges() -> None:
    bench = Bench()
    bench.board.faults.drop_events = 4
    bench.board.edge(m.BUTTON, True, bench.now)
    assert bench.step(0.35) == []
    assert bench.launcher.levels().button is False
    (edge,) = bench.step(0.5)
    assert (edge.input, edge.active) == (events.BUTTON, True)
    assert bench.launcher.levels().button is True


def test_a_feed_has_the_plans_caps_the_boards_limits_and_a_lease() -> None:
    bench = Bench(power=0.5)
    bench.feed(4)
    ((_, payload),) = [act for act in bench.board.acts if act[0] == "F"]
    shot, *values = struct.unpack(m.FEED_FORM, payload)
    assert values == [4, 50, 400, 2500 + 4 * 1000, 40, LEASE_MS]
    assert shot == 1


def test_a_volume_goes_to_the_board_and_silence_is_not_even_asked_for() -> None:
    quiet, off = Bench(duty=0.03), Bench(duty=0)
    for bench in (quiet, off):
        bench.launcher.do(Sound("ding"))
        bench.launcher.do(Sound("cards", after=True))
        bench.launcher.do(Light("quick"))
        bench.step(0.1)
    assert quiet.board.acts[1:] == [("P", b"\x06ding"), ("P", b"\x07cards"), ("G", b"quick")]
    assert off.board.acts[1:] == [("G", b"quick")]


def test_sounds_and_lights_go_to_the_board_by_name() -> None:
    bench = Bench()
    bench.launcher.do(Sound("ding"))
    bench.launcher.do(Sound("cards", after=True))
    bench.launcher.do(Light("quick"))
    bench.step(0.1)
    assert bench.board.acts[1:] == [("P", b"\x64ding"), ("P", b"\x65cards"), ("G", b"quick")]
    bench.launcher.mute()
    bench.launcher.do(Sound("ding"))
    bench.step(0.1)
    assert bench.board.acts[4:] == [("P", b"\0"), ("G", b"off")]


def test_a_tune_that_the_board_does_not_know_is_no_fault() -> None:
    bench = Bench()
    bench.board.faults.refuse[m.PLAY] = m.CANNOT
    bench.launcher.do(Sound("ding"))
    assert bench.step(0.2) == []


def test_what_it_cannot_do_is_a_fault_of_the_program() -> None:
    bench = Bench()
    with pytest.raises(DeviceFault):
        bench.launcher.do(Record("press", {}))
    with pytest.raises(DeviceFault, match="cards"):
        bench.launcher.do(Feed(200))
    with pytest.raises(DeviceFault, match="run in ms"):
        bench.launcher.do(Run(1, 1.0, 60.0))


# --- leases -------------------------------------------------------------------------------------


def test_the_lease_is_renewed_while_the_loop_turns_and_only_then() -> None:
    bench = Bench()
    assert bench.launcher.deadline is None
    bench.feed(9)
    assert bench.launcher.deadline is not None
    assert bench.launcher.deadline - bench.now <= 0.12
    bench.step(2.0)
    assert bench.board.moving is not None
    assert 14 <= bench.acts().count("L") <= 20
    bench.ticking = False
    posted = bench.step(1.0)
    assert bench.board.moving is None
    assert [e.reason for e in of(events.FeedEnded, posted)] == ["lease"]
    assert [e.cause for e in of(events.Failure, posted)] == ["bridge_fault"]
    assert bench.launcher.deadline is None


def test_without_a_motion_nothing_is_renewed() -> None:
    bench = Bench()
    bench.step(3.0)
    assert "L" not in bench.acts()


# --- feeds --------------------------------------------------------------------------------------


def test_cards_and_the_end_of_a_feed_are_posted() -> None:
    bench = Bench()
    bench.feed(3)
    bench.board.count(1, bench.now)
    bench.board.count(2, bench.now, suspect=True)
    posted = bench.step(0.05)
    assert [(e.cards, e.suspect) for e in of(events.CardSeen, posted)] == [(1, False), (2, True)]
    bench.board.end("stalled", bench.now, marks=m.BLOCKED, retries=2)
    bench.board.latch("stalled", bench.now)
    posted = bench.step(0.05)
    assert posted == [events.FeedEnded("stalled", 2, 0, True, False, 2)]


def test_after_a_stall_the_next_feed_clears_the_boards_fault_first() -> None:
    bench = Bench()
    bench.feed(3)
    bench.board.end("stalled", bench.now)
    bench.board.latch("stalled", bench.now)
    bench.step(0.1)
    assert "C" not in bench.acts()
    bench.feed(2)
    assert bench.acts().endswith("CF")


def test_off_ends_a_feed_and_the_board_says_what_came() -> None:
    bench = Bench()
    bench.feed(5)
    bench.board.count(2, bench.now)
    bench.launcher.do(Off())
    posted = bench.step(0.1)
    assert [e.cards for e in of(events.FeedEnded, posted)] == [2]
    assert bench.board.moving is None


def test_off_before_the_feed_was_sent_ends_it_with_nothing() -> None:
    bench = Bench()
    bench.launcher.do(Feed(5))
    bench.launcher.off()
    bench.step(0.3)
    assert bench.posted == [events.FeedEnded("stop", 0, 0, False, False, 0)]
    assert "F" not in bench.acts()


def test_a_board_that_still_settles_is_asked_once_more() -> None:
    bench = Bench()
    bench.board.faults.refuse[m.FEED] = m.BUSY
    bench.launcher.do(Feed(3))
    bench.step(0.2)
    bench.board.faults.refuse.clear()
    assert bench.step(0.2) == []
    assert bench.acts().count("F") == 1
    assert bench.board.moving is not None


def test_a_board_that_stays_busy_is_a_fault_after_a_while() -> None:
    bench = Bench()
    bench.board.faults.refuse[m.FEED] = m.BUSY
    bench.launcher.do(Feed(3))
    posted = bench.step(2.0)
    assert [e.cause for e in of(events.Failure, posted)] == ["bridge_fault"]
    assert [e.cards for e in of(events.FeedEnded, posted)] == [0]


@pytest.mark.parametrize(
    ("result", "reason", "faults"),
    [
        (m.LID_OPEN, "lid", 0),
        (m.FAULTED, "fault", 1),
        (m.LIMITS, "fault", 1),
        (m.SAME_SHOT, "fault", 1),
    ],
)
def test_a_refused_feed_has_an_end(result: int, reason: str, faults: int) -> None:
    bench = Bench()
    bench.board.faults.refuse[m.FEED] = result
    bench.launcher.do(Feed(3))
    posted = bench.step(0.2)
    assert [e.reason for e in of(events.FeedEnded, posted)] == [reason]
    assert len(of(events.Failure, posted)) == faults


def test_a_board_without_a_sensor_counts_nothing() -> None:
    bench = Bench(abilities=0)
    bench.feed(3)
    bench.board.last = (1, 3, m.UNKNOWN_COUNT, 0, 0, 0, 0)
    bench.board.end("enough", bench.now)
    (ended,) = bench.step(0.1)
    assert ended.cards is None


def test_a_count_of_another_shot_is_not_ours() -> None:
    bench = Bench()
    bench.feed(3)
    bench.board.last = (77, 3, 0, 0, 0, 0, 0)
    bench.board.count(3, bench.now)
    bench.board.end("enough", bench.now)
    assert bench.step(0.1) == []


def test_a_board_that_lies_about_its_count_is_passed_on_as_it_speaks() -> None:
    """What to believe is the controller's affair; here nothing is lost and nothing breaks."""
    bench = Bench()
    bench.board.faults.lie = 40
    bench.feed(3)
    bench.board.count(1, bench.now)
    (seen,) = of(events.CardSeen, bench.step(0.1))
    assert seen.cards == 41


# --- runs ---------------------------------------------------------------------------------------


def test_a_run_is_within_a_lease_and_its_end_is_posted() -> None:
    bench = Bench()
    bench.launcher.do(Run(-1, 1.0, 0.2))
    bench.step(0.1)
    assert bench.board.acts[-1][0] in "RL"
    bench.board.end("time", bench.now)
    (off,) = bench.step(0.1)
    assert (off.reason, off.at) == ("time", pytest.approx(bench.now - 0.1, abs=0.02))
    assert bench.launcher.deadline is None


@pytest.mark.parametrize(("result", "reason"), [(m.LID_OPEN, "lid"), (m.LIMITS, "refused")])
def test_a_refused_run_is_off(result: int, reason: str) -> None:
    bench = Bench()
    bench.board.faults.refuse[m.RUN] = result
    bench.launcher.do(Run(1, 1.0, 0.2))
    (off,) = bench.step(0.1)
    assert off.reason == reason


# --- faults and losses --------------------------------------------------------------------------


def test_the_boards_own_faults_are_posted_with_a_cause_for_people() -> None:
    bench = Bench()
    bench.board.latch("internal", bench.now)
    bench.board.latch("sensor_selftest", bench.now)
    causes = [e.cause for e in of(events.Failure, bench.step(0.1))]
    assert causes == ["bridge_fault", "sensor_selftest"]


def test_a_lost_link_is_one_failure_and_no_call_waits_or_breaks() -> None:
    bench = Bench()
    bench.feed(5)
    bench.port.break_on = {"read"}
    posted = bench.step(0.02)
    assert [e.cause for e in of(events.Failure, posted)] == ["bridge_lost"]
    assert bench.launcher.deadline is None
    bench.launcher.off()
    bench.launcher.do(Off())
    bench.launcher.do(Sound("fault"))
    bench.launcher.do(Light("alarm"))
    assert bench.launcher.levels() == events.Levels(False, False, False, False, False)
    with pytest.raises(DeviceFault) as caught:
        bench.launcher.do(Feed(5))
    assert caught.value.cause == "bridge_lost"


def test_when_the_link_is_back_nothing_fires_and_the_cut_shot_gets_its_count() -> None:
    bench = Bench()
    bench.launcher.do(Light("quick"))
    bench.feed(5)
    bench.board.count(2, bench.now)
    bench.step(0.05)
    bench.port.break_on = {"read"}
    bench.step(0.02)
    bench.board.count(3, bench.now)
    bench.board.end("lease", bench.now)
    bench.port.break_on = set()
    before = len(bench.board.acts)
    posted = bench.step(2.0)
    assert [(e.cards, e.reason) for e in of(events.FeedEnded, posted)] == [(3, "lease")]
    assert len(of(events.Levels, posted)) == 1
    assert [act for act, _ in bench.board.acts[before:]] == ["T", "G"]


def test_a_board_that_was_started_anew_is_a_fault_and_its_count_is_not_believed() -> None:
    bench = Bench()
    bench.feed(5)
    bench.board.count(2, bench.now)
    bench.step(0.05)
    bench.board.restart(0x4242, bench.now)
    bench.board.last = (1, 5, 5, 0, 1, 0, 0)
    posted = bench.step(2.0)
    assert [e.cause for e in of(events.Failure, posted)] == ["bridge_restarted"]
    assert of(events.FeedEnded, posted) == []
    assert "F" not in bench.acts()  # acts begin anew with the board


def test_shots_go_on_counting_where_the_board_stands() -> None:
    """Another run of the program meets a board that has fed shot 1 before."""
    bench = Bench()
    bench.feed(3)
    bench.board.end("enough", bench.now)
    bench.step(0.1)
    bench.port.break_on = {"read"}
    bench.step(0.02)
    bench.port.break_on = set()
    bench.launcher._last_shot = 0
    bench.step(1.0)
    bench.feed(3)
    assert bench.board.last[0] == 2


def test_close_stops_the_board_and_lets_it_go() -> None:
    bench = Bench()
    bench.feed(5)
    bench.launcher.close()
    bench.launcher.close()
    assert bench.port.closed
    bench.launcher.off()
