"""Tells phones apart, and knows which of them were paired with the PIN.

A phone gets a name of its own and a proof that we gave it; both make its token. The token is sent
in a header, never in an address, and says no more than "the same phone as before". Pairing needs
the PIN once; a changed PIN undoes all pairings.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

import msgspec

from cannon.web.limits import ALL_PIN_TRIES, PIN_TRIES, Clock, Rate

MOST_PAIRED = 50
_NAME_BYTES = 8
_PROOF_LENGTH = 32


class Pairings(msgspec.Struct):
    """What has to be kept: our key, and the paired phones under the PIN they were paired with."""

    key: str
    pin: str = ""
    paired: list[str] = []


def new_pairings() -> Pairings:
    return Pairings(key=secrets.token_hex(32))


class Phones:
    """The phones that this server knows. `pin` empty: nothing can be paired."""

    def __init__(self, pairings: Pairings, pin: str, clock: Clock) -> None:
        self.pairings = pairings
        self._pin = pin
        self._tries = Rate(PIN_TRIES, clock)
        self._all_tries = Rate(ALL_PIN_TRIES, clock)
        proof = self._proof(f"pin:{pin}")
        if pairings.pin != proof:
            pairings.pin, pairings.paired = proof, []

    @property
    def can_pair(self) -> bool:
        return bool(self._pin)

    def new_token(self) -> str:
        """The token of a phone that was not here before."""
        name = secrets.token_hex(_NAME_BYTES)
        return f"{name}.{self._proof(name)}"

    def phone(self, token: str) -> str | None:
        """The name of the phone that sends `token`; None if it is not one of ours."""
        name, _, proof = token.partition(".")
        return name if hmac.compare_digest(proof.encode(), self._proof(name).encode()) else None

    def paired(self, phone: str) -> bool:
        return phone in self.pairings.paired

    def may_try(self, phone: str) -> bool:
        """Whether this phone may try a PIN now; each call counts as a try."""
        return self._tries.allows(phone) and self._all_tries.allows("")

    def pair(self, phone: str, pin: str) -> bool:
        """Pairs `phone` if `pin` is the one; tells whether it is."""
        if not self._pin or not hmac.compare_digest(pin.encode(), self._pin.encode()):
            return False
        paired = [name for name in self.pairings.paired if name != phone]
        self.pairings.paired = [*paired, phone][-MOST_PAIRED:]
        return True

    def forget(self, phone: str) -> None:
        """This phone is paired no more."""
        self.pairings.paired = [name for name in self.pairings.paired if name != phone]

    def _proof(self, name: str) -> str:
        key = self.pairings.key.encode()
        return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()[:_PROOF_LENGTH]
