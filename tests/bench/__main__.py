"""Runs the measurements; see the package."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys

from tests import bench

HELPERS = {"__main__", "measure", "web_launcher", "web_load"}


def main(wanted: list[str]) -> int:
    """Runs the measurements named, or all. Returns the exit code."""
    known = [m.name for m in pkgutil.iter_modules(bench.__path__) if m.name not in HELPERS]
    unknown = set(wanted) - set(known)
    if unknown:
        print(f"no such measurement: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    for name in wanted or known:
        for line in importlib.import_module(f"tests.bench.{name}").run():
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
