"""Decides for each press whether cards come and how many. What comes out of it is a number.

This file also runs on a microcontroller, so it is written in the part of Python that MicroPython
understands, and imports nothing. It knows no clock, no random source and no file: the time and
the random numbers are given in. `cannon.settings.odds_models` makes the model from TOML, and
`cannon.core.chances` computes what to expect of it.

A model in compiled form is a dict of plain values (it survives JSON):

    name          what it is called
    chances       chance of firing by wait, [press 1, press 2, ...]; the last one holds on
    max_blanks    after so many blanks in a row the next press fires, whatever its chance
    max_launches  after so many launches in a row the next press is blank; None = no bound
    rapid         None, or {"within_s": seconds, "factors": [...]}, see `Odds._calmed`
    sequence      None, or the places in the round that fire, from 1; chances are then unused
    length        places in the round of a sequence; after the last one it begins again
    reset_on      what sends a sequence back to its beginning: "lid", "power", both or neither
    cards         laws of the count by wait, the last one holds on; a law is a list of
                  [count, chance of at most this count], counts rising, at least one
"""

TYPE_CHECKING = False  # checkers of types take it for true; MicroPython has no typing module
if TYPE_CHECKING:
    from typing import Any, Protocol

    class RandomSource(Protocol):
        """What draws: `random.Random`, or MicroPython's module `random`."""

        def random(self) -> float: ...


class Odds:
    """The odds of one launcher: a compiled model and where it stands.

    `state` is what `state()` returned earlier for the same model. Raises ValueError if it cannot
    have come from this model; the caller then begins afresh and says so.
    """

    def __init__(self, model: "dict[str, Any]", state: object = None) -> None:
        self._model = model
        self._blanks = 0
        self._in_a_row = 0
        self._position = 0
        self._last_press_s: float | None = None
        self._hurried = 0
        if state is not None:
            self._restore(state)

    @property
    def wait(self) -> int:
        """Presses since the last launch, all of them blank; 0 right after a launch."""
        return self._blanks

    def press(self, rng: "RandomSource", now_s: float) -> int:
        """The number of cards for the press made at `now_s` (monotonic seconds); 0 = blank.

        Draws one or two numbers from `rng.random()`, each at least 0 and below 1.
        """
        wait = self._blanks + 1
        if self._fires(rng, now_s, wait):
            self._blanks = 0
            self._in_a_row += 1
            return _count(_at(self._model["cards"], wait), rng)
        self._blanks += 1
        self._in_a_row = 0
        return 0

    def lid_opened(self) -> None:
        """The lid was opened. Only a model that resets on "lid" takes notice."""
        self._reset("lid")

    def powered_on(self) -> None:
        """The launcher was switched on. Only a model that resets on "power" takes notice."""
        self._reset("power")

    def state(self) -> "dict[str, int]":
        """Where the odds stand, to be kept over a restart. The pace of pressing is not kept."""
        return {"blanks": self._blanks, "in_a_row": self._in_a_row, "position": self._position}

    def _fires(self, rng: "RandomSource", now_s: float, wait: int) -> bool:
        model = self._model
        if model["sequence"]:
            self._position = self._position % model["length"] + 1
            return self._position in model["sequence"]
        chance = self._calmed(_at(model["chances"], wait), now_s)
        if model["max_launches"] is not None and self._in_a_row >= model["max_launches"]:
            chance = 0
        if wait > model["max_blanks"]:
            chance = 1
        return rng.random() < chance

    def _calmed(self, chance: float, now_s: float) -> float:
        """`chance`, lower in a run of rapid presses if the model has that option.

        A run is a series of presses each at most `within_s` after the one before. The first press
        of a run keeps its chance, the second has it times the first factor, and so on; the last
        factor holds for the rest of the run. The bound on blanks stands above this.
        """
        rapid = self._model["rapid"]
        if not rapid:
            return chance
        last = self._last_press_s
        self._last_press_s = now_s
        if last is None or not 0 <= now_s - last <= rapid["within_s"]:
            self._hurried = 0
            return chance
        self._hurried += 1
        factor: float = _at(rapid["factors"], self._hurried)
        return chance * factor

    def _reset(self, reason: str) -> None:
        if reason in self._model["reset_on"]:
            self._position = 0

    def _restore(self, state: "Any") -> None:
        if type(state) is not dict or set(state) != {"blanks", "in_a_row", "position"}:
            raise ValueError("not a state of odds")
        blanks, in_a_row, position = state["blanks"], state["in_a_row"], state["position"]
        for value in (blanks, in_a_row, position):
            if type(value) is not int or value < 0:
                raise ValueError("a state of odds holds whole numbers from 0 on")
        model = self._model
        sequence = model["sequence"]
        if blanks and in_a_row:
            raise ValueError("the last press cannot have been both blank and a launch")
        if position > (model["length"] if sequence else 0):
            raise ValueError("the state is beyond the end of this model's sequence")
        if not sequence and blanks > model["max_blanks"]:
            raise ValueError("the state has more blanks in a row than this model allows")
        if model["max_launches"] is not None and in_a_row > model["max_launches"]:
            raise ValueError("the state has more launches in a row than this model allows")
        self._blanks, self._in_a_row, self._position = blanks, in_a_row, position


def _at(by_wait: "list[Any]", wait: int) -> "Any":
    """What a list gives for a wait of 1, 2, ...; its last value holds from there on."""
    return by_wait[min(wait, len(by_wait)) - 1]


def _count(law: "list[list[float]]", rng: "RandomSource") -> int:
    drawn = rng.random()
    for count, up_to in law:
        if drawn < up_to:
            return int(count)
    return int(law[-1][0])
