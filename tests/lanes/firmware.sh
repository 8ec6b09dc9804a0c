#!/usr/bin/env bash
# The firmware's tests that take too long for `make test`: every burst of wrong bits, many leases.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec .venv/bin/python -m pytest -n 2 -m long tests/firmware "$@"
