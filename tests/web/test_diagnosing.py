"""What the page asks of `cannon doctor`, and what becomes of it; and when things were measured."""

import asyncio
import json
import sys

import pytest

from cannon.page import diagnosing
from cannon.page.diagnosing import Diagnosing
from cannon.page.lines import Hello
from cannon.web.launcher_view import Facts
from tests.web.tools import PATIENCE_S

SAYS = """#!{python}
import json, os, sys
told = " ".join(sys.argv[1:]) + " in " + os.environ["CANNON_LANG"]
with open({calls!r}, "a") as calls:
    calls.write("called\\n")
print(json.dumps({{"checks": [dict(name="clock", ok=True, detail=told, fix="")]}}))
sys.exit(1)
"""


def hello_for(folder, **values):
    usual = {
        "run": "1",
        "socket": -1,
        "host": "127.0.0.1",
        "port": 8080,
        "names": [],
        "pin": "",
        "language": "en",
        "facts": Facts(simulated=False, board="Toy", counts=True),
        "board": "launcher-pi",
        "wanted": "launcher-pi",
        "config": "",
        "folder": str(folder),
        "journal": str(folder / "journal.db"),
        "model": {"name": "measured"},
        "settings": {},
    }
    return Hello(**{**usual, **values})


class Doctor:
    """Diagnosing with another program in the place of Python; it counts how often it was run."""

    def __init__(self, folder, monkeypatch, **hello):
        self._program = folder / "python"
        self._calls = folder / "calls"
        self._python = sys.executable
        monkeypatch.setattr(diagnosing.sys, "executable", str(self._program))
        self.diagnosing = Diagnosing(hello_for(folder, **hello), None, None, None)
        self.is_now(SAYS.format(python=self._python, calls=str(self._calls)))

    def is_now(self, script):
        self._program.write_text(script)
        self._program.chmod(0o755)

    def ask(self, *wanted):
        """What it says in each of these languages, one after the other."""

        async def asking():
            return [await self.diagnosing.doctor(language) for language in wanted]

        return asyncio.run(asyncio.wait_for(asking(), PATIENCE_S))

    @property
    def calls(self):
        return len(self._calls.read_text().splitlines())


def test_the_doctor_looks_at_the_launcher_that_runs(tmp_path, monkeypatch):
    doctor = Doctor(tmp_path, monkeypatch, wanted="own/board.toml", config="own.toml")
    journal = tmp_path / "journal.db"
    found = doctor.ask("da")[0]
    assert found["examined"]
    (check,) = found["checks"]
    assert check["title"] == "ur"
    command, _, given = check["detail"].partition(" --json ")
    assert command == "-m cannon doctor"
    assert given == f"--board own/board.toml --journal {journal} --config own.toml in da"


def test_without_a_file_of_settings_the_doctor_finds_the_usual_one(tmp_path, monkeypatch):
    (check,) = Doctor(tmp_path, monkeypatch).ask("en")[0]["checks"]
    assert "--config" not in check["detail"]


def test_a_finding_is_kept_for_a_while_in_each_language(tmp_path, monkeypatch):
    doctor = Doctor(tmp_path, monkeypatch)
    doctor.ask("en", "en", "da", "en")
    assert doctor.calls == 2
    monkeypatch.setattr(diagnosing, "DOCTOR_S", -1.0)
    doctor.ask("en")
    assert doctor.calls == 3


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\nexec sleep 60\n",
        "#!/bin/sh\necho no JSON\n",
        "#!/bin/sh\necho '{\"checks\": [{}]}'\n",
        "#!/bin/sh\nexit 2\n",
    ],
    ids=["hangs", "no JSON", "another form", "nothing"],
)
def test_a_doctor_that_says_nothing_is_no_finding_and_is_asked_again(tmp_path, monkeypatch, script):
    monkeypatch.setattr(diagnosing, "DOCTOR_TAKES_S", 0.5 if "sleep" in script else PATIENCE_S)
    doctor = Doctor(tmp_path, monkeypatch)
    good = doctor._program.read_text()
    doctor.is_now(script)
    assert doctor.ask("en") == [{"examined": False, "checks": []}]
    monkeypatch.setattr(diagnosing, "DOCTOR_TAKES_S", PATIENCE_S)
    doctor.is_now(good)
    assert doctor.ask("en")[0]["examined"]


@pytest.mark.parametrize(
    ("at", "seconds"),
    [
        ("2026-01-02T03:04:05+00:00", 1767323045),
        ("2026-01-02T04:04:05+01:00", 1767323045),
        ("2026-01-02T03:04:05", 1767323045),
    ],
)
def test_when_the_last_check_was(tmp_path, at, seconds):
    """In seconds since 1970, so that a phone shows it by its own clock."""
    (tmp_path / "check.json").write_text(json.dumps({"at": at, "steps": []}))
    found = Diagnosing(hello_for(tmp_path), None, None, None)._check("en")
    assert found == {"at": seconds, "steps": []}


def test_a_last_check_without_a_time_is_none(tmp_path):
    (tmp_path / "check.json").write_text('{"at": "yesterday", "steps": []}')
    assert Diagnosing(hello_for(tmp_path), None, None, None)._check("en") is None
