#!/usr/bin/env bash
# A stranger's walk through the guides: from the download to play, each line as it is typed.
# Installs into fresh virtual environments. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/lanes/packages.sh
need_packages git unzip
[ -x .venv/bin/python ] || { echo "there is no .venv yet; run: make test"; exit 1; }
exec .venv/bin/python -m pytest tests/walk -m walk --timeout 1800 "$@"
