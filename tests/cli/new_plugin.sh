#!/bin/bash
# Every kind of plugin that `engine new-plugin` writes builds without a warning, passes its own test and conforms. Its
# test fails if the rule is broken.
. "$(dirname "$0")/common"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
umask 022                      # files of a plugin may not be writable by others
cd "$TMP" || exit 1

settings=(CC="${CC:-cc}" ENGINE_INCLUDE="$ROOT/include" CFLAGS='-O3 -Wall -Wextra -Wpedantic -Werror')
kinds=$(sed -n 's/^  --kind \([a-z|]*\)$/\1/p' <("$ENGINE" new-plugin --help) | tr '|' ' ')
expect_equal 'the kinds' "$kinds" 'bytes floats volume particles'

# hash_and_metrics NAME [OPTION]…: of the last state of a plugin's own configuration.
hash_and_metrics() {
    "$ENGINE" run "$1/$1.ini" --plugins "$1" --quiet --force --json --set run.output=state --set output.every=0 \
        --set run.steps=20 --set output.metrics_every=5 "${@:2}" | grep '"hash"'
    cat state/metrics.csv
}

# `make vectors` says whether the loop over a row is vectorised, also if it is not, and shows errors.
vectors() {
    local make=(make -s NVCC= "${settings[@]}" vectors) loop='the loop over a row:'
    if [ "$(uname -m)" != x86_64 ] || "${CC:-cc}" --version | grep -q clang; then
        skip 'make vectors' 'the compiler is not gcc for x86-64'
        return
    fi
    expect_equal 'make vectors: the loop over a row is vectorised for all processors' \
        "$("${make[@]}" -C my-bytes | grep "^$loop" | sort)" \
        "$(printf "$loop optimized: loop vectorized using %s byte vectors\n" 16 32 64)"
    cp -r my-bytes slow
    sed -i '/void next(/,/^{/s/^{/{ volatile int slow = 0; (void) slow;/' slow/my-bytes.h
    expect_equal 'make vectors: a volatile variable hinders it' "$("${make[@]}" -C slow | grep -c "^$loop missed: ")" 3
    sed -i 's/volatile int slow/volatile wrong slow/' slow/my-bytes.h
    expect 'make vectors shows errors' sh -c "$(printf '%q ' "${make[@]}") -C slow | grep -q ' error: '"
    rm -r slow
}

# $1: kind; $2: a sed command that breaks its rule
tried() {
    expect_status 0 "$ENGINE" new-plugin "my-$1" --kind "$1"
    expect "$1: no placeholder is left" sh -c "! grep -rl '@[A-Z]*@' 'my-$1'"
    expect "$1: builds" make -s -C "my-$1" NVCC= "${settings[@]}"
    expect "$1: its test" make -s -C "my-$1" NVCC= "${settings[@]}" test
    expect "$1: conforms" make -s -C "my-$1" NVCC= "${settings[@]}" conform
    if [ "$1" != particles ]; then
        local whole margin
        whole=$(hash_and_metrics "my-$1")
        for margin in 0 1 9; do
            expect_equal "$1: three parts equal the whole" \
                "$(hash_and_metrics "my-$1" --set run.parts=3 --set run.margin=$margin)" "$whole"
        done
    fi
    if command -v "${NVCC:-none}" >/dev/null; then
        # Without optimisations nvcc takes a third of the time.
        expect "$1: its CUDA side builds" make -s -C "my-$1" NVCC="$NVCC" ENGINE_INCLUDE="$ROOT/include" \
            NVCCFLAGS='-arch=sm_80 -Xcicc -O0 -Xptxas -O0 --Werror all-warnings -Xcompiler -Wall,-Wextra' cuda.o
    else
        skip "$1: its CUDA side builds" 'there is no nvcc'
    fi
    # tools/check-gpu sets it, where there is a GPU.
    if [ -n "${TEST_CUDA:-}" ]; then
        expect "$1: builds with CUDA" make -s -B -C "my-$1" CC="${CC:-cc}" ENGINE_INCLUDE="$ROOT/include"
        expect_status 0 "$ENGINE" verify "my-$1/my-$1.ini" --plugins "my-$1" --impl cuda
        expect "$1: CUDA is bit-equal to the CPU" grep -Eq '^  cuda .*bit-equal' "$TMP/stdout"
        expect "$1: its test on a GPU" make -s -C "my-$1" ENGINE_INCLUDE="$ROOT/include" test
        expect "$1: conforms on a GPU" make -s -C "my-$1" ENGINE_INCLUDE="$ROOT/include" conform
    fi
    cp -r "my-$1" broken
    sed -i "$2" "broken/my-$1.h"
    expect "$1: its rule is broken" sh -c "! cmp -s 'my-$1/my-$1.h' 'broken/my-$1.h'"
    expect_status 2 make -s -C broken NVCC= "${settings[@]}" test
    expect "$1: its test fails then, because a fact does not hold" grep -q '^not ok' "$TMP/stdout"
    rm -r broken
}
tried bytes 's/y <= 1/y <= 0/'
vectors
tried floats 's/fmaf(-4,/fmaf(-3.99f,/'
tried volume 's/engine_at(near, 0, 0, 1)/engine_at(near, 0, 0, 0)/'
tried particles 's/+= rule->kick/+= 1.01f * rule->kick/'

expect_equal 'the default kind is bytes' "$("$ENGINE" new-plugin same --quiet && sed 's/same/my-bytes/g' same/same.h)" \
    "$(cat my-bytes/my-bytes.h)"
refused 'an unknown kind' 2 '--kind = byte: expected one of bytes, floats, volume, particles' "$ENGINE" new-plugin \
    other --kind byte
expect 'and writes nothing' test ! -e other
plan
