"""The twin itself: what it must not make easier or harder than life."""

from cannon.core.events import EXIT
from cannon.loop import IDLE_S
from tests.twin.scenario_tools import begun


def test_a_level_that_changed_while_edges_were_lost_is_seen_within_an_idle_turn():
    with begun("switch on\nexpect presses 0") as stage:
        twin = stage.twin
        twin.run(1.0)
        twin.pins.deaf = True
        twin.wires.set(EXIT, True)
        twin.run(0.001)
        twin.pins.deaf = False  # the edge is lost nevertheless
        assert not twin.loop.controller._inputs.beam.raw
        twin.run(IDLE_S)
        assert twin.loop.controller._inputs.beam.raw


def test_a_button_that_is_held_stays_down_through_the_motors_noise():
    lines = ["odds 3", "noise 500 per s up to 1 ms", "switch on", "hold button", "wait 6 s"]
    with begun("\n".join([*lines, "expect presses 1"])) as stage:
        stage.wait(6.0)
        assert stage.twin.wires.levels["button"]
        assert stage.twin.launcher.levels().button
        assert stage.twin.account.presses == 1


def test_the_hopper_runs_empty_with_its_last_card():
    with begun("board diy-pi\nstack 2\nodds 2\nswitch on\nexpect presses 0") as stage:
        twin = stage.twin
        seen = []
        twin.press()
        twin.run(6.0, lambda: seen.append((twin.mechanism.out, twin.launcher.levels().hopper)))
        assert {loaded for out, loaded in seen if out == 0} == {True}
        assert twin.launcher.levels().hopper is False


def test_a_run_of_the_motor_ends_at_its_cap_when_nobody_takes_turns():
    with begun("odds 5\nswitch on\nexpect presses 0") as stage:
        twin = stage.twin
        twin.press()
        twin.run(1.0, lambda: twin.account.motor_on)
        began = twin.clock.now
        twin.freeze(60.0)
        twin.run(60.0, lambda: not twin.account.motor_on)
        assert twin.clock.now - began <= twin.board.motor.max_run_ms / 1000 + 1e-9
        assert twin.account.violation_count == 0


def test_pins_can_be_opened_again_after_a_power_cut():
    with begun("odds 1\nswitch on\nexpect on file press") as stage:
        for _ in range(3):
            stage.twin.press()
            stage.wait(3.0)
            stage.cut_power()
            stage.switch_on()
            stage.wait(1.0)
        assert stage.twin.account.presses == 3
        assert stage.twin.account.violation_count == 0
