#!/bin/sh
# The matrix of what may happen in the middle of a feed, each row done for real; see kernel.sh.
set -eu
MARKED=matrix exec sh "$(dirname "$0")/kernel.sh" "$@"
