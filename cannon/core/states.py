"""The states of the controller and everything that may change them, as tables.

Rules of this file, and of the controller that uses it:

1. The machine is flat, has no automatic transitions and no queue; one thread owns it.
2. No callback hangs on a transition. What is to be done is returned as commands.
3. Every event has an outcome in every state: it is taken, ignored, or refused with a reason.
4. From every state but `stopping` a failure leads to `fault`, and only a person leads out of it.
   An opened lid leads to `lid_open` from every state but `fault` and `stopping`.

The diagram in the README is made from `TRANSITIONS` by `mermaid`.
"""

from __future__ import annotations

from typing import NamedTuple

from transitions import Machine, MachineError

STARTING = "starting"  # the launcher is not there yet
LID_OPEN = "lid_open"
READY = "ready"
SUSPENSE = "suspense"  # pressed; the answer is decided and kept back for a moment
FEEDING = "feeding"
RETRACTING = "retracting"
SETTLING = "settling"  # motor off; late cards, or a card that sticks out of the slot
EMPTY = "empty"
JAMMED = "jammed"
FAULT = "fault"  # something broke; latched with its cause
STOPPING = "stopping"

STATES = (
    STARTING,
    LID_OPEN,
    READY,
    SUSPENSE,
    FEEDING,
    RETRACTING,
    SETTLING,
    EMPTY,
    JAMMED,
    FAULT,
    STOPPING,
)
SHOOTING = (FEEDING, RETRACTING, SETTLING)


class Transition(NamedTuple):
    """`trigger` leads from any of `sources` to `dest`."""

    trigger: str
    sources: tuple[str, ...]
    dest: str


TRANSITIONS = (
    Transition("begin", (STARTING,), READY),
    Transition("suspend", (READY,), SUSPENSE),
    Transition("blank", (SUSPENSE,), READY),
    Transition("feed", (READY, SUSPENSE), FEEDING),
    Transition("retract", (FEEDING,), RETRACTING),
    Transition("settle", (FEEDING, RETRACTING), SETTLING),
    Transition("finish", (SETTLING,), READY),
    Transition("run_empty", (STARTING, READY, SETTLING), EMPTY),
    Transition("jam", (STARTING, READY, SETTLING, LID_OPEN), JAMMED),
    Transition(
        "open_lid",
        (STARTING, READY, SUSPENSE, FEEDING, RETRACTING, SETTLING, EMPTY, JAMMED),
        LID_OPEN,
    ),
    Transition("close_lid", (LID_OPEN,), READY),
    Transition("clear", (EMPTY, JAMMED, FAULT), READY),
    Transition(
        "fail",
        tuple(state for state in STATES if state not in (FAULT, STOPPING)),
        FAULT,
    ),
    Transition("stop", tuple(state for state in STATES if state != STOPPING), STOPPING),
)

# What a press is answered with, by state: None = it is taken (conditions of `ready` apart), else
# the reason of the refusal.
PRESS_REFUSED: dict[str, str | None] = {
    STARTING: "starting",
    LID_OPEN: "lid_open",
    READY: None,
    SUSPENSE: "busy",
    FEEDING: "busy",
    RETRACTING: "busy",
    SETTLING: "busy",
    EMPTY: "empty",
    JAMMED: "jammed",
    FAULT: "fault",
    STOPPING: "stopping",
}

# What the status light shows, by state; the patterns are data (`cannon/data/sounds`).
LIGHT = {
    STARTING: "off",
    LID_OPEN: "slow",
    READY: "on",
    SUSPENSE: "quick",
    FEEDING: "quick",
    RETRACTING: "quick",
    SETTLING: "quick",
    EMPTY: "slow",
    JAMMED: "alarm",
    FAULT: "alarm",
    STOPPING: "off",
}


# The tables as a machine. It holds no state of its own, so that one is enough for all.
MACHINE = Machine(
    model=None,
    states=list(STATES),
    transitions=[
        {"trigger": t.trigger, "source": list(t.sources), "dest": t.dest} for t in TRANSITIONS
    ],
    initial=STARTING,
    auto_transitions=False,
)


class State:
    """Holds the present state, `starting` at first; moved by `TRANSITIONS` only."""

    def __init__(self) -> None:
        self.state = STARTING

    def trigger(self, name: str) -> None:
        """Takes the transition `name`. Raises MachineError if the table has none from here.

        The machine's own trigger looks for callbacks, conditions and queues besides; by rules 1
        and 2 there are none, and a third of the time from a press to the motor went into it.
        """
        from_here = MACHINE.events[name].transitions.get(self.state)
        if not from_here:
            raise MachineError(f"there is no {name} from {self.state}")
        self.state = str(from_here[0].dest)  # a string; the library also knows None, "stay"


def mermaid() -> str:
    """The state diagram as Mermaid text. `fail` and `stop` lead out of nearly every state and are
    left out of the picture; the text under it says so."""
    lines = ["stateDiagram-v2", f"    [*] --> {STARTING}"]
    for transition in TRANSITIONS:
        if transition.trigger not in ("fail", "stop"):
            lines += [
                f"    {source} --> {transition.dest}: {transition.trigger}"
                for source in transition.sources
            ]
    return "\n".join([*lines, f"    {STOPPING} --> [*]", ""])
