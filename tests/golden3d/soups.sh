#!/bin/bash
# Compares random states of awkward and of round sizes, by rules of every kind, with brute force.
. "$(dirname "$0")/common"

# The rule as the engine reads it; numbers of births and survivals; percent alive at first.
rules=(
    'B6/S5..7 | 6 | 5 6 7 | 25'
    '3D4,5/5 | 5 | 4 5 | 20'
    'B4,6,9..11/S5,7 | 4 6 9 10 11 | 5 7 | 30'
    '3D13..26/13,14,17..19 | 13 14 17 18 19 | 13 14 15 16 17 18 19 20 21 22 23 24 25 26 | 50'
    'S/B4 | 4 |  | 10'
    'b0,1,26/s0,25..26 | 0 1 26 | 0 25 26 | 90'
    'B1,3,5,7,9,11,13,15,17,19,21,23,25/S0,2,4,6,8,10,12,14,16,18,20,22,24,26 | 1 3 5 7 9 11 13 15 17 19 21 23 25 |
        0 2 4 6 8 10 12 14 16 18 20 22 24 26 | 50'
)
# Every size meets three of the rules: from the size's own number on, and always the last one, in which each cell
# counts.
sizes=('1 1 1' '2 3 5' '1 1 37' '41 1 1' '1 9 1' '2 2 2' '3 3 3' '33 7 5' '64 8 8' '65 31 9' '127 5 6' '128 4 3'
    '130 17 9' '257 3 11' '40 40 40' '31 32 33' '100 51 33' '256 6 5' '7 129 4' '5 4 131')

soup() {
    local rule=${rules[$1]} size=$2 steps=$3 text birth survive percent
    IFS='|' read -r text birth survive percent <<<"${rule//$'\n'/}"
    # shellcheck disable=SC2086 # three numbers
    "$cells" random $size $((${#size} + steps)) $((percent)) "$TMP/from.npy"
    "$cells" step "${birth# }" "${survive# }" "$steps" "$TMP/from.npy" "$TMP/to.npy"
    expect_life "$size, ${text// /}, $steps steps" "${text// /}" "$TMP/from.npy" "$steps" "$TMP/to.npy"
}

last=$((${#rules[@]} - 1))
for i in "${!sizes[@]}"; do
    implementations=$TMP/host
    soup $((i % last)) "${sizes[i]}" 1
    soup $(((i + 1) % last)) "${sizes[i]}" 4
    implementations=$TMP/implementations
    soup $last "${sizes[i]}" 9
done
for i in "${!rules[@]}"; do
    soup "$i" '67 21 13' 7
done
plan
