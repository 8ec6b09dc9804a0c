"""What the program keeps survives a power cut at every byte and at every system call."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cannon.settings import storage
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.changes import load_changes, save_changes
from cannon.settings.storage import NOTHING, Kept, forget, load, save

OLD, NEW, NEWEST = 'odds = "even"\n', 'odds = "sequence-96"\nsuspense_s = 2\n', "æ = 1\n"
BOTH = pytest.mark.parametrize("fat", [False, True], ids=["rename", "vfat"])


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is kept. Nobody waits for this machine's disk: power cuts are only modelled."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    return tmp_path / "kept" / "changes.toml"


# --- the usual way ---------------------------------------------------------------------------


@BOTH
def test_what_was_saved_last_is_loaded(path: Path, fat: bool) -> None:
    assert load(path, fat) == NOTHING
    for text in (OLD, NEW, NEWEST, "", OLD):
        save(path, text, fat)
        assert load(path, fat) == Kept(text, damaged=False)


@BOTH
def test_forgotten_is_gone(path: Path, fat: bool) -> None:
    save(path, OLD, fat)
    save(path, NEW, fat)
    forget(path)
    assert load(path, fat) == NOTHING


def test_a_file_that_was_deleted_is_not_brought_back(path: Path) -> None:
    """Deleting it is how a person undoes what it says."""
    save(path, OLD, fat=False)
    save(path, NEW, fat=False)
    path.unlink()
    assert load(path, fat=False) == NOTHING


@BOTH
def test_where_it_cannot_be_written_the_error_is_the_systems(
    path: Path, fat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(path, OLD, fat)

    def full(handle: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            save(path, NEW, fat)
    assert load(path, fat).text == OLD


@pytest.mark.parametrize(
    ("mounts", "fat"),
    [
        ("22 1 8:2 / / rw - ext4 /dev/root rw", False),
        ("22 1 8:2 / / rw - ext4 a rw\n23 22 8:1 / /b rw - vfat b rw", True),
        ("23 22 8:1 / /b rw - vfat b rw\n22 1 8:2 / / rw - ext4 a rw", True),
        ("22 1 8:2 / / rw - vfat a rw\n23 22 8:1 / /b/my\\040data rw - ext4 b rw", False),
        ("22 1 8:2 / / rw - vfat a rw\n23 22 8:1 / /b rw shared:1 - ext4 b rw", False),
    ],
)  # fmt: skip
def test_finds_out_on_what_it_writes(tmp_path: Path, mounts: str, fat: bool) -> None:
    (tmp_path / "mountinfo").write_text(mounts + "\n")
    place = Path("/b/my data/changes.toml")
    assert storage._is_fat(place, tmp_path / "mountinfo") == fat


# --- a file cut at every byte ----------------------------------------------------------------


def newest(path: Path, fat: bool) -> Path:
    """The file that the last save has written."""
    return storage._beside(path, ".2") if fat else path


def damages(whole: bytes) -> Iterator[bytes]:
    for end in range(len(whole)):
        yield whole[:end]
        yield whole[:end] + b"\0" * (len(whole) - end)
    for at in range(len(whole)):
        yield whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    yield whole + b"\n"
    yield os.urandom(len(whole))


@BOTH
def test_cut_at_every_byte_the_last_good_one_is_loaded_and_said_once(path: Path, fat: bool) -> None:
    save(path, OLD, fat)
    save(path, NEW, fat)
    copies = {copy: copy.read_bytes() for copy in path.parent.iterdir()}
    whole = copies[newest(path, fat)]
    for damage in damages(whole):
        for copy, content in copies.items():
            copy.write_bytes(content)
        for copy in set(path.parent.iterdir()) - set(copies):
            copy.unlink()
        newest(path, fat).write_bytes(damage)
        found = load(path, fat)
        if found.text == NEW:  # a flipped bit in the words of the first line hurts nobody
            assert damage.partition(b"\n")[2] == whole.partition(b"\n")[2]
        else:
            assert found == Kept(OLD, damaged=True), damage
            assert load(path, fat) == Kept(OLD, damaged=False)


@BOTH
def test_the_only_copy_cut_at_every_byte_is_nothing_and_said(path: Path, fat: bool) -> None:
    save(path, OLD, fat)
    only = storage._beside(path, ".1") if fat else path
    whole = only.read_bytes()
    for end in range(len(whole)):
        only.write_bytes(whole[:end])
        assert load(path, fat) == Kept(None, damaged=True)
    save(path, NEW, fat)
    assert load(path, fat) == Kept(NEW, damaged=False)


# --- the power cut at every system call ------------------------------------------------------


class Call(NamedTuple):
    """A system call that changes the disk; `name` is a file's name in the folder."""

    what: str
    name: str
    data: Any = None


class Recorder:
    """Passes on what the storage asks of `os`, and notes what it did, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[Call] = []
        self._names: dict[int, str] = {}
        for name in ("open", "write", "fsync", "close", "replace"):
            monkeypatch.setattr(storage.os, name, self._wrapped(name, getattr(os, name)))

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            result = real(*given)
            getattr(self, f"_{name}")(result, *given)
            return result

        return call

    def _open(self, handle: int, path: Path, flags: int, mode: int = 0) -> None:
        self._names[handle] = "" if flags & os.O_DIRECTORY else Path(path).name
        if flags & os.O_TRUNC:
            self.calls.append(Call("truncate", Path(path).name))

    def _write(self, written: int, handle: int, content: bytes) -> None:
        self.calls.append(Call("write", self._names[handle], content[:written]))

    def _fsync(self, _: None, handle: int) -> None:
        self.calls.append(Call("fsync", self._names[handle]))

    def _close(self, _: None, handle: int) -> None:
        self.calls.append(Call("close", self._names.pop(handle)))

    def _replace(self, _: None, old: Path, new: Path) -> None:
        self.calls.append(Call("replace", Path(old).name, Path(new).name))


def after_a_cut(before: dict[str, bytes], calls: list[Call]) -> Iterator[dict[str, bytes]]:
    """The folders that a power cut after `calls` may leave behind.

    Names change in the order of the calls, but how many of the changes since the last fsync of
    the folder have come to the disk is open. Of bytes written since the last fsync of their file
    none, half, all or zeros have.
    """
    names = {name: number for number, name in enumerate(before)}
    contents = {number: [content, content] for number, content in enumerate(before.values())}
    stages = [dict(names)]
    for call in calls:
        if call.what == "truncate" and call.name in names:
            contents[names[call.name]][1] = b""
        elif call.what == "truncate":
            names[call.name] = len(contents)
            contents[names[call.name]] = [b"", b""]
            stages.append(dict(names))
        elif call.what == "write":
            contents[names[call.name]][1] += call.data
        elif call.what == "replace":
            names[call.data] = names.pop(call.name)
            stages.append(dict(names))
        elif call.what == "fsync" and call.name:
            contents[names[call.name]][0] = contents[names[call.name]][1]
        elif call.what == "fsync":
            stages = [dict(names)]
    for stage in stages:
        choices = [
            {safe, loose, loose[: len(loose) // 2], bytes(len(loose)), b""}
            if safe != loose
            else {safe}
            for safe, loose in (contents[number] for number in stage.values())
        ]
        for chosen in itertools.product(*choices):
            yield dict(zip(stage, chosen, strict=True))


def laid_out(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


@BOTH
@pytest.mark.parametrize("saved_before", [0, 1, 2, 3])
def test_the_power_cut_at_every_system_call(
    path: Path, fat: bool, saved_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [OLD, NEWEST, OLD * 2, NEW][-saved_before - 1 :]
    for text in texts[:-1]:
        save(path, text, fat)
    path.parent.mkdir(exist_ok=True)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with monkeypatch.context() as patched:
        recorder = Recorder(patched)
        save(path, NEW, fat)
    calls, tried = recorder.calls, 0
    assert [call.what for call in calls].count("fsync") >= 2
    last = texts[-2] if saved_before else None
    for cut in range(len(calls) + 1):
        for files in after_a_cut(before, calls[:cut]):
            laid_out(path.parent, files)
            found = load(path, fat)
            assert found.text in (last, NEW), (cut, files)
            if cut == len(calls):
                assert found == Kept(NEW, damaged=False)
            save(path, NEWEST, fat)  # and it goes on
            assert load(path, fat) == Kept(NEWEST, damaged=False)
            tried += 1
    print(f"{tried} folders after a cut in {len(calls)} calls")
    assert tried > len(calls)


def test_the_model_of_the_disk_finds_a_missing_fsync() -> None:
    """Else the test above would prove nothing."""
    careless = [
        Call("truncate", "a.new"),
        Call("write", "a.new", b"12"),
        Call("replace", "a.new", "a"),
    ]
    left = list(after_a_cut({"a": b"old"}, careless))
    assert {"a": b""} in left
    assert {"a": b"old", "a.new": b"12"} in left
    assert {"a": b"12"} in left


# --- what is kept with it --------------------------------------------------------------------


def test_what_was_changed_on_the_page_survives_a_cut_and_is_said_once(path: Path) -> None:
    said: list[str] = []
    save_changes(path, {"odds": "even"})
    save_changes(path, {"suspense_s": 2.5})
    for end in range(path.stat().st_size):
        path.write_bytes(path.read_bytes()[:end])
        said.clear()
        settings = load_changes(CannonToml(), path, said.append)
        assert (settings.odds, settings.play.suspense_s) == ("even", 0)
        assert len(said) == 1
        load_changes(CannonToml(), path, said.append)
        assert len(said) == 1
        save_changes(path, {"suspense_s": 2.5})
    settings = load_changes(CannonToml(), path, said.append)
    assert (settings.odds, settings.play.suspense_s) == ("even", 2.5)


@BOTH
def test_where_a_file_stands_in_the_folders_place_nothing_is_kept(
    tmp_path: Path, fat: bool
) -> None:
    (tmp_path / "kept").write_text("a file")
    assert load(tmp_path / "kept" / "changes.toml", fat) == NOTHING


UNREADABLE = [IsADirectoryError, PermissionError, InterruptedError, OSError]


@pytest.mark.parametrize("kind", UNREADABLE)
def test_changes_that_cannot_be_read_are_said_and_play_goes_on(
    path: Path, kind: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    save_changes(path, {"odds": "even"})
    said: list[str] = []

    def refused(self: Path) -> bytes:
        raise kind(errno.EIO, "no")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refused)
        assert load_changes(CannonToml(), path, said.append) == CannonToml()
    assert said == ["settings_unreadable"]
    assert load_changes(CannonToml(), path, said.append).odds == "even"


def test_a_folder_in_the_place_of_the_changes_is_said(path: Path) -> None:
    path.mkdir(parents=True)
    said: list[str] = []
    assert load_changes(CannonToml(), path, said.append) == CannonToml()
    assert said == ["settings_unreadable"]


def test_where_nothing_was_changed_wrong_settings_are_not_blamed_on_changes(path: Path) -> None:
    settings = CannonToml(odds="mesured")
    assert load_changes(settings, path) == settings
