"""Where the journal lies if nobody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

NAME = "journal.db"
SERVICE_FOLDER = Path("/var/lib/card-cannon")  # the StateDirectory= of the service


def default_path(environment: Mapping[str, str]) -> Path:
    """The service's own folder if systemd gave one, else the user's folder for such things."""
    given = environment.get("STATE_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given) / NAME
    home = environment.get("XDG_STATE_HOME", "")
    # The XDG rules: a relative path there is to be ignored.
    state = Path(home) if home.startswith("/") else Path.home() / ".local" / "state"
    return state / "card-cannon" / NAME


def place_to_read(environment: Mapping[str, str]) -> Path:
    """The journal that a person most likely means: their own, else that of the service."""
    own = default_path(environment)
    service = SERVICE_FOLDER / NAME
    return service if service.exists() and not own.exists() else own
