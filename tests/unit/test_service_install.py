"""`cannon install` and `uninstall`: what they would do on all kinds of computers."""

from __future__ import annotations

from pathlib import Path

import pytest
from service_tools import PYTHON, FakeMachine

import cannon
from cannon.cli import main
from cannon.errors import CannonError
from cannon.service import installing, off
from cannon.service import machine as real_machine
from cannon.service.installing import Change, Wish, to_install, to_uninstall
from cannon.service.machine import About
from cannon.service.unit import OFF, POWER_OFF, RULES, UNIT, Service, quoted, unit

PASSWD = "root:x:0:0::/root:/bin/bash\npi:x:1000:1000::/home/pi:/bin/bash\n"
GROUPS = "root:x:0:\ngpio:x:997:pi\ndialout:x:20:pi\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """A Raspberry Pi OS with the program in /opt."""
    monkeypatch.setattr(installing, "PROGRAM", Path("/opt/card-cannon/lib/off.py"))
    made = FakeMachine(tmp_path)
    made.put(PYTHON.executable)
    made.put("/etc/passwd", PASSWD)
    made.put("/etc/group", GROUPS)
    made.put("/run/systemd/system/x")
    made.answer(f"{PYTHON.executable} -I -m cannon --version", "cannon, version 1")
    made.answer("systemctl --version", "systemd 252 (252.38-1~deb12u1)\n+PAM")
    made.answer("systemctl is-", code=1)
    made.answer("/usr/bin/python3 -I -S")
    for command in ("systemctl", "udevadm", "useradd", "groupadd", "rmdir"):
        made.answer(command)
    return made


def install(machine: FakeMachine) -> list[Change]:
    """Installs for real, on the fake machine."""
    changes = to_install(machine, Wish())
    for change in changes:
        installing.make(machine, change)
        match change.command:
            case ("useradd", *_, name):
                machine.put("/etc/passwd", f"{PASSWD}{name}:x:998:998::/:/bin/false\n")
            case ("groupadd", *_, name):
                machine.put("/etc/group", f"{machine.text('/etc/group')}\n{name}:x:999:\n")
            case ("systemctl", "enable", _):
                machine.answer("systemctl is-enabled")
            case ("systemctl", "restart", _):
                machine.answer("systemctl is-active")
    return changes


def commands(changes: list[Change]) -> list[str]:
    return [" ".join(change.command) for change in changes if change.command]


def written(changes: list[Change], path: str) -> str:
    (content,) = [change.content for change in changes if change.path == path]
    assert content is not None
    return content


# --- the usual case --------------------------------------------------------------------------


def test_a_fresh_computer_gets_user_unit_and_rules_and_is_started(machine: FakeMachine) -> None:
    changes = install(machine)
    assert commands(changes) == [
        "useradd --system --user-group --no-create-home --home-dir /var/lib/card-cannon "
        "--shell /usr/sbin/nologin --groups gpio,dialout card-cannon",
        "systemctl daemon-reload",
        "udevadm control --reload",
        "udevadm trigger --subsystem-match=gpio",
        "udevadm trigger --subsystem-match=tty",
        "systemctl enable cannon.service",
        "systemctl restart cannon.service",
    ]
    unit = machine.text(UNIT)
    assert unit is not None
    assert f"ExecStart={PYTHON.executable} -I -m cannon play\n" in unit
    assert f"ExecStopPost=+/usr/bin/python3 -I -S {OFF}\n" in unit
    assert machine.text(OFF) == Path(off.__file__).read_text().rstrip()
    assert "User=card-cannon\nGroup=gpio\n" in unit
    rules = machine.text(RULES)
    assert rules is not None
    assert rules.splitlines()[1:] == [
        'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"',
        'SUBSYSTEM=="tty", ATTRS{idVendor}=="2e8a", GROUP="dialout", MODE="0660", '
        'ENV{ID_MM_DEVICE_IGNORE}="1"',
    ]


def test_the_second_time_changes_nothing(machine: FakeMachine) -> None:
    assert install(machine)
    machine.ran.clear()
    assert install(machine) == []
    assert not [ran for ran in machine.ran if "restart" in ran or "useradd" in ran]


def test_without_udev_its_commands_are_left_out(machine: FakeMachine) -> None:
    machine.answer("udevadm", code=127)
    assert not [command for command in commands(install(machine)) if "udevadm" in command]
    assert machine.exists(RULES)


def test_a_unit_that_was_changed_is_written_anew_and_restarted(machine: FakeMachine) -> None:
    install(machine)
    machine.put(UNIT, "[Service]\nExecStart=/bin/true\n")
    assert commands(install(machine)) == [
        "systemctl daemon-reload",
        "systemctl restart cannon.service",
    ]


def test_a_service_that_was_stopped_is_started(machine: FakeMachine) -> None:
    install(machine)
    machine.answer("systemctl is-active", code=3)
    assert commands(install(machine)) == ["systemctl restart cannon.service"]


def test_groups_that_are_missing_are_made_first(machine: FakeMachine) -> None:
    machine.put("/etc/group", "root:x:0:\n")
    assert commands(install(machine))[:2] == [
        "groupadd --system gpio",
        "groupadd --system dialout",
    ]


def test_without_a_python_of_the_systems_its_own_switches_off(machine: FakeMachine) -> None:
    machine.answer("/usr/bin/python3 -I -S", code=127)
    unit = written(to_install(machine, Wish()), UNIT)
    assert f"ExecStopPost=+{PYTHON.executable} -I -S {OFF}\n" in unit


def test_what_it_needs_is_in_the_unit(machine: FakeMachine) -> None:
    unit = written(to_install(machine, Wish()), UNIT)
    for line in (
        "Type=notify",
        "WatchdogSec=3",
        "Restart=on-failure",
        "RestartSec=5",
        "RestartPreventExitStatus=2 78",
        "StartLimitIntervalSec=0",
        "RuntimeDirectory=card-cannon",
        "WorkingDirectory=/run/card-cannon",
        "StateDirectory=card-cannon",
        "Group=gpio",
        "SupplementaryGroups=dialout",
        "Environment=LG_WD=/run/card-cannon GPIOZERO_PIN_FACTORY=lgpio",
    ):
        assert line in unit.split("\n")


def test_a_newer_systemd_waits_longer_each_time(machine: FakeMachine) -> None:
    assert "RestartSteps" not in written(to_install(machine, Wish()), UNIT)
    machine.answer("systemctl --version", "systemd 257 (257.7-1)")
    assert "RestartSteps=5\nRestartMaxDelaySec=60\n" in written(to_install(machine, Wish()), UNIT)


# --- users and places ------------------------------------------------------------------------


def in_home(machine: FakeMachine, owner: str, mode: int) -> None:
    """The program is in somebody's home."""
    machine.python = PYTHON._replace(executable="/home/jo ann/my cannon/bin/python")
    machine.put(machine.python.executable)
    machine.answer(f"{machine.python.executable} -I -m cannon --version", "cannon, version 1")
    machine.put("/etc/passwd", f"{PASSWD}{owner}:x:1001:1001::/home/{owner}:/bin/bash\n")
    machine.owners["/home/jo ann"] = About(owner, owner, mode)


def test_a_program_in_a_closed_home_runs_as_its_owner(machine: FakeMachine) -> None:
    in_home(machine, "joann", 0o700)
    changes = to_install(machine, Wish())
    unit = written(changes, UNIT)
    assert "User=joann\n" in unit
    assert "ProtectHome=read-only\n" in unit
    assert 'ExecStart="/home/jo ann/my cannon/bin/python" -I -m cannon play\n' in unit
    assert not any("useradd" in command for command in commands(changes))


def test_a_program_in_an_open_home_has_its_own_user_who_may_look_in(machine: FakeMachine) -> None:
    in_home(machine, "joann", 0o755)
    unit = written(to_install(machine, Wish()), UNIT)
    assert "User=card-cannon\n" in unit
    assert "ProtectHome=read-only\n" in unit


def test_elsewhere_homes_are_out_of_sight(machine: FakeMachine) -> None:
    unit = written(to_install(machine, Wish()), UNIT)
    assert "ProtectHome=yes\n" in unit
    assert "PrivateTmp=yes\n" in unit


def test_a_program_in_tmp_is_seen_by_its_service(machine: FakeMachine) -> None:
    machine.python = PYTHON._replace(executable="/tmp/cannon/.venv/bin/python")
    machine.put(machine.python.executable)
    machine.answer(f"{machine.python.executable} -I -m cannon --version", "cannon, version 1")
    assert "PrivateTmp=no\n" in written(to_install(machine, Wish()), UNIT)


def test_a_program_that_only_root_can_reach_is_refused_with_a_better_place(
    machine: FakeMachine,
) -> None:
    machine.owners["/opt/card-cannon"] = About("root", "root", 0o700)
    with pytest.raises(CannonError, match="closed to every user but root") as raised:
        to_install(machine, Wish())
    assert "/opt/card-cannon/bin/cannon install" in raised.value.fix


def test_a_wished_user_has_to_exist(machine: FakeMachine) -> None:
    assert "User=pi\n" in written(to_install(machine, Wish(user="pi")), UNIT)
    with pytest.raises(CannonError, match="no user 'nobody-such'"):
        to_install(machine, Wish(user="nobody-such"))


def test_options_and_folders_of_ones_own(machine: FakeMachine) -> None:
    wish = Wish(options=("--config", "/srv/my cannon.toml"), writes=("/srv/my history",))
    unit = written(to_install(machine, wish), UNIT)
    assert 'cannon play --config "/srv/my cannon.toml"\n' in unit
    assert 'ReadWritePaths=/run/lock "/srv/my history"\n' in unit


def test_it_may_switch_the_computer_off_only_where_the_settings_say_so(
    machine: FakeMachine,
) -> None:
    install(machine)
    assert not machine.exists(POWER_OFF)
    changes = to_install(machine, Wish(power_off=True))
    assert [change.path for change in changes] == [POWER_OFF]
    assert 'subject.user == "card-cannon"' in written(changes, POWER_OFF)
    installing.make(machine, changes[0])
    assert to_install(machine, Wish(power_off=True)) == []
    assert to_install(machine, Wish()) == [Change(POWER_OFF)]
    assert Change(POWER_OFF) in to_uninstall(machine)


def test_nothing_in_the_package_expects_a_certain_user_or_home() -> None:
    for path in Path(cannon.__file__).parent.rglob("*"):
        if path.suffix in (".py", ".toml", ".service"):
            assert "/home/pi" not in path.read_text(), path


@pytest.mark.parametrize(
    ("word", "in_unit"),
    [
        ("/usr/bin/python3", "/usr/bin/python3"),
        ("a b", '"a b"'),
        ('a"b', '"a\\"b"'),
        ("50%", '"50%%"'),
        ("$HOME", '"$$HOME"'),
        ("back\\slash", '"back\\\\slash"'),
        ("", '""'),
        (";", '";"'),
        ("dæk", "dæk"),
    ],
)
def test_words_mean_what_they_say_in_a_unit(word: str, in_unit: str) -> None:
    assert quoted(word) == in_unit


def test_a_program_by_a_path_that_systemd_does_not_take_is_run_by_another() -> None:
    text = unit(Service('/srv/"my" cannon/python', "/usr/bin/python3", "card-cannon"))
    assert 'ExecStart=/usr/bin/env "/srv/\\"my\\" cannon/python" -I -m cannon play\n' in text


# --- what goes wrong -------------------------------------------------------------------------


def test_without_root_it_says_how(machine: FakeMachine) -> None:
    machine.user = "pi"
    with pytest.raises(CannonError, match="pi may not do that") as raised:
        installing.check_rights(machine)
    assert f"sudo {PYTHON.executable} -m cannon install" in raised.value.fix


def test_without_systemd_it_says_so(machine: FakeMachine) -> None:
    machine.at("/run/systemd/system/x").unlink()
    machine.at("/run/systemd/system").rmdir()
    with pytest.raises(CannonError, match="not run by systemd"):
        installing.check_rights(machine)


def test_a_command_that_fails_is_named_with_what_it_said(machine: FakeMachine) -> None:
    machine.answer("systemctl restart", "Job for cannon.service failed.", 1)
    with pytest.raises(CannonError, match=r"`systemctl restart cannon.service` failed: Job for"):
        install(machine)


def test_a_python_that_cannot_run_cannon_alone_is_refused(machine: FakeMachine) -> None:
    machine.answer(f"{PYTHON.executable} -I -m cannon --version", "No module named cannon", 1)
    with pytest.raises(CannonError, match="No module named cannon"):
        to_install(machine, Wish())


# --- uninstall -------------------------------------------------------------------------------


def test_uninstall_takes_the_service_and_leaves_history_and_settings(machine: FakeMachine) -> None:
    install(machine)
    machine.put("/var/lib/card-cannon/journal.db", "history")
    machine.put("/etc/card-cannon/cannon.toml", "board = 'diy-pi'")
    changes = to_uninstall(machine)
    for change in changes:
        installing.make(machine, change)
    assert commands(changes) == [
        "systemctl disable --now cannon.service",
        "rmdir /usr/local/lib/card-cannon",
        "systemctl daemon-reload",
        "udevadm control --reload",
    ]
    assert not machine.exists(UNIT)
    assert not machine.exists(RULES)
    assert not machine.exists(OFF)
    assert machine.text("/var/lib/card-cannon/journal.db") == "history"
    assert machine.text("/etc/card-cannon/cannon.toml") == "board = 'diy-pi'"
    assert to_uninstall(machine) == []


def test_uninstall_can_be_shown_to_everybody_and_then_takes_nothing_away(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(machine)
    machine.ran.clear()
    machine.user = "pi"
    monkeypatch.setattr(real_machine, "Machine", lambda: machine)
    with pytest.raises(SystemExit) as ended:
        main(["uninstall", "--dry-run"])
    assert not ended.value.code
    assert capsys.readouterr().out.splitlines() == [
        "$ systemctl disable --now cannon.service",
        f"$ rm {UNIT}",
        f"$ rm {RULES}",
        f"$ rm {OFF}",
        "$ rmdir /usr/local/lib/card-cannon",
        "$ systemctl daemon-reload",
        "$ udevadm control --reload",
        "# What stays: /var/lib/card-cannon (history), /etc/card-cannon (settings)",
    ]
    assert machine.ran == ["udevadm --version"]
    assert all(machine.exists(path) for path in (UNIT, RULES, OFF))
    with pytest.raises(SystemExit) as ended:
        main(["uninstall"])
    assert ended.value.code == 1
    assert all(machine.exists(path) for path in (UNIT, RULES, OFF))


def test_uninstall_without_a_service_says_so(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real_machine, "Machine", lambda: machine)
    with pytest.raises(SystemExit) as ended:
        main(["uninstall", "--dry-run"])
    assert not ended.value.code
    assert capsys.readouterr().out == "There is no service to take away.\n"
