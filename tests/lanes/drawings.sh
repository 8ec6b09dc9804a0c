#!/usr/bin/env bash
# The drawings: circuits made again and compared, and every picture rendered as a printer would,
# in black and white. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/lanes/packages.sh
need_packages librsvg2-bin fonts-dejavu-core
[ -x .venv/bin/python ] || { echo "there is no .venv yet; run: make test"; exit 1; }
.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,drawings]'
exec .venv/bin/python -m pytest tests/drawings -m drawings "$@"
