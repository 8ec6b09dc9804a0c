"""Is this board sound? Every check is a small function in one of the tables of this package.

`check_board` returns faults: a board with one is refused. `advise` returns what is allowed but
not good. Each is one sentence with its fix. Nothing here opens a pin.
"""

from __future__ import annotations

from collections.abc import Iterator

from hardware.board import Board
from hardware.checks import joints, pins, safety, signals
from hardware.checks.config_txt import config_txt_claims, enabled_buses
from hardware.netlist import Netlist
from hardware.reading import Problem
from hardware.supply import MotorSupply

__all__ = ["advise", "check_board", "config_txt_claims", "enabled_buses"]

PIN_CHECKS = pins.CHECKS
RATINGS = {
    "computer": {"needs_v": "least supply", "load_a": "what it draws"},
    "supply": {"states": "volts and ohms, fresh and used up"},
    "fuse": {"hold_a": "what it lets pass", "trip_a": "what it trips at"},
    "power-switch": {"most_a": "what it carries"},
    "lever-switch": {"most_a": "what it carries"},
    "diode": {"most_a": "what it carries", "drop_v": "what it takes"},
    "driver": {
        "needs_v": "least supply",
        "most_v": "most supply",
        "most_a": "current that it bears",
    },
    "resistor": {"ohms": "its value"},
    "capacitor": {"farads": "its value", "most_v": "most volts"},
    "light-sensor": {"drop_v": "volts at its light", "gain": "current by light"},
    "led": {"drop_v": "its volts"},
    "buzzer": {"needs_a": "what it draws"},
}
"""What the checks need to know of a part, by its kind."""
WIRING_CHECKS = (*joints.CHECKS, *safety.CHECKS, *signals.CHECKS)


def check_board(board: Board) -> list[Problem]:
    """Everything that is wrong with the board, each with its place in the file and the fix.

    Wires are judged only once the pins are right and every wire has two known ends.
    """
    found = [problem for check in PIN_CHECKS for problem in check(board)]
    if found or board.wiring is None:
        return found
    netlist = Netlist(board.wiring, board.computer)
    if not netlist.computer:
        fix = 'list it, such as parts.U1 = "raspberry-pi" in [wiring.supply]'
        return [*netlist.problems, Problem("wiring", "names no computer", fix)]
    if netlist.problems:
        return netlist.problems
    return [problem for check in WIRING_CHECKS for problem in check(board, netlist)]


def advise(board: Board) -> list[Problem]:
    """What works but should be better, for a board without faults."""
    return [problem for advice in ADVICE for problem in advice(board)]


def lid_shows_cut_wire(board: Board) -> Iterator[Problem]:
    """With a contact that closes when the lid opens, a cut wire looks like a shut lid."""
    if board.lid.contact == "no":
        what = "a cut wire reads as a shut lid"
        yield Problem(
            "lid: contact", what, 'use the other contact of the switch and contact = "nc"'
        )


def wiring_is_known(board: Board) -> Iterator[Problem]:
    """Without wires, half of the checks have nothing to look at."""
    if board.wiring is None:
        what = (
            "is not in the file, so nobody has checked the driver's volts and amperes, the fuse, "
            "the lid switch in the motor's supply, the diode and the resistor at the driver, "
            "the supply of the computer, the voltage at the sensors' pins, the wires"
        )
        yield Problem("wiring", what, "add it, after the model of a board that comes with this")


def ratings_are_known(board: Board) -> Iterator[Problem]:
    """A part of the owner's own may be described without ratings; then checks pass it by."""
    if board.wiring is None:
        return
    netlist = Netlist(board.wiring, board.computer)
    for ref, name in netlist.names.items():
        part = netlist.parts[ref]
        missing = [
            f"{rating} ({what})"
            for rating, what in RATINGS.get(part.kind, {}).items()
            if getattr(part, rating) in (None, ())
        ]
        if missing and name in board.wiring.own:
            what = f"{ref} has no {', no '.join(missing)}: this could not be checked"
            yield Problem(f"wiring: own: {name}", what, "look into its data sheet and add it")


def motor_is_measured(board: Board) -> Iterator[Problem]:
    """Until the toy's motor is measured, nobody knows what current it draws when held."""
    if board.wiring is None:
        return
    supply = MotorSupply(Netlist(board.wiring, board.computer), board.measured)
    if supply.complete and supply.motor_ohms is None:
        what = "the motor's resistance is not filled in, so its current when held is unknown"
        yield Problem("measured: motor_ohms", what, "measure it as the guide says")


def held_motor_trips_fuse(board: Board) -> Iterator[Problem]:
    """Against a dead program with a held motor there are the lid switch and the fuse."""
    if board.wiring is None:
        return
    supply = MotorSupply(Netlist(board.wiring, board.computer), board.measured)
    if not supply.complete or supply.motor_ohms is None or supply.fuse is None:
        return
    held = max((supply.stall_a(state, supply.motor_ohms) for state in supply.states), default=0.0)
    trip = supply.fuse.trip_a
    if trip is not None and held < trip:
        what = f"a held motor draws {held:.2g} A, and the fuse must trip from {trip:g} A on only"
        yield Problem("wiring: supply", what, "use a smaller fuse that lets the motor run")


ADVICE = (
    lid_shows_cut_wire,
    wiring_is_known,
    ratings_are_known,
    motor_is_measured,
    held_motor_trips_fuse,
)
