"""How much of the longest tests is run: all, or what LONG_SHARE says (above 0, up to 1).

`make test-all` runs all. Continuous integration has 45 minutes, and runs a share.
"""

from __future__ import annotations

import os

LONG_SHARE = float(os.environ.get("LONG_SHARE", "1"))


def share(of: int) -> int:
    """That share of a number, but one at least."""
    return max(1, round(of * LONG_SHARE))
