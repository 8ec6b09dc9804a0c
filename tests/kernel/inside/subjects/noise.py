"""Makes edges on a line until SIGTERM; then says how many a second it made.

Arguments: seconds to rest after each edge, "pull" files of lines. It starts with the first; at
SIGUSR1 it leaves the line up and goes on with the next. It rests however late it is: on a slow
machine there are fewer edges, never a flood in which nothing else runs.
"""

import itertools
import os
import signal
import sys
import time

rest_s = float(sys.argv[1])
pulls = itertools.cycle([os.open(path, os.O_WRONLY) for path in sys.argv[2:]])
pull = next(pulls)
edges = 0
started_s = time.monotonic()


def stop(_signal: int, _frame: object) -> None:
    seconds = time.monotonic() - started_s
    print(f"{edges / seconds:.0f}", flush=True)
    sys.exit()


def go_on(_signal: int, _frame: object) -> None:
    global pull
    os.pwrite(pull, b"pull-up", 0)
    pull = next(pulls)


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGUSR1, go_on)
print("ready", flush=True)
while True:
    os.pwrite(pull, b"pull-up" if edges % 2 else b"pull-down", 0)
    edges += 1
    time.sleep(rest_s)
