"""Whether the Raspberry Pi's own supply held during a shot. A shot is when it does not.

The firmware tells in bits, with or without the tool `vcgencmd`: bit 0 under-voltage now, bit 16
under-voltage at some time since the last start. Reading takes a moment, so a thread of its own
does it, and only while cards are fed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue

from cannon.core import records
from cannon.core.commands import Record

UNDER_VOLTAGE, CAPPED, THROTTLED, HOT = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SINCE_START = 16  # the same four bits, that much higher: since the last start
PLACES = "sys/devices/platform/soc*/soc*:firmware/get_throttled"  # Pi 0 to 4, and Pi 5
LOOK_S = 0.1


def throttled(root: Path = Path("/")) -> int | None:
    """The firmware's bits; None where there are none, as on anything but a Raspberry Pi."""
    for path in sorted(root.glob(PLACES)):
        try:
            return int(path.read_text().strip(), 16)
        except (OSError, ValueError):
            continue
    return None


def noted(press: int | None) -> Record:
    """What goes on record with a shot during which the supply was too low."""
    return Record(records.NOTICE, {"code": "under_voltage"}, press)


class ShotPower:
    """Watches the supply from each intent to its outcome, between `with` and its end.

    `see` takes all records, from the control loop, without waiting. `report` hears the number of
    the press during whose shot the supply was too low. Where `read` has nothing to tell at the
    start nothing is watched.
    """

    def __init__(
        self, read: Callable[[], int | None], report: Callable[[int | None], None]
    ) -> None:
        self._read = read
        self._report = report
        self._records: SimpleQueue[Record | None] = SimpleQueue()
        self._watches = read() is not None
        self._thread = threading.Thread(target=self._work, name="power", daemon=True)

    def see(self, record: Record) -> None:
        """Takes a record."""
        if self._watches and record.kind in (records.INTENT, records.OUTCOME):
            self._records.put(record)

    def __enter__(self) -> ShotPower:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._records.put(None)
        self._thread.join(timeout=1)

    def _work(self) -> None:
        while (record := self._records.get()) is not None:
            if record.kind == records.INTENT and self._was_low():
                self._report(record.press)

    def _was_low(self) -> bool:
        """Watches until the next record."""
        before = self._read() or 0
        low, ended = before & UNDER_VOLTAGE, False
        while not ended:
            ended = self._ended_within(LOOK_S)
            now = self._read() or 0
            low |= (now | (now & ~before) >> SINCE_START) & UNDER_VOLTAGE
        return bool(low)

    def _ended_within(self, for_s: float) -> bool:
        """Whether the shot has ended, or all has, after at most that time."""
        try:
            record = self._records.get(timeout=for_s)
        except Empty:
            return False
        if record is None:
            self._records.put(None)  # for the one who waits for the next shot
        return True
