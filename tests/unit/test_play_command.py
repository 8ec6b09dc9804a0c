"""`cannon play` as a program: what it says and how it ends, on fake GPIO chips and simulated."""

import json
import signal
import sqlite3
import termios
from contextlib import closing

import pytest

from tests.unit.play_tools import BOARD, PATIENCE_S, Machine, wait_until
from tests.unit.terminal_tools import Terminal

STOPS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
SIMULATE = ("play", "--simulate", "--seed", "1")


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    made.close()


def told(done, code):
    """The lines of an error; no traceback, nothing on standard output."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()


# --- it cannot start ----------------------------------------------------------------------------


def test_without_a_gpio_chip_it_is_an_error_that_names_the_simulation(machine):
    machine.chips("")
    lines = told(machine.run("play"), 1)
    assert len(lines) == 2
    assert "There is no usable GPIO chip" in lines[0]
    assert "cannon play --simulate" in lines[1]


def test_a_start_that_runs_out_of_patience_ends_with_what_it_has_waited_for(machine):
    machine.chips("")
    machine.env["CANNON_START_S"] = "1"
    waits, what, fix = told(machine.run("play"), 1)
    assert "There is no usable GPIO chip" in waits
    assert "Waiting for it, up to 1 seconds." in waits
    assert what.startswith("cannon: There is no usable GPIO chip")
    assert "cannon play --simulate" in fix


def test_a_port_that_does_not_come_in_time_ends_it_in_the_same_way(machine):
    machine.env["CANNON_START_S"] = "1"
    waits, what, fix = told(machine.run("play", "--bridge", str(machine.folder / "ttyACM0")), 1)
    assert f"there is no port {machine.folder}/ttyACM0" in waits
    assert what == f"cannon: {waits}"
    assert "plug the board in" in fix


def test_a_patience_that_is_no_number_is_told(machine):
    machine.env["CANNON_START_S"] = "soon"
    what, fix = told(machine.run("play"), 78)
    assert "CANNON_START_S: 'soon' is not a whole number of seconds" in what
    assert fix == "unset CANNON_START_S"


def test_the_wish_for_mock_pins_in_the_environment_is_no_way_round(machine):
    machine.chips("")
    machine.env["GPIOZERO_PIN_FACTORY"] = "mock"
    assert "There is no usable GPIO chip" in told(machine.run("play"), 1)[0]


def test_without_lgpio_it_is_an_error_with_the_fix(machine):
    (machine.folder / "lgpio.py").write_text("raise ImportError('no lgpio')")
    machine.env["PYTHONPATH"] = f"{machine.folder}:{machine.env['PYTHONPATH']}"
    lines = told(machine.run("play"), 1)
    assert "lgpio, which moves the pins, is not installed" in lines[0]
    assert "card-cannon[pi]" in lines[1]


def test_in_a_folder_that_nothing_can_be_written_in_it_names_the_way_out(machine):
    lines = told(machine.run("play", cwd="/proc"), 1)
    assert len(lines) == 2
    assert "/proc is not writable" in lines[0]
    assert "LG_WD" in lines[1]


def test_without_the_right_to_use_the_chip_it_names_user_device_and_command(machine):
    machine.chips("0 locked")
    lines = told(machine.run("play"), 1)
    assert len(lines) == 2
    assert "may not use" in lines[0]
    assert "gpiochip0" in lines[0]
    assert "sudo adduser" in lines[1]


def test_lines_that_another_program_holds_are_named_with_their_roles(machine):
    (machine.gpio / "busy").write_text(f"{BOARD.motor.forward} {BOARD.lid.pin}")
    lines = told(machine.run("play", "--board", BOARD.name), 1)
    assert "GPIO23 (motor.forward) by somebody" in lines[0]
    assert "GPIO27 (lid) by somebody" in lines[0]
    assert machine.motor() == []


def test_a_line_that_is_let_go_of_just_then_is_told_of_as_one_that_was_held(machine):
    (machine.gpio / "busy-once").write_text(f"{BOARD.lid.pin}")
    lines = told(machine.run("play", "--board", BOARD.name), 1)
    assert "Other programs hold lines" in lines[0]
    assert "just let go" in lines[0]


def test_a_second_one_is_refused_in_two_lines_and_the_first_goes_on(machine):
    first = machine.play()
    machine.press(True)
    wait_until(lambda: 1 in machine.motor(), "the motor starts")
    lines = told(machine.run("play", "--board", BOARD.name), 1)
    assert len(lines) == 2
    assert f"already running, as process {first.process.pid}" in lines[0]
    machine.press(False)
    first.until("Press 1")
    assert first.end(signal.SIGTERM) == 0
    outcomes = [json.loads(data) for kind, _, data in machine.records() if kind == "outcome"]
    assert [outcome["reason"] for outcome in outcomes] == ["enough"], "nothing was written into it"


def test_all_wrong_settings_are_told_at_once_with_place_range_and_value(machine):
    (machine.cwd / "cannon.toml").write_text(
        'board = "luncher-pi"\nodds = "measurd"\ntypo = 1\n[press]\nmin_ms = -1\n'
        "[play]\npower = 7\n"
    )
    lines = told(machine.run("play", "--simulate"), 78)
    assert len(lines) == 5
    for line, parts in zip(
        sorted(lines, key=lambda line: line.removeprefix("cannon: ")),
        (
            ("luncher-pi", "launcher-pi"),
            ("play: power", "<= 1.0", "found 7"),
            ("press: min_ms", ">= 0.5", "found -1"),
            ("typo", "is not a known setting"),
            ("measurd", "measured"),
        ),
        strict=True,
    ):
        assert all(part in line for part in parts), (line, parts)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--board", "luncher-pi"], 78, "did you mean 'launcher-pi'?"),
        (["--odds", "measurd"], 78, "known: measured"),
        (["--board", "./mine.toml"], 78, "no such file"),
        (["--config", "mine.toml"], 78, "no such file"),
        (["--seed", "seven"], 2, "not a valid int"),
        (["--simulat"], 2, "--simulate"),
        (["--board", "launcher-pico"], 78, "--bridge"),
    ],
)
def test_wrong_words_are_told_with_the_right_exit_code(machine, words, code, said):
    assert said in "\n".join(told(machine.run("play", *words), code))


def test_a_traceback_comes_with_debug_only(machine):
    machine.chips("")
    done = machine.run("play", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


@pytest.mark.parametrize(
    ("pragma", "said"),
    [("user_version = 99", "newer version"), ("application_id = 1", "another program")],
)
def test_a_history_that_is_not_ours_is_left_as_it_is(machine, pragma, said):
    path = machine.folder / "some.db"
    started = machine.start(*SIMULATE, "--journal", str(path))
    started.until("Ready")
    started.end(signal.SIGTERM)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    lines = told(machine.run(*SIMULATE, "--journal", str(path)), 78)
    assert len(lines) == 2
    assert said in lines[0]
    assert path.read_bytes() == before


def test_a_history_that_cannot_be_written_costs_the_history_and_not_play(machine):
    program = machine.start(*SIMULATE, "--journal", "/proc/card-cannon/journal.db")
    program.until("The history cannot be written")
    program.until("Ready")
    assert program.end(signal.SIGTERM) == 0
    assert "Traceback" not in program.said


@pytest.mark.parametrize("web", [(), ("--web", "127.0.0.1:0")])
def test_a_file_in_the_place_of_the_folder_costs_what_is_kept_and_not_play(machine, web):
    place = machine.folder / "kept"
    place.write_text("a file")
    program = machine.start(*SIMULATE, "--journal", str(place / "journal.db"), *web)
    program.until("The history cannot be written")
    program.until("Ready")
    assert program.end(signal.SIGTERM) == 0
    assert "Traceback" not in program.said


def test_changes_of_the_page_that_cannot_be_read_are_said(machine):
    place = machine.folder / "kept"
    (place / "changes.toml").mkdir(parents=True)
    program = machine.start(*SIMULATE, "--journal", str(place / "journal.db"))
    program.until(f"({place}/changes.toml) cannot be read")
    program.until("Ready")
    assert program.end(signal.SIGTERM) == 0


# --- simulated ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "SIMULATION"), ("da", "SIMULERING"), ("da_DK.UTF-8", "SIMULERING")],
)
def test_a_simulation_is_announced_first_of_all_in_the_readers_language(machine, language, said):
    machine.env["CANNON_LANG"] = language
    program = machine.start(*SIMULATE)
    program.until("")
    assert said in program.lines[0]
    program.end(signal.SIGTERM)
    assert machine.out() == [], "no pin was touched"


@pytest.mark.parametrize("number", STOPS)
def test_a_simulation_ends_well_at_each_signal(machine, number):
    program = machine.start(*SIMULATE)
    program.until("Ready")
    assert program.end(number) == 0
    assert "Traceback" not in program.said
    assert "Stopped" in program.lines[-1]
    assert [kind for kind, *_ in machine.records("simulated.db")] == ["start", "stop"]


def test_a_simulation_keeps_its_own_history_and_leaves_the_launchers_alone(machine):
    machine.play().end(signal.SIGTERM)
    before = machine.records()
    program = machine.start(*SIMULATE)
    program.until("Ready")
    program.end(signal.SIGTERM)
    assert machine.records() == before


# --- on pins ------------------------------------------------------------------------------------


def test_a_press_runs_the_motor_and_it_ends_by_itself(machine):
    program = machine.play()
    assert "on the real pins" in program.said
    assert "SIMULATION" not in program.said
    machine.press(True)
    program.until("Press 1")
    machine.press(False)
    assert machine.motor() == [0, 1, 0]
    assert program.end(signal.SIGTERM) == 0


@pytest.mark.parametrize("number", STOPS)
def test_each_signal_in_mid_feed_is_motor_off_first_and_a_good_end(machine, number):
    program = machine.play()
    machine.press(True)
    wait_until(lambda: machine.motor()[-1:] == [1], "the motor starts")
    assert program.end(number) == 0
    assert "Traceback" not in program.said
    out = machine.out()
    assert machine.motor() == [0, 1, 0]
    assert out[-1] == "closed"
    records = machine.records()
    assert records[-1][0] == "stop"
    outcome = next(json.loads(data) for kind, _, data in records if kind == "outcome")
    assert outcome["reason"] == "stop"


def test_the_lid_stops_the_motor_and_closing_it_starts_nothing(machine):
    program = machine.play()
    machine.press(True)
    wait_until(lambda: machine.motor()[-1:] == [1], "the motor starts")
    machine.lid(True)
    program.until("Lid opened")
    assert machine.motor() == [0, 1, 0]
    machine.press(False)
    machine.lid(False)
    program.until("Ready")
    program.end(signal.SIGTERM)
    assert machine.motor() == [0, 1, 0]


def test_a_button_held_at_start_is_told_and_fires_nothing(machine):
    machine.press(True)
    program = machine.start("play", "--board", BOARD.name)
    program.until("held down or stuck")
    program.end(signal.SIGTERM)
    assert 1 not in machine.motor()


def test_an_open_lid_at_start_is_no_beep_and_no_shot(machine):
    machine.lid(True)
    program = machine.start("play", "--board", BOARD.name)
    program.until("Board")
    machine.press(True)
    program.until("Refused: The lid is open")
    program.end(signal.SIGTERM)
    assert 1 not in machine.motor()
    assert "Ready" not in program.said


def test_a_killed_program_is_told_of_at_the_next_start_and_nothing_resumes(machine):
    program = machine.play()
    machine.press(True)
    wait_until(lambda: machine.motor()[-1:] == [1], "the motor starts")
    wait_until(lambda: any(kind == "intent" for kind, *_ in machine.records()), "on record")
    program.end(signal.SIGKILL)
    assert machine.motor()[-1] == 1, "nobody could switch it off from inside"
    machine.press(False)
    again = machine.play()
    assert "The last shot was cut short" in again.said
    again.end(signal.SIGTERM)
    assert machine.motor() == [0, 1, 0], "claiming the line has switched it off"
    reasons = [
        json.loads(data)["reason"] for kind, _, data in machine.records() if kind == "outcome"
    ]
    assert reasons == ["interrupted"]


def test_too_little_power_during_a_shot_is_on_record_with_its_press(machine):
    firmware = machine.folder / "sys/devices/platform/soc/soc:firmware"
    firmware.mkdir(parents=True)
    machine.env["FAKE_PATCH"] = (
        "from cannon.service import power\n"
        f"power.throttled.__defaults__ = (Path({str(machine.folder)!r}),)"
    )

    def bits(text):
        (firmware / "new").write_text(text)
        (firmware / "new").rename(firmware / "get_throttled")

    def shot(program, number, during):
        machine.press(True)
        wait_until(lambda: machine.motor()[-1:] == [1], "the motor starts")
        bits(during)
        machine.press(False)
        program.until(f"Press {number}")

    def noted():
        return [
            (press, json.loads(data)) for kind, press, data in machine.records() if kind == "notice"
        ]

    bits("0")
    program = machine.play()
    shot(program, 1, during="0")
    assert program.end(signal.SIGTERM) == 0  # by now that shot has been judged
    program = machine.play()
    shot(program, 2, during="50005")
    program.until("too little power during this shot")
    bits("50000")  # that it once was stays
    shot(program, 3, during="50000")
    assert program.end(signal.SIGTERM) == 0
    assert noted() == [(2, {"code": "under_voltage"})]


BREAK_LOOP = """
import cannon.loop
real = cannon.loop.ControlLoop.step
def step(self, now):
    if self.launcher.guard.deadline is not None:
        raise SystemError("broken")
    return real(self, now)
cannon.loop.ControlLoop.step = step
"""

BREAK_GUARD = """
import cannon.devices.guard
def check(self, now):
    raise KeyboardInterrupt
cannon.devices.guard.MotorGuard.check = check
"""

BREAK_CALLBACK = """
import cannon.devices.guard
def lid_edge(self, real=cannon.devices.guard.MotorGuard.lid_edge):
    cannon.devices.guard.MotorGuard.lid_edge = real
    raise SystemError("broken")
cannon.devices.guard.MotorGuard.lid_edge = lid_edge
"""

BREAK_START = """
import cannon.devices.gpio
def play(self, *given):
    raise OSError(5, "Input/output error")
cannon.devices.gpio.TunePlayer.play = play
"""


def lid_up_and_down(machine, program):
    """When this has been told of, a button let go before it has been, too."""
    machine.lid(True)
    program.until("Lid opened")
    machine.lid(False)
    program.until("Ready")


def test_a_loop_that_dies_switches_off_and_is_a_failure(machine):
    """So a service manager starts it anew."""
    machine.env["FAKE_PATCH"] = BREAK_LOOP
    program = machine.play()
    machine.press(True)
    assert program.process.wait(PATIENCE_S) == 1
    program.end()
    assert "The control loop has ended by itself; the motor is off." in program.said
    assert machine.motor() == [0, 1, 0]


def test_a_guard_that_dies_switches_off_and_is_a_fault_and_no_run_starts_any_more(machine):
    machine.env["FAKE_PATCH"] = BREAK_GUARD
    (machine.cwd / "cannon.toml").write_text("[press]\nhold_s = 0.5\n")
    program = machine.play()
    machine.press(True)
    program.until("A part of the program has ended")
    assert machine.motor() == [0, 1, 0]
    machine.press(False)
    assert program.end(signal.SIGTERM) == 0


def test_an_exception_in_a_callback_is_a_fault_and_all_inputs_live_on(machine):
    machine.env["FAKE_PATCH"] = BREAK_CALLBACK
    (machine.cwd / "cannon.toml").write_text("[press]\nhold_s = 0.5\n")
    program = machine.play()
    machine.lid(True)
    program.until("An input failed")
    machine.lid(False)
    machine.press(True)
    program.until("Acknowledged")
    machine.press(False)
    lid_up_and_down(machine, program)
    machine.press(True)
    program.until("Press 1")
    assert program.end(signal.SIGTERM) == 0
    assert machine.motor() == [0, 1, 0]


def test_a_beeper_that_fails_at_the_start_is_a_fault_and_it_plays_on_in_silence(machine):
    machine.env["FAKE_PATCH"] = BREAK_START
    (machine.cwd / "cannon.toml").write_text("[press]\nhold_s = 0.5\n")
    program = machine.start("play", "--board", BOARD.name, "--odds", machine.always)
    program.until("The beeper or the light failed")
    machine.press(True)
    program.until("Acknowledged")
    machine.press(False)
    lid_up_and_down(machine, program)
    machine.press(True)
    program.until("Press 1")
    assert program.end(signal.SIGTERM) == 0


# --- on a terminal ------------------------------------------------------------------------------


def test_on_a_terminal_it_is_played_with_keys_and_leaves_the_terminal_as_it_was(machine):
    terminal = Terminal(machine, *SIMULATE, "--odds", "even")
    try:
        terminal.until("SIMULATION")
        terminal.until("Ready")
        for _ in range(2):
            terminal.key(" ")
            terminal.until("Press ")
            terminal.until("Ready")
        terminal.key("l")
        terminal.until("Lid open")
        terminal.key(" ")
        terminal.until("Refused")
        terminal.key("l")
        terminal.until("Ready")
        terminal.key("r")
        terminal.until("Lid open")
        terminal.until("Ready")
        terminal.key("?")
        terminal.key("q")
        assert terminal.drain_until_end() == 0
        assert termios.tcgetattr(terminal.slave) == terminal.before
    finally:
        terminal.close()
        terminal.hang_up()
    assert "Traceback" not in terminal.errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_the_terminal_as_it_was(machine, number):
    terminal = Terminal(machine, *SIMULATE)
    try:
        terminal.until("Ready")
        terminal.process.send_signal(number)
        assert terminal.drain_until_end() == 0
        assert termios.tcgetattr(terminal.slave) == terminal.before
    finally:
        terminal.close()
        terminal.hang_up()
    assert "Traceback" not in terminal.errors


def test_a_closed_window_ends_it_well(machine):
    terminal = Terminal(machine, *SIMULATE)
    try:
        terminal.until("Ready")
        terminal.hang_up()
        code = terminal.process.wait(PATIENCE_S)
    finally:
        terminal.close()
    assert (code, terminal.errors) == (0, "")
    assert [kind for kind, *_ in machine.records("simulated.db")][-1] == "stop"
