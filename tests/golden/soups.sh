#!/bin/bash
# Compares random cells on tori of awkward sizes, by rules of all kinds, with the plain implementation in cells.c.
. "$(dirname "$0")/common"

# SIZE RULE STEPS DENSITY
while read -r width height rule steps density; do
    for impl in $implementations; do
        life soup "$impl" "$rule" "$width $height" "$steps" output.every="$steps" init.source=random init.seed=77 \
            init.density="$density"
        "$cells" step "$rule" "$steps" "$(at soup 0)" "$TMP/expected.npy"
        expect_cells "$impl: $width x $height by $rule, $steps generations" "$(at soup "$steps")" "$TMP/expected.npy"
    done
done <<'CASES'
1 1 B3/S23 3 1
1 1 B8/S8 2 1
2 2 B3/S23 3 0.5
1 7 B3/S23 5 0.5
7 1 B3/S23 5 0.5
2 9 B36/S23 6 0.5
9 2 B3678/S34678 6 0.5
3 3 B3/S23 4 0.5
31 33 B3/S23 40 0.4
63 64 B3/S23 33 0.4
64 63 B3/S23 33 0.4
65 65 B3/S23 64 0.4
127 9 B36/S23 17 0.4
128 5 B36/S23 17 0.4
129 3 B36/S23 17 0.4
191 40 B2/S 12 0.1
255 31 B3678/S34678 50 0.5
257 33 B1357/S1357 31 0.3
300 20 B0/S8 9 0.5
301 21 B02468/S1357 12 0.5
333 77 B3/S012345678 20 0.1
512 16 B35678/S5678 30 0.5
511 17 B4678/S35678 30 0.5
513 15 B368/S245 30 0.3
1021 50 B3/S23 100 0.35
CASES
plan
