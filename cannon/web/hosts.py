"""The addresses under which this page may be opened, and the one to give to other phones.

A page of somebody else's can point a name of its own at this machine (DNS rebinding), so a
request must come by a number or by one of our own names.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable

LOOPBACK = ("localhost", "localhost.localdomain")
# Never reached: connecting a datagram socket sends nothing, it only chooses our own address.
_ELSEWHERE = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))


def own_names(more: Iterable[str] = ()) -> frozenset[str]:
    """The names of this machine, in small letters; `more` are those that the settings add."""
    name = socket.gethostname().lower().rstrip(".")
    short = name.partition(".")[0]
    return frozenset({*LOOPBACK, name, short, f"{short}.local", *(one.lower() for one in more)})


def host_of(header: str) -> str:
    """The host in a Host header, without its port and the brackets of IPv6."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


def is_ours(header: str, names: frozenset[str]) -> bool:
    """Whether a Host header may be ours: a plain address, or one of `names`."""
    host = host_of(header).rstrip(".")
    if host in names:
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a server bound to `host` can be reached from this machine only."""
    if host in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def network_address() -> str | None:
    """This machine's address in the network now; None without a network."""
    for elsewhere, family in _ELSEWHERE:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((elsewhere, 9))
            except OSError:
                continue
            found = probe.getsockname()[0]
        if not ipaddress.ip_address(found).is_loopback:
            return str(found)
    return None


def page_address(host: str, port: int) -> str:
    """The address to open on other phones, for a server bound to `host` and `port`."""
    shown = host
    if host in ("", "0.0.0.0", "::"):
        shown = network_address() or "127.0.0.1"
    if ":" in shown:
        shown = f"[{shown}]"
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"
