#!/usr/bin/env bash
# About 300 sampled mutants of acceleration, projection, friction and derivation, each against a named subset of the tests. Needs
# cargo-mutants (`cargo install cargo-mutants --locked`). The sample is fixed: of the mutants in their order, every so many-th.
# `mutants.sh PART OF [numbers|derivation]` runs one part of OF, for several machines or several evenings; figures are in CONTRIBUTING.md.
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-0} of=${2:-1} only=${3:-}
# Optimised code takes longer to build than it saves.
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0
out=target/mutants
mkdir -p "$out"

# Tests are named by module; `tests::` are those inside the library.
sample() { # name, package, how many to take one of, tests, files
  local name=$1 package=$2 every=$3 tests=$4
  shift 4
  if [ -n "$only" ] && [ "$only" != "$name" ]; then return; fi
  local files=()
  for file in "$@"; do files+=(--file "$file"); done
  # shellcheck disable=SC2086
  cargo mutants --package "$package" "${files[@]}" --shard "$part/$((every * of))" --sharding round-robin --no-shuffle \
    --output "$out/$name" --timeout 120 --colors never -- $tests || true
  for fate in caught missed timeout unviable; do
    printf '%s %s %s\n' "$name" "$fate" "$(wc -l <"$out/$name/mutants.out/$fate.txt")"
  done
}

sample numbers dalembert-run 9 "--lib --test it -- tests:: laws:: linalg:: projection:: control:: start:: sparse:: friction::" \
  'crates/run/src/acceleration/**' crates/run/src/constraint/projection.rs 'crates/run/src/constraint/projection/**' 'crates/run/src/contact/**' 'crates/run/src/coulomb/**'
sample derivation dalembert 5 "--test it -- agree:: laws:: energies:: --skip analyze_laws::" \
  'crates/dalembert/src/derive/**' crates/dalembert/src/derive.rs
