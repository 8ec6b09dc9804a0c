"""The host with a microcontroller as a player that things are done to, and its trials.

The board is the real firmware in the real MicroPython interpreter, on a pseudo-terminal. The host
is `cannon play` in a process of its own. All times are by the board's own clock.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from cannon.core.values import Snapshot
from cannon.errors import CannonError
from cannon.journal.store import open_to_read
from cannon.service.control import ask
from tests.firmware.lane import Pico
from tests.firmware.test_bridge_kill import Player
from tests.kernel.inside.checks.kill import on_record, under_way
from tests.kernel.inside.installed import Record
from tests.kernel.matrix import BRIDGE, CARDS, TRIALS, Trial

SETTINGS = '[play]\nowed = "command"\n'  # else the next press brings what a cut one owes
SLOW = 3
"so much slower than time is the board: a busy machine has time to renew a lease"
MEMORY = "/dev/shm"  # a busy disk takes seconds to write
NICE = -10  # as the service has it
LOOKS, PRESSES, FEED_MS = 60, 5, 3000
MORE = 5
HOLD_MS = 2600
LIVES_ON_MS = 900
"how long the board is watched after the motor was switched off; longer than a lease"


class Struck(Player):
    """A player whose program may be sabotaged, or told more options."""

    def __init__(
        self,
        folder: Path,
        pico: Pico,
        sabotage: str = "",
        options: tuple[str, ...] = (),
        cards: int = CARDS[BRIDGE],
    ) -> None:
        self.sabotage = sabotage
        self.options = options
        self.cards = cards
        super().__init__(folder, pico, cards)

    def start(self) -> subprocess.Popen[str]:
        """Starts the program and waits until it has begun; it does not beep where a fault of the
        last run is still to be acknowledged."""
        module = "tests.kernel.inside.subjects.sabotaged" if self.sabotage else "cannon"
        play = ["play", "--bridge", str(self.pico.port), "--odds", str(self._odds)]
        settings = self.journal.with_name("cannon.toml")
        settings.write_text(SETTINGS)
        files = ["--journal", str(self.journal), "--config", str(settings)]
        sabotage = self.journal.with_name("sabotage")
        sabotage.write_text(self.sabotage)
        own = {"XDG_RUNTIME_DIR": str(self.journal.parent), "SABOTAGE": str(sabotage)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *play, *files, *self.options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | own,
        )
        self.wait(self._has_begun)
        return self.process

    def _has_begun(self) -> bool:
        with suppress(CannonError):
            return self._state().state != "starting"
        return False

    def _state(self) -> Snapshot:
        return ask("status", {"XDG_RUNTIME_DIR": str(self.journal.parent)})[1]

    def until_ready(self) -> None:
        """Waits until a press would be taken; takes what sticks in the slot, holds the button."""
        for _ in range(LOOKS):
            with suppress(CannonError):
                now = self._state()
                if now.state == "ready":
                    return
                if now.cause == "sensor_blocked" or now.protruding:
                    self.pico.hand("take")
                elif now.state == "fault":
                    self.pico.hand("tap", HOLD_MS)
                    self.rest_for(HOLD_MS)
            self.rest()
        raise AssertionError(f"not ready: {now}")

    def rest_for(self, for_ms: float) -> None:
        """The board lives on for so long by its clock."""
        end = self.pico.mark() + for_ms
        while self.pico.mark() < end:
            self.pico.look(0.02)

    def feed(self) -> list[Record]:
        """A press; returns at a random moment of the feed, with the motor on, what is on the disk
        by then. The shot is: it is written beside the feed, within moments.

        On a busy machine the link may be lost just then: then again.
        """
        for _ in range(PRESSES):
            self.until_ready()
            wanted = self.pico.cards_out + random.randint(1, 4)
            self.pico.hand("tap", 60)
            end = self.pico.mark() + FEED_MS
            while self.pico.mark() < end:
                self.pico.look(0.02)
                if self.pico.cards_out >= wanted and under_way(records := self.records()):
                    self.pico.mark()
                    if self.pico.driven:
                        return records
        raise AssertionError("the motor does not start")

    def off_after(self, since_ms: float) -> float | None:
        """Seconds by the board's clock until the motor was off for good; None: it is on."""
        end = since_ms + 60_000
        while (now := self.pico.mark()) < end:
            last = self.pico.drives[-1]
            if not last.percent and now > last.ms + LIVES_ON_MS:
                return (last.ms - since_ms) / 1000
        return None

    def records(self) -> list[Record]:
        """What is on the disk."""
        with closing(open_to_read(self.journal)) as file:
            rows = file.execute("SELECT seq, kind, shot, data FROM records ORDER BY seq").fetchall()
        return [(seq, kind, shot, json.loads(data)) for seq, kind, shot, data in rows]


Strike = Callable[[Struck], None]
Make = Callable[[Path, Pico], Struck]


@contextmanager
def board(slow: int = SLOW) -> Iterator[tuple[Path, Pico]]:
    """A board with power, and a folder for its host.

    Both come before others on this machine, as a thread hands on to what it starts.
    """
    os.setpriority(os.PRIO_PROCESS, 0, NICE)
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        (folder / "pico").mkdir()
        pico = Pico(folder / "pico", clock="real", slow=slow)
        pico.start()
        try:
            yield folder, pico
        finally:
            pico.kill()


def trials(
    strike: Strike,
    back: Strike | None = None,
    make: Make = Struck,
    slow: int = SLOW,
    more: int = MORE,
) -> list[Trial]:
    """Strikes in the middle of TRIALS feeds. Without `back` the program has ended, or is ended,
    and starts anew.

    A machine that was too busy to renew a lease has shown no more than that this stops the motor:
    such a trial is done again, `more` times at most.
    """
    done: list[Trial] = []
    with board(slow) as (folder, pico):
        player = make(folder, pico)
        try:
            if back is not None:  # on a busy machine the end of its start may cost the first shot
                player.feed()
                player.off_after(pico.mark())
            while len(done) < TRIALS:
                trial, lost = _trial(player, strike, back)
                if more and lost and trial["off_s"] is not None and not trial["again"]:
                    more -= 1
                else:
                    done.append(trial)
        finally:
            player.close()
    return done


def _trial(player: Struck, strike: Strike, back: Strike | None) -> tuple[Trial, bool]:
    """A strike in the middle of a feed, and whether the link was lost in it."""
    pico, out = player.pico, player.pico.cards_out
    before = player.feed()
    struck = pico.mark()
    strike(player)
    off_s = player.off_after(struck)
    all_out = pico.cards_out >= out + player.cards
    spans = len(pico.on_spans())
    if back is None:
        player.close()
        pico.hand("take")
        player.start()
    else:
        back(player)
    player.until_ready()
    player.rest()
    again = len(pico.on_spans()) > spans or pico.driven != 0
    after = player.records()
    trial = {"off_s": off_s, "all_out": all_out, "again": again, **on_record(before, after)}
    return trial, _link_lost(after[len(before) :])


def _link_lost(records: list[Record]) -> bool:
    """Whether the shot ended because the board heard nothing, or the host lost the board."""
    return any(
        (kind == "outcome" and data["reason"] == "lease")
        or (kind == "fault" and data["cause"] == "bridge_lost")
        for _, kind, _, data in records
    )
