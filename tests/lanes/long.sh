#!/usr/bin/env bash
# The tests that take too long for `make test`, but the firmware's, which have a lane.
set -euo pipefail
.venv/bin/python -m pytest -n 2 --dist worksteal -m long --timeout 1200 --ignore tests/firmware "$@"
