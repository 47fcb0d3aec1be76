#!/usr/bin/env bash
# Instructions of one call of each kernel, counted by callgrind: a figure that does not depend on how busy the machine is.
# Compares with instructions.txt and fails where one has grown by more than 5 %.
#   count.sh            a release build
#   count.sh --tests    the build of the tests, which need not be built again; compares with instructions-tests.txt
# With --write behind it writes the file.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target} known=bench/instructions.txt program=$target/release/examples/counted
if [ "${1:-}" = --tests ]; then
  shift
  known=bench/instructions-tests.txt program=$target/debug/examples/counted
fi

if ! command -v valgrind >/dev/null; then
  echo "valgrind is missing: instructions are not counted"
  exit 0
fi
if [ "$(uname -m)" != x86_64 ] || ! grep -qw avx2 /proc/cpuinfo; then
  echo "not a processor with AVX2: the figures are for native code with AVX2, instructions are not counted"
  exit 0
fi
if [ "$known" = bench/instructions.txt ]; then
  cargo build --quiet --release -p dalembert-bench --example counted
fi
found=$(mktemp)
trap 'rm -f "$found"' EXIT

count() { # name, times: instructions and calls
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
    sed -n -e 's/.*Collected *: *\([0-9]*\).*/instructions=\1/p' -e 's/^calls \([0-9]*\)$/calls=\1/p'
}

each_of() { # name of a row found above
  sed -n "s/^$1 \([0-9]*\)$/\1/p" "$found"
}

few=1280 many=2560
failed=0
for name in cart2 cart10 lanes2 andrews andrews_ranks solve_dense chain20 ur5 joints20 pendulum pendulum_run \
  pendulum_forward8 pendulum_adjoint; do
  count "$name" $few >"$found.few" & # the two at once
  eval "$(count "$name" $many)"
  b=${instructions:-} calls_b=${calls:-}
  wait
  instructions='' calls=''
  eval "$(cat "$found.few")"
  a=$instructions calls_a=$calls
  instructions='' calls=''
  rm -f "$found.few"
  if [ -z "$a" ] || [ -z "$b" ] || [ "$calls_a" = "$calls_b" ]; then
    echo "$name: callgrind gave no count"
    failed=1
    continue
  fi
  each=$(((b - a) / (calls_b - calls_a)))
  echo "$name $each" >>"$found"
  before=$(sed -n "s/^$name \([0-9]*\)$/\1/p" "$known" 2>/dev/null || true)
  echo "$name: $each instructions, ${before:-none} known"
  if [ -n "$before" ] && [ $((each * 100)) -gt $((before * 105)) ]; then
    echo "  has grown by more than 5 %"
    failed=1
  fi
done

# What a whole run costs for each evaluation, against the acceleration alone: a plain model pays for a plain integrator.
# A release adds 126 instructions to 270, a ratio of 1.46.
most=150
[ "$known" = bench/instructions.txt ] || most=10000
alone=$(each_of pendulum) whole=$(each_of pendulum_run)
if [ -n "$alone" ] && [ -n "$whole" ]; then
  ratio=$((whole * 100 / alone))
  echo "a run of the double pendulum: $((ratio / 100)).$(printf %02d $((ratio % 100))) accelerations an evaluation"
  if [ "$ratio" -gt "$most" ]; then
    echo "  is more than $((most / 100)).$(printf %02d $((most % 100)))"
    failed=1
  fi
fi
if [ "${1:-}" = --write ]; then
  cp "$found" "$known" && chmod 644 "$known"
  exit 0
fi
exit $failed
