"""cannon.toml and what is made of it: every wrong value at once, with its place and its range."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannon import app
from cannon.core.controller import Controller
from cannon.settings import cannon_toml
from cannon.settings.cannon_toml import CannonToml, Play, Press, load_settings
from cannon.settings.controlling import controller_settings, feed_plan
from hardware import board_names, load_board
from hardware.reading import ConfigurationError


@pytest.fixture
def written(tmp_path):
    """Writes a cannon.toml; gives its path."""

    def write(text):
        path = tmp_path / "cannon.toml"
        path.write_text(text)
        return str(path)

    return write


def problems(load):
    with pytest.raises(ConfigurationError) as raised:
        load()
    return [str(problem) for problem in raised.value.problems]


def test_an_empty_file_and_none_are_the_defaults(written, tmp_path, monkeypatch):
    monkeypatch.setattr(cannon_toml, "PLACES", (tmp_path / "nowhere.toml",))
    assert load_settings(written("")) == load_settings() == CannonToml()


def test_the_first_place_that_has_a_file_is_read(tmp_path, monkeypatch):
    places = (tmp_path / "here.toml", tmp_path / "etc.toml")
    monkeypatch.setattr(cannon_toml, "PLACES", places)
    places[1].write_text('board = "diy-pi"')
    assert load_settings().board == "diy-pi"
    places[0].write_text('board = "launcher-pi-basic"')
    assert load_settings().board == "launcher-pi-basic"


def test_a_file_that_was_named_must_be_there(tmp_path):
    [problem] = problems(lambda: load_settings(str(tmp_path / "mine.toml")))
    assert problem == f"{tmp_path}/mine.toml: no such file"


def test_all_wrong_values_are_told_at_once_each_with_place_range_and_what_was_found(written):
    path = written(
        """
        bord = "launcher-pi"
        odds = 7
        [press]
        min_ms = 0
        bounce_ms = "40"
        [play]
        power = 1.5
        owed = "never"
        [lid]
        close_ms = nan
        [sound]
        volume = "deafening"
        """
    )
    told = problems(lambda: load_settings(path))
    assert told == [
        f"{path}: bord: is not a known setting; did you mean 'board'?",
        f"{path}: lid: close_ms: expected float >= 0.5, found nan",
        f"{path}: odds: expected str, got int, found 7",
        f"{path}: play: owed: must be press or command or forget, not 'never'",
        f"{path}: play: power: expected float <= 1.0, found 1.5",
        f"{path}: press: bounce_ms: expected float, got str, found '40'",
        f"{path}: press: min_ms: expected float >= 0.5, found 0",
        f"{path}: sound: volume: must be loud or medium or quiet or off, not 'deafening'",
    ]


@pytest.mark.parametrize("more", ["", "[play]\nsuspense_s = 99\n"])
def test_a_wrong_board_and_wrong_odds_are_told_together(written, more):
    path = written(f'board = "launcher-pie"\nodds = "mesured"\n{more}')
    told = problems(lambda: app.plan(load_settings(path)))
    assert len(told) == 2 + bool(more)
    assert "board 'launcher-pie': there is no such board" in told[-2]
    assert "odds: there is no model 'mesured'" in told[-1]


@pytest.mark.parametrize(
    ("value", "taken"),
    [("0.5", True), ("20", True), ("500", True), ("0", False), ("5000", False), ('"20"', False)],
)
def test_a_debounce_is_taken_or_refused_with_one_message(written, value, taken):
    path = written(f"[press]\nbounce_ms = {value}")
    if taken:
        assert load_settings(path).press.bounce_ms == float(value)
    else:
        [problem] = problems(lambda: load_settings(path))
        assert "press: bounce_ms: expected float" in problem


def test_a_file_that_is_no_toml_is_told_with_the_line(written):
    [problem] = problems(lambda: load_settings(written('odds = "even"\nboard = = "x"\n')))
    assert "is not valid TOML" in problem
    assert "line 2" in problem


def test_a_file_that_is_no_text_is_told(tmp_path):
    path = tmp_path / "cannon.toml"
    path.write_bytes(b"board = \xff")
    [problem] = problems(lambda: load_settings(str(path)))
    assert problem == f"{path}: cannot be read: is not UTF-8 text"


def test_unknown_names_are_told_together_with_wrong_values(written):
    told = problems(
        lambda: load_settings(written('board = "luncher-pi"\nodds = "measurd"\n[play]\npower = 2'))
    )
    assert len(told) == 3
    assert "luncher-pi" in told[1]
    assert "measurd" in told[2]


def test_a_table_in_place_of_a_value_and_the_other_way_round(written):
    told = problems(lambda: load_settings(written("press = 5\n[board]\nname = 1")))
    assert len(told) == 2


@given(st.text(max_size=60))
def test_any_text_is_settings_or_told_of(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "cannon.toml"
    path.write_text(text, encoding="utf-8", newline="", errors="replace")
    try:
        assert isinstance(load_settings(str(path)), CannonToml)
    except ConfigurationError as error:
        assert error.problems


# --- what is made of it -------------------------------------------------------------------------


def test_everything_wrong_with_what_is_named_is_told_at_once(tmp_path):
    sounds = tmp_path / "mine.toml"
    sounds.write_text("")
    settings = CannonToml(
        board="luncher-pi", odds="measurd", sound=cannon_toml.Sound(file=str(sounds))
    )
    told = problems(lambda: app.plan(settings))
    assert any("luncher-pi" in problem and "launcher-pi" in problem for problem in told)
    assert any("measurd" in problem and "measured" in problem for problem in told)
    assert any(str(sounds) in problem for problem in told)


def test_less_power_needs_a_driver_that_can_do_it(written, tmp_path):
    settings = CannonToml(board="launcher-pi-basic", play=Play(power=0.5))
    [problem] = problems(lambda: app.plan(settings))
    assert "pwm_hz" in problem
    assert "power" in problem
    board = tmp_path / "mine.toml"
    text = Path("hardware/boards/launcher-pi-basic.toml").read_text()
    board.write_text(text.replace("forward = 23", "forward = 23\npwm_hz = 500"))
    assert app.plan(msgspec.structs.replace(settings, board=str(board))).board.motor.pwm_hz == 500


def test_times_are_handed_on_in_seconds():
    board = load_board("launcher-pi")
    settings = controller_settings(board, CannonToml(press=Press(min_ms=4, bounce_ms=50, hold_s=3)))
    assert settings.inputs.press_min_s == 0.004
    assert settings.inputs.bounce_s == 0.050
    assert settings.hold_s == 3
    assert settings.min_blocked_s == board.feed.min_blocked_ms / 1000
    assert settings.double_s == board.feed.double_ms / 1000
    assert settings.plan.stall == board.feed.stall_ms / 1000
    assert settings.plan.max_run == board.motor.max_run_ms / 1000
    assert settings.plan.dead == board.motor.dead_time_ms / 1000


@pytest.mark.parametrize("name", board_names())
def test_every_board_gives_a_plan_within_its_own_limits(name):
    board = load_board(name)
    plan = feed_plan(board)
    for step in (plan.stall, plan.burst, plan.reverse, plan.retract):
        assert step <= plan.max_run
    if not board.motor.reversible:
        assert plan.reverse == plan.retract == 0
    abilities = type("A", (), {"counts": board.exit_sensor is not None, "feeds_itself": False})
    Controller(controller_settings(board, CannonToml()), abilities, None, None)


def test_no_setting_is_there_for_nothing():
    """Every key of cannon.toml is read somewhere in the program."""
    program = "".join(
        path.read_text() for path in Path("cannon").rglob("*.py") if path.name != "cannon_toml.py"
    )
    for field in msgspec.structs.fields(CannonToml):
        assert f".{field.name}" in program, field.name
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            for inner in msgspec.structs.fields(field.type):
                assert f"{field.name}.{inner.name}" in program, (field.name, inner.name)
