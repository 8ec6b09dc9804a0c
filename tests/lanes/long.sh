#!/usr/bin/env bash
# The tests that take too long for `make test`.
set -euo pipefail
.venv/bin/python -m pytest -n 2 -m long
