"""kill -9 at any moment: what was confirmed is on record, and the file is sound."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tests.unit.journal_tools import PATIENCE_S, integrity, opened, shots

# Writes shots 1, 2, 3, ... and prints the last one that is confirmed to be on the disk.
WRITER = """
import sys
from pathlib import Path
from cannon.journal import Journal
journal = Journal.open(Path(sys.argv[1]))
shot = journal.last_shot()
print(shot, flush=True)
while True:
    for _ in range(3):
        shot += 1
        journal.write("press", {"source": "button", "odds": {"blanks": shot % 5}}, shot)
    if journal.flush(10):
        print(shot, flush=True)
"""


def confirmed_before_kill(path, rng):
    """Starts the writer, kills it at a random moment; the last shot it called confirmed."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
    os.set_blocking(writer.stdout.fileno(), True)
    lines = rng.choice([0, 1, 2, rng.randrange(200)])
    read = [writer.stdout.readline() for _ in range(lines)]
    time.sleep(rng.random() * 0.02)  # anywhere within a commit, or in the middle of the start
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate(timeout=PATIENCE_S)
    whole = [line for line in b"".join([*read, rest]).split(b"\n")[:-1] if line]
    return int(whole[-1]) if whole else 0


def kill_rounds(path, rounds, seed):
    print("seed", seed)
    rng = random.Random(seed)
    confirmed = 0
    for number in range(rounds):
        confirmed = max(confirmed, confirmed_before_kill(path, rng))
        if not path.exists():
            continue  # killed before there was a file
        journal = opened(path)
        assert journal.notices() == [], f"round {number}"
        assert journal.last_shot() >= confirmed
        assert journal.close(PATIENCE_S)
        assert integrity(path) == [("ok",)]
        found = shots(path)
        assert found == list(range(1, len(found) + 1))
        assert len(found) >= confirmed
    assert confirmed > 0
    assert not list(path.parent.glob("*.corrupt-*"))


def test_nothing_confirmed_is_lost_by_kill_9(tmp_path):
    kill_rounds(tmp_path / "journal.db", 8, random.SystemRandom().getrandbits(32))


@pytest.mark.long
def test_nothing_confirmed_is_lost_by_200_kills(tmp_path):
    kill_rounds(tmp_path / "journal.db", 200, random.SystemRandom().getrandbits(32))
