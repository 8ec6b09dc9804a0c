"""Where the journal lies if nobody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

NAME = "journal.db"
SIMULATED = "simulated.db"  # beside it: a simulation has a history of its own
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
    """The journal that a person most likely means: their own, else that of the service, else that
    of the simulated launcher."""
    own = default_path(environment)
    places = (own, SERVICE_FOLDER / NAME, own.with_name(SIMULATED))
    return next((place for place in places if place.exists()), own)
