"""The entry point of the `cannon` command. Each sub-command is one module in this folder.

`cannon off` must be as quick as can be, so nothing is imported before it is known that something
else is wanted. The rest is in `cannon.command_line`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command. Exit codes: 0 well, 1 failed, 2 wrong use, 78 wrong configuration."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["off"]:
        from cannon.service import off

        if off.recorded():
            failed = off.main()
            if not off.launcher_there():
                sys.exit(failed)
            words.append(f"--pins-failed={failed}")  # and now for what is behind a launcher
    from cannon.command_line import run

    run(words)
