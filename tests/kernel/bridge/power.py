"""A whole host dies: a virtual machine that plays with a board at its serial port.

Its history is on a disk of its own, and it tells by the shared folder which records it has seen to
be committed. Its power is cut by a kill of the machine: what its kernel had not written yet is
gone. Then it boots again, with that disk, and its history must be sound. Its kernel freezes with
all of the machine's process.
"""

from __future__ import annotations

import json
import signal
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from typing import Any

from tests.firmware.lane import Pico
from tests.kernel.bridge.player import HOLD_MS, PRESSES, Make, Struck, trials
from tests.kernel.inside.checks.kill import under_way
from tests.kernel.inside.checks.power import CUT_AFTER_S, TOLD
from tests.kernel.inside.installed import Record
from tests.kernel.matrix import STRICT, Trial
from tests.kernel.vm.run import CACHE, booted, new_disk

SLOW = 3
"so much slower than time is the board, since the machine is emulated"


class Powered(Struck):
    """A player whose program is in a machine. The history must be sound whenever it starts."""

    looks = 6000

    def __init__(self, name: str, folder: Path, pico: Pico) -> None:
        self._name = name
        self._disk = new_disk(CACHE / f"disk-{name}")
        self._power = ExitStack()
        self._starts = 0
        super().__init__(folder, pico)

    def start(self) -> Popen[Any]:
        """Boots, and waits until the program is on record, and has beeped."""
        beeps = self.sounds(1760)
        machine = self._power.enter_context(
            booted(
                STRICT,
                {"power.plays": CUT_AFTER_S},
                name=self._name,
                disk=self._disk,
                serial=Path(self.pico.port),
            )
        )
        self.process, self._share = machine.process, machine.share
        self._starts += 1
        self.wait(lambda: self._started() == self._starts and self.sounds(1760) > beeps)
        return self.process

    def _started(self) -> int:
        """How often the program has begun, by its history."""
        return [kind for _, kind, _, _ in self.records()].count("start")

    def until_ready(self) -> None:
        """Waits until a shot that was cut is no longer open; acknowledges a fault."""
        self.wait(lambda: not under_way(self.records()))
        for _ in range(PRESSES):
            if not self._faulty():
                return
            self.pico.hand("tap", HOLD_MS)
            self.rest_for(2 * HOLD_MS)
        raise AssertionError("the fault stays")

    def _faulty(self) -> bool:
        kinds = [kind for _, kind, _, _ in self.records() if kind in ("fault", "cleared")]
        return kinds[-1:] == ["fault"]

    def records(self) -> list[Record]:
        """What the machine has told of its disk."""
        told = self._share / TOLD
        *lines, _ = told.read_text().split("\n") if told.exists() else [""]
        found = [json.loads(line) for line in lines]
        assert found[:1] in ([], ["ok"]), found[0]
        return [(seq, kind, shot, data) for seq, kind, shot, data in found[1:]]

    def close(self) -> None:
        """The power is cut, if it was not."""
        self._power.close()


def power_cut() -> list[Trial]:
    """The machine is no more, from one moment to the next."""
    return trials(lambda player: player.process.kill(), make=_player("cut"), slow=SLOW)


def kernel_frozen() -> list[Trial]:
    """The machine stands still, and after a while goes on, as if nothing had been."""

    def freeze(player: Struck) -> None:
        player.process.send_signal(signal.SIGSTOP)

    def thaw(player: Struck) -> None:
        player.process.send_signal(signal.SIGCONT)
        player.pico.hand("take")

    return trials(freeze, thaw, make=_player("frozen"), slow=SLOW, more=0)


def _player(name: str) -> Make:
    return lambda folder, pico: Powered(name, folder, pico)
