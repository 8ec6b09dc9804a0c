"""Runs the launcher. MicroPython starts this file after every reset."""

import micropython

import store

if store.update_was_asked_for():
    print("card cannon: stopped for an update; the next start plays again")
else:
    micropython.kbd_intr(-1)  # a byte 3 in a frame is no Ctrl-C
    from launcher import Launcher

    launcher = Launcher()
    while True:
        launcher.turn()
