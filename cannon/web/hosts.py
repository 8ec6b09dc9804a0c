"""The addresses under which this page may be opened, and the one to give to other phones.

A page of somebody else's can point a name of its own at this machine (DNS rebinding), so a
request must come by a number or by one of our own names.
"""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterable, Iterator

LOOPBACK = ("localhost", "localhost.localdomain")
# Never reached: connecting a datagram socket sends nothing, it only chooses our own address.
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
# Of Linux' netdevice(7); elsewhere these requests fail, and nothing is found.
_FLAGS, _ADDRESS = 0x8913, 0x8915
_WORKS = 0x1 | 0x40  # up, and with a link


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
    """This machine's address in the network now; None without a network.

    The one by which it reaches the rest of the world; in a network that leads nowhere, such as a
    Pi's own hotspot, that of an interface.
    """
    beside = sorted(_of_interfaces(), key=_is_strange)
    found = (*_routed(socket.AF_INET), *beside, *_routed(socket.AF_INET6))
    return next((one for one in found if not is_loopback(one)), None)


def _is_strange(address: str) -> tuple[bool, bool]:
    """Sorts addresses by how likely the phones' network is theirs: private ones come first."""
    found = ipaddress.ip_address(address)
    return found.is_link_local, not found.is_private


def _routed(family: socket.AddressFamily) -> Iterator[str]:
    """The address from which this machine speaks to somewhere else, if it can."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_ELSEWHERE[family], 9))
            yield str(probe.getsockname()[0])
    except OSError:
        return  # no route, or a system without this kind of address


def _of_interfaces() -> Iterator[str]:
    """The IPv4 address of each interface that works."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            wanted = struct.pack("40s", name.encode())
            try:
                (flags,) = struct.unpack_from("H", fcntl.ioctl(probe, _FLAGS, wanted), 16)
                address = fcntl.ioctl(probe, _ADDRESS, wanted)[20:24]
            except OSError:
                continue  # it has none
            if flags & _WORKS == _WORKS:
                yield socket.inet_ntoa(address)


def page_address(host: str, port: int) -> str:
    """The address to open on other phones, for a server bound to `host` and `port`."""
    shown = host
    if host in ("", "0.0.0.0", "::"):
        shown = network_address() or "127.0.0.1"
    if ":" in shown:
        shown = f"[{shown}]"
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"
