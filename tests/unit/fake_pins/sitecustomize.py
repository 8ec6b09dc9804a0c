"""Python runs this first: the program then finds the GPIO chips of FAKE_GPIO, and locks there.

FAKE_PATCH may hold statements that break a part of the program.
"""

import os
from pathlib import Path

from cannon.devices import lock, pins
from cannon.service import patience

FOLDER = Path(os.environ["FAKE_GPIO"])
lock.lock_folder = lambda: FOLDER
pins.DEV = FOLDER / "dev"
patience.MODEL = FOLDER / "model"
exec(os.environ.get("FAKE_PATCH", ""))
