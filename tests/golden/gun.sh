#!/bin/bash
# Gosper's gun: it has period 30 and 36 cells, and emits one glider of five cells in each period.
. "$(dirname "$0")/common"

# A glider moves a cell each way in four generations: the first of ten, 75 cells after 300, is far from coming around.
mapfile -t settings < <(pattern gosper-gun 16 16)
for impl in $implementations; do
    life gun "$impl" B3/S23 '250 190' 300 output.every=30 "${settings[@]}"
    expect_equal "$impl: five cells more every 30 generations" "$(populations gun)" \
        '36 41 46 51 56 61 66 71 76 81 86'
    for step in 30 60 300; do
        expect "$impl: after $step the gun is there as it was" "$cells" within "$(at gun 0)" "$(at gun $step)"
    done
    # All gliders that were there 30 generations ago have moved on: 7 or 8 cells, so two periods are 15.
    "$cells" xor "$(at gun 0)" "$(at gun 240)" "$TMP/gliders.npy"
    "$cells" move 15 15 "$TMP/gliders.npy" "$TMP/moved.npy"
    expect "$impl: its gliders fly on, 15 cells in 60 generations" "$cells" within "$TMP/moved.npy" "$(at gun 300)"
done
plan
