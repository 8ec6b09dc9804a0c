#!/usr/bin/env bash
# The tests that take too long for `make test`, but the firmware's, which have a lane. Then those of
# the pure parts and the pins once more, in another order each time: none may need, or feel, another.
set -euo pipefail
.venv/bin/python -m pytest -n 2 --dist worksteal -m long --timeout 1200 --ignore tests/firmware "$@"
CANNON_TEST_SEED=$RANDOM .venv/bin/python -m pytest -n 2 --dist worksteal -m "not long" \
    tests/unit/test_{controller,core,devices,journal,loop,odds,settings,signals,storage}*.py \
    tests/unit/table "$@"
