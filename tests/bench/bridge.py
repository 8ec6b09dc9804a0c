"""The bridge: round trip against a bare echo, decoder, the firmware's memory and its motor times.

All against the firmware's own files in the real MicroPython interpreter, on a pseudo-terminal.
"""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import tempfile
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge import messages as m
from firmware_bridge.frames import Decoder, encode
from tests.bench.measure import bound, middle, result
from tests.firmware.conftest import quick_board
from tests.firmware.lane import PICO_HEAP_KB, QUICK, Pico, RawHost
from tests.firmware.micropython import MICROPYTHON, PROJECT
from tests.firmware.micropython import run as run_micropython
from tests.firmware.test_firmware_timing import run_and_measure

LINE_BYTES_S = 115_200 / 10
TRIPS = 2000
SHOTS = 10_000
LEASES = 10_000
SEED = 41

# What any program in this interpreter has to do for an answer: look, read byte by byte, write.
ECHO = """
import sys, select
readable = select.poll()
readable.register(sys.stdin, select.POLLIN)
one, got = bytearray(1), bytearray()
while True:
    for _ in readable.ipoll(1):
        sys.stdin.buffer.readinto(one)
        got += one
        if not one[0]:
            sys.stdout.buffer.write(got)
            got = bytearray()
"""

DECODE = """
import json, sys, time
from binascii import unhexlify
from frames import Decoder
with open(sys.argv[1]) as file:
    data = b"".join(unhexlify(frame["wire"]) for frame in json.load(file)["frames"])
decoder = Decoder()
began = time.ticks_us()
for _ in range(100):
    decoder.feed(data)
print(100 * len(data) * 1000000 / time.ticks_diff(time.ticks_us(), began))
"""


def run() -> list[dict[str, Any]]:
    """All measurements of the bridge."""
    return [round_trip(), decoder(), *memory(), motor_off()]


# --- round trip ---------------------------------------------------------------------------------


def round_trip() -> dict[str, Any]:
    """A command and its answer, in turns with an echo of as many bytes."""
    with tempfile.TemporaryDirectory() as folder:
        pico = Pico(Path(folder), clock="real").start()
        master, slave = os.openpty()
        tty.setraw(slave)
        echo = subprocess.Popen([MICROPYTHON, "-c", ECHO], stdin=master, stdout=master)
        board, mirror = _open(pico.port), _open(os.ttyname(slave))
        try:
            return _round_trip(board, mirror)
        finally:
            echo.kill()
            echo.wait()
            pico.kill()
            for fd in (board, mirror, master, slave):
                os.close(fd)


def _round_trip(board: int, mirror: int) -> dict[str, Any]:
    sequence = 0

    def command() -> bytes:
        nonlocal sequence
        sequence = sequence % 255 + 1
        return encode(m.STOP, sequence)

    def answered(data: bytes) -> bool:
        return any(k == m.DONE and s == sequence for k, s, _ in Decoder().feed(b"\0" + data))

    for _ in range(50):  # until both have started
        _exchange(board, command(), answered, wait_s=0.2)
        _exchange(mirror, b"x\0", lambda data: data.endswith(b"x\0"), wait_s=0.2)
    ours: list[float] = []
    echoes: list[float] = []
    sent = encode(m.STOP, 1)
    for _ in range(TRIPS):
        ours.append(_exchange(board, command(), answered))
        echoes.append(_exchange(mirror, sent, lambda data: data == sent))
    return result("bridge.round_trip", middle(ours), middle(echoes), 3, "s (median)", trips=TRIPS)


def _exchange(
    fd: int, data: bytes, complete: Callable[[bytes], bool], wait_s: float = 10.0
) -> float:
    began = time.perf_counter()
    os.write(fd, data)
    got = b""
    while not complete(got):
        if not select.select([fd], [], [], wait_s)[0]:
            break
        got += os.read(fd, 4096)
    return time.perf_counter() - began


def _open(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)


# --- decoder ------------------------------------------------------------------------------------


def decoder() -> dict[str, Any]:
    """Bytes a second through the decoder, as multiples of a full line; on the board's side, too."""
    folder = PROJECT / "firmware_bridge"
    vectors = folder / "vectors.json"
    frames = json.loads(vectors.read_text(encoding="utf-8"))["frames"]
    data = b"".join(bytes.fromhex(frame["wire"]) for frame in frames)
    began = time.perf_counter()
    for _ in range(1000):
        Decoder().feed(data)
    speed = 1000 * len(data) / (time.perf_counter() - began)
    there = float(run_micropython(DECODE, str(vectors), path=f"{folder}:.frozen"))
    return {
        "bench": "bridge.decoder",
        "value": round(speed / LINE_BYTES_S, 1),
        "unit": "times a full line of 115200 baud",
        "goal": ">= 20",
        "met": speed >= 20 * LINE_BYTES_S,
        "in_micropython_here": round(there / LINE_BYTES_S, 1),
    }


# --- memory -------------------------------------------------------------------------------------


def memory() -> list[dict[str, Any]]:
    """The heap of a Pico: in use at rest, and how it grows over many shots."""
    with tempfile.TemporaryDirectory() as folder:
        pico = Pico(Path(folder), board=quick_board(), physics=QUICK, heap_kb=PICO_HEAP_KB).start()
        host = RawHost(pico).take()
        try:
            return _memory(host)
        finally:
            host.close()
            pico.kill()


def _memory(host: RawHost) -> list[dict[str, Any]]:
    _shots(host, range(1, 501))  # as a warm-up
    first = host.tally()
    size = first.heap_free + first.heap_used
    _shots(host, range(501, SHOTS + 1))
    last = host.tally()
    return [
        bound("bridge.heap_at_rest", first.heap_used / size, 0.60, f"of {PICO_HEAP_KB} kB"),
        bound(
            "bridge.heap_growth",
            last.heap_used - first.heap_used,
            1024,
            "bytes",
            shots=SHOTS,
            cards=host.pico.cards_out,
            exceptions=last.exceptions,
        ),
    ]


def _shots(host: RawHost, shots: range) -> None:
    for shot in shots:
        host.pico.hand("load", 1)
        answer = host.ask(m.FEED, m.FEED_FORM, shot, 1, 100, 400, 3000, 6, 500)
        assert answer == "ok", answer
        fed = None
        while fed is None:
            fed = next((f for f in host.step(20) if f[0] == m.FED), None)
        host.write(encode(m.GOT, fed[1]))
        host.frames.clear()


# --- motor times --------------------------------------------------------------------------------


def motor_off() -> dict[str, Any]:
    """How late the motor is off after the end of a lease or cap, by the firmware's own clock."""
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        pico = Pico(Path(folder), heap_kb=PICO_HEAP_KB).start()
        host = RawHost(pico).take()
        try:
            worst = max(run_and_measure(host, rng, 40) for _ in range(LEASES))
            exceptions = host.tally().exceptions
        finally:
            host.close()
            pico.kill()
    return bound(
        "bridge.motor_off",
        worst,
        5 if not exceptions else -1,
        "ms late",
        leases=LEASES,
        exceptions=exceptions,
        seed=SEED,
    )
