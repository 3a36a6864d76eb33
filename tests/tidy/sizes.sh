#!/bin/bash
# The folders have no more lines than tools/sizes allows, and tools/check-sizes finds what has more.
. "$(dirname "$0")/../lib.sh"

expect 'the lines keep to tools/sizes' tools/check-sizes

# tree: two files of three lines and a header of two, with ceilings that they reach.
tree() {
    rm -rf "$TMP/tree" && mkdir -p "$TMP/tree/core/run" "$TMP/tree/core/api" "$TMP/tree/tools"
    printf '%s\n' 1 2 3 | tee "$TMP/tree/core/run/loop.c" >"$TMP/tree/core/api/run.c"
    printf '%s\n' 1 2 >"$TMP/tree/core/run/loop.h"
    printf '%s\n' 'core 5' 'core/api 3' >"$TMP/tree/tools/sizes"
}

finds() {
    local wanted="0 "
    [ -n "$1" ] && wanted="1 $1"
    run tools/check-sizes "$TMP/tree"
    expect_equal "found: ${1:-nothing}" "$status $(<"$TMP/stdout")" "$wanted"
}

tree
finds ''
tree && echo 4 >>"$TMP/tree/core/run/loop.c"
finds 'core: has 6 lines, at most 5; find what can go, or raise tools/sizes and say why'
tree && echo 4 >>"$TMP/tree/core/api/run.c"
finds 'core/api: has 4 lines, at most 3; find what can go, or raise tools/sizes and say why'
tree && seq 201 >"$TMP/tree/core/run/loop.h" && echo 'core 500' >"$TMP/tree/tools/sizes"
finds 'core/run/loop.h: has 201 lines, and a header of core/ has at most 200'
tree && seq 201 >"$TMP/tree/core/run/loop.h" && printf '%s\n' 'core 500' 'core/run/loop.h 201' >"$TMP/tree/tools/sizes"
finds ''
plan
