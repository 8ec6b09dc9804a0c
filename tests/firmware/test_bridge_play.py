"""The whole program plays over the bridge: controller, loop, launcher, link, firmware."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.link import Down, Up
from tests.firmware.lane import PHYSICS


def test_fifty_seeded_shots_bring_the_decided_cards(game, quick):
    seed = 21
    print("seed", seed)
    rng = random.Random(seed)
    wanted = [rng.randrange(1, 14) for _ in range(50)]
    play = game(lambda press: wanted[press - 1], **quick)
    for shot, cards in enumerate(wanted):
        before = play.pico.cards_out
        outcome = play.shoot()
        assert outcome["decided"] == outcome["delivered"] == cards, f"shot {shot}"
        assert play.pico.cards_out - before == cards
        assert (outcome["owed"], outcome["reason"]) == (0, "enough")
    assert len(play.of("press")) == 50
    assert play.of("fault") == []


@pytest.mark.parametrize(
    "seed", [2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(10, 25))]
)
def test_over_a_bad_cable_the_cards_are_right_all_the_same(game, quick, seed):
    """One byte in 300 is damaged, both ways."""
    rng = random.Random(seed)

    def spoil(data: bytes) -> bytes:
        return bytes(b ^ 1 << rng.randrange(8) if rng.random() < 1 / 300 else b for b in data)

    play = game(lambda press: press % 5 + 1, **quick)
    play.rig.spoil = spoil
    for shot in range(15):
        before = play.pico.cards_out
        outcome = play.shoot()
        assert outcome["delivered"] == outcome["decided"], f"shot {shot}"
        assert play.pico.cards_out - before == outcome["decided"]
    play.rig.spoil = bytes
    counters = play.launcher.link.counters
    print(f"{counters.dropped} dropped, {counters.repeated} repeated, {counters.sent} sent")
    assert counters.dropped > 0
    assert counters.repeated > 0
    assert play.of("fault") == []


def test_a_blank_turns_no_motor(game):
    play = game(lambda press: 0)
    assert play.shoot()["reason"] == "blank"
    play.rig.step(500)
    assert play.pico.on_spans() == []
    assert 392 in [hz for _, hz in play.pico.sounds]


def test_cards_go_on_record_one_by_one_while_they_come(game):
    play = game(lambda press: 4)
    play.press()
    seen = []
    while not play.of("outcome"):
        play.rig.step(5)
        seen.append(len(play.of("card")))
    assert sorted(set(seen)) == [0, 1, 2, 3, 4]


def test_the_lid_stops_it_and_the_rest_comes_with_the_next_press(game):
    play = game(lambda press: 5)
    play.press()
    play.rig.until(lambda: play.pico.cards_out == 2)
    play.rig.until(lambda: play.pico.driven)
    opened = play.pico.now_ms
    play.pico.hand("lid", 1)
    play.until("lid_open")
    play.rig.step(500)
    assert play.pico.on_spans()[-1][1] - opened < 1
    outcome = play.of("outcome")[-1]
    assert outcome["delivered"] + outcome["owed"] == 5
    spans = len(play.pico.on_spans())
    for _ in range(4):
        play.press()
    assert [r["reason"] for r in play.of("refusal")] == ["lid_open"] * 4
    play.pico.hand("lid", 0)
    play.rig.step(6000)
    assert len(play.pico.on_spans()) == spans
    assert play.controller.state == "ready"
    owed = outcome["owed"]
    again = play.shoot()
    assert (again["decided"], again["rest"]) == (0, owed)


def test_a_spike_on_the_lid_does_not_end_the_shot(game):
    play = game(lambda press: 3)
    play.press()
    play.pico.hand("noise", 1, 5)
    play.rig.until(lambda: play.of("outcome"))
    assert play.of("outcome")[-1]["delivered"] == 3
    assert play.of("lid") == []


def test_noise_on_the_button_is_no_press(game):
    play = game(lambda press: 2)
    play.pico.hand("noise", 0, 200)
    play.rig.step(1000)
    assert play.of("press") == []
    assert play.of("refusal") == []
    assert play.shoot()["delivered"] == 2


def test_a_jam_is_a_jam(game):
    play = game(lambda press: 4, physics=PHYSICS | {"jam_at": 3})
    outcome = play.shoot()
    assert (outcome["delivered"], outcome["owed"], outcome["reason"]) == (2, 2, "stalled")
    assert outcome["retries"] == 2
    assert play.until("jammed", "empty") == "jammed"
    spans = len(play.pico.on_spans())
    play.press()
    play.rig.step(500)
    assert len(play.pico.on_spans()) == spans
    play.pico.hand("lid", 1)
    play.rig.step(300)
    play.pico.hand("take")
    play.rig.step(300)
    play.pico.hand("lid", 0)
    play.until("ready")
    assert play.of("protruding") == [{"delivered": 1, "extra": 0, "owed": 1}]
    assert play.shoot()["rest"] == 1
    assert play.pico.cards_out == 3


def test_an_empty_hopper_is_told(game):
    play = game(lambda press: 2, physics=PHYSICS | {"stack": 1})
    outcome = play.shoot()
    assert (outcome["delivered"], outcome["owed"]) == (1, 1)
    assert play.controller.state == "empty"


def test_the_dead_control_loop_is_survived(game):
    """The link's thread lives, the control loop does not: the lease runs out."""
    play = game(lambda press: 9)
    play.press()
    play.rig.until(lambda: play.pico.driven)
    play.rig.before_step = lambda now: None
    stopped = play.pico.now_ms
    play.rig.step(1500)
    assert play.pico.on_spans()[-1][1] <= stopped + 505
    play.rig.before_step = play.loop.step
    play.rig.step(300)
    assert play.controller.state == "fault"
    assert play.of("fault")[-1]["cause"] == "bridge_fault"
    assert play.of("outcome")[-1]["reason"] == "lease"
    # Someone looks at it, holds the button, and play goes on with what was owed.
    play.pico.hand("press", 1)
    play.until("ready")
    play.pico.hand("press", 0)
    play.rig.step(200)
    owed = play.of("outcome")[-1]["owed"]
    before = play.pico.cards_out
    assert play.shoot()["delivered"] == owed
    assert play.pico.cards_out - before == owed


# --- losing the link ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["reset", "unplug"])
def test_a_board_that_is_started_anew_in_mid_shot(game, how):
    play = game(lambda press: 6)
    play.press()
    play.rig.until(lambda: play.pico.cards_out == 2)
    play.rig.unplug()
    if how == "reset":
        play.rig.plug()
    play.until("fault")
    assert play.of("fault")[-1]["cause"] == "bridge_lost"
    play.rig.step(3000)
    outcome = play.of("outcome")[-1]
    assert outcome["decided"] == 6
    assert outcome["delivered"] in (1, 2)
    assert outcome["delivered"] + outcome["owed"] == 6
    if how == "unplug":
        play.rig.plug("ttyACM1")
    play.rig.until(lambda: play.launcher.link.up)
    spans = len(play.pico.on_spans())
    play.rig.step(6000)
    assert len(play.pico.on_spans()) == spans, "it fired by itself"
    assert play.launcher.link.device.endswith("ttyACM1" if how == "unplug" else "ttyACM0")
    play.pico.hand("press", 1)
    play.until("ready")
    play.pico.hand("press", 0)
    play.rig.step(200)
    again = play.shoot()
    assert (again["decided"], again["rest"]) == (0, outcome["owed"])
    assert again["delivered"] == outcome["owed"]


def test_a_restart_that_keeps_the_port_is_seen_by_its_boot_id(game):
    play = game(lambda press: 6)
    play.press()
    play.rig.until(lambda: play.pico.cards_out == 1)
    play.rig.reset()
    play.until("fault")
    assert play.of("fault")[-1]["cause"] == "bridge_restarted"
    play.rig.until(lambda: play.launcher.link.up)
    play.rig.step(5000)
    assert play.pico.driven == 0
    assert len([e for e in play.rig.events if isinstance(e, Down)]) == 1


def test_a_cable_that_is_out_for_a_moment_costs_no_count(game):
    """The board lives on, and tells how far it got."""
    play = game(lambda press: 9)
    play.press()
    play.rig.until(lambda: play.pico.cards_out == 3)
    play.rig.cut = True
    play.rig.step(700)
    assert play.controller.state == "fault"
    play.rig.cut = False
    play.rig.until(lambda: play.launcher.link.up)
    play.rig.step(1500)
    outcome = play.of("outcome")[-1]
    assert outcome["delivered"] == play.pico.cards_out
    assert outcome["owed"] == 9 - play.pico.cards_out
    assert play.of("outcome")[-1] is outcome


def test_pressing_without_a_link_is_a_fault_not_a_wait(game):
    play = game(lambda press: 2)
    play.rig.unplug()
    play.until("fault")
    play.rig.step(2000)
    assert play.launcher.levels().lid is False
    play.launcher.off()
    with pytest.raises(Exception, match="no link"):
        from cannon.core.commands import Feed

        play.launcher.do(Feed(2))


def test_the_link_comes_back_many_times(game):
    play = game(lambda press: 1)
    for turn in range(5):
        play.rig.unplug()
        play.rig.step(700)
        play.rig.plug(f"ttyACM{turn % 3}")
        play.rig.until(lambda: play.launcher.link.up)
    assert len([e for e in play.rig.events if isinstance(e, Down)]) == 5
    assert len([e for e in play.rig.events if isinstance(e, Up)]) == 6
    assert play.launcher.link.downs == 5
