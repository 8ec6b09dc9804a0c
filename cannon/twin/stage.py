"""The stage of a scenario: a twin, a person in front of it, and what was seen and heard so far.

The lines of a scenario (`actions`, `expectations`) work on this. How the program side is put
together is not known here: a `Program` is given in by who knows all the parts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from cannon.core.commands import Command, Light, Record, Sound
from cannon.core.events import LID, Event
from cannon.devices.ports import DeviceFault
from cannon.twin.field import Field
from cannon.twin.person import Person
from cannon.twin.twin import Twin

PATIENCE_S = 60.0  # virtual seconds that a scenario waits for something
SOUNDS_KEPT = 1000

Write = Callable[[Record], None]
Prepare = Callable[[Twin], None]


class Program(Protocol):
    """Board, settings, odds and journal of a scenario, put together into a running launcher."""

    def first_start(self, write: Write, prepare: Prepare) -> Twin:
        """Makes the twin; `prepare` is done to it before its program comes up."""
        ...

    def start_again(self, twin: Twin) -> None:
        """The program comes up on a twin whose program has ended or lost its power."""
        ...

    def end(self, at_once: bool) -> None:
        """The program has ended, in good order or `at_once` by a power cut."""
        ...

    def put_on_file(self, record: Record) -> None:
        """Gives the journal a record."""
        ...

    def on_file(self) -> list[Record]:
        """What the journal has on the disk."""
        ...

    def told(self, code: str) -> bool:
        """Whether the journal gives that notice; it is waited for, a few real seconds at most."""
        ...

    def disk(self, trouble: str) -> None:
        """The disk becomes "full", "read-only" or "well"; the file "broken" on it."""
        ...

    def wall_clock(self, jump_s: float) -> None:
        """Somebody sets the wall clock."""
        ...


class NotNow(Exception):
    """A line of a scenario asks for what cannot be done, or did not happen in time."""


class Stage:
    """What the lines of a scenario work on. `begin` sets it up; then time may pass."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.twin: Twin
        self.person: Person
        self.field: Field
        self.on = False
        self.start_refused = ""  # why, where the launcher could not be opened
        self.journal_raises = False
        self.sounds: deque[str] = deque(maxlen=SOUNDS_KEPT)  # since hands last did something
        self.light = ""
        self.records: list[Record] = []  # since the program last came up
        self.out_at_press = 0  # cards that had left the slot when the last press was taken
        self.listens = True  # to sounds, lights and records
        self.keeps_records = True  # where many presses are played, records would fill the memory
        self.pressed: Callable[[int], None] = lambda presses: None  # told of the progress

    def begin(self, prepare: list[Callable[[], None]]) -> None:
        """Sets up the launcher, does `prepare` to it, and switches it on."""

        def set_up(twin: Twin) -> None:
            self.twin = twin
            self.field = Field(twin)
            self.person = Person(twin, self.field)
            for act in prepare:
                act()

        self._come_up(lambda: self.program.first_start(self._write, set_up))

    def switch_on(self) -> None:
        """The launcher gets its power and the program comes up."""
        if self.on:
            raise NotNow("the launcher is on already")
        self._come_up(lambda: self.program.start_again(self.twin))

    def _come_up(self, start: Callable[[], object]) -> None:
        self.records.clear()
        self.sounds.clear()
        self.start_refused = ""
        try:
            start()
            if self.listens:
                self.twin.tell = self._hear
            self.twin.start()
        except (DeviceFault, OSError) as error:
            self.start_refused = str(error)
            return
        self.on = True

    def switch_off(self) -> None:
        """The program ends in good order."""
        if self.on:
            self.on = False
            self.twin.stop()
            self.program.end(at_once=False)

    def cut_power(self) -> None:
        """The supply fails."""
        self.must_be_on()
        self.on = False
        self.twin.cut_power()
        self.program.end(at_once=True)

    def must_be_on(self) -> None:
        """Raises NotNow while the launcher is off."""
        if not self.on:
            cause = f", it refused to start: {self.start_refused}" if self.start_refused else ""
            raise NotNow(f"the launcher is off{cause}")

    def violations(self) -> list[str]:
        """Which promises were broken."""
        return self.twin.account.violations

    # --- time ----------------------------------------------------------------------------------

    def wait(self, for_s: float) -> None:
        """Lets time pass."""
        self.must_be_on()
        self.twin.run(for_s)

    def wait_until(self, what: str, true: Callable[[], bool]) -> None:
        """Lets time pass until `true`; raises NotNow if that takes longer than PATIENCE_S."""
        self.must_be_on()
        if not self.twin.run(PATIENCE_S, true):
            raise NotNow(f"{what} did not come within {PATIENCE_S:g} s; the state is {self.state}")

    @property
    def state(self) -> str:
        """The controller's state."""
        return self.twin.loop.controller.state

    # --- hands ---------------------------------------------------------------------------------

    def act(self) -> None:
        """Hands do something: what was heard before does not belong to it."""
        self.sounds.clear()

    def press(self) -> None:
        """A press begins: the cards that come from now on belong to it."""
        self.act()
        self.out_at_press = self.twin.mechanism.out

    def post(self, event: Event) -> None:
        """Somebody asks for something on the page."""
        self.must_be_on()
        self.twin.events.post(event)

    def cut_wire(self, name: str) -> None:
        """The wire of an input breaks."""
        self.must_have(name)
        self.twin.cut_wire(name)

    def must_have(self, name: str) -> None:
        """Raises NotNow if the board does not have that input."""
        if name != LID and not self.twin.wires.has(name):
            raise NotNow(f"the board {self.twin.board.name!r} has no such input: {name}")

    # --- what is seen and heard ------------------------------------------------------------------

    def recorded(self, kind: str, fields: dict[str, str]) -> list[Record]:
        """The records of this kind with these values since the program last came up."""
        return [record for record in self.records if fits(record, kind, fields)]

    def _hear(self, command: Command) -> None:
        if isinstance(command, Record):
            self._recorded(command)
        elif isinstance(command, Sound):
            self.sounds.append(command.tune)
        elif isinstance(command, Light):
            self.light = command.pattern

    def _recorded(self, record: Record) -> None:
        if self.keeps_records:
            self.records.append(record)

    def _write(self, record: Record) -> None:
        if self.journal_raises:
            raise RuntimeError("the journal is broken, as the scenario asked")
        self.program.put_on_file(record)


def fits(record: Record, kind: str, fields: dict[str, str]) -> bool:
    """Whether `record` is of `kind` and says what `fields` say."""
    return record.kind == kind and all(
        _text(record.data.get(name)) == value for name, value in fields.items()
    )


def _text(value: Any) -> str:
    """A value of a record as a scenario writes it."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
