#!/usr/bin/env bash
# Lines and functions of crates/expr, crates/run and crates/dalembert that their own tests reach. Needs the component llvm-tools
# (`rustup component add llvm-tools`). Figures are in CONTRIBUTING.md. Takes a quarter of an hour; builds into target/coverage.
set -euo pipefail
cd "$(dirname "$0")/.."

tools="$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin"
if [ ! -x "$tools/llvm-cov" ]; then
  echo "llvm-tools are missing: rustup component add llvm-tools" >&2
  exit 1
fi
export CARGO_TARGET_DIR="$PWD/target/coverage" CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
export RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$CARGO_TARGET_DIR/raw/%p-%m.profraw"
mkdir -p "$CARGO_TARGET_DIR"
rm -rf "$CARGO_TARGET_DIR/raw"
packages=(-p dalembert-expr -p dalembert-run -p dalembert)

# A test that fails is for the tests to tell; what it reached counts.
cargo test "${packages[@]}" --lib --tests --no-fail-fast >"$CARGO_TARGET_DIR.log" 2>&1 || echo "some tests failed, see $CARGO_TARGET_DIR.log" >&2
"$tools/llvm-profdata" merge -sparse "$CARGO_TARGET_DIR"/raw/*.profraw -o "$CARGO_TARGET_DIR/all.profdata"
# The first program is an argument of its own, the others are options.
mapfile -t programs < <(sed -n 's/^ *Running .*(\(.*\))$/\1/p' "$CARGO_TARGET_DIR.log")
objects=("${programs[0]}")
for program in "${programs[@]:1}"; do objects+=(-object "$program"); done
for crate in expr run dalembert; do
  "$tools/llvm-cov" report "${objects[@]}" -instr-profile="$CARGO_TARGET_DIR/all.profdata" "$PWD/crates/$crate/src" |
    awk -v crate="$crate" '/^TOTAL/ { printf "%-10s lines %s of %s, functions %s of %s\n", crate, $10, $8, $7, $5 }'
done
