"""The table's column "with a microcontroller": the same things happen to a host with a bridge.

No virtual machine is needed but where the whole host dies (see `power`). Where wires are pulled,
host and board live in the board's stepped time.

Each function is a row, as in `inside/checks/kill.py`, and returns trials of the same form.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.firmware.lane import Game, Pico, Rig
from tests.kernel.bridge.player import LIVES_ON_MS, Make, Strike, Struck, trials
from tests.kernel.bridge.power import kernel_frozen, power_cut
from tests.kernel.matrix import BRIDGE, CARDS, TRIALS, Trial

SOME = 9
"cards of a feed that goes on to its end"
PAGE = ("--web", "127.0.0.1:0")
IN_A_MACHINE = {"kernel_frozen": kernel_frozen, "power_cut": power_cut}


def broken(sabotage: str) -> Make:
    """A player whose program has a part that SIGUSR1 breaks."""
    return lambda folder, pico: Struck(folder, pico, sabotage)


def short(sabotage: str = "", *options: str) -> Make:
    """A player whose feeds are to go on to their end."""
    return lambda folder, pico: Struck(folder, pico, sabotage, options, SOME)


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
    return trials(signalled(signal.SIGUSR1), make=broken("loop_dies"))


def loop_blocks() -> list[Trial]:
    return trials(signalled(signal.SIGUSR1), make=broken("loop_blocks"))


def notifier_dies() -> list[Trial]:
    """The thread that brings the inputs here is that of the link."""
    return trials(signalled(signal.SIGUSR1), make=broken("link_dies"))


# --- the program lives -----------------------------------------------------------------------


def callback_raises() -> list[Trial]:
    """The library here is our own link."""
    return trials(signalled(signal.SIGUSR1), make=broken("link_callback_raises"))


def controller_raises() -> list[Trial]:
    return trials(signalled(signal.SIGUSR1), nothing, broken("controller_raises"))


def page_dies() -> list[Trial]:
    return trials(page(signal.SIGKILL), page_is_back, short("", *PAGE))


def page_raises() -> list[Trial]:
    """At the next news that it takes."""
    return trials(page(signal.SIGUSR1), page_can_be_broken, short("nothing of its own", *PAGE))


def page(number: signal.Signals) -> Strike:
    """A signal to the page's process, which ends of it."""

    def strike(player: Struck) -> None:
        struck = _page(player)
        os.kill(struck, number)
        player.wait(lambda: struck not in _children(player))

    return strike


def page_is_back(player: Struck) -> None:
    """There is a page again."""
    player.wait(lambda: _children(player))


def page_can_be_broken(player: Struck) -> None:
    """And it has come so far that it hears the signal."""
    player.wait(lambda: any(_catches(page, signal.SIGUSR1) for page in _children(player)))


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for that signal."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    mask = next(line.split()[1] for line in lines if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def _page(player: Struck) -> int:
    player.wait(lambda: _children(player))
    return _children(player)[0]


def _children(player: Struck) -> list[int]:
    tasks = Path(f"/proc/{player.process.pid}/task").glob("*/children")
    return [int(number) for task in tasks for number in task.read_text().split()]


def lid_opened() -> list[Trial]:
    return trials(hand("lid", 1), hand("lid", 0))


def button_stuck() -> list[Trial]:
    return trials(hand("press", 1), hand("press", 0), short())


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

    return trials(lambda player: limit(player, 1), back, short())


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

    return trials(strike, nothing, short())


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
        pico, game = rig.pico, Game(rig, lambda press: CARDS[BRIDGE])
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
