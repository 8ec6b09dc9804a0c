"""A kept game survives a power cut at any moment, at the last confirmed action."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cannon.cli.table import command
from cannon.companion import saving
from cannon.companion.prompting import restored
from cannon.companion.saving import ActionFile, usual_place
from cannon.errors import CannonError
from cannon.settings import storage
from cannon.table.actions import Lay, Pressed, Start, Undo, write

START = Start("extreme", ("A", "B", "C"), "C", first="red 5")


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "game.jsonl"
    with ActionFile(path) as kept:
        for action in (START, Lay("A", "red hit-2"), Pressed(3), Undo()):
            kept.append(action)
    with ActionFile(path) as again:
        assert again.actions == [START, Lay("A", "red hit-2"), Pressed(3), Undo()]


@pytest.mark.parametrize("torn_after", [1, 10, 20, -1])
def test_a_torn_line_was_never_confirmed(tmp_path: Path, torn_after: int) -> None:
    path = tmp_path / "game.jsonl"
    lines = [write(START), write(Lay("A", "red hit-2")), write(Pressed(3))]
    whole = "".join(line + "\n" for line in lines[:2])
    path.write_text(whole + lines[2][:torn_after])
    with ActionFile(path) as kept:
        assert kept.actions == [START, Lay("A", "red hit-2")]
        kept.append(Pressed(0))
    with ActionFile(path) as again:
        assert again.actions == [START, Lay("A", "red hit-2"), Pressed(0)]


@pytest.mark.parametrize("zeros", [1, 100, 4096])
@pytest.mark.parametrize("torn", ["", '{"do": "lay", "by'])
def test_zeros_at_the_end_are_a_torn_line(tmp_path: Path, torn: str, zeros: int) -> None:
    """What ext4 leaves where the size of a file reached the disk, and what was written did not."""
    path = tmp_path / "game.jsonl"
    path.write_bytes(f"{write(START)}\n{torn}".encode() + b"\0" * zeros)
    with ActionFile(path) as kept:
        assert kept.actions == [START]
        kept.append(Pressed(0))
    assert path.read_text() == f"{write(START)}\n{write(Pressed(0))}\n"


def test_a_file_of_zeros_alone_is_a_new_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"\0" * 512)
    with ActionFile(path) as kept:
        assert kept.actions == []
    assert path.read_bytes() == b""


DAMAGED = [b'{"do": "fly"}', b"\0" * 40, b'{"do": "lay", "by": "\xff"}', b"nonsense"]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_rescue_goes_on_from_the_good_lines_and_keeps_a_copy_of_all(
    tmp_path: Path, damage: bytes
) -> None:
    path = tmp_path / "game.jsonl"
    good = "".join(f"{write(action)}\n" for action in (START, Lay("A", "red 7"))).encode()
    whole = good + damage + b"\n" + f"{write(Pressed(3))}\n".encode()
    for number in (1, 2):
        path.write_bytes(whole)
        with ActionFile(path, rescue=True) as kept:
            assert kept.actions == [START, Lay("A", "red 7")]
            assert kept.aside == tmp_path / f"game.jsonl.corrupt-{number}"
            assert kept.aside.read_bytes() == whole
            kept.append(Pressed(0))
        with ActionFile(path, rescue=True) as again:
            assert again.actions == [START, Lay("A", "red 7"), Pressed(0)]
            assert again.aside is None


def test_a_rescue_that_can_keep_no_copy_leaves_the_file_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "game.jsonl"
    path.write_text(f"{write(START)}\nnonsense\n")
    monkeypatch.setattr(storage, "put", full)
    with pytest.raises(CannonError, match="No space left on device"):
        ActionFile(path, rescue=True)
    assert path.read_text() == f"{write(START)}\nnonsense\n"


def test_in_mid_penalty_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with ActionFile(path) as kept:
        for action in (START, Lay("A", "red hit-2"), Pressed(3)):
            kept.append(action)
    with ActionFile(path) as again:
        state = restored(again).state
    assert [(state.ring[owed.by], owed.count) for owed in state.owed] == [("B", 1)]
    assert state.hands == (6, 10, 7)


def test_killed_while_playing(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    playing = subprocess.Popen(
        [sys.executable, "-m", "cannon", "table", "--file", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "CANNON_LANG": "en"},
        text=True,
    )
    assert playing.stdin is not None
    assert playing.stdout is not None
    playing.stdin.write("start\nextreme\nA, B, C\nC\n\nred 5\nred hit 2\n3\n")
    playing.stdin.flush()
    for line in playing.stdout:
        if "B presses 1 more time" in line:
            break
    playing.send_signal(signal.SIGKILL)
    playing.wait()
    playing.stdin.close()
    playing.stdout.close()
    with ActionFile(path) as kept:
        state = restored(kept).state
    assert state.owed[0].count == 1
    assert state.hands == (6, 10, 7)


def test_only_one_program_has_a_game_open(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with ActionFile(path), pytest.raises(CannonError, match="another program has this game open"):
        ActionFile(path)
    with ActionFile(path):
        pass


def test_a_line_that_is_no_action_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(f'{write(START)}\n{{"do": "fly"}}\n')
    with pytest.raises(CannonError, match="line 2 is not an action: Invalid value 'fly'"):
        ActionFile(path)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannonError, match="cannot be opened"):
        ActionFile(tmp_path / "file" / "game.jsonl")


def test_a_full_disk_costs_the_keeping_and_not_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    with ActionFile(path) as kept:
        kept.append(START)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(saving, "_sync_folder", lambda _: None)
    monkeypatch.setattr(os, "fsync", full)
    result = CliRunner().invoke(
        command, ["--file", str(path)], input="red 6\nblue 6\nquit\n", env={"LANG": "en"}
    )
    assert result.exit_code == 0
    assert result.output.count("the disk is full") == 2
    assert "C's turn." in result.output
    monkeypatch.undo()
    with ActionFile(path) as kept:
        assert kept.actions == [START]


def test_usual_place(tmp_path: Path) -> None:
    assert usual_place({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "cannon" / "table.jsonl"
    assert usual_place({}).parts[-4:] == (".local", "state", "cannon", "table.jsonl")


def test_new_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with ActionFile(path) as kept:
        kept.append(START)
    CliRunner().invoke(command, ["--new", "--file", str(path)], input="quit\n")
    with ActionFile(path) as kept:
        assert kept.actions == []


def test_the_file_is_one_that_replay_takes(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with ActionFile(path) as kept:
        kept.append(START)
        kept.append(Lay("A", "red skip"))
    result = CliRunner().invoke(command, ["replay", str(path), "--json"])
    assert json.loads(result.output.splitlines()[-1])["turn"] == "C"
