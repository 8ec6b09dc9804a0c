"""One move: a state and an action become the next state, or a reason why not.

Pure: no clock, no randomness, no hands. What people can do over again and take back is in
`cannon.table.history`, which is what everybody else uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannon.table import actions as a
from cannon.table import calling, laying, opening, owing, scoring, seating
from cannon.table.state import SETUP, Result, State, refuse

_MOVES: dict[type[Any], Callable[[State, Any], Result]] = {
    a.Start: opening.start,
    a.First: opening.first,
    a.Next: opening.next_round,
    a.End: opening.end,
    a.Lay: laying.lay,
    a.Play: laying.play,
    a.Keep: laying.keep,
    a.JumpIn: laying.jump_in,
    a.Colour: laying.colour,
    a.Press: owing.press,
    a.Pressed: owing.pressed,
    a.Draw: owing.draw,
    a.Jam: owing.jam,
    a.Empty: owing.empty,
    a.Refill: owing.refill,
    a.Taken: owing.taken,
    a.Appeared: owing.appeared,
    a.Waive: owing.waive,
    a.Uno: calling.uno,
    a.Catch: calling.catch,
    a.Advice: calling.advice,
    a.Wrong: calling.wrong,
    a.Penalty: calling.penalty,
    a.Challenge: calling.challenge,
    a.Hand: calling.hand,
    a.Count: scoring.count,
    a.Won: scoring.won,
    a.Join: seating.join,
    a.Leave: seating.leave,
    a.TakeOver: seating.take_over,
}


def move(state: State, action: a.Move) -> Result:
    """The state after `action`, or why it cannot be."""
    if state.stage == SETUP and not isinstance(action, a.Start):
        return refuse("not_started")
    return _MOVES[type(action)](state, action)
