#!/usr/bin/env bash
# About 300 sampled mutants of acceleration, projection, friction and derivation, each against a named subset of the tests. Needs
# cargo-mutants (`cargo install cargo-mutants --locked`), which names the mutants; `mutants/` builds them all into one program.
# The sample is fixed: of the mutants in their order, every so many-th. Figures are in CONTRIBUTING.md.
# `target/mutants/outcomes.tsv` has the fate of every mutant. A later run judges again what was missed, and what it does not know:
# after a change of the code that is judged, delete that file.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/target/mutants
mkdir -p "$out"

list() { # name, package, how many to take one of, files
  local name=$1 package=$2 every=$3
  shift 3
  local files=()
  for file in "$@"; do files+=(--file "$file"); done
  cargo mutants --list --json --package "$package" "${files[@]}" --shard "0/$every" --sharding round-robin --no-shuffle \
    --colors never >"$out/$name.json"
}

list numbers dalembert-run 9 \
  'crates/run/src/acceleration/**' crates/run/src/kernel/sparsity/elimination.rs crates/run/src/constraint/projection.rs \
  'crates/run/src/constraint/projection/**' 'crates/run/src/contact/**' 'crates/run/src/coulomb/**'
list derivation dalembert 5 \
  'crates/dalembert/src/derive/**' crates/dalembert/src/derive.rs

export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-2}
cargo build --manifest-path bench/mutants/Cargo.toml --target-dir "$out/tool"
CARGO_TARGET_DIR="$out/build" nice -n 5 "$out/tool/debug/dalembert-mutants" . "$out/tree" "$out/outcomes.tsv" \
  "$out/numbers.json" "$out/derivation.json"
