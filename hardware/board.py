"""A board: one build of the launcher as data, read from a TOML file.

The file is the one truth about a build: its pins, switches, sensors, times, parts and wires.
Controller, firmware, drawings, parts lists and guides are made from it. This module holds the
form of that file; it opens no pin and draws nothing. Pins are GPIO (Broadcom) numbers on a Pi and
GP numbers on a Pico, never positions on the header.

How a switch is read
--------------------
A switch joins its pin to ground (pull up) or to 3.3 V (pull down) while its contact is closed.
`contact` says what the contact does when the thing to be noticed happens, which is *pressed* for
the button and *open* for the lid:

    contact   button                            lid
    "no"      closes when pressed               closes when the lid opens
    "nc"      opens when pressed                opens when the lid opens (closed while it is shut)

    contact   pull   level when pressed / lid open
    "no"      up     low
    "no"      down   high
    "nc"      up     high    a cut wire reads as pressed / open
    "nc"      down   low     a cut wire reads as pressed / open

A lid should be "nc": then a cut wire or a lost plug reads as an open lid, and the motor stops.
(A lever switch that the shut lid *pushes* is wired "nc" in this sense by its contacts C and NO.)
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from hardware.parts import Measured, Wiring

Pin = Annotated[int, msgspec.Meta(ge=0, le=47)]
Level = Literal["high", "low"]
Bus = Literal["i2c", "spi", "uart", "1-wire", "i2s"]


class Motor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The feed motor's driver and the pins that steer it.

    `forward` pushes cards out; `backward` is None for a driver that knows one direction only.
    `enable` must be high for the motor to run (nSLEEP or STBY of a driver chip).
    `pwm_hz` None means plain on and off. `max_run_ms` caps a single run, whatever is asked for.
    `dead_time_ms` lies between two directions: fast reversing has destroyed driver chips.
    `active` exists so that "low" gets an explanation: when the pins are claimed they are low for
    a moment, which would start an active-low motor.
    """

    driver: Literal["h-bridge", "mosfet"]
    part: str
    forward: Pin
    backward: Pin | None = None
    enable: Pin | None = None
    pwm_hz: Annotated[int, msgspec.Meta(ge=50, le=10_000)] | None = None
    active: Level = "high"
    max_run_ms: Annotated[int, msgspec.Meta(ge=50, le=3000)] = 1500
    dead_time_ms: Annotated[int, msgspec.Meta(ge=20, le=500)] = 60

    @property
    def reversible(self) -> bool:
        """Whether the motor can turn backwards, for the retract and to free a jam."""
        return self.backward is not None


class Switch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The button or the lid switch; the module's text says how it is read.

    `pull` "up" and "down" are the computer's own pull resistors; with "external-up" and
    "external-down" those are off and a resistor of the board does it. `active` changes nothing:
    who writes it down has it checked against `contact` and `pull`.
    """

    pin: Pin
    contact: Literal["no", "nc"]
    pull: Literal["up", "down", "external-up", "external-down"]
    active: Level | None = None

    @property
    def active_high(self) -> bool:
        """Whether the pin is high while the button is pressed, or the lid open."""
        pulled_up = self.pull in ("up", "external-up")
        return pulled_up == (self.contact == "nc")

    @property
    def pull_up(self) -> bool | None:
        """The computer's own pull as gpiozero names it: True up, False down, None floating."""
        return {"up": True, "down": False}.get(self.pull)


class Sensor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sensor with a digital output.

    `active` is the level when the exit sensor is blocked, the hopper holds cards, or the battery
    is low. `pull` is the computer's own. `emitter` switches the sensor's light, if a pin does.
    """

    pin: Pin
    active: Level
    pull: Literal["up", "down", "none"]
    emitter: Pin | None = None

    @property
    def active_high(self) -> bool:
        """Whether the pin is high while the sensor has something to report."""
        return self.active == "high"

    @property
    def pull_up(self) -> bool | None:
        """The computer's own pull as gpiozero names it: True up, False down, None floating."""
        return {"up": True, "down": False}.get(self.pull)


class Beeper(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """ "passive" plays tones (a bare piezo disc); "active" has one tone of its own, on or off."""

    pin: Pin
    kind: Literal["passive", "active"]


class Output(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A light: on while its pin is high."""

    pin: Pin


class FeedTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How this mechanism moves cards. All in milliseconds but `retries`.

    The defaults are the middle of what public builds and data sheets report for a toy-sized
    motor; `cannon calibrate` replaces them with what it measures.
    """

    spin_up_ms: Annotated[int, msgspec.Meta(ge=0, le=500)] = 75
    "from motor on to full speed; reported: 50-100"
    card_ms: Annotated[int, msgspec.Meta(ge=10, le=1000)] = 85
    "one card passing the exit sensor; reported: 80-90"
    gap_ms: Annotated[int, msgspec.Meta(ge=0, le=500)] = 40
    "stop after each card"
    stall_ms: Annotated[int, msgspec.Meta(ge=100, le=1000)] = 400
    "motor on and no card: stop, then retry"
    retries: Annotated[int, msgspec.Meta(ge=0, le=2)] = 2
    "tries after the first stall, before it is called a jam or an empty hopper"
    reverse_ms: Annotated[int, msgspec.Meta(ge=0, le=200)] = 150
    "backwards run that frees a jam; 0 = none"
    retract_ms: Annotated[int, msgspec.Meta(ge=0, le=300)] = 40
    "backwards run after the last card; reported: 30-45 bare motor, 100-250 geared; 0 = none"
    settle_ms: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 120
    "rest before the next press is taken"
    min_blocked_ms: Annotated[int, msgspec.Meta(ge=1, le=100)] = 8
    "shorter blockings of the exit sensor are noise"
    min_clear_ms: Annotated[int, msgspec.Meta(ge=1, le=100)] = 4
    "shorter gaps do not part two cards"
    double_ms: Annotated[int, msgspec.Meta(ge=20, le=2000)] = 150
    "blocked for longer: perhaps two cards at once"
    burst_ms: Annotated[int, msgspec.Meta(ge=20, le=1000)] = 130
    "motor time per card of a build without an exit sensor"


class Host(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The computer that a Pico board serves. It holds no pin of the launcher."""

    computer: Literal["pi"]
    link: Literal["usb"]


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One build of the launcher.

    `buses` are the header's interfaces that other things on this computer use. `wiring` may be
    left out of an own board: then driver, supply and safety parts cannot be checked. `titles` (in
    the file "title") are by language, or one for all.
    """

    name: str
    titles: dict[str, str] | str = msgspec.field(name="title")
    computer: Literal["pi", "pico"]
    motor: Motor
    button: Switch
    lid: Switch
    exit_sensor: Sensor | None = None
    hopper_sensor: Sensor | None = None
    beeper: Beeper | None = None
    light: Output | None = None
    low_battery: Sensor | None = None
    host: Host | None = None
    feed: FeedTimes = FeedTimes()
    buses: frozenset[Bus] = frozenset()
    wiring: Wiring | None = None
    measured: Measured = Measured()

    @property
    def title(self) -> str:
        """The title in English, in which the guides and drawings are."""
        titles = self.titles
        return titles if isinstance(titles, str) else titles.get("en", self.name)

    def pins(self) -> dict[str, int]:
        """Every pin in use by its role, such as "motor.forward" or "lid", in a fixed order."""
        pins: dict[str, int] = {}
        for role in ROLES:
            table, _, field = role.partition(".")
            device = getattr(self, table)
            pin = None if device is None else getattr(device, field or "pin")
            if pin is not None:
                pins[role] = pin
        return pins

    def outputs(self) -> list[int]:
        """The pins that this board drives, the motor's first."""
        return [pin for role, pin in self.pins().items() if role.startswith(OUTPUT_ROLES)]


OUTPUT_ROLES = ("motor.", "beeper", "light", "exit_sensor.emitter", "hopper_sensor.emitter")
ROLES = (
    "motor.forward",
    "motor.backward",
    "motor.enable",
    "button",
    "lid",
    "exit_sensor",
    "exit_sensor.emitter",
    "hopper_sensor",
    "hopper_sensor.emitter",
    "beeper",
    "light",
    "low_battery",
    "low_battery.emitter",
)
"""What a pin can be for. "lid" is the pin of the table [lid]; "motor.forward" is a field of its."""
