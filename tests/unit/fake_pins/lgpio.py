"""Stands in for the lgpio package: GPIO chips that are files in a folder, one line per file.

FAKE_GPIO names the folder. `chips` in it holds a line "NUMBER LABEL" for each chip. An input N
reads the file `in-N` ("0" or "1"; at first its pull); a watcher thread brings edges, as lgpio's
does. Every change of an output is one line "N VALUE" in the file `out`, and a closed chip is the
line "closed". The file `busy` holds numbers of lines that another program has, `busy-once` of some
that it lets go of as soon as they are asked for.
"""

import os
import threading
import time
from pathlib import Path

FOLDER = Path(os.environ["FAKE_GPIO"])
SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 1 << 7, 1 << 5, 1 << 6
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
OUT = 1 << 1
GPIO_BUSY = -79


class error(Exception):
    pass


_modes: dict[int, int] = {}
_levels: dict[int, float] = {}
_callbacks: dict[int, object] = {}


def _chips():
    rows = (line.split(maxsplit=1) for line in (FOLDER / "chips").read_text().splitlines())
    return {int(number): label for number, label in rows}


def gpiochip_open(number):
    label = _chips().get(number)
    if label is None or label == "locked":
        raise error("can not open gpiochip")
    return number


def gpiochip_close(handle):
    if _modes:
        _log("closed")


def gpio_get_chip_info(handle):
    return 0, 54, f"gpiochip{handle}", _chips()[handle]


def _is_busy(line):
    files = [path for name in ("busy", "busy-once") if (path := FOLDER / name).exists()]
    return any(str(line) in path.read_text().split() for path in files)


def gpio_get_line_info(handle, line):
    return 0, line, int(_is_busy(line)), f"GPIO{line}", "somebody" if _is_busy(line) else ""


def error_text(number):
    return {GPIO_BUSY: "GPIO busy"}[number]


def _claim(line, mode):
    if _is_busy(line):
        (FOLDER / "busy-once").unlink(missing_ok=True)
        raise error("GPIO busy")
    _modes[line] = mode


def gpio_claim_input(handle, line, flags=0):
    _claim(line, flags)


def gpio_claim_output(handle, line, level=0, flags=0):
    _claim(line, OUT)
    _set(line, level)


def gpio_claim_alert(handle, line, edges, flags=0, notify=None):
    _claim(line, flags)


def gpio_free(handle, line):
    _modes.pop(line, None)


def gpio_get_mode(handle, line):
    return _modes[line]


def gpio_set_debounce_micros(handle, line, micros):
    return 0


def gpio_read(handle, line):
    if _modes[line] & OUT:
        return int(_levels.get(line, 0))
    try:
        return int((FOLDER / f"in-{line}").read_text() or 0)
    except FileNotFoundError:
        return int(bool(_modes[line] & SET_PULL_UP))


def gpio_write(handle, line, level):
    _set(line, int(level))


def tx_pwm(handle, line, frequency, duty):
    _set(line, duty)


def _set(line, value):
    if _levels.get(line) != value:
        _levels[line] = value
        _log(f"{line} {value}")


def _log(text):
    with (FOLDER / "out").open("a") as file:
        file.write(text + "\n")


class _callback_thread(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.seen = {}
        self.start()

    def run(self):
        while True:
            for line, function in list(_callbacks.items()):
                level = gpio_read(0, line)
                if self.seen.setdefault(line, level) != level:
                    self.seen[line] = level
                    function(0, line, level, time.monotonic_ns())
            time.sleep(0.001)


class callback:
    def __init__(self, handle, line, edges, function):
        self.line = line
        _callbacks[line] = function

    def cancel(self):
        _callbacks.pop(self.line, None)


_notify_thread = _callback_thread()
