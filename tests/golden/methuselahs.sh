#!/bin/bash
# Patterns that live long. The torus is so large that no glider travels around it; a glider moves one cell in four
# generations. R-pentomino: 1103 / 4 cells and a margin on each side, 640 in all. Acorn: 5206 / 4 cells, 2816 in all.
# Only the vector implementation is tested, because the reference would take minutes for 41 billion cells.
. "$(dirname "$0")/common"

mapfile -t settings < <(pattern r-pentomino)
for impl in $implementations; do
    life rpento "$impl" B3/S23 '640 640' 1140 output.every=1 output.formats=png "${settings[@]}"
    expect_equal "$impl: the R-pentomino has 116 cells after 1103 generations, six gliders among them" \
        "$(population rpento 1103)" 116
    expect_equal "$impl: and from then on always" \
        "$(awk -F, 'NR > 1 && $1 >= 1103 { print $2 }' "$TMP/rpento/metrics.csv" | sort -u)" 116
    expect_not "$impl: but not before" test "$(population rpento 1102)" = 116
    rm -rf "$TMP/rpento"
done

# Vectors alone: the reference would take minutes for 41 billion cells.
mapfile -t settings < <(pattern acorn)
life acorn cpu B3/S23 '2816 2816' 5210 output.every=5206 output.formats=rle "${settings[@]}"
expect_equal 'cpu: the acorn has 633 cells after 5206 generations' "$(population acorn 5206)" 633
expect_equal 'cpu: and four later' "$(population acorn 5210)" 633
plan
