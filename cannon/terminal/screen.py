"""What the screen shows: state, motor, sound, light, the cards that came, what happened.

It is told the commands that were carried out and looks at snapshots; it drives nothing.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cannon import telling
from cannon.core import states
from cannon.core.commands import Command, Feed, Light, Off, Record, Run, Sound
from cannon.core.records import CARD, INTENT
from cannon.core.values import Snapshot
from cannon.settings.texts import Texts

if TYPE_CHECKING:
    from cannon.twin.twin import Twin

LINES = 8
COLOURS = {
    states.READY: "green",
    states.LID_OPEN: "yellow",
    states.EMPTY: "yellow",
    states.JAMMED: "red",
    states.FAULT: "red",
}
LIGHTS = {"on": "●", "off": "○", "slow": "◐", "quick": "◑", "alarm": "◉"}
CARD_SIGN = "▮"


class Screen:
    """The picture of one launcher. `tell` and `show` may be called in any thread. `poster` stands
    beside it, or below where there is no room."""

    def __init__(self, texts: Texts, heading: str, twin: Twin | None, poster: str = "") -> None:
        self._texts = texts
        self._poster = poster
        self._heading = heading
        self._twin = twin
        self._lines: deque[str] = deque(maxlen=LINES)
        self._cards = 0
        self._wanted = 0
        self._motor = "■"
        self._sound = ""
        self._light = "off"

    def tell(self, command: Command) -> None:
        """Takes a command that was carried out."""
        match command:
            case Run(direction, _, _):
                self._motor = "▶" if direction > 0 else "◀"
            case Feed():
                self._motor = "▶"
            case Off():
                self._motor = "■"
            case Sound(tune, _):
                self._sound = self._texts(f"launcher.sound.{tune.partition('-')[0]}")
            case Light(pattern):
                self._light = pattern
            case Record(kind, data, _):
                if kind == INTENT:
                    self._wanted, self._cards = data["cards"], 0
                elif kind == CARD:
                    self._cards = data["cards"]
                said = telling.line(self._texts, command)
                if said:
                    self._lines.append(said)

    def say(self, line: str) -> None:
        """Adds a line of its own."""
        self._lines.append(line)

    def show(self, snapshot: Snapshot) -> RenderableType:
        """The picture as it is now."""
        texts = self._texts
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", min_width=14)
        grid.add_column()
        colour = COLOURS.get(snapshot.state, "cyan")
        state = Text(texts(f"launcher.state.{snapshot.state}"), style=f"bold {colour}")
        grid.add_row(texts("launcher.screen.state"), state)
        if snapshot.cause:
            grid.add_row("", Text(telling.cause(texts, snapshot.cause)))
            grid.add_row("", Text(telling.since(texts, snapshot.cause_wall_time), style="dim"))
        elif snapshot.protruding:
            grid.add_row("", Text(texts("launcher.refused.protruding")))
        came = Text(CARD_SIGN * self._cards, style="bold magenta")
        came.append("▯" * max(0, self._wanted - self._cards), style="dim")
        grid.add_row(texts("launcher.screen.cards"), came)
        grid.add_row(texts("launcher.screen.motor"), self._motor)
        grid.add_row(texts("launcher.screen.light"), LIGHTS.get(self._light, self._light))
        grid.add_row(texts("launcher.screen.sound"), self._sound)
        if self._twin is not None:
            stack = self._twin.mechanism.stack
            bar = CARD_SIGN * min(40, -(-stack // 3))
            grid.add_row(texts("launcher.screen.stack"), f"{stack:3d} {bar}")
        if snapshot.owed:
            grid.add_row("", Text(texts("launcher.told.owed", count=snapshot.owed)))
        happened = Text("\n".join(self._lines) or "–", style="dim")
        panel = Panel(
            Group(
                Text(self._heading, style="bold"),
                Text(),
                grid,
                Text(),
                Text(texts("launcher.screen.last"), style="dim italic"),
                happened,
                Text(),
                Text(texts("launcher.screen.keys"), style="dim"),
            ),
            title=texts("launcher.screen.title"),
            width=84,
        )
        return Columns([panel, Text(self._poster)]) if self._poster else panel
