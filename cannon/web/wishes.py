"""What the page asks of the launcher's side. Plain values, one line of JSON each on their way.

Whether it is done is decided over there: nothing here moves anything.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Do = Literal["press", "acknowledge", "deliver", "cancel", "refilled"]
Hand = Literal["press", "hold", "lid", "refill", "take", "plant", "mend"]
Fault = Literal[
    "misfeed",
    "double",
    "jam",
    "stick",
    "sensor_blocked",
    "sensor_blind",
    "lid_wire",
    "weak_battery",
    "low_battery",
    "noise",
    "empty",
]


class _Wish(msgspec.Struct, frozen=True, tag_field="wish", forbid_unknown_fields=True):
    pass


class Launcher(_Wish, frozen=True, tag="launcher"):
    """Something that the controller takes as an event."""

    do: Do


class Request(_Wish, frozen=True, tag="request"):
    """What the next press is for; see `cannon.core.events.Request`."""

    cards: Annotated[int, Meta(ge=1, le=500)] | None
    purpose: Annotated[str, Meta(max_length=200)]


class Simulated(_Wish, frozen=True, tag="simulated"):
    """Something that a hand does to a simulated launcher."""

    do: Hand
    fault: Fault | None = None


class Change(_Wish, frozen=True, tag="change"):
    """Settings to be changed; which there are, `cannon.settings.changes` says."""

    values: dict[str, Any]


class Halt(_Wish, frozen=True, tag="halt"):
    """Motor off, then the machine is shut down so that it can be unplugged."""


Wish = Launcher | Request | Simulated | Change | Halt
