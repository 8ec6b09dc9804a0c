"""Floods a page: PORT, requests in all, requests a second. Prints how many were sent, in what time.

It does not wait for answers: every burst has a connection of its own, which is closed soon.
"""

import socket
import sys
import time
from collections import deque

BURST = 25
OPEN_S = 1.0  # a connection is closed after that, whatever has become of it
STEP_S = 0.002


def main() -> None:
    port, requests, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    burst = b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n" * BURST
    opened: deque[tuple[float, socket.socket]] = deque()
    unsent: list[socket.socket] = []
    sent = tried = 0
    began = time.monotonic()
    while tried < requests or opened:
        now = time.monotonic()
        while tried < requests and tried <= (now - began) * rate:
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", port))
            opened.append((now + OPEN_S, connection))
            unsent.append(connection)
            tried += BURST
        still: list[socket.socket] = []
        for connection in unsent:
            try:
                sent += BURST * (connection.send(burst) == len(burst))
            except BlockingIOError:  # there is no room yet
                still.append(connection)
            except OSError:
                pass  # turned away
        unsent = still
        if tried >= requests:
            took_s = now - began
        while opened and (opened[0][0] < now or tried >= requests):
            _, connection = opened.popleft()
            connection.close()
            if connection in unsent:
                unsent.remove(connection)
        time.sleep(STEP_S)
    print(sent, took_s)


if __name__ == "__main__":
    main()
