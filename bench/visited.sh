#!/usr/bin/env bash
# The source files of this workspace in which a command executes anything: how much there is to read to follow it.
#   visited.sh simulate models/rolling_disk.dal
# Takes the development build, which has the names of files; VISITED_PROGRAM names another one. Inlined code counts where it was written.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${VISITED_PROGRAM:-${CARGO_TARGET_DIR:-target}/debug/dalembert}
profile=$(mktemp)
trap 'rm -f "$profile"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$profile" "$program" "$@" >/dev/null 2>&1
sed -nE 's/^f[lie]=\([0-9]+\) (.*)$/\1/p' "$profile" | grep -oE 'crates/[a-z]+/src/[a-z0-9_/]+\.rs' | sort -u
