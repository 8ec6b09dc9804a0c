"""What MicroPython itself does on a chip: runs main.py if there is one, then shows its prompt.

The prompt is the friendly one and the raw one, as far as mpremote makes use of them.
"""

import io
import sys

import machine

BANNER = "\r\nMicroPython v1.26.0; Raspberry Pi Pico with RP2040\r\n>>> "
RAW = "raw REPL; CTRL-B to exit\r\n>"
scope = {"__name__": "__main__"}


def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())


def byte():
    data = sys.stdin.buffer.read(1)
    if not data:
        raise SystemExit(0)
    return data


def execute(code):
    """Runs code as the raw prompt does, and shows what went wrong."""
    say("OK")
    trouble = ""
    try:
        exec(code.decode(), scope)
    except Exception as error:
        text = io.StringIO()
        sys.print_exception(error, text)
        trouble = text.getvalue()
    say("\x04" + trouble + "\x04>")


def raw():
    say(RAW)
    code = b""
    while True:
        got = byte()
        if got == b"\x04" and not code:
            say("OK\r\nMPY: soft reboot\r\n" + RAW)
        elif got == b"\x04":
            execute(code)
            code = b""
        elif got == b"\x05":
            byte(), byte()
            say(b"R\x00")  # it knows of raw paste, and does not do it
        elif got == b"\x01":
            say(RAW)
            code = b""
        elif got == b"\x02":
            return
        elif got != b"\x03":
            code += got


def prompt():
    say(BANNER)
    while True:
        got = byte()
        if got == b"\x01":
            raw()
            say(BANNER)
        elif got in b"\r\x03":
            say("\r\n>>> ")
        else:
            say(got)


try:
    with open("main.py") as file:
        program = file.read()
except OSError:
    program = ""
exec(program, scope)
prompt()
