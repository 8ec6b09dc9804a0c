"""The firmware and a host that speaks by hand: what is answered, refused and survived."""

from __future__ import annotations

import random
import struct

import msgspec
import pytest

from firmware_bridge import messages as m
from firmware_bridge import reports
from firmware_bridge.frames import encode
from firmware_bridge.session import PROBE
from tests.firmware.conftest import quick_board
from tests.firmware.lane import PHYSICS, PICO_HEAP_KB, SERIAL
from tests.firmware.test_frames import mutated


def feed(host, shot=1, cards=3, power=100, stall=400, cap=3000, retract=40, lease=500):
    return host.ask(m.FEED, m.FEED_FORM, shot, cards, power, stall, cap, retract, lease)


def lease(host, ms=500):
    return host.ask(m.LEASE, m.LEASE_FORM, ms)


def run_out(host, ms, every=100):
    """Lets time pass with a host that renews the lease and says GOT."""
    frames = []
    for _ in range(round(ms / every)):
        lease(host)
        for kind, sequence, payload in host.step(every):
            frames.append((kind, payload))
            if kind in m.EVENTS:
                host.write(encode(m.GOT, sequence))
    return frames


# --- who is there -------------------------------------------------------------------------------


def test_it_says_who_it_is(raw):
    host = raw()
    board = host.hello()
    assert board.name == "launcher-pico"
    assert board.version == (0, 1, 0)
    assert board.serial == SERIAL.hex()
    assert board.counts and board.reverses
    assert (board.most_lease_ms, board.most_run_ms, board.most_cards) == (500, 1500, 112)
    assert host.hello() == board


def test_every_start_has_another_boot_id(raw):
    host = raw()
    first = host.hello().boot
    host.pico.reset()
    host.now_ms, host._written, host._read = 0.0, 0, 0
    host.frames.clear()
    assert host.hello().boot != first


def test_a_start_says_so_by_itself_and_does_nothing(raw):
    host = raw()
    (kind, _, payload), *others = host.step(2000)
    assert kind == m.BOARD
    assert reports.board(payload).name == "launcher-pico"
    assert others == []
    assert host.pico.driven == 0
    assert host.status().mode == "starting"


@pytest.mark.parametrize(
    "noise",
    [
        b"\x03",
        b"\x03\x03\x04\x01\x02\x05",
        b"AT\r",
        b"\xff\xfe\x00boot\r\n" + random.Random(4).randbytes(200),
        PROBE[:20],
        encode(m.STOP, 1)[:-3],
        encode(m.STOP, 1)[3:],
        b"A" * 5000,
        b"\0" * 5000,
        b"M105\nG28\n",
    ],
)
def test_noise_before_hello_does_no_harm(raw, noise):
    host = raw()
    host.write(noise)
    host.step(50)
    assert host.hello().name == "launcher-pico"
    assert host.ask(m.TAKE, m.TAKE_FORM, host.hello().boot) == "ok"
    assert host.pico.driven == 0


def test_interrupt_and_reset_characters_in_mid_feed_do_nothing(raw):
    host = raw().take()
    assert feed(host) == "ok"
    host.step(100)
    host.write(b"\0\x03\x03\x04\x01\0")
    assert host.pico.driven == 100
    run_out(host, 1500)
    assert host.pico.cards_out == 3


# --- commands and their limits ------------------------------------------------------------------


def test_before_it_is_taken_only_stop_and_questions_are_answered(raw):
    host = raw()
    host.hello()
    assert feed(host) == "not taken"
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 100, 500) == "not taken"
    assert host.ask(m.CLEAR) == "not taken"
    assert host.ask(m.LEASE, m.LEASE_FORM, 500) == "not taken"
    assert host.ask(m.STOP) == "ok"
    assert host.status().mode == "starting"
    assert host.tally().exceptions == 0
    assert host.pico.driven == 0


def test_a_take_for_another_start_is_refused(raw):
    host = raw()
    boot = host.hello().boot
    assert host.ask(m.TAKE, m.TAKE_FORM, boot ^ 1) == "other boot"
    assert feed(host) == "not taken"


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ({"cards": 0}, "beyond limits"),
        ({"cards": 113}, "beyond limits"),
        ({"power": 99}, "beyond limits"),  # this board has no PWM
        ({"power": 0}, "beyond limits"),
        ({"power": 101}, "beyond limits"),
        ({"stall": 401}, "beyond limits"),
        ({"stall": 0}, "beyond limits"),
        ({"cap": 2000 + 3 * 1500 + 1}, "beyond limits"),
        ({"cap": 0}, "beyond limits"),
        ({"retract": 301}, "beyond limits"),
        ({"lease": 501}, "beyond limits"),
        ({"lease": 0}, "beyond limits"),
    ],
)
def test_a_feed_beyond_the_limits_is_refused(raw, change, result):
    host = raw().take()
    assert feed(host, **change) == result
    host.step(100)
    assert host.pico.driven == 0


@pytest.mark.parametrize(
    ("values", "result"),
    [
        ((1, 100, 1501, 500), "beyond limits"),
        ((1, 100, 0, 500), "beyond limits"),
        ((1, 50, 100, 500), "beyond limits"),
        ((1, 100, 100, 501), "beyond limits"),
        ((0, 100, 100, 500), "malformed"),
        ((2, 100, 100, 500), "malformed"),
    ],
)
def test_a_run_beyond_the_limits_is_refused(raw, values, result):
    host = raw().take()
    assert host.ask(m.RUN, m.RUN_FORM, *values) == result
    host.step(100)
    assert host.pico.driven == 0


@pytest.mark.parametrize("kind", [m.TAKE, m.LEASE, m.FEED, m.RUN, m.PLAY, m.ODDS, m.PART, m.KEEP])
def test_a_payload_of_the_wrong_size_is_malformed(raw, kind):
    host = raw().take()
    assert host.ask(kind) == "malformed"
    assert host.ask(kind, rest=b"\1" * (1 if kind == m.PART else 40)) != "ok"
    assert host.tally().exceptions == 0


def test_an_unknown_command_is_refused(raw):
    host = raw().take()
    assert host.ask(ord("?")) == "cannot"


def test_what_the_board_has_not_is_refused_in_words(raw):
    host = raw().take()
    assert host.ask(m.LIGHT, rest=b"on") == "cannot"  # no light on this board
    assert host.ask(m.PLAY, rest=b"\0nonsense") == "cannot"
    assert host.ask(m.PLAY, rest=b"\0\xff\xfe") == "cannot"
    assert host.ask(m.PLAY, rest=b"\0ding") == "ok"


@pytest.mark.parametrize(("flags", "duty"), [(0, 50), (1, 50), (20, 10), (21, 10), (7, 3)])
def test_a_tune_is_as_loud_as_the_host_wants(raw, flags, duty):
    host = raw().take()
    assert host.ask(m.PLAY, rest=bytes([flags]) + b"ding") == "ok"
    host.step(5)
    assert host.pico.sound_duty == duty


def test_no_beeper_is_on_for_more_than_half_of_a_period(raw):
    host = raw().take()
    assert host.ask(m.PLAY, rest=bytes([51 << 1]) + b"ding") == "beyond limits"
    host.step(5)
    assert host.pico.sound_duty == 0


def test_with_the_lid_open_nothing_starts(raw):
    host = raw(lid_open=True).take()
    assert feed(host) == "lid open"
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 100, 500) == "lid open"
    assert host.status().levels == 1 << m.LID
    host.pico.hand("lid", 0)
    host.step(30)  # closed, but not for long enough to be believed
    assert feed(host) == "lid open"
    host.step(5000)
    assert host.pico.on_spans() == []


def test_one_motion_at_a_time(raw):
    host = raw().take()
    assert feed(host) == "ok"
    assert feed(host, shot=2) == "busy"
    assert host.ask(m.RUN, m.RUN_FORM, -1, 100, 100, 500) == "busy"
    assert host.ask(m.CLEAR) == "busy"
    assert host.ask(m.PROMPT) == "busy"


# --- once means once ----------------------------------------------------------------------------


def test_a_repeated_number_is_answered_again_and_not_done_again(raw):
    host = raw().take()
    wire = encode(m.RUN, 200, struct.pack(m.RUN_FORM, 1, 100, 30, 500))
    for _ in range(5):
        host.write(wire)
        answers = [payload for kind, number, payload in host.step(40) if number == 200]
        assert [reports.done(payload)[0] for payload in answers] == ["ok"]
    assert len(host.pico.on_spans()) == 1


def test_the_same_shot_is_not_fed_twice_whatever_its_number(raw):
    host = raw().take()
    assert feed(host, shot=5, cards=1) == "ok"
    run_out(host, 1000)
    assert host.pico.cards_out == 1
    assert feed(host, shot=5, cards=1) == "same shot"
    assert host.ask(m.TAKE, m.TAKE_FORM, host.hello().boot) == "ok"
    assert feed(host, shot=5, cards=1) == "same shot"
    assert feed(host, shot=6, cards=1) == "ok"


def test_events_come_again_until_they_are_got(raw):
    host = raw().take()
    host.pico.hand("press", 1)
    events = [f for f in host.step(450) if f[0] == m.EDGES]
    assert len(events) >= 4
    assert len(set(events)) == 1
    host.write(encode(m.GOT, events[0][1]))
    host.step(5)
    assert [f for f in host.step(500) if f[0] == m.EDGES] == []


def test_the_button_is_told_when_it_has_settled_with_the_time_of_its_first_edge(raw):
    host = raw().take()
    host.step(100)
    pressed = host.now_ms
    host.pico.hand("chatter", 0, 7)
    edges = {e for f in host.step(100) if f[0] == m.EDGES for e in reports.edges(f[2])}
    ((index, active, at_ms),) = edges
    assert (index, active) == (m.BUTTON, True)
    assert at_ms == pytest.approx(pressed, abs=3)
    assert host.status().levels == 1 << m.BUTTON


def test_the_exit_sensor_is_told_edge_by_edge(raw):
    host = raw().take()
    host.step(100)
    host.pico.hand("noise", 2, 3)
    edges = {e for f in host.step(50) if f[0] == m.EDGES for e in reports.edges(f[2])}
    assert [e.active for e in sorted(edges, key=lambda e: (e.at_ms, not e.active))] == [
        True,
        False,
    ] * 3


# --- the end of a motion ------------------------------------------------------------------------


def test_a_feed_brings_the_cards_and_tells_of_each(raw):
    host = raw().take()
    assert feed(host, cards=4) == "ok"
    frames = run_out(host, 2000)
    counted = {payload for kind, payload in frames if kind == m.CARD}
    assert sorted(reports.card(payload)[2] for payload in counted) == [1, 2, 3, 4]
    (fed,) = {reports.fed(payload)[1] for kind, payload in frames if kind == m.FED}
    assert (fed.shot, fed.cards, fed.reason, fed.blocked, fed.slow) == (
        1,
        4,
        "enough",
        False,
        False,
    )
    assert host.pico.cards_out == 4
    assert host.status().feed == fed._replace(wanted=4)
    *_, (began, ended) = host.pico.on_spans()
    assert ended - began == pytest.approx(40, abs=2)  # the retract


def test_silence_ends_a_feed_with_its_lease_and_latches_a_fault(raw):
    host = raw().take()
    feed(host, cards=9)
    asked_ms = host.now_ms
    frames = host.step(1500)
    assert host.pico.driven == 0
    assert host.pico.on_spans()[-1][1] <= asked_ms + 505
    reasons = {reports.fed(f[2])[1].reason for f in frames if f[0] == m.FED}
    assert reasons == {"lease"}
    assert host.status().fault == "lease"
    assert feed(host, shot=2) == "fault"
    assert host.ask(m.CLEAR) == "ok"
    assert feed(host, shot=2, cards=1) == "ok"


def test_stop_ends_it_at_once(raw):
    host = raw().take()
    feed(host, cards=9)
    host.step(100)
    at = host.now_ms
    assert host.ask(m.STOP) == "ok"
    assert host.pico.on_spans()[-1][1] <= at + 2
    frames = host.step(500)
    assert {reports.fed(f[2])[1].reason for f in frames if f[0] == m.FED} == {"stop"}
    assert host.status().fault == ""


def test_the_cap_of_a_feed_ends_it(raw):
    host = raw(physics={**PHYSICS, "jam_at": 1}).take()
    feed(host, cap=700)
    at = host.now_ms
    frames = run_out(host, 1500)
    assert max(ended for _, ended in host.pico.on_spans()) <= at + 705
    assert {reports.fed(p)[1].reason for kind, p in frames if kind == m.FED} == {"timeout"}
    assert host.status().fault == "timeout"


def test_a_card_that_sticks_is_tried_again_then_it_is_a_stall(raw):
    host = raw(physics={**PHYSICS, "jam_at": 3}).take()
    feed(host, cards=5, cap=6000)
    frames = run_out(host, 5000)
    (fed,) = {reports.fed(p)[1] for kind, p in frames if kind == m.FED}
    assert (fed.cards, fed.reason, fed.blocked, fed.retries) == (2, "stalled", True, 2)
    backwards = [drive for drive in host.pico.drives if drive.percent < 0]
    assert len(backwards) == 2
    assert host.status().fault == "stalled"
    host.pico.hand("jam_at", 0)
    host.step(50)
    assert host.ask(m.CLEAR) == "ok"
    assert feed(host, shot=2, cards=3) == "ok"
    run_out(host, 2000)
    assert host.pico.cards_out == 5


def test_between_directions_the_motor_rests(raw):
    host = raw(physics={**PHYSICS, "jam_at": 1}).take()
    feed(host, cards=2, cap=4000)
    run_out(host, 4000)
    drives = host.pico.drives
    for before, after in zip(drives, drives[2:], strict=False):
        if before.percent * after.percent < 0:
            off = next(d for d in drives if d.ms > before.ms)
            assert after.ms - off.ms >= 58
    assert host.ask(m.CLEAR) == "ok"
    assert host.ask(m.RUN, m.RUN_FORM, 1, 100, 50, 500) == "ok"
    host.step(52)
    assert host.ask(m.RUN, m.RUN_FORM, -1, 100, 50, 500) == "beyond limits"
    host.step(60)
    assert host.ask(m.RUN, m.RUN_FORM, -1, 100, 50, 500) == "ok"


# --- the lid ------------------------------------------------------------------------------------


def test_the_lid_cuts_the_motor_without_any_word_from_the_host(raw):
    host = raw().take()
    feed(host, cards=9)
    host.step(100)
    assert host.pico.driven == 100
    opened = host.now_ms
    host.pico.hand("lid", 1)
    frames = host.step(1000)
    assert host.pico.on_spans()[-1][1] - opened < 1
    assert {reports.fed(f[2])[1].reason for f in frames if f[0] == m.FED} == {"lid"}
    assert host.status().fault == ""
    host.pico.hand("lid", 0)
    host.step(6000)
    assert host.pico.driven == 0
    assert len(host.pico.on_spans()) == 1


def test_a_spike_on_the_lid_cuts_and_the_feed_goes_on(raw):
    host = raw().take()
    feed(host, cards=2)
    host.step(100)
    host.pico.hand("noise", 1, 3)
    run_out(host, 2000)
    assert host.pico.cards_out == 2
    assert host.status().feed.reason == "enough"
    (_, cut), (went_on, _), *_ = host.pico.on_spans()
    assert cut % 1 == 0.5  # at the spike, between two turns of the main loop
    assert went_on - cut < 15


def test_motor_noise_on_the_button_is_nothing(raw):
    host = raw().take()
    feed(host, cards=3)
    host.pico.hand("noise", 0, 200)
    frames = run_out(host, 2000)
    edges = [e for kind, payload in frames if kind == m.EDGES for e in reports.edges(payload)]
    assert {e.input for e in edges} == {m.EXIT}
    assert host.status().feed.cards == 3
    assert host.pico.cards_out == 3


# --- a host that behaves badly ------------------------------------------------------------------


@pytest.mark.parametrize("renews", [False, True])
def test_a_host_that_does_not_read_stops_nothing(raw, renews):
    """Asked without end and never read, for 10 seconds: the board waits for nobody."""
    host = raw().take()
    feed(host, cards=20, cap=3000)
    began = host.now_ms
    host.reading = False
    for _ in range(200):
        for number in range(1, 41):
            host.write(encode(m.ASK, number))
        if renews:
            host.write(encode(m.LEASE, 41, struct.pack(m.LEASE_FORM, 500)))
        host.step(50)
    last = host.pico.on_spans()[-1][1]
    assert host.pico.driven == 0
    assert last <= began + (3005 if renews else 505)
    host.reading = True
    host.step(100)
    host.step(100)
    tally = host.tally()
    assert tally.exceptions == 0
    assert tally.unsent > 100


@pytest.mark.parametrize("kind", ["random", "mutated"])
def test_half_a_million_bytes_of_each_kind(raw, kind):
    """No exception, no act without a valid frame, and in step after a zero byte."""
    seed = f"firmware {kind}"
    print("seed", seed)
    rng = random.Random(seed)
    host = raw()
    host.hello()
    data = rng.randbytes(500_000) if kind == "random" else mutated(rng, 500_000)
    # Not the wish to stop for an update, which a good frame may well ask for.
    data = data.replace(encode(m.PROMPT, 18)[:-1], b"")
    for at in range(0, len(data), 4000):
        host.write(data[at : at + 4000])
        host.step(60)
    host.write(b"\0")
    assert host.hello().name == "launcher-pico"
    assert host.tally().exceptions == 0
    # Nobody has taken the board: the golden TAKE is for another start.
    assert host.pico.on_spans() == []
    assert host.status().mode != "hosted"


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", ["launcher-pico", "diy-pico"])
def test_with_a_picos_heap_two_fifths_of_it_are_free_at_rest(raw, board):
    host = raw(board=board, heap_kb=PICO_HEAP_KB).take()
    tally = host.tally()
    assert tally.heap_free / (tally.heap_free + tally.heap_used) >= 0.40
    print(f"{tally.heap_free} of {tally.heap_free + tally.heap_used} bytes free")


# --- other builds -------------------------------------------------------------------------------


def test_a_board_with_hopper_and_light(raw):
    host = raw(board="diy-pico").take()
    assert host.status().levels == 1 << m.HOPPER
    host.pico.hand("hopper", 0)
    edges = [e for f in host.step(50) if f[0] == m.EDGES for e in reports.edges(f[2])]
    assert (edges[0].input, edges[0].active) == (m.HOPPER, False)
    assert host.ask(m.LIGHT, rest=b"alarm") == "ok"
    assert host.ask(m.LIGHT, rest=b"disco") == "cannot"


def test_a_board_that_cannot_count_feeds_by_time(raw):
    board = msgspec.structs.replace(quick_board(), exit_sensor=None)
    host = raw(board=board).take()
    assert not host.hello().counts
    feed(host, cards=3)
    run_out(host, 1500)
    fed = host.status().feed
    assert (fed.cards, fed.reason) == (None, "enough")
    forward = sum(e - b for b, e in host.pico.on_spans()[:-1])
    assert forward == pytest.approx(8 + 3 * 130, abs=4)


def test_a_board_with_one_direction_and_pwm(raw):
    board = quick_board()
    motor = msgspec.structs.replace(
        board.motor, backward=None, enable=None, pwm_hz=1000, driver="mosfet"
    )
    host = raw(board=msgspec.structs.replace(board, motor=motor)).take()
    about = host.hello()
    assert not about.reverses
    assert about.most_retract_ms == 0
    assert host.ask(m.RUN, m.RUN_FORM, -1, 100, 100, 500) == "beyond limits"
    assert host.ask(m.RUN, m.RUN_FORM, 1, 50, 100, 500) == "ok"
    host.step(50)
    assert host.pico.driven == 50
    host.pico.hand("lid", 1)
    at = host.now_ms
    host.step(50)
    assert host.pico.on_spans()[-1][1] - at < 1


# --- update -------------------------------------------------------------------------------------


def test_prompt_restarts_into_the_prompt_once(raw):
    host = raw()
    host.hello()
    assert host.ask(m.PROMPT) == "ok"
    host.pico._tell("go 5000000 0")
    assert host.pico.wait_for_end() == 42
    assert host.pico.ends == ["reset"]
    host.pico.reset()
    assert host.pico.wait_for_end() == 0  # main.py has ended: what follows on a chip is the prompt
    host.pico.reset()
    host.now_ms, host._written, host._read = 0.0, 0, 0
    host.step(10)
    assert host.hello().name == "launcher-pico"
