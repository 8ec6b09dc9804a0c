"""Frames: the golden ones in both interpreters, broken ones, and whatever else comes in."""

from __future__ import annotations

import json
import random
import struct
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import messages
from firmware_bridge.frames import (
    LONGEST,
    MOST_PAYLOAD,
    VERSION,
    Decoder,
    crc_hqx,
    encode,
    unstuffed,
)
from tests.firmware.micropython import PROJECT, run

VECTORS = json.loads((PROJECT / "firmware_bridge" / "vectors.json").read_text(encoding="utf-8"))
GOLDEN = {frame["name"]: frame for frame in VECTORS["frames"]}
WIRES = {name: bytes.fromhex(frame["wire"]) for name, frame in GOLDEN.items()}

CHECK_IN_BOTH = """
import json, sys
from binascii import unhexlify
import frames

with open(sys.argv[1]) as file:
    vectors = json.load(file)
golden = {}
for frame in vectors["frames"]:
    wire, payload = unhexlify(frame["wire"]), unhexlify(frame["payload"])
    golden[frame["name"]] = (ord(frame["kind"]), frame["sequence"], payload)
    assert frames.encode(*golden[frame["name"]]) == wire, frame["name"]
    assert frames.Decoder().feed(wire) == [golden[frame["name"]]], frame["name"]
for stream in vectors["streams"]:
    wire = unhexlify(stream["wire"])
    for step in (1, len(wire)):
        decoder, taken = frames.Decoder(), []
        for at in range(0, len(wire), step):
            taken += decoder.feed(wire[at : at + step])
        assert taken == [golden[name] for name in stream["frames"]], stream["why"]
        assert decoder.dropped == stream["dropped"], stream["why"]
print(len(golden), len(vectors["streams"]))
"""


def test_the_vectors_hold_in_micropython() -> None:
    folder = PROJECT / "firmware_bridge"
    said = run(CHECK_IN_BOTH, str(folder / "vectors.json"), path=f"{folder}:.frozen")
    assert said.split() == [str(len(VECTORS["frames"])), str(len(VECTORS["streams"]))]


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_frame(name: str) -> None:
    frame, wire = GOLDEN[name], WIRES[name]
    payload = bytes.fromhex(frame["payload"])
    assert encode(ord(frame["kind"]), frame["sequence"], payload) == wire
    assert Decoder().feed(wire) == [(ord(frame["kind"]), frame["sequence"], payload)]
    assert len(wire) <= LONGEST
    assert wire.find(0) == len(wire) - 1


@pytest.mark.parametrize("name", [name for name, frame in GOLDEN.items() if "form" in frame])
def test_the_payload_of_a_golden_frame(name: str) -> None:
    frame = GOLDEN[name]
    values = [bytes.fromhex(v) if isinstance(v, str) else v for v in frame["values"]]
    packed = struct.pack(frame["form"], *values)
    assert (packed + bytes.fromhex(frame.get("rest", ""))).hex() == frame["payload"]
    forms = {value for key, value in vars(messages).items() if key.endswith("_FORM")}
    assert frame["form"] in forms


def test_every_kind_has_a_golden_frame() -> None:
    text = (PROJECT / "firmware_bridge" / "messages.py").read_text(encoding="utf-8")
    kinds = {line.split("#")[1].split()[0] for line in text.splitlines() if " = 0x" in line}
    assert kinds == {frame["kind"] for frame in VECTORS["frames"]}


@pytest.mark.parametrize("stream", VECTORS["streams"], ids=lambda stream: stream["why"])
@pytest.mark.parametrize("step", [1, 3, 10_000])
def test_a_stream(stream: dict, step: int) -> None:
    wire = bytes.fromhex(stream["wire"])
    decoder, taken = Decoder(), []
    for at in range(0, len(wire), step):
        taken += decoder.feed(wire[at : at + step])
    expected = [Decoder().feed(WIRES[name])[0] for name in stream["frames"]]
    assert taken == expected
    assert decoder.dropped == stream["dropped"]
    assert decoder.good == len(expected)


def test_hello_can_be_typed_at_any_prompt() -> None:
    """It is printable and a comment to Python and to a shell: harmless, whoever gets it."""
    wire = WIRES["hello"]
    assert wire[:-1].decode("ascii").isprintable()
    assert wire.startswith(b"#")


def test_another_version_is_remembered() -> None:
    decoder = Decoder()
    other = next(s for s in VECTORS["streams"] if s["why"] == "another version")
    decoder.feed(bytes.fromhex(other["wire"]))
    assert decoder.other_version == ord("2")


@given(
    st.integers(1, 255),
    st.integers(0, 255),
    st.binary(max_size=MOST_PAYLOAD),
    st.binary(max_size=9),
)
def test_what_goes_in_comes_out(kind: int, sequence: int, payload: bytes, before: bytes) -> None:
    wire = encode(kind, sequence, payload)
    assert wire.find(0) == len(wire) - 1
    assert Decoder().feed(before + b"\0" + wire)[-1] == (kind, sequence, payload)


def test_a_payload_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        encode(messages.PART, 1, bytes(MOST_PAYLOAD + 1))


def test_our_own_crc_is_the_one_of_the_standard_library() -> None:
    namespace: dict = {}
    source = (PROJECT / "firmware_bridge" / "frames.py").read_text(encoding="utf-8")
    source = source.replace("from binascii import crc_hqx", "raise ImportError")
    exec(compile(source, "frames.py", "exec"), namespace)
    rng = random.Random(3)
    for _ in range(300):
        data = rng.randbytes(rng.randrange(70))
        assert namespace["crc_hqx"](data, 0xFFFF) == crc_hqx(data, 0xFFFF)


# --- broken frames ------------------------------------------------------------------------------


def taken_from(wire: bytes) -> list:
    """What a decoder takes from these bytes if nothing but a zero byte follows."""
    return Decoder().feed(wire + b"\0")


@pytest.mark.parametrize("name", GOLDEN)
def test_every_single_bit_flip_is_refused(name: str) -> None:
    wire = WIRES[name]
    for bit in range(8 * len(wire)):
        broken = bytearray(wire)
        broken[bit // 8] ^= 0x80 >> bit % 8
        assert taken_from(bytes(broken)) == [], f"bit {bit}"


BURSTS = np.arange(1 << 15, 1 << 16, dtype=np.uint32)  # every pattern of 16 bits that begins with 1
FLIPS = [
    (BURSTS << np.uint32(16 - at)).astype(">u4").view(np.uint8).reshape(-1, 4) for at in range(8)
]
SHORT, LONG = (
    [
        pytest.param(name, marks=marks)
        for name, wire in WIRES.items()
        if (len(wire) > 10 and "feed 4" not in name) == long
    ]
    for long, marks in ((False, ()), (True, pytest.mark.long))
)


@pytest.mark.parametrize("name", SHORT + LONG)
def test_every_burst_of_up_to_16_bits_is_refused(name: str) -> None:
    """Exhaustive: 32,768 bursts from each bit of a golden frame on.

    A burst that makes a zero byte splits the frame; all pieces of those are tried. Any other one
    leaves one piece, and whether that passes the CRC depends on its length and on the flipped
    bits alone (the CRC is linear): so a table finds those that have to be tried.
    """
    wire = WIRES[name]
    bits = 8 * len(wire)
    padded = np.frombuffer(wire + b"\1\1\1\1", np.uint8)
    tried = 0
    for start in range(bits):
        first, flips = start // 8, FLIPS[start % 8]
        body = padded[first : first + 4] ^ flips
        last = len(wire) - 1 - first
        to_try = (body[:, : max(0, last)] == 0).any(axis=1) | (residues(wire[:-1], start) == 0)
        if last < 4:
            to_try |= (body[:, last] != 0) & (residues(wire, start) == 0)
        to_try &= BURSTS % (1 << max(0, start + 16 - bits)) == 0
        for row in np.flatnonzero(to_try):
            damaged = wire[:first] + body[row, : last + 1].tobytes() + wire[first + 4 :]
            assert not any(is_frame(piece) for piece in damaged.split(b"\0")), damaged.hex()
            tried += 1
    assert tried > bits  # the net is not empty: splits have been tried


def is_frame(piece: bytes) -> bool:
    inner = unstuffed(piece)
    return inner is not None and inner[0] == VERSION


def residues(piece: bytes, start: int) -> np.ndarray:
    """What is wrong with the CRC of `piece` after each burst from the bit `start` on; 0 = right."""
    changes = changes_by_bit(len(piece))
    result = np.array([wrongness(piece) ^ changes[start]], np.uint16)
    for bit in range(start + 15, start, -1):
        result = np.concatenate([result, result ^ changes[bit]])
    return result


@cache
def changes_by_bit(length: int) -> np.ndarray:
    """What each bit of a piece of that length changes in the result of its CRC."""
    nothing = wrongness(bytes(length))
    singles = [(1 << bit).to_bytes(length, "big") for bit in reversed(range(8 * length))]
    return np.array([wrongness(single) ^ nothing for single in singles] + [0] * 24, np.uint16)


def wrongness(piece: bytes) -> int:
    """The CRC of a piece against the one that it holds, its fixed bits left out of account."""
    high, middle, low = piece[-3:]
    return crc_hqx(piece[:-3], 0xFFFF) ^ ((high & 15) << 12 | (middle & 63) << 6 | low & 63)


def test_the_table_of_the_burst_test_is_right() -> None:
    rng = random.Random(5)
    piece = WIRES["feed 4 cards at full power, retract 40 ms"][:-1]
    for _ in range(300):
        start, row = rng.randrange(8 * len(piece) - 15), rng.randrange(1 << 15)
        shift = 8 * len(piece) - 16 - start
        flipped = int.from_bytes(piece, "big") ^ int(BURSTS[row]) << shift
        expected = wrongness(flipped.to_bytes(len(piece), "big"))
        assert residues(piece, start)[row] == expected


# --- anything at all ----------------------------------------------------------------------------


def mutated(rng: random.Random, size: int) -> bytes:
    """Golden frames, some of them damaged, with garbage between them."""
    out = bytearray()
    wires = list(WIRES.values())
    while len(out) < size:
        wire = bytearray(rng.choice(wires))
        for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
            match rng.randrange(4):
                case 0:
                    wire[rng.randrange(len(wire))] = rng.randrange(256)
                case 1:
                    del wire[rng.randrange(len(wire)) :]
                case 2:
                    wire[0:0] = rng.randbytes(rng.randrange(8))
                case 3:
                    wire += rng.choice(wires)
            if not wire:
                break
        out += wire
    return bytes(out)


@pytest.mark.parametrize("kind", ["random", "mutated"])
def test_a_million_bytes(kind: str) -> None:
    """No exception, memory of one frame at most, and in step after each zero byte."""
    rng = random.Random(f"frames {kind}")
    data = rng.randbytes(1_000_000) if kind == "random" else mutated(rng, 1_000_000)
    stop = WIRES["stop"]
    decoder = Decoder()
    for at in range(0, len(data), 997):
        decoder.feed(data[at : at + 997])
        assert len(decoder._piece) <= LONGEST
        assert decoder.feed(b"\0" + stop)[-1] == (messages.STOP, 3, b"")
    pieces = sum(1 for piece in data.split(b"\0") if piece)
    assert decoder.good + decoder.dropped >= pieces
    if kind == "random":
        assert decoder.good <= 5 + len(range(0, len(data), 997))
