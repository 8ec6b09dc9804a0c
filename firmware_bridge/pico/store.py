"""The few files on the board: another odds model, where the odds stand, and the wish to update.

Writing to the flash holds up everything, interrupts too: only with the motor off. A file is
written beside the old one and put in its place, so that a power cut leaves one of both.
"""

import json
import os

MODEL = "odds.json"
STATE = "state.json"
UPDATE = "update"


def read(name):
    """What the JSON file `name` holds; None if there is none that can be read."""
    try:
        with open(name) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def write(name, value):
    """Puts `value` into the JSON file `name`. Raises OSError."""
    with open(name + ".new", "w") as file:
        json.dump(value, file)
    os.rename(name + ".new", name)


def ask_for_update():
    """The next start is to end at the prompt."""
    with open(UPDATE, "w"):
        pass


def update_was_asked_for():
    """Whether this start is to end at the prompt; the one after it will not."""
    try:
        os.remove(UPDATE)
        return True
    except OSError:
        return False
