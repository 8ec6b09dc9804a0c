"""Speaks to the service manager (systemd) that started this program, if one did."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

log = logging.getLogger(__name__)


class Manager:
    """Whoever listens at NOTIFY_SOCKET. `watchdog_s`: how often it wants to hear from this process
    at least, None if it does not watch. Without one, everything told goes nowhere."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self.there = bool(address)
        meant = environment.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        usec = environment.get("WATCHDOG_USEC", "")
        watches = self.there and meant and usec.isdigit() and int(usec) > 0
        self.watchdog_s = int(usec) / 1_000_000 if watches else None

    def tell(self, *news: str) -> None:
        """Sends lines as in sd_notify(3), such as "READY=1". Trouble with it is only logged."""
        if not self.there:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
                channel.sendto("\n".join(news).encode(), self._address)
        except OSError as error:
            log.warning("the service manager does not hear %s: %s", news, error)
