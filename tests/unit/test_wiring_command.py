"""`cannon wiring`: what it shows, saves and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cannon.cli import main
from hardware import board_names, load_board
from hardware.header import load_header

Answer = tuple[int, str, str]
Run = Callable[..., Answer]


@pytest.fixture
def wiring(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `cannon wiring ...`; gives its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main(["wiring", *words])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.mark.parametrize("name", board_names())
def test_it_shows_the_header_line_by_line_as_one_holds_it(wiring: Run, name: str) -> None:
    code, out, _ = wiring(name)
    assert code == 0
    board = load_board(name)
    rows = [line for line in out.splitlines() if "●" in line]
    header = load_header(board.computer)
    assert len(rows) == 20
    columns = {line.index("●") for line in rows}
    assert len(columns) == 1, "the pins are in one column"
    for line, (left, right) in zip(rows, header.rows(), strict=True):
        before, _, after = line.partition("●")
        assert before.split()[-2:] == [left.name, str(left.at)]
        assert after.replace("●", "").split()[:2] == [str(right.at), right.name]
    assert max(len(line) for line in rows) <= 80, "it fits a small terminal"


def test_it_names_colour_and_use_beside_the_pin(wiring: Run) -> None:
    _, out, _ = wiring("launcher-pi")
    assert "violet: lid switch ━━ GPIO27 13 ●" in out
    assert "● 16 GPIO23 ━━ yellow: motor forward" in out


def test_the_table_says_what_each_level_means(wiring: Run) -> None:
    _, out, _ = wiring("launcher-pi")
    for words in ("low = pressed", "high = open", "high = card in slot", "low = battery low"):
        assert words in out


def test_steps_are_shown_section_by_section(wiring: Run) -> None:
    _, out, _ = wiring("launcher-pi-basic", "--steps")
    assert out.index("Supply of the motor") < out.index("Motor driver") < out.index("Beeper")
    assert "D3 (1N5822), K" in out


def test_without_a_name_it_shows_the_board_of_the_settings(
    wiring: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cannon.toml").write_text('board = "diy-pico"\n', encoding="utf-8")
    _, out, _ = wiring()
    assert "(diy-pico)" in out
    assert "Other boards: diy-pi, launcher-pi" in out


@pytest.mark.parametrize("name", board_names())
def test_json_is_one_object_with_every_pin(wiring: Run, name: str) -> None:
    code, out, err = wiring(name, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    found = json.loads(out)
    board = load_board(name)
    assert board.wiring is not None
    assert {pin["role"]: pin["gpio"] for pin in found["pins"] if pin["role"]} == board.pins()
    wires = sum(len(section.wires) for section in board.wiring.sections().values())
    assert len(found["wires"]) == wires
    assert found["computer"] == board.computer


def test_json_tells_the_levels(wiring: Run) -> None:
    _, out, _ = wiring("launcher-pi", "--json")
    pins = {pin["role"]: pin for pin in json.loads(out)["pins"]}
    assert pins["lid"] == {
        "position": 13,
        "name": "GPIO27",
        "gpio": 27,
        "role": "lid",
        "use": "lid switch",
        "wire": "violet",
        "level": "high = open",
        "pull": "up",
        "boot": "low",
    }


def test_a_board_without_wiring_is_shown_too(wiring: Run, tmp_path: Path) -> None:
    text = Path("hardware/boards/diy-pi.toml").read_text(encoding="utf-8")
    own = tmp_path / "bare.toml"
    own.write_text(text.partition("[wiring.supply]")[0], encoding="utf-8")
    code, out, _ = wiring(str(own))
    assert code == 0
    assert "motor forward" in out
    assert "nobody has checked the driver's volts and amperes, the fuse" in " ".join(out.split())
    code, out, _ = wiring(str(own), "--json")
    assert json.loads(out)["parts"] == []


def test_a_saved_copy_is_a_board_of_its_own(wiring: Run, tmp_path: Path) -> None:
    own = tmp_path / "my-launcher.toml"
    code, out, _ = wiring("launcher-pi", "--save", str(own))
    assert (code, "cannon play --board" in out) == (0, True)
    assert load_board(str(own)) == load_board("launcher-pi")


def test_measured_values_in_a_copy_are_judged(wiring: Run, tmp_path: Path) -> None:
    own = tmp_path / "my-launcher.toml"
    wiring("launcher-pi", "--save", str(own))
    text = own.read_text(encoding="utf-8")
    own.write_text(text.replace("# motor_ohms = 0.0", "motor_ohms = 0.9"), encoding="utf-8")
    code, _, err = wiring(str(own))
    assert code == 78
    assert "motor: part: the held motor draws 1.6 A, drv8833 bears 1.5 A" in err


def test_saving_never_overwrites(wiring: Run, tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text("mine", encoding="utf-8")
    code, _, err = wiring("launcher-pi", "--save", str(own))
    assert code == 1
    assert "exists already" in err
    assert own.read_text(encoding="utf-8") == "mine"


def test_saving_where_nothing_can_be_written_is_said(wiring: Run, tmp_path: Path) -> None:
    code, _, err = wiring("launcher-pi", "--save", str(tmp_path / "none" / "mine.toml"))
    assert code == 1
    assert "cannot be written" in err


def test_an_unknown_board_is_one_line_and_78(wiring: Run) -> None:
    code, out, err = wiring("luncher-pi")
    assert (code, out) == (78, "")
    assert "did you mean 'launcher-pi'?" in err
    assert err.count("\n") == 1
