#!/usr/bin/env bash
# Runs the lanes of `make test-all` beyond `make test`: all, or those that are named. Each lane is a
# script in tests/lanes that installs what it needs and fails, saying so, where it cannot run. All
# are run, also after one of them has failed; the end says which.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=()
[ $# -gt 0 ] || set -- $(ls tests/lanes | sed -n 's/\.sh$//p' | grep -v '^packages$')
for name in "$@"; do
    lane=tests/lanes/$name.sh
    echo "=== lane $name"
    began=$SECONDS
    bash "$lane" || failed+=("$name")
    echo "=== lane $name: $((SECONDS - began)) s"
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "lanes that failed: ${failed[*]}"
    exit 1
fi
echo "all lanes passed"
