"""`cannon play --bridge` in a process of its own, against the firmware, in real time; killed, and
switched off from outside.

All times are by the firmware's own clock. It does not run while the machine keeps the board's
process from running, and it runs at half speed: so a busy machine has time to renew a lease.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cannon.service.control import NoLauncher, ask
from tests.firmware.lane import Pico

CANNON = Path(sys.executable).parent / "cannon"
PLAY = [CANNON, "play", "--bridge"]
ODDS = 'about = "fires each time"\nchances = [1.0]\n[[cards]]\nweights = {{ {cards} = 1 }}\n'
LEASE_MS = 500
LATE_MS = 100  # a renewal may still be under way; how exact the board is, test_firmware_timing says
AFTER_MS = 700


class Player:
    """A board, and `cannon play` on it. `looks`, twenty a second, are made for what is awaited."""

    looks = 1200

    def __init__(self, folder: Path, pico: Pico, cards: int) -> None:
        self.pico = pico
        self.journal = folder / "history.db"
        self._odds = folder / "always.toml"
        self._odds.write_text(ODDS.format(cards=cards))
        self.process = self.start()

    def start(self) -> subprocess.Popen[str]:
        """Starts the program and waits until it is ready: a beep alone may be the board's own,
        which plays by itself where the program is slow to come."""
        beeps = self.sounds(1760)
        self.process = subprocess.Popen(
            [*PLAY, self.pico.port, "--journal", self.journal, "--odds", self._odds],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"XDG_RUNTIME_DIR": str(self.journal.parent)},
        )
        self.wait(lambda: self.sounds(1760) > beeps and self.ready())
        return self.process

    def ready(self) -> bool:
        """Whether the program says so."""
        try:
            _, now = ask("status", {"XDG_RUNTIME_DIR": str(self.journal.parent)})
        except NoLauncher:
            return False
        return now.state == "ready"

    def sounds(self, hz: int) -> int:
        return [tone for _, tone in self.pico.sounds].count(hz)

    def wait(self, happened: Any) -> None:
        """Waits for something on the board; however long that takes on a busy machine."""
        for _ in range(self.looks):
            self.pico.look(0.05)
            if happened():
                return
            if self.process.poll() is not None:
                break
        self.process.kill()
        raise AssertionError(f"it did not happen: {self.process.communicate()[0]}")

    def shoot(self, until_cards: int) -> None:
        """A press; returns when so many cards are out and the motor runs for the next one."""
        self.pico.hand("tap", 60)
        self.wait(lambda: self.pico.cards_out >= until_cards and self.pico.driven)

    def rest(self) -> float:
        """The board's clock now; returns after it has lived on for AFTER_MS."""
        now = self.pico.mark()
        while self.pico.mark() < now + AFTER_MS:
            self.pico.look(0.02)
        return now

    def totals(self) -> dict[str, Any]:
        done = subprocess.run(
            [CANNON, "history", "--json", "--journal", self.journal],
            capture_output=True,
            text=True,
            check=True,
        )
        totals: dict[str, Any] = json.loads(done.stdout)["totals"]
        return totals

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=60)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Any]:
    made: list[Player] = []
    pico = Pico(tmp_path / "pico", clock="real", slow=2)
    (tmp_path / "pico").mkdir(exist_ok=True)
    pico.start()

    def make(cards: int = 9) -> Player:
        made.append(Player(tmp_path, pico, cards))
        return made[-1]

    yield make
    for player in made:
        player.close()
    pico.kill()


def test_it_plays_and_ends_cleanly(play: Any) -> None:
    player = play(cards=2)
    player.pico.hand("tap", 60)
    player.wait(lambda: player.pico.cards_out == 2)
    player.wait(lambda: not player.pico.driven)
    player.rest()
    player.process.send_signal(signal.SIGTERM)
    said, _ = player.process.communicate(timeout=60)
    assert player.process.returncode == 0, said
    assert "Traceback" not in said
    totals = player.totals()
    assert (totals["launches"], totals["decided"], totals["delivered"]) == (1, 2, 2)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_host_that_dies_or_freezes_in_mid_feed(play: Any, how: signal.Signals) -> None:
    """The motor is off within the lease; a new start fires nothing by itself."""
    player = play()
    player.shoot(until_cards=2)
    player.process.send_signal(how)
    if how == signal.SIGKILL:
        player.process.wait(timeout=60)
    killed = player.rest()
    assert player.pico.driven == 0
    assert player.pico.drives[-1].ms <= killed + LEASE_MS + LATE_MS
    player.close()
    player.pico.hand("take")  # a card may have stopped in the slot
    spans, out = len(player.pico.on_spans()), player.pico.cards_out
    player.start()
    player.rest()
    assert len(player.pico.on_spans()) == spans
    # What the old run decided, and what came as far as it knew, is on record; the rest is owed.
    totals = player.totals()
    assert totals["decided"] == totals["delivered"] + totals["owed"] == 9
    player.pico.hand("tap", 60)
    player.wait(lambda: player.pico.cards_out > out)


def test_terminated_in_mid_feed_it_stops_the_motor_at_once(play: Any) -> None:
    player = play()
    player.shoot(until_cards=1)
    asked = player.pico.mark()
    player.process.send_signal(signal.SIGTERM)
    said, _ = player.process.communicate(timeout=60)
    assert player.process.returncode == 0, said
    player.rest()
    assert player.pico.driven == 0
    assert player.pico.drives[-1].ms <= asked + LEASE_MS + LATE_MS


def test_the_lid_stops_a_feed_while_the_host_is_frozen(play: Any) -> None:
    player = play()
    player.shoot(until_cards=1)
    player.process.send_signal(signal.SIGSTOP)
    opened = player.pico.mark()
    player.pico.hand("lid", 1)
    player.rest()
    assert player.pico.driven == 0
    assert player.pico.drives[-1].ms <= opened + 100


OFF = "from cannon.service import off; off.RECORDS = (); from cannon.cli import main; main(['off'])"


def test_switched_off_in_mid_feed_it_stays_so_until_somebody_acknowledges(play: Any) -> None:
    """As `cannon off` does where no launcher has run on pins; the launcher lives on."""
    player = play(cards=13)
    player.shoot(until_cards=1)
    own = os.environ | {"XDG_RUNTIME_DIR": str(player.journal.parent)}
    done = subprocess.run([sys.executable, "-c", OFF], env=own, capture_output=True, text=True)
    asked = player.rest()
    assert (done.returncode, done.stderr) == (0, "")
    assert player.pico.driven == 0
    assert player.pico.drives[-1].ms <= asked
    status = subprocess.run([CANNON, "status", "--json"], env=own, capture_output=True, check=True)
    assert json.loads(status.stdout)["cause"] == "switched_off"
    spans, refused = len(player.pico.on_spans()), player.sounds(220)
    player.pico.hand("tap", 60)
    player.wait(lambda: player.sounds(220) > refused)
    player.rest()
    assert len(player.pico.on_spans()) == spans


def test_a_second_program_on_the_port_is_refused_and_disturbs_nothing(play: Any) -> None:
    player = play(cards=2)
    done = subprocess.run(
        [*PLAY, player.pico.port, "--journal", player.journal],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        env=os.environ | {"XDG_RUNTIME_DIR": str(player.journal.parent), "CANNON_START_S": "1"},
    )
    assert done.returncode == 1
    assert "used by another process" in done.stderr
    assert "Traceback" not in done.stderr
    player.pico.hand("tap", 60)
    player.wait(lambda: player.pico.cards_out == 2)
