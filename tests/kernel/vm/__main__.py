"""`python -m tests.kernel.vm [--cpus N] BUILD CHECK…`: boot once, run these, print the results.

For whoever writes checks. BUILD is "persist" or "strict"; a CHECK is named like
machinery.lgpio_callback.
"""

from __future__ import annotations

import argparse
import json
import sys

from tests.kernel.vm.build import BUILDS
from tests.kernel.vm.debian import LaneError
from tests.kernel.vm.run import run


def main() -> int:
    """Exit code 0 if all checks ended well."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernel.vm")
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("build", choices=BUILDS)
    parser.add_argument("check", nargs="+")
    asked = parser.parse_args()
    checks = dict.fromkeys(asked.check, 600.0)
    try:
        outcomes = run(asked.build, checks, name="by-hand", timeout_s=1200, cpus=asked.cpus)
    except LaneError as error:
        print(error)
        return 1
    for check, outcome in outcomes.items():
        seen = outcome.problem or json.dumps(outcome.value, indent=2)
        print(f"{check} ({outcome.took_s} s): {seen}")
    return int(any(outcome.problem for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
