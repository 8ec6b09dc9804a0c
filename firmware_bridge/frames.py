"""Frames on the wire: bytes in, frames out. No port, no clock, no meaning.

A frame is version, kind, sequence number and payload. On the wire it is stuffed by COBS, so that
it holds no zero byte; then comes a CRC-16-CCITT of the stuffed bytes, in three bytes that are
never zero; then one zero byte:

    COBS(version kind sequence payload)  crc crc crc  00

The CRC covers the bytes as they are on the wire, not as they were before the stuffing, so that
every burst of up to 16 wrong bits is found. The other way round, one wrong bit in a length of the
stuffing would spread over the frame, and for that a CRC promises nothing.

Whatever bytes come in: a decoder never raises, keeps at most one frame, and is in step again
after the next zero byte.

Written in the subset of Python that MicroPython runs too: both ends use this file.
"""

TYPE_CHECKING = False  # checkers of types take it for true; MicroPython has no typing module
if TYPE_CHECKING:
    from collections.abc import Iterable

    Frame = tuple[int, int, bytes]  # kind, sequence number, payload

try:
    from binascii import crc_hqx
except ImportError:  # MicroPython
    from array import array

    def _table_entry(high: int) -> int:
        crc = high << 8
        for _ in range(8):
            crc = crc << 1 ^ (0x1021 if crc & 0x8000 else 0)
        return crc & 0xFFFF

    _TABLE = array("H", [_table_entry(high) for high in range(256)])

    def crc_hqx(data: "Iterable[int]", crc: int) -> int:  # type: ignore[misc]
        """CRC-16-CCITT: polynomial 0x1021, highest bit first."""
        table = _TABLE
        for byte in data:
            crc = (crc << 8 & 0xFFFF) ^ table[crc >> 8 ^ byte]
        return crc


VERSION = 0x31  # of the protocol: "1"
LONGEST = 64  # bytes on the wire with the zero byte: one full-speed USB packet
MOST_PAYLOAD = 56
_CRC_START = 0xFFFF
_TAIL = 3  # bytes that hold the CRC
_LEAST = 4  # bytes of stuffed version, kind and sequence number
_MOST = LONGEST - _TAIL - 1


def encode(kind: int, sequence: int, payload: bytes = b"") -> bytes:
    """The frame as it goes on the wire. Raises ValueError for more than MOST_PAYLOAD bytes."""
    if len(payload) > MOST_PAYLOAD:
        raise ValueError("the payload is too long for a frame")
    wire = bytearray()
    for run in (bytes((VERSION, kind, sequence)) + payload).split(b"\0"):
        wire.append(len(run) + 1)  # how far the next zero byte is, or would be
        wire.extend(run)
    crc = crc_hqx(wire, _CRC_START)
    wire.extend(bytes((0x40 | crc >> 12, 0x40 | crc >> 6 & 63, 0x40 | crc & 63, 0)))
    return bytes(wire)


def unstuffed(piece: "bytes | bytearray") -> "bytearray | None":
    """Version, kind, sequence number and payload out of what stood between two zero bytes.

    None if the piece is no frame, of whatever version.
    """
    end = len(piece) - _TAIL
    if not _LEAST <= end <= _MOST:
        return None
    high, middle, low = piece[end], piece[end + 1], piece[end + 2]
    if high & 0xF0 != 0x40 or middle & 0xC0 != 0x40 or low & 0xC0 != 0x40:
        return None
    if crc_hqx(piece[:end], _CRC_START) != (high & 15) << 12 | (middle & 63) << 6 | low & 63:
        return None
    inner = bytearray()
    at = 0
    while at < end:
        following = at + piece[at]
        if following > end:
            return None
        inner.extend(piece[at + 1 : following])
        if following < end:
            inner.append(0)
        at = following
    return inner


class Decoder:
    """Takes bytes as they come and gives the frames in them.

    `dropped` counts what was thrown away between zero bytes, but not a lone carriage return, which
    a host sends after its HELLO to make a prompt show itself. `other_version` is the version of the
    last good frame of another version, None if there was none; such a frame is dropped, too.
    """

    def __init__(self) -> None:
        self.good = 0
        self.dropped = 0
        self.other_version: int | None = None
        self._piece = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> "list[Frame]":
        """The frames that are complete with these bytes, oldest first."""
        frames: list[Frame] = []
        *ended, begun = data.split(b"\0")
        for piece in ended:
            self._grow(piece)
            self._end(frames)
        self._grow(begun)
        return frames

    def _grow(self, more: bytes) -> None:
        room = LONGEST - len(self._piece)
        if len(more) > room:
            self._too_long = True
        self._piece.extend(more[:room])

    def _end(self, frames: "list[Frame]") -> None:
        piece, self._piece = self._piece, bytearray()
        too_long, self._too_long = self._too_long, False
        if not piece:
            return
        inner = None if too_long else unstuffed(piece)
        if inner is None:
            self.dropped += piece != b"\r"
        elif inner[0] != VERSION:
            self.dropped += 1
            self.other_version = inner[0]
        else:
            self.good += 1
            frames.append((inner[1], inner[2], bytes(inner[3:])))
