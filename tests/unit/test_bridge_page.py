"""The protocol's page says what the code does."""

from __future__ import annotations

import re

import pytest

from cannon.core.inputs import InputTimes
from cannon.devices import bridge
from firmware_bridge import frames, messages, outbox, session
from tests.firmware.micropython import PROJECT

FOLDER = PROJECT / "firmware_bridge"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
TABLES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]
SOURCE = (FOLDER / "messages.py").read_text(encoding="utf-8")
KINDS = {name: chr(getattr(messages, name)) for name in re.findall(r"^(\w+) = 0x", SOURCE, re.M)}


def firmware_constant(file: str, name: str) -> int:
    text = (FOLDER / "pico" / file).read_text(encoding="utf-8")
    found = re.search(rf"^{name} = (\d+)", text, re.M)
    assert found, name
    return int(found.group(1))


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_in_a_table(name: str) -> None:
    letters = {letter for row in TABLES for letter in re.findall(r"`([A-Za-z])`", row[0])}
    assert KINDS[name] in letters


def test_every_word_of_the_codes_is_there() -> None:
    words = [*messages.RESULTS[1:], *messages.REASONS[1:], *messages.FAULTS[1:]]
    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_the_times_are_those_of_the_code() -> None:
    rows = {row[0]: row[-1] for row in TABLES}
    assert rows["longest lease"] == str(messages.MOST_LEASE_MS)
    assert rows["HELLO, answer asked for again, status asked for"] == ", ".join(
        f"{1000 * seconds:.0f}" for seconds in (session.HELLO_S, outbox.RETRY_S, session.ASK_S)
    )
    silent_ms = 1000 * outbox.RETRY_S * outbox.TRIES
    lost_ms = firmware_constant("launcher.py", "LOST_AFTER")
    assert rows["silence until the link is lost: host, board"] == f"{silent_ms:.0f}, " + (
        f"{lost_ms:_}".replace("_", " ")
    )
    alone_ms = firmware_constant("launcher.py", "ALONE_AFTER")
    assert rows["stand-alone play after the start"] == str(alone_ms)
    assert str(firmware_constant("launcher.py", "WATCHDOG")) in [row[-1] for row in TABLES]
    assert f"renews every {1000 * bridge.RENEW_S:.0f} ms" in PAGE.replace("\n", " ")
    assert f"last {firmware_constant('host.py', 'ANSWERS')} answers" in PAGE.replace("\n", " ")


def test_the_sizes_are_those_of_the_code() -> None:
    assert f"payload (0 to {frames.MOST_PAYLOAD})" in PAGE
    assert f"At most {frames.LONGEST} bytes in all" in PAGE
    assert f"multiples of {firmware_constant('wire.py', 'PIECE')} bytes" in PAGE.replace("\n", " ")


def test_the_settling_times_are_those_of_the_core() -> None:
    times = InputTimes()
    text = PAGE.replace("\n", " ")
    assert f"after {1000 * times.press_min_s:.0f} ms, then locked for" in text
    assert f"locked for {1000 * times.bounce_s:.0f}" in text
    assert f"after {1000 * times.lid_open_s:.0f} ms open" in text
    assert f"{1000 * times.lid_close_s:.0f} ms closed" in text
