"""A program on a terminal of its own."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time

from tests.unit.play_tools import PATIENCE_S


class Terminal:
    """A program on a terminal of its own, as someone at a keyboard has it.

    What is `piped` goes elsewhere: once it is closed, it is in `output` and `errors`.
    """

    def __init__(self, machine, *words, piped=("stderr",)):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, b"\x28\0\x78\0\0\0\0\0")  # 40 rows of 120
        self.before = termios.tcgetattr(self.slave)
        machine.env |= {"TERM": "xterm", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cannon", *words],
            cwd=machine.cwd,
            env=machine.env,
            stdin=self.slave,
            **{
                name: subprocess.PIPE if name in piped else self.slave
                for name in ("stdout", "stderr")
            },
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.seen = ""

    def until(self, text):
        """Reads the screen until `text` is on it; what came before is forgotten."""
        end = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], 1.0)
            assert time.monotonic() < end, f"no {text!r} in {self.seen[-3000:]!r}"
            if ready:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def key(self, key):
        os.write(self.master, key.encode())

    def drain_until_end(self):
        """Reads on, so that nothing blocks, until the program has ended. Returns its exit code."""
        end = time.monotonic() + PATIENCE_S
        ready = []
        while ready or self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
        return self.process.returncode

    def hang_up(self):
        """The window is closed."""
        os.close(self.slave)
        os.close(self.master)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_S)
        self.output, self.errors = (
            _rest(pipe) for pipe in (self.process.stdout, self.process.stderr)
        )


def _rest(pipe):
    if pipe is None:
        return ""
    with pipe:
        return pipe.read().decode()
