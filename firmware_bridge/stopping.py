"""STOP to a board from outside of every session: for whoever has to switch it off."""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware_bridge import messages as m
from firmware_bridge.errors import BridgeError
from firmware_bridge.events import Answered, Greeted
from firmware_bridge.ports import IDENTIFY_S, Port, close, no_board, open_port
from firmware_bridge.session import Session


def stop(
    device: str,
    opener: Callable[[str], Port] = open_port,
    clock: Callable[[], float] = time.monotonic,
    for_s: float = IDENTIFY_S,
) -> None:
    """Returns when the board behind `device` has answered STOP: its motor is off.

    The board is not taken, and may be in a shot of its own. Raises BridgeError if the port cannot
    be used, or no answer comes within `for_s` seconds.
    """
    port = opener(device)
    session = Session(clock(), take=False)
    end = clock() + for_s
    try:
        while not session.prompt_seen and clock() < end:
            happened = session.tick(clock())
            port.write(session.outgoing())
            happened += session.receive(port.read(1) + port.read(port.in_waiting), clock())
            for event in happened:
                if isinstance(event, Greeted):
                    session.stop(clock())
                elif isinstance(event, Answered) and (event.kind, event.result) == (m.STOP, "ok"):
                    return
    except OSError as error:
        raise BridgeError("port", f"{device} was lost: {error}", "try again") from error
    finally:
        close(port, forget=True)
    if session.board is None:
        raise no_board(device, session)
    what = f"{session.board.name} on {device} has not confirmed STOP"
    raise BridgeError("unconfirmed", what, "switch it off: take out its batteries and its cable")
