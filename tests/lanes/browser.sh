#!/usr/bin/env bash
# The browser lane: the page in Debian's Chromium, driven by playwright-core and checked with axe.
# Arguments go to pytest. Pictures of every view are left in .cache/pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/lanes/packages.sh
[ -x .venv/bin/python ] || { echo "there is no .venv yet; run: make test"; exit 1; }
need_packages chromium chromium-driver fonts-dejavu-core
command -v node >/dev/null || need_packages nodejs
command -v npm >/dev/null || need_packages npm
export CANNON_BROWSER="$PWD/.cache/browser"
mkdir -p "$CANNON_BROWSER"
[ -f "$CANNON_BROWSER/package.json" ] || echo '{"private": true}' > "$CANNON_BROWSER/package.json"
npm install --silent --no-audit --no-fund --prefix "$CANNON_BROWSER" \
    playwright-core@1 axe-core@4 acorn@8 ||
    { echo "npm could not install playwright-core, axe-core and acorn: is the network there?"; exit 1; }
exec .venv/bin/python -m pytest tests/web -m browser --timeout 900 "$@"
