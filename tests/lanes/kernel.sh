#!/usr/bin/env bash
# The kernel lane: boots a small virtual machine with a real Linux GPIO chip and runs the tests of
# tests/kernel in it, with all that may happen in a feed done for real. Installs the Debian packages
# it needs; arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x .venv/bin/python ] || { echo "there is no .venv yet; run: make test"; exit 1; }
. tests/lanes/packages.sh
need_packages python3
pip() { .venv/bin/python -m pip "$@"; }
pip install --quiet --disable-pip-version-check --editable '.[test,pi]'
# The machine's own Python is Debian's, as on a Raspberry Pi.
guest=.cache/kernel-lane/python
[ -x "$guest/bin/python" ] || /usr/bin/python3 -m venv --without-pip "$guest"
pip --python "$guest" install --quiet --disable-pip-version-check --editable '.[pi,web,bridge]'
exec .venv/bin/python -m pytest tests/kernel -m kernel --timeout 2700 "$@"
