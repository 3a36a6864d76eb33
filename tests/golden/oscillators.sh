#!/bin/bash
# Oscillators and still lifes have their published periods and no shorter ones.
. "$(dirname "$0")/common"

cat >"$TMP/blinker.rle" <<'RLE'
x = 3, y = 1, rule = B3/S23
3o!
RLE
cat >"$TMP/block.rle" <<'RLE'
x = 2, y = 2, rule = B3/S23
2o$2o!
RLE

# has_period IMPLEMENTATION NAME FILE PERIOD: on a torus of odd size, over its corner
has_period() {
    local impl=$1 name=$2 file=$3 period=$4 step
    life "$name" "$impl" B3/S23 '37 29' $((2 * period)) output.every=1 "init.file=$file" 'init.at=-5 -3'
    expect_cells "$impl: $name is as it was after $period" "$(at "$name" "$period")" "$(at "$name" 0)"
    expect_cells "$impl: $name is as it was after $((2 * period))" "$(at "$name" $((2 * period)))" "$(at "$name" 0)"
    for ((step = 1; step < period; step++)); do
        cmp -s "$(at "$name" "$step")" "$(at "$name" 0)" && not_ok "$impl: $name is another after $step generations"
    done
}

for impl in $implementations; do
    has_period "$impl" block "$TMP/block.rle" 1
    has_period "$impl" blinker "$TMP/blinker.rle" 2
    has_period "$impl" pulsar "$ROOT/configs/patterns/pulsar.rle" 3
    has_period "$impl" pentadecathlon "$ROOT/configs/patterns/pentadecathlon.rle" 15
    expect_equal "$impl: populations of a pulsar" "$(populations pulsar)" '48 56 72 48 56 72 48'
done
plan
