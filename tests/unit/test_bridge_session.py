"""The conversation with a board: the rules of `firmware_bridge.session`, one by one."""

from __future__ import annotations

import random
import struct

import pytest

from firmware_bridge import messages as m
from firmware_bridge.boardclock import BoardClock
from firmware_bridge.events import (
    Answered,
    Counted,
    EdgeSeen,
    Ended,
    Event,
    Faulted,
    Fed,
    Greeted,
    Ran,
    Ready,
    Tallied,
    Told,
)
from firmware_bridge.frames import Decoder, encode
from firmware_bridge.session import ENDED, GREETED, GREETING, READY, Misuse, Session
from tests.firmware.fake import FakeBoard

STEP_S = 0.001


class Talk:
    """A session and a fake board on one wire, in virtual time."""

    def __init__(self, take: bool = True, board: FakeBoard | None = None) -> None:
        self.now = 100.0
        self.board = board or FakeBoard()
        self.session = Session(self.now, take)
        self.events: list[Event] = []
        self.sent = bytearray()
        self.cut = False  # the wire
        self.spoil = bytes  # what the wire does to the bytes from the board

    def step(self, seconds: float) -> list[Event]:
        """Lets time pass; returns the events of that time."""
        seen = len(self.events)
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            out = self.session.outgoing()
            self.sent += out
            if not self.cut:
                self.board.receive(out, self.now)
            self.board.tick(self.now)
            back = self.board.outgoing()
            self.events += self.session.receive(b"" if self.cut else self.spoil(back), self.now)
            self.events += self.session.tick(self.now)
        return self.events[seen:]

    def ready(self) -> Talk:
        self.step(0.1)
        assert self.session.phase == READY
        return self

    def feed(self, shot: int = 1, cards: int = 3) -> int:
        return self.session.feed(shot, cards, 100, 400, 4000, 0, 500, self.now)

    def kinds(self) -> list[str]:
        """The kinds of frames that the host has sent."""
        return [chr(kind) for kind, *_ in Decoder().feed(bytes(self.sent))]


def of(kind: type, events: list[Event]) -> list:
    return [event for event in events if isinstance(event, kind)]


# --- 1: greeting --------------------------------------------------------------------------------


def test_a_board_is_greeted_taken_and_asked() -> None:
    talk = Talk()
    events = talk.step(0.05)
    assert [type(event) for event in events] == [Greeted, Ready]
    assert events[0].board.name == "fake"
    assert events[1].status.mode == "hosted"
    assert talk.kinds() == ["H", "T", "A"]


def test_nothing_but_hello_goes_to_something_that_does_not_answer() -> None:
    talk = Talk()
    talk.board.faults.stalled = True
    assert talk.step(5.0) == []
    assert set(talk.kinds()) == {"H"}
    assert 18 <= len(talk.kinds()) <= 21
    assert talk.session.phase == GREETING


def test_a_board_that_wakes_up_late_is_found() -> None:
    talk = Talk()
    talk.board.faults.stalled = True
    talk.step(60.0)
    talk.board.faults.stalled = False
    assert of(Ready, talk.step(0.5))


def test_garbage_at_the_start_is_dropped_and_counted() -> None:
    talk = Talk()
    noise = random.Random(1).randbytes(200)
    talk.session.receive(b"\xff\xfe\x00boot\r\n" + noise + b"\0", talk.now)
    assert of(Ready, talk.step(0.1))
    assert talk.session.counters.dropped >= 2


def test_the_prompt_of_micropython_is_recognised_also_in_two_pieces() -> None:
    session = Session(0.0)
    session.receive(b"\r\n>>", 0.0)
    assert not session.prompt_seen
    session.receive(b"> ", 0.0)
    assert session.prompt_seen


def test_another_version_of_the_protocol_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.frames.VERSION", ord("2"))
    wire = encode(m.BOARD, 1, bytes(31))
    monkeypatch.undo()
    session = Session(0.0)
    session.receive(wire, 0.0)
    assert session.other_version == ord("2")
    assert session.phase == GREETING


def test_a_busy_board_is_taken_when_its_shot_is_over() -> None:
    talk = Talk()
    talk.board.faults.refuse[m.TAKE] = m.BUSY
    assert not of(Ready, talk.step(3.0))
    assert talk.session.phase == GREETED
    talk.board.faults.refuse.clear()
    assert of(Ready, talk.step(0.2))


def test_identifying_takes_nothing() -> None:
    talk = Talk(take=False)
    talk.step(1.0)
    assert talk.kinds() == ["H"]
    assert talk.board.mode == 1
    talk.session.command(m.COUNTS, talk.now)
    (tallied,) = talk.step(0.05)
    assert isinstance(tallied, Tallied)
    assert tallied.tally.odds == "measured"
    with pytest.raises(Misuse):
        talk.session.command(m.CLEAR, talk.now)


# --- 2: answers ---------------------------------------------------------------------------------


def test_a_lost_answer_is_asked_for_again_and_the_board_acts_once() -> None:
    talk = Talk().ready()
    talk.board.faults.drop_answers = 2
    ticket = talk.feed()
    events = talk.step(0.5)
    assert of(Answered, events) == [Answered(ticket, m.FEED, "ok")]
    assert [act for act, _ in talk.board.acts].count("F") == 1
    assert talk.session.counters.repeated == 2


def test_a_damaged_answer_counts_and_is_asked_for_again() -> None:
    talk = Talk().ready()
    talk.board.faults.corrupt_answers = 1
    ticket = talk.feed()
    assert of(Answered, talk.step(0.3)) == [Answered(ticket, m.FEED, "ok")]
    assert talk.session.counters.dropped == 1
    assert [act for act, _ in talk.board.acts].count("F") == 1


def test_an_answer_that_comes_twice_is_taken_once() -> None:
    talk = Talk().ready()
    talk.board.faults.answer_twice = 5
    ticket = talk.feed()
    assert of(Answered, talk.step(0.3)) == [Answered(ticket, m.FEED, "ok")]


def test_a_board_that_falls_silent_ends_the_session_once() -> None:
    talk = Talk().ready()
    talk.board.faults.stalled = True
    events = talk.step(3.0)
    assert [event.reason for event in of(Ended, events)] == ["silent"]
    assert talk.session.phase == ENDED
    assert talk.session.deadline is None
    assert talk.session.outgoing() == b""
    with pytest.raises(Misuse):
        talk.feed()


def test_silence_is_noticed_after_a_second() -> None:
    talk = Talk().ready()
    talk.cut = True
    assert not of(Ended, talk.step(0.9))
    assert of(Ended, talk.step(0.5))


def test_commands_go_one_by_one_in_order() -> None:
    talk = Talk().ready()
    before = len(talk.board.acts)
    for name in (b"a", b"b", b"c"):
        talk.session.command(m.LIGHT, talk.now, name)
    talk.board.faults.drop_answers = 1
    talk.step(0.5)
    assert talk.board.acts[before:] == [("G", b"a"), ("G", b"b"), ("G", b"c")]


def test_refusals_come_back_in_words() -> None:
    talk = Talk().ready()
    talk.board.faults.refuse[m.FEED] = m.LID_OPEN
    ticket = talk.feed()
    assert of(Answered, talk.step(0.1)) == [Answered(ticket, m.FEED, "lid open")]


def test_round_trips_are_measured_without_repeats() -> None:
    talk = Talk().ready()
    talk.board.faults.drop_answers = 1
    talk.feed()
    talk.step(0.5)
    assert max(talk.session.counters.round_trips_s) < 0.01


# --- 3: stop and lease --------------------------------------------------------------------------


def test_stop_goes_out_first_and_takes_back_what_was_not_sent() -> None:
    talk = Talk().ready()
    talk.session.command(m.LIGHT, talk.now, b"on")
    ticket = talk.feed()
    (answered,) = talk.session.stop(talk.now)
    assert answered == Answered(ticket, m.FEED, "taken back")
    sent = [chr(kind) for kind, *_ in Decoder().feed(talk.session.outgoing())]
    assert sent == ["S", "G"]
    talk.step(0.3)
    assert "F" not in talk.kinds()


def test_stop_does_not_wait_for_an_answer_under_way() -> None:
    talk = Talk().ready()
    talk.board.faults.drop_answers = 100
    talk.feed()
    talk.step(0.05)
    talk.session.stop(talk.now)
    talk.step(0.005)
    assert [act for act, _ in talk.board.acts][-2:] == ["F", "S"]


def test_after_stop_a_feed_without_answer_is_not_sent_again() -> None:
    talk = Talk().ready()
    talk.cut = True
    talk.feed()
    talk.step(0.05)
    talk.session.stop(talk.now)
    talk.cut = False
    talk.step(0.4)
    assert talk.kinds().count("F") == 1
    assert ("S", b"") in talk.board.acts
    assert "F" not in [act for act, _ in talk.board.acts]


def test_a_lost_stop_is_sent_again() -> None:
    talk = Talk().ready()
    talk.cut = True
    talk.session.stop(talk.now)
    talk.step(0.05)
    talk.cut = False
    talk.step(0.1)
    assert ("S", b"") in talk.board.acts


def test_stop_is_legal_before_the_board_is_ours() -> None:
    talk = Talk()
    talk.session.stop(talk.now)
    talk.board.faults.refuse[m.TAKE] = m.BUSY
    talk.step(0.05)
    talk.session.stop(talk.now)
    talk.step(0.01)
    assert ("S", b"") in talk.board.acts


def test_a_renewed_lease_waits_for_nothing_and_replaces_the_last_one() -> None:
    talk = Talk().ready()
    talk.feed()
    talk.step(0.02)
    talk.board.faults.drop_answers = 1_000
    for _ in range(10):
        talk.session.renew(500, talk.now)
        talk.step(0.05)
    assert [act for act, _ in talk.board.acts].count("L") == 10
    assert talk.session.counters.repeated <= 3  # the ASK that got no answer, and one lease


def test_the_motor_of_the_board_stops_when_nobody_renews() -> None:
    talk = Talk().ready()
    talk.feed()
    events = talk.step(1.0)
    assert [event.feed.reason for event in of(Fed, events)] == ["lease"]
    assert [event.fault for event in of(Faulted, events)] == ["lease"]


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"cards": 0}, "cards: 0"),
        ({"cards": 113}, "cards: 113"),
        ({"per_card_ms": 401}, "without progress"),
        ({"feed_ms": 2500 + 3 * 1000 + 1}, "cap of the feed"),
        ({"retract_ms": 301}, "retract"),
        ({"lease_ms": 501}, "lease"),
        ({"lease_ms": 0}, "lease"),
        ({"power": 0}, "power"),
        ({"power": 101}, "power"),
    ],
)
def test_the_host_refuses_what_the_board_cannot_do(change: dict, complaint: str) -> None:
    talk = Talk().ready()
    good = {
        "shot": 1,
        "cards": 3,
        "power": 100,
        "per_card_ms": 400,
        "feed_ms": 4000,
        "retract_ms": 0,
        "lease_ms": 500,
    }
    with pytest.raises(Misuse, match=complaint):
        talk.session.feed(**(good | change), now=talk.now)


@pytest.mark.parametrize(
    ("direction", "power", "run_ms", "abilities"),
    [
        (0, 100, 100, 127),
        (2, 100, 100, 127),
        (1, 100, 1501, 127),
        (1, 100, 0, 127),
        (-1, 100, 100, 127 & ~m.REVERSING),
        (1, 99, 100, 127 & ~m.POWER),
    ],
)
def test_the_host_refuses_runs_beyond_the_board(
    direction: int, power: int, run_ms: int, abilities: int
) -> None:
    talk = Talk(board=FakeBoard(abilities=abilities)).ready()
    with pytest.raises(Misuse):
        talk.session.run(direction, power, run_ms, 500, talk.now)


# --- 4: whose board it is -----------------------------------------------------------------------


@pytest.mark.parametrize("banner_lost", [False, True])
def test_a_restart_of_the_board_ends_the_session(banner_lost: bool) -> None:
    talk = Talk().ready()
    talk.feed()
    talk.step(0.02)
    talk.board.restart(0x9999, talk.now)
    if banner_lost:
        talk.board.outgoing()
    events = talk.step(0.5)
    assert [event.reason for event in of(Ended, events)] == ["restarted"]


def test_a_restart_between_hello_and_take_ends_the_session() -> None:
    talk = Talk()
    talk.step(0.001)
    talk.board.receive(talk.session.outgoing(), talk.now)
    talk.board.boot = 77
    events = talk.step(0.3)
    assert [event.reason for event in of(Ended, events)] == ["restarted"]
    assert talk.board.mode == 1


def test_a_board_that_was_let_go_ends_the_session() -> None:
    talk = Talk().ready()
    talk.board.mode = 1
    assert [event.reason for event in of(Ended, talk.step(0.5))] == ["not taken"]


def test_the_status_is_asked_for_regularly() -> None:
    talk = Talk().ready()
    assert 35 <= len(of(Told, talk.step(10.0))) <= 41


# --- 5: events ----------------------------------------------------------------------------------


def test_events_come_in_order_each_once_whatever_is_lost() -> None:
    seed = 11
    rng = random.Random(seed)
    print("seed", seed)
    talk = Talk().ready()
    talk.feed(cards=112)
    talk.step(0.05)
    talk.spoil = lambda back: back[: len(back) // 2] if rng.random() < 0.2 else back
    events = []
    for card in range(1, 113):
        talk.board.count(card, talk.now)
        talk.board.faults.drop_events = rng.choice([0, 0, 0, 1, 2])
        talk.session.renew(500, talk.now)
        events += talk.step(rng.choice([0.001, 0.02, 0.15]))
    talk.board.end("enough", talk.now)
    events += talk.step(2.0)
    assert [event.cards for event in of(Counted, events)] == list(range(1, 113))
    assert [event.feed.reason for event in of(Fed, events)] == ["enough"]
    assert talk.board._events == []


def test_edges_carry_the_time_at_which_they_happened() -> None:
    talk = Talk().ready()
    talk.step(1.0)
    at = talk.now
    talk.board.edge(m.BUTTON, True, at)
    talk.board.faults.drop_events = 3
    (seen,) = of(EdgeSeen, talk.step(1.0))
    assert (seen.input, seen.active) == (m.BUTTON, True)
    assert seen.at == pytest.approx(at, abs=0.002)


def test_a_status_that_is_ahead_of_the_events_says_so() -> None:
    """It may have come through where the events before it were lost."""
    talk = Talk().ready()
    talk.board.faults.drop_events = 4
    talk.board.edge(m.BUTTON, True, talk.now)
    events = talk.step(0.35)
    assert [told.in_step for told in of(Told, events)] == [False]
    assert of(EdgeSeen, events) == []
    events = talk.step(0.5)
    assert [type(event) for event in events] == [EdgeSeen, Told, Told]
    assert all(told.in_step for told in of(Told, events))


def test_runs_and_faults_are_reported() -> None:
    talk = Talk().ready()
    talk.session.run(-1, 100, 150, 500, talk.now)
    talk.step(0.02)
    talk.board.end("time", talk.now)
    talk.board.latch("internal", talk.now)
    events = talk.step(0.05)
    assert [event.reason for event in of(Ran, events)] == ["time"]
    assert [event.fault for event in of(Faulted, events)] == ["internal"]


def test_a_count_that_the_board_does_not_know_is_none() -> None:
    talk = Talk().ready()
    talk.feed()
    talk.step(0.02)
    talk.board.last = (1, 3, m.UNKNOWN_COUNT, 0, 0, 0, 0)
    talk.board.end("enough", talk.now, marks=m.BLOCKED | m.SLOW, retries=2)
    (fed,) = of(Fed, talk.step(0.05))
    assert fed.feed[2:] == (None, 0, "enough", True, True, 2)


# --- 6: whatever comes in -----------------------------------------------------------------------


def test_codes_of_a_newer_firmware_are_words_too() -> None:
    talk = Talk().ready()
    talk.board.fault = 200
    (told, *_) = of(Told, talk.step(0.5))
    assert told.status.fault == "code 200"


def test_good_frames_with_a_wrong_payload_are_counted_and_dropped() -> None:
    talk = Talk().ready()
    for kind in (m.BOARD, m.DONE, m.STATUS, m.TALLY, *m.EVENTS, ord("?")):
        assert talk.session.receive(encode(kind, 1, b"\1"), talk.now) == []
    assert talk.session.counters.malformed == 10
    assert talk.session.phase == READY


def test_a_million_random_and_mutated_bytes() -> None:
    """No exception, and no event without a good frame."""
    seed = 2
    print("seed", seed)
    rng = random.Random(seed)
    talk = Talk().ready()
    wires = [
        encode(m.DONE, 1, struct.pack(m.DONE_FORM, 0, 5)),
        encode(m.STATUS, 1, bytes(21)),
        encode(m.EDGES, 0, bytes(10)),
        encode(m.CARD, 1, bytes(8)),
        encode(m.FED, 2, bytes(11)),
        encode(m.BOARD, 2, bytes(40)),
    ]
    fed = 0
    while fed < 1_000_000:
        if talk.session.phase == ENDED:
            talk.session = Session(talk.now)
            talk.board.restart(rng.getrandbits(31), talk.now)
            talk.ready()
        if rng.random() < 0.5:
            data = rng.randbytes(rng.randrange(1, 2000))
        else:
            wire = bytearray(b"".join(rng.choices(wires, k=30)))
            for _ in range(rng.randrange(60)):
                wire[rng.randrange(len(wire))] = rng.randrange(256)
            data = bytes(wire)
        good = talk.session._decoder.good
        events = talk.session.receive(data, talk.now)
        assert not events or talk.session._decoder.good > good
        fed += len(data)
        talk.now += STEP_S
        talk.session.tick(talk.now)
        talk.session.outgoing()


# --- clocks -------------------------------------------------------------------------------------


def test_the_quickest_round_trip_of_late_decides() -> None:
    clock = BoardClock()
    assert clock.host(5, 1.0) == 1.0
    clock.sample(1000, 10.0, 10.2)
    assert clock.host(1000, 11.0) == pytest.approx(10.1)
    clock.sample(2000, 11.0, 11.002)
    clock.sample(3000, 12.0, 12.5)  # worse: not used
    assert clock.host(2500, 13.0) == pytest.approx(11.501)
    clock.sample(13_500, 22.0, 22.5)  # the good one is old by now
    assert clock.host(13_500, 30.0) == pytest.approx(22.25)


def test_board_times_before_and_after_their_wrap() -> None:
    clock = BoardClock()
    clock.sample(10, 50.0, 50.0)
    assert clock.host((1 << 32) - 90, 60.0) == pytest.approx(49.9)
    assert clock.host(110, 60.0) == pytest.approx(50.1)


def test_no_event_is_later_than_now() -> None:
    clock = BoardClock()
    clock.sample(1000, 10.0, 10.2)
    assert clock.host(1090, 10.15) == 10.15
