"""The inputs of a launcher as the controller sees them: settled levels out of raw edges.

Edges only wake us. What they say is held against the levels that are read in every step of the
loop, so an edge that was lost, or never sent, costs at most the time to the next step.
"""

from __future__ import annotations

from typing import NamedTuple

from cannon.core.deadlines import earliest
from cannon.core.debounce import Settled
from cannon.core.events import BATTERY, BUTTON, EXIT, HOPPER, LID, Levels


class InputTimes(NamedTuple):
    """How long a level must stand to be believed, in seconds."""

    press_min_s: float = 0.003  # shorter is a spike of the motor's
    bounce_s: float = 0.040  # button: no second change within; measured in a real launcher
    lid_open_s: float = 0.005  # the motor is cut at the first edge; this is only for the state
    lid_close_s: float = 0.060  # lid: closing must stand as long; measured in a real launcher
    blocked_s: float = 0.008
    clear_s: float = 0.100  # at rest; in a shot the card counter judges by its own times
    slow_s: float = 0.200  # hopper and battery


class Change(NamedTuple):
    """The settled level of `input` is now `level`."""

    input: str
    level: bool


class Inputs:
    """The settled inputs. `edge`, `sync` and `tick` return what changed, oldest first."""

    def __init__(self, times: InputTimes, levels: Levels, now: float) -> None:
        t = times
        self.button = Settled(t.press_min_s, t.press_min_s, t.bounce_s, levels.button, now)
        self.lid = Settled(t.lid_open_s, t.lid_close_s, 0, levels.lid, now)
        self.beam = Settled(t.blocked_s, t.clear_s, 0, bool(levels.exit), now)
        self.knows_hopper = levels.hopper is not None
        self.hopper = Settled(t.slow_s, t.slow_s, 0, levels.hopper is not False, now)
        self.battery = Settled(t.slow_s, t.slow_s, 0, bool(levels.battery), now)
        self._by_name = {
            LID: self.lid,  # first: it is asked first, too
            BUTTON: self.button,
            EXIT: self.beam,
            HOPPER: self.hopper,
            BATTERY: self.battery,
        }
        self._moving: dict[str, Settled] = {}  # those whose raw level is not believed yet

    def edge(self, name: str, active: bool, at: float) -> list[Change]:
        """Takes a raw edge."""
        settled = self._by_name[name]
        self._moving[name] = settled
        return [Change(name, settled.level)] if settled.edge(active, at) else []

    def sync(self, levels: Levels, now: float) -> list[Change]:
        """Takes the levels that were read just now as edges, where they differ from the last."""
        changes = []
        for name, level in (
            (LID, levels.lid),
            (BUTTON, levels.button),
            (EXIT, levels.exit),
            (HOPPER, levels.hopper),
            (BATTERY, levels.battery),
        ):
            if level is not None and level != self._by_name[name].raw:
                changes += self.edge(name, level, now)
        return changes

    def tick(self, now: float) -> list[Change]:
        """Lets time pass to `now`."""
        changes: list[Change] = []
        if not self._moving:
            return changes
        for name, settled in self._by_name.items():
            if name in self._moving:
                if settled.tick(now):
                    changes.append(Change(name, settled.level))
                if settled.deadline is None:
                    del self._moving[name]
        return changes

    @property
    def deadline(self) -> float | None:
        """When `tick` is due."""
        if not self._moving:
            return None
        return earliest(*[settled.deadline for settled in self._moving.values()])
