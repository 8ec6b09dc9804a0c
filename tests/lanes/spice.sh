#!/usr/bin/env bash
# The power side of every board, simulated with ngspice. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/lanes/packages.sh
need_packages ngspice
[ -x .venv/bin/python ] || { echo "there is no .venv yet; run: make test"; exit 1; }
exec .venv/bin/python -m pytest tests/spice -m spice "$@"
