"""Switches off what is not on this computer's own pins: has the launcher that runs do it, and says
STOP to boards behind serial ports. `cannon off` does so once the pins are off.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable

from cannon.errors import CannonError
from firmware_bridge.errors import BridgeError
from firmware_bridge.ports import AUTO, VENDOR, PortInfo, list_ports
from firmware_bridge.stopping import stop

IN_USE = (
    "End that program; a board whose program has ended stops within half a second: "
    "sudo systemctl stop cannon, or sudo fuser -k {}"
)
NOT_HERE = (
    "Plug it in or name its port, as --bridge /dev/ttyACM0; or switch it off: take out its "
    "batteries and its cable"
)


def tell_launcher() -> bool:
    """Has the launcher that runs on this computer switch off; False if none runs.

    Raises CannonError if one runs and cannot be told, or has not done it.
    """
    from cannon.service.control import OFF, NoLauncher, ask

    try:
        ask(OFF)
    except NoLauncher:
        return False
    return True


def stop_boards(
    port: str,
    told: bool,
    ports: Callable[[], Iterable[PortInfo]] = list_ports,
    stop: Callable[[str], None] = stop,
) -> None:
    """Says STOP to the board behind `port`, or behind every port that may be one's if it is "auto".

    With `told`, the launcher that runs has switched off its own board: then a port in use is no
    trouble, nor that there is no other. Raises CannonError with all that could not be switched off.
    """
    if importlib.util.find_spec("serial") is None:
        raise CannonError("pyserial is not installed", "pip install 'card-cannon[bridge]'")
    devices = [port] if port != AUTO else [i.device for i in ports() if i.vendor == VENDOR]
    if not devices and not told:
        raise CannonError("There is no microcontroller on USB here that could be told.", NOT_HERE)
    failed = _stopped(devices, stop)
    left = {d: error for d, error in failed.items() if not (told and error.code == "in_use")}
    if left:
        fixes = [IN_USE.format(d) if e.code == "in_use" else e.fix for d, e in left.items()]
        raise CannonError("\n".join(e.what for e in left.values()), "\n".join(fixes))


def _stopped(devices: Iterable[str], stop: Callable[[str], None]) -> dict[str, BridgeError]:
    """What has failed, by the port."""
    failed = {}
    for device in devices:
        try:
            stop(device)
        except BridgeError as error:
            failed[device] = error
    return failed
