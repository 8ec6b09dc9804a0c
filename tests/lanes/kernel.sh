#!/bin/sh
# The kernel lane: boots a small virtual machine with a real Linux GPIO chip and runs the tests of
# tests/kernel in it, with all that may happen in a feed done for real. Installs the Debian packages
# it needs; arguments go to pytest.
set -eu
cd "$(dirname "$0")/../.."
[ -x .venv/bin/python ] || { echo "there is no .venv yet; run: make test"; exit 1; }
.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,pi]'
exec .venv/bin/python -m pytest tests/kernel -m kernel --timeout 2700 "$@"
