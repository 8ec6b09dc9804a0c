"""Draws the README's picture of the simulated launcher: `python -m tests.pictures`.

The same seed gives the same picture; a test compares it with the one in the repository.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI

from cannon import app
from cannon.core import states
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.texts import Texts
from cannon.terminal.screen import Screen

PICTURE = Path(__file__).parent / "pictures" / "play.svg"
SEED = 11


def draw() -> str:
    """The screen of `cannon play --simulate` in the middle of a launch, as SVG."""
    texts = Texts("en")
    twin = app.simulated(app.plan(CannonToml(), SEED))
    screen = Screen(texts, texts("launcher.simulation"), twin)
    twin.loop.tell = screen.tell
    twin.start()
    controller = twin.loop.controller
    while controller.snapshot().presses < 5 or controller.state != states.FEEDING:
        twin.run(0.5)
        if controller.state == states.READY:
            twin.press()
            twin.run(0.1)
    twin.run(3, until=lambda: (controller.snapshot().cards or 0) >= 3)
    console = Console(record=True, width=84, file=io.StringIO(), force_terminal=True)
    console.print(screen.show(controller.snapshot()))
    twin.stop()
    # Fonts are the reader's own: nothing is to be loaded from elsewhere.
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return console.export_svg(
        title="cannon play --simulate", theme=MONOKAI, unique_id="cannon", code_format=form
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(), encoding="utf-8")
    print(f"drew {PICTURE}")
