"""Gives the seed of a new run. Every start takes a fresh one; it is put on record, not reused."""

from __future__ import annotations

import secrets


def fresh_seed() -> int:
    """An unpredictable number of 48 bits (any JSON reader keeps it exact)."""
    return secrets.randbits(48)
