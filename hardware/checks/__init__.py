"""Is this board sound? Every check is a small function in one of the tables of this package.

`check_board` returns faults: a board with one is refused. `advise` returns what is allowed but
not good. Each is one sentence with its fix. Nothing here opens a pin.
"""

from __future__ import annotations

from collections.abc import Iterator

from hardware.board import Board
from hardware.checks import joints, pins, safety, signals
from hardware.checks.config_txt import config_txt_conflicts, enabled_buses
from hardware.netlist import Netlist
from hardware.reading import Problem
from hardware.supply import MotorSupply

__all__ = ["advise", "check_board", "config_txt_conflicts", "enabled_buses"]

PIN_CHECKS = pins.CHECKS
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
        what = "is not in the file: driver, fuse, lid switch and supply could not be checked"
        yield Problem("wiring", what, "add it, after the model of a board that comes with this")


def motor_is_measured(board: Board) -> Iterator[Problem]:
    """Until the toy's motor is measured, nobody knows what current it draws when held."""
    if board.wiring is None:
        return
    supply = MotorSupply(Netlist(board.wiring, board.computer), board.measured)
    if supply.complete and supply.motor_ohms is None:
        what = "the motor's resistance is not filled in, so its current when held is unknown"
        yield Problem("measured: motor_ohms", what, "measure it as the guide says")


ADVICE = (lid_shows_cut_wire, wiring_is_known, motor_is_measured)
