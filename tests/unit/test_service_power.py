"""Under-voltage during a shot goes on record with it; low batteries refuse new shots."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cannon.app import plan, simulated
from cannon.core import records
from cannon.core.commands import Record
from cannon.core.events import BATTERY
from cannon.service.power import ShotPower, noted, throttled
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.texts import Texts
from cannon.telling import line

PI_4 = "sys/devices/platform/soc/soc:firmware/get_throttled"
PI_5 = "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled"
LONG_S = 60


@pytest.mark.parametrize(
    ("place", "text", "bits"),
    [(PI_4, "0\n", 0), (PI_4, "50005\n", 0x50005), (PI_5, "1\n", 1), (PI_4, "?\n", None)],
)
def test_reads_the_firmwares_bits(tmp_path: Path, place: str, text: str, bits: int | None) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert throttled(tmp_path) == bits


def test_elsewhere_there_are_none(tmp_path: Path) -> None:
    assert throttled(tmp_path) is None


class Supply:
    """The firmware, whose bits are set by the test; it waits until they have been looked at."""

    def __init__(self, bits: int | None = 0) -> None:
        self.bits = bits
        self.reported: list[int | None] = []
        self._looked = threading.Semaphore(0)

    def read(self) -> int | None:
        self._looked.release()
        return self.bits

    def set(self, bits: int) -> None:
        """Sets the bits and waits until they were surely seen."""
        self.bits = bits
        while self._looked.acquire(blocking=False):
            pass
        for _ in range(2):
            assert self._looked.acquire(timeout=LONG_S)

    def intent(self, power: ShotPower, press: int) -> None:
        """A shot begins, and the bits before it have been read."""
        while self._looked.acquire(blocking=False):
            pass
        power.see(Record(records.INTENT, {"cards": 4}, press))
        if self.bits is not None:
            assert self._looked.acquire(timeout=LONG_S)

    def shot(self, press: int, during: Callable[[], None]) -> None:
        """One shot, `during` which something happens."""
        with ShotPower(self.read, self.reported.append) as power:
            power.see(Record(records.PRESS, {}, press))
            self.intent(power, press)
            during()
            power.see(Record(records.OUTCOME, {}, press))


def test_a_dip_during_a_shot_is_reported_with_its_press() -> None:
    supply = Supply()

    def dip() -> None:
        supply.set(0x1)
        supply.set(0x0)

    supply.shot(7, dip)
    assert supply.reported == [7]


def test_a_dip_too_short_to_be_seen_is_known_from_the_bit_that_stays() -> None:
    supply = Supply()
    supply.shot(8, lambda: supply.set(0x10000))
    assert supply.reported == [8]


def test_a_dip_before_the_shot_is_not_the_shots() -> None:
    supply = Supply(0x10000)
    supply.shot(9, lambda: supply.set(0x10000))
    assert supply.reported == []


def test_a_good_supply_and_other_trouble_report_nothing() -> None:
    supply = Supply()
    supply.shot(10, lambda: supply.set(0xE000E))  # hot and throttled
    assert supply.reported == []


def test_without_a_firmware_nothing_is_watched() -> None:
    supply = Supply(None)
    supply.shot(11, lambda: None)
    assert supply.reported == []


def test_each_shot_is_judged_for_itself() -> None:
    supply = Supply()
    with ShotPower(supply.read, supply.reported.append) as power:
        for press, bits in ((1, 0), (2, 1), (3, 0), (4, 1)):
            supply.intent(power, press)
            supply.set(bits)
            supply.bits = 0
            power.see(Record(records.OUTCOME, {}, press))
    assert supply.reported == [2, 4]


@pytest.mark.parametrize("language", ["en", "da"])
def test_it_is_told_in_words(language: str) -> None:
    said = line(Texts(language), noted(3))
    assert said is not None
    assert "Raspberry Pi" in said


# --- the batteries ---------------------------------------------------------------------------


def test_low_batteries_let_a_shot_finish_and_refuse_the_next_press() -> None:
    written: list[Record] = []
    twin = simulated(plan(CannonToml(odds="generous"), seed=3), write=written.append)
    twin.start()
    intents: list[Record] = []
    while not intents:
        twin.press()
        twin.run(10, until=lambda: any(r.kind == records.INTENT for r in written))
        intents = [record for record in written if record.kind == records.INTENT]
        twin.run(0.05)
    twin.move(BATTERY, True)
    twin.run(20)
    (intent,) = intents
    (outcome,) = [r for r in written if r.kind == records.OUTCOME and r.press == intent.press]
    assert outcome.data["delivered"] == intent.data["cards"]
    assert Record(records.NOTICE, {"code": "low_battery"}) in written
    presses = len([r for r in written if r.kind == records.PRESS])
    twin.press()
    twin.run(5)
    assert len([r for r in written if r.kind == records.PRESS]) == presses
    refusal = written[-1] if written[-1].kind == records.REFUSAL else None
    assert refusal is not None
    assert refusal.data["reason"] == "low_battery"
    twin.move(BATTERY, False)
    twin.run(5)
    twin.press()
    twin.run(5)
    assert len([r for r in written if r.kind == records.PRESS]) == presses + 1
    twin.stop()
