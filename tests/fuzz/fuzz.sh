#!/bin/bash
# Tests parsers with random input, each for FUZZ_SECONDS (6; 60 with LONG=1). FUZZ_JOBS targets run at the same time
# (three per core). See tests/fuzz/README.md.
#
#   fuzz.sh [TARGET…]    all targets, or those
#
# Input that reaches new code is kept in $BUILD/fuzz/corpus/<target>, and the next run starts from it. Input that breaks
# a parser is kept in $BUILD/fuzz/found as <target>-<kind>-<hash>.
. "$(dirname "$0")/../lib.sh"
here=tests/fuzz
work=$BUILD/fuzz
seconds=${FUZZ_SECONDS:-$([ -n "${LONG:-}" ] && echo 60 || echo 6)}
jobs=${FUZZ_JOBS:-$((3 * $(nproc)))}
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(ls $here/seeds)

# A missing compiler is a failure and not a skip: nobody asked for parsers that are not tested.
compiler=${FUZZ_CC-clang}
[ -n "$compiler" ] || skip_all 'make builds no fuzzer with FUZZ_CC='
if ! command -v "${compiler%% *}" >/dev/null || [ ! -x "$work/fuzzer" ]; then
    not_ok 'the fuzzer is built' "there is no $work/fuzzer of this tree, which needs clang with libFuzzer:" \
        "tools/setup --tests installs it, and make fuzzer FUZZ_CC='$compiler' says what is wrong;" \
        "make check FUZZ_CC= builds no fuzzer, and skips this test"
    plan
    exit 1
fi
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1
# Limits: memory in MiB, seconds for one input, bytes of input.
limits=(-rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=10 -max_len=4096)

# Runs one target. Its output goes to its log.
fuzz() {
    local target=$1
    local -a corpus=("$work/corpus/$target" "$here/seeds/$target")
    [ -e "$here/regressions/$target" ] && corpus+=("$here/regressions/$target")
    mkdir -p "$work/corpus/$target" "$work/found"
    "$work/fuzzer" --target="$target" "${limits[@]}" -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix="$work/found/$target-" -dict="$here/dictionaries/$target.dict" "${corpus[@]}" \
        >"$work/$target.log" 2>&1
    echo $? >"$work/$target.status"
}

result() {
    local log=$work/$1.log executed covered
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ "$(cat "$work/$1.status")" = 0 ]; then
        ok "$1: ${executed:-0} executions, $covered places reached"
    else
        not_ok "$1" "$(grep -a -m 3 -E 'ERROR|SUMMARY|^fuzz:|runtime error' "$log")" "see $log" \
            "$(grep -a -o 'Test unit written to .*' "$log")"
    fi
}

for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    fuzz "$target" &
done
wait
for target in "${targets[@]}"; do result "$target"; done
plan
[ "$failures" = 0 ]
