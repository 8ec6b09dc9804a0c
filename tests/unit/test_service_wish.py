"""What `cannon install` makes of its options and of the settings: what the service will find."""

from __future__ import annotations

from pathlib import Path

import pytest
from service_tools import PYTHON, FakeMachine

from cannon.cli import main
from cannon.errors import CannonError
from cannon.service import installing
from cannon.service import machine as real_machine
from cannon.service.installing import Wish, to_install
from cannon.service.machine import About
from cannon.service.unit import UNIT
from cannon.service_wish import wish_for
from cannon.settings.cannon_toml import SYSTEM
from hardware import ConfigurationError
from hardware.loading import BOARDS

ETC = str(SYSTEM)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """A Raspberry Pi OS with the program in /opt, as root sees it from a folder of its own."""
    monkeypatch.setattr(installing, "PROGRAM", Path("/opt/card-cannon/lib/off.py"))
    made = FakeMachine(tmp_path / "root")
    made.put(PYTHON.executable)
    made.put("/etc/passwd", "root:x:0:0::/root:/bin/bash\njo:x:1000:1000::/home/jo:/bin/bash\n")
    made.put("/etc/group", "gpio:x:997:jo\ndialout:x:20:jo\n")
    made.answer(f"{PYTHON.executable} -I -m cannon --version", "cannon, version 1")
    made.cwd = "/home/jo"
    return made


def unit(machine: FakeMachine, wish: Wish) -> list[str]:
    """The lines of the unit that would be written."""
    (text,) = [change.content for change in to_install(machine, wish) if change.path == UNIT]
    assert text is not None
    return text.splitlines()


def started(lines: list[str]) -> str:
    """The options that play is started with."""
    (line,) = [line for line in lines if line.startswith("ExecStart=")]
    return line.partition(" -m cannon play")[2].strip()


def allowed(lines: list[str]) -> list[str]:
    """The devices that the service may use."""
    return [line.partition("=")[2] for line in lines if line.startswith("DeviceAllow=")]


def install(
    machine: FakeMachine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *words: str,
) -> tuple[object, str, str]:
    """Exit code, output and errors of `cannon install --dry-run`."""
    monkeypatch.setattr(real_machine, "Machine", lambda: machine)
    with pytest.raises(SystemExit) as ended:
        main(["install", "--dry-run", *words])
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err


# --- the options of play ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--dryrun"], "--dryrun"),
        (["--wbe", ":8080"], "--wbe"),
        (["--", "--dryrun"], "--dryrun"),
        (["--web"], "--web"),
        (["launcher-pi"], "launcher-pi"),
        (["--simulate"], "--simulate: a service drives a real launcher"),
        (["--seed", "seven"], "--seed"),
        (["--seed", "7"], "--seed: each start"),
        (["--seed", "0"], "--seed: each start"),
    ],
)
def test_what_play_would_refuse_or_no_service_should_do_is_refused(
    machine: FakeMachine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    named: str,
) -> None:
    code, out, err = install(machine, monkeypatch, capsys, *words)
    assert (code, out) == (2, "")
    assert named in err
    assert len(err.splitlines()) == 1
    assert machine.ran == []


def test_options_of_play_are_passed_on_with_whole_paths(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--web=:8080", "--odds", "mine.toml", "--board", "launcher-pi-basic", "--debug"]
    code, out, err = install(machine, monkeypatch, capsys, *words)
    assert (code, err) == (0, "")
    passed_on = "--web :8080 --odds /home/jo/mine.toml --board launcher-pi-basic"
    assert started(out.splitlines()) == passed_on


@pytest.mark.parametrize("words", [["--bridge=/dev/ttyACM1"], ["--bridge", "/dev/ttyACM1"]])
def test_a_port_that_is_named_is_the_one(
    machine: FakeMachine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
) -> None:
    machine.put(ETC, 'board = "launcher-pico-usb"\n')
    _, out, _ = install(machine, monkeypatch, capsys, *words)
    assert started(out.splitlines()) == "--bridge /dev/ttyACM1"


def test_a_journal_elsewhere_by_an_option_may_be_written(machine: FakeMachine) -> None:
    lines = unit(machine, wish_for(machine, "", {"journal": "/srv/cards/journal.db"}))
    assert "ReadWritePaths=/run/lock /srv/cards" in lines
    assert started(lines) == "--journal /srv/cards/journal.db"


# --- serial ports ----------------------------------------------------------------------------


def test_usb_ports_may_always_be_used_whatever_driver_is_loaded(machine: FakeMachine) -> None:
    usb = ["char-gpiochip rw", "char-166 rw", "char-188 rw"]
    assert allowed(unit(machine, Wish())) == usb
    assert allowed(unit(machine, wish_for(machine, "", {"bridge": "auto"}))) == usb


@pytest.mark.parametrize("port", ["/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0"])
def test_the_headers_port_may_be_used_where_it_is_asked_for(
    machine: FakeMachine, port: str
) -> None:
    lines = unit(machine, wish_for(machine, "", {"bridge": port}))
    assert allowed(lines)[-2:] == ["char-ttyAMA rw", "char-ttyS rw"]
    assert "DevicePolicy=closed" in lines


# --- the settings ----------------------------------------------------------------------------


def test_the_settings_are_those_of_the_computer_not_of_this_folder(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cannon.toml").write_text(
        'board = "launcher-pico-usb"\n[web]\nshutdown = true\n[journal]\npath = "/srv/j.db"\n'
    )
    wish = wish_for(machine, "", {})
    assert (wish.options, wish.writes, wish.power_off) == ((), (), False)
    machine.put(ETC, Path("cannon.toml").read_text())
    wish = wish_for(machine, "", {})
    assert (wish.options, wish.writes, wish.power_off) == (("--bridge", "auto"), ("/srv",), True)


def test_settings_that_are_named_are_read_and_passed_on_by_their_whole_path(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine.cwd = str(tmp_path)
    machine.put(ETC, 'board = "launcher-pico-usb"\n')
    (tmp_path / "mine.toml").write_text("[web]\nshutdown = true\n")
    wish = wish_for(machine, "", {"config": "mine.toml"})
    assert wish.options == ("--config", f"{tmp_path}/mine.toml")
    assert wish.power_off


def test_paths_that_the_service_would_look_for_elsewhere_are_refused_all_at_once(
    machine: FakeMachine,
) -> None:
    settings = 'odds = "mine.toml"\n[sound]\nfile = "own/tunes.toml"\n[journal]\npath = "j.db"\n'
    machine.put(ETC, settings)
    with pytest.raises(ConfigurationError) as raised:
        wish_for(machine, "", {})
    assert [problem.where for problem in raised.value.problems] == [
        f"{ETC}: odds",
        f"{ETC}: sound: file",
        f"{ETC}: journal: path",
    ]
    assert "mine.toml in its own folder, /run/card-cannon" in str(raised.value)


# --- files in homes --------------------------------------------------------------------------

IN_HOME = [
    'board = "{home}/board.toml"\n',
    'odds = "{home}/odds.toml"\n',
    '[sound]\nfile = "{home}/tunes.toml"\n',
    '[journal]\npath = "{home}/cards/journal.db"\n',
]


@pytest.mark.parametrize("settings", IN_HOME)
def test_a_file_in_a_home_that_the_settings_name_is_in_sight(
    machine: FakeMachine, settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cannon.service.installing.HOMES", (str(tmp_path / "home"),))
    home = tmp_path / "home" / "jo"
    home.mkdir(parents=True)
    (home / "board.toml").write_text((BOARDS / "launcher-pi.toml").read_text())
    machine.put(ETC, settings.format(home=home))
    assert "ProtectHome=read-only" in unit(machine, wish_for(machine, "", {}))


def test_settings_of_the_computer_that_lie_in_a_home_are_in_sight(machine: FakeMachine) -> None:
    machine.put("/home/jo/cannon.toml", "")
    machine.at(ETC).parent.mkdir(parents=True)
    machine.at(ETC).symlink_to(machine.at("/home/jo/cannon.toml"))
    assert "ProtectHome=read-only" in unit(machine, wish_for(machine, "", {}))


def test_without_any_file_in_a_home_they_are_out_of_sight(machine: FakeMachine) -> None:
    machine.put(ETC, 'odds = "/srv/odds.toml"\n[journal]\npath = "/srv/j.db"\n')
    assert "ProtectHome=yes" in unit(machine, wish_for(machine, "", {}))


def test_a_history_at_home_is_in_the_home_of_who_runs_it(machine: FakeMachine) -> None:
    machine.put(ETC, '[journal]\npath = "~/cards/journal.db"\n')
    lines = unit(machine, wish_for(machine, "jo", {}))
    assert "ReadWritePaths=/run/lock /home/jo/cards" in lines
    assert "ProtectHome=read-only" in lines


def test_a_file_in_a_closed_home_is_read_by_its_owner(machine: FakeMachine) -> None:
    machine.put("/home/jo/odds.toml")
    machine.owners["/home/jo"] = About("jo", "jo", 0o700)
    wish = wish_for(machine, "", {"odds": "/home/jo/odds.toml"})
    assert "User=jo" in unit(machine, wish)


def test_settings_that_only_root_may_read_are_named(machine: FakeMachine) -> None:
    machine.put(ETC, "[web]\non = true\n")
    machine.owners[ETC] = About("root", "root", 0o600)
    with pytest.raises(CannonError, match=f"{ETC} is closed to every user but root") as raised:
        to_install(machine, wish_for(machine, "", {}))
    assert "--user NAME" in raised.value.fix
    machine.owners[ETC] = About("root", "gpio", 0o640)
    assert "User=card-cannon" in unit(machine, wish_for(machine, "", {}))
