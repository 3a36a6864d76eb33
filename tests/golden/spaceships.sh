#!/bin/bash
# Spaceships move as published: the glider by (1, 1) in 4 generations, and the lightweight spaceship by 2 cells in 4
# generations.
. "$(dirname "$0")/common"

for impl in $implementations; do
    mapfile -t settings < <(pattern glider 17 18)
    life glider "$impl" B3/S23 '40 40' 160 output.every=4 "${settings[@]}"
    expect_equal "$impl: a glider has five cells in every fourth generation" "$(populations glider)" \
        "$(printf '5 %.0s' {1..41} | sed 's/ $//')"
    for step in 4 8 76; do
        "$cells" move $((step / 4)) $((step / 4)) "$(at glider 0)" "$TMP/moved.npy"
        expect_cells "$impl: after $step generations it is $((step / 4)) further down and to the right" \
            "$(at glider $step)" "$TMP/moved.npy"
    done
    expect_cells "$impl: after 160 it is back, once around the torus" "$(at glider 160)" "$(at glider 0)"
    expect_not "$impl: after 156 it is not" cmp "$(at glider 156)" "$(at glider 0)"

    # An odd size, where the seams cut words: 43 columns, 31 rows, back after 4 x 43 x 31 generations.
    mapfile -t settings < <(pattern glider 40 29)
    life odd "$impl" B3/S23 '43 31' $((4 * 43 * 31)) output.every=$((4 * 31)) "${settings[@]}"
    expect_cells "$impl: on 43 x 31 it is back after 5332" "$(at odd 5332)" "$(at odd 0)"
    "$cells" move 31 0 "$(at odd 0)" "$TMP/moved.npy"
    expect_cells "$impl: and after 124 it is 31 columns away from there" "$(at odd 124)" "$TMP/moved.npy"

    mapfile -t settings < <(pattern lwss 30 7)
    life lwss "$impl" B3/S23 '67 19' 134 output.every=1 "${settings[@]}"
    expect_equal "$impl: a lightweight spaceship has 9, 12, 9, 12 cells" \
        "$(for step in 0 1 2 3 4; do population lwss $step; done | tr '\n' ' ')" '9 12 9 12 9 '
    for step in 4 64 132; do
        "$cells" move $((-step / 2)) 0 "$(at lwss 0)" "$TMP/moved.npy"
        expect_cells "$impl: after $step generations it is $((step / 2)) further to the left" \
            "$(at lwss $step)" "$TMP/moved.npy"
    done
done
plan
