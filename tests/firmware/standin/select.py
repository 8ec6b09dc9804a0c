"""The stand-in for `select`: waiting lets the world's time pass.

In stepped time a byte that the test has written is waited for, however long the kernel takes to
bring it; so the firmware sees it at the time at which it was sent.
"""

import uselect
import world
from uselect import POLLIN, POLLOUT

LATE_MS = 20_000


class poll:
    def __init__(self):
        self._poll = uselect.poll()

    def register(self, stream, what):
        self._reads = what == POLLIN
        self._poll.register(getattr(stream, "real", stream), what)

    def ipoll(self, wait):
        ready = self._poll.poll(0)
        if not self._reads:
            world.pieces += bool(ready)
            return ready
        if not ready:
            ready = self._later(wait)
        world.received += bool(ready)
        return ready

    def _later(self, wait):
        if not world.STEPPED:
            ready = self._poll.poll(wait) if wait else ()
            world.catch_up()
            return ready
        if world.received < world.promised:
            ready = self._poll.poll(LATE_MS)
            assert ready, "bytes were lost on the way"
            return ready
        if not wait:
            return ()
        world.pause(wait)
        return self._poll.poll(0)
