"""Gives the seed of a new run. Every start takes a fresh one; it is put on record, not reused."""

from __future__ import annotations

import os

BYTES = 6  # any JSON reader keeps a number of 48 bits exact


def fresh_seed() -> int:
    """An unpredictable number of 48 bits."""
    return int.from_bytes(os.urandom(BYTES), "big")
