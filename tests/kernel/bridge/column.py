"""The table's column "with a microcontroller": the same things happen to a host with a bridge.

No virtual machine is needed: the board is the real firmware in the real MicroPython interpreter,
on a pseudo-terminal. The host is `cannon play` in a process of its own or, where wires are pulled,
the same program in the board's stepped time. All times are by the board's own clock.

Each function is a row, as in `inside/checks/kill.py`, and returns trials of the same form.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
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
from tests.firmware.lane import Game, Pico, Rig
from tests.firmware.test_bridge_kill import AFTER_MS, Player
from tests.kernel.inside.checks.kill import on_record
from tests.kernel.inside.installed import Record
from tests.kernel.matrix import TRIALS, Trial

CARDS = 9
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

Strike = Callable[["Struck"], None]


class Struck(Player):
    """A player whose program may be sabotaged, or told more options."""

    def __init__(self, folder: Path, pico: Pico, sabotage: str, options: tuple[str, ...]) -> None:
        self.sabotage = sabotage
        self.options = options
        super().__init__(folder, pico, CARDS)

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
                    for _ in range(HOLD_MS // AFTER_MS):
                        self.rest()
            self.rest()
        raise AssertionError(f"not ready: {now}")

    def feed(self) -> None:
        """A press; returns at a random moment of the feed, with the motor on.

        On a busy machine the link may be lost just then: then again.
        """
        for _ in range(PRESSES):
            self.until_ready()
            wanted = self.pico.cards_out + random.randint(1, 4)
            self.pico.hand("tap", 60)
            end = self.pico.mark() + FEED_MS
            while self.pico.mark() < end:
                self.pico.look(0.02)
                if self.pico.cards_out >= wanted and self.pico.driven:
                    return
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


@contextmanager
def board() -> Iterator[tuple[Path, Pico]]:
    """A board with power, and a folder for its host.

    Both come before others on this machine, as a thread hands on to what it starts.
    """
    os.setpriority(os.PRIO_PROCESS, 0, NICE)
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        (folder / "pico").mkdir()
        pico = Pico(folder / "pico", clock="real", slow=SLOW)
        pico.start()
        try:
            yield folder, pico
        finally:
            pico.kill()


def trials(
    strike: Strike,
    back: Strike | None = None,
    sabotage: str = "",
    options: tuple[str, ...] = (),
) -> list[Trial]:
    """Strikes in the middle of TRIALS feeds. Without `back` the program has ended, or is ended,
    and starts anew.

    A machine that was too busy to renew a lease has shown no more than that this stops the motor:
    such a trial is done again, MORE times at most.
    """
    done, more = [], MORE
    with board() as (folder, pico):
        player = Struck(folder, pico, sabotage, options)
        if back is not None:  # on a busy machine the end of its start may cost the first shot
            player.feed()
            player.off_after(pico.mark())
        while len(done) < TRIALS:
            player.feed()
            before = player.records()
            struck = pico.mark()
            strike(player)
            off_s = player.off_after(struck)
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
            trial = {"off_s": off_s, "again": again, **on_record(before, after)}
            if more and _link_lost(after[len(before) :]) and off_s is not None and not again:
                more -= 1
            else:
                done.append(trial)
        player.close()
    return done


def _link_lost(records: list[Record]) -> bool:
    """Whether the shot ended because the board heard nothing, or the host lost the board."""
    return any(
        (kind == "outcome" and data["reason"] == "lease")
        or (kind == "fault" and data["cause"] == "bridge_lost")
        for _, kind, _, data in records
    )


def signalled(number: signal.Signals) -> Strike:
    """A signal to the program."""
    return lambda player: player.process.send_signal(number)


def hand(*words: str | int) -> Strike:
    """Somebody does something at the board."""
    name, *numbers = words
    return lambda player: player.pico.hand(str(name), *[int(number) for number in numbers])


def nothing(player: Struck) -> None:
    """It goes on by itself, or when the button has been held."""


# --- the program dies ------------------------------------------------------------------------


def sigterm() -> list[Trial]:
    return trials(signalled(signal.SIGTERM))


def sigkill() -> list[Trial]:
    return trials(signalled(signal.SIGKILL))


def sigstop() -> list[Trial]:
    return trials(signalled(signal.SIGSTOP))


def watchdog_ends() -> list[Trial]:
    """As the service manager ends it."""
    return trials(signalled(signal.SIGABRT))


def loop_dies() -> list[Trial]:
    return trials(signalled(signal.SIGUSR1), sabotage="loop_dies")


def loop_blocks() -> list[Trial]:
    return trials(signalled(signal.SIGUSR1), sabotage="loop_blocks")


def notifier_dies() -> list[Trial]:
    """The thread that brings the inputs here is that of the link."""
    return trials(signalled(signal.SIGUSR1), sabotage="link_dies")


# --- the program lives -----------------------------------------------------------------------


def callback_raises() -> list[Trial]:
    """The library here is our own link."""
    return trials(signalled(signal.SIGUSR1), sabotage="link_callback_raises")


def controller_raises() -> list[Trial]:
    return trials(signalled(signal.SIGUSR1), nothing, sabotage="controller_raises")


def page_dies() -> list[Trial]:
    def strike(player: Struck) -> None:
        os.kill(_page(player), signal.SIGKILL)

    def back(player: Struck) -> None:
        player.wait(lambda: _children(player))

    return trials(strike, back, options=("--web", "127.0.0.1:0"))


def _page(player: Struck) -> int:
    player.wait(lambda: _children(player))
    return _children(player)[0]


def _children(player: Struck) -> list[int]:
    tasks = Path(f"/proc/{player.process.pid}/task").glob("*/children")
    return [int(number) for task in tasks for number in task.read_text().split()]


def lid_opened() -> list[Trial]:
    return trials(hand("lid", 1), hand("lid", 0))


def button_stuck() -> list[Trial]:
    return trials(hand("press", 1), hand("press", 0))


def sensor_cut() -> list[Trial]:
    def back(player: Struck) -> None:
        player.pico.hand("cut", 0)
        player.pico.hand("take")
        player.pico.hand("lid", 1)
        player.rest()
        player.pico.hand("lid", 0)

    return trials(hand("cut", 1), back)


def disk_full() -> list[Trial]:
    """No file may grow any more."""

    def limit(player: Struck, most: int) -> None:
        hard = resource.RLIM_INFINITY
        resource.prlimit(player.process.pid, resource.RLIMIT_FSIZE, (most, hard))

    def back(player: Struck) -> None:
        limit(player, resource.RLIM_INFINITY)
        for _ in range(8):
            player.rest()  # it tries again ever more rarely

    return trials(lambda player: limit(player, 1), back)


def second_instance() -> list[Trial]:
    def strike(player: Struck) -> None:
        command = [sys.executable, "-m", "cannon", "play", "--bridge", player.pico.port]
        done = subprocess.run(
            [*command, "--journal", str(player.journal.with_name("second.db"))],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "used by another process" in done.stderr) == (1, True), done.stderr

    return trials(strike, nothing)


# --- the wire and the board ------------------------------------------------------------------


def host_unplugged() -> list[Trial]:
    """The cable is pulled; the board lives on its own supply."""

    def strike(rig: Rig) -> None:
        rig.cut = True

    def back(rig: Rig) -> None:
        rig.cut = False

    return wired(strike, back)


def board_reset() -> list[Trial]:
    """The microcontroller starts anew."""
    return wired(lambda rig: rig.reset(), lambda rig: None)


def wired(strike: Callable[[Rig], None], back: Callable[[Rig], None]) -> list[Trial]:
    """The whole program and the board in the same virtual time."""
    return [_wired(strike, back) for _ in range(TRIALS)]


def _wired(strike: Callable[[Rig], None], back: Callable[[Rig], None]) -> Trial:
    with tempfile.TemporaryDirectory() as name:
        rig = Rig(Pico(Path(name)).start())
        pico, game = rig.pico, Game(rig, lambda press: CARDS)
        game.press()
        rig.until(lambda: pico.driven)
        rig.step(random.randrange(100, 800))
        rig.until(lambda: pico.driven)
        before = list(game.records)
        struck_ms = rig.now_ms
        strike(rig)
        off_ms = _off_ms(rig) if pico.driven else struck_ms
        back(rig)
        spans = len(pico.on_spans())
        pico.hand("take")
        rig.step(5000)
        pico.hand("tap", 2600)
        rig.step(5000)
        outcome = game.of("outcome")[-1]
        again = len(pico.on_spans()) > spans or pico.driven != 0
        rig.close()
    return {
        "off_s": None if off_ms is None else (off_ms - struck_ms) / 1000,
        "again": again,
        "kept": game.records[: len(before)] == before,
        "reason": outcome["reason"],
        "adds_up": outcome["decided"] == outcome["delivered"] + outcome["owed"],
    }


def _off_ms(rig: Rig) -> float | None:
    rig.step(LIVES_ON_MS, step_ms=1)
    last = rig.pico.drives[-1]
    return None if last.percent else last.ms + rig._power_on_ms
