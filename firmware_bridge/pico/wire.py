"""The serial port to the host: the board's USB port, which is also where its prompt would be.

Never blocks: not for bytes that do not come, and not for a host that does not read. Bytes are
written in pieces of 16, padded with zero bytes, which mean nothing between frames: the port's
buffer, of 64 bytes or a multiple, then has room for a whole piece whenever it has room at all.
"""

import sys

from frames import Decoder
from select import POLLIN, POLLOUT, poll

PIECE = 16
MOST = 512  # bytes that wait for a host that is slow to read


class Wire:
    """`receive` gives the frames that have come, `send` takes one, `step` writes what it can."""

    def __init__(self):
        self._input = sys.stdin.buffer
        self._output = sys.stdout.buffer
        self._readable = poll()
        self._readable.register(sys.stdin, POLLIN)
        self._writable = poll()
        self._writable.register(sys.stdout, POLLOUT)
        self._byte = bytearray(1)
        self._in = bytearray(64)
        self._out = bytearray()
        self.decoder = Decoder()
        self.unsent = 0

    def receive(self, wait):
        """The frames that have come; waits up to `wait` ms for a first byte.

        Takes up to 64 bytes, and no more than the end of the first frame.
        """
        count = 0
        while count < 64 and self._ready(self._readable, 0 if count else wait):
            if not self._input.readinto(self._byte):
                break
            byte = self._in[count] = self._byte[0]
            count += 1
            if not byte and count > 1:
                break
        return self.decoder.feed(bytes(self._in[:count])) if count else ()

    def send(self, frame):
        """Takes a frame to be sent. False if too many bytes wait already; it is dropped then."""
        if len(self._out) + len(frame) > MOST:
            self.unsent += 1
            return False
        self._out.extend(frame)
        self._out.extend(bytes(-len(self._out) % PIECE))
        self.step()
        return True

    def step(self):
        """Writes what the host has room for."""
        at = 0
        while at < len(self._out) and self._ready(self._writable, 0):
            self._output.write(self._out, at, PIECE)
            at += PIECE
        if at:
            self._out = self._out[at:]

    def _ready(self, poller, wait):
        for _ in poller.ipoll(wait):
            return True
        return False
