#!/bin/bash
# Patterns that Carter Bays published: "Candidates for the Game of Life in Three Dimensions", Complex Systems 1 (1987).
# His names of rules give the numbers for survival and then those for birth: 5766 is S5..7/B6.
. "$(dirname "$0")/common"

size='26 23 19'

# pattern NAME X,Y,Z…: a grid with the pattern, at the seams if coordinates are below 0
pattern() {
    local name=$1
    shift
    # shellcheck disable=SC2086 # three numbers
    "$cells" set $size "$TMP/$name.npy" "$@"
}

# period NAME RULE GENERATIONS DX DY DZ: comes back after so many, so much further; and not before
period() {
    "$cells" move "$4" "$5" "$6" "$TMP/$1.npy" "$TMP/moved.npy"
    expect_life "$1, $2: is back after $3, $4 $5 $6 further" "$2" "$TMP/$1.npy" "$3" "$TMP/moved.npy"
}

# changes NAME RULE GENERATIONS: is not where it was
changes() {
    life life3d-naive cpu-serial "$2" "$TMP/$1.npy" "$3"
    expect_not "$1, $2: is not back after $3" "$cells" same "$(printf '%s/out/cells-%010d.npy' "$TMP" "$3")" \
        "$TMP/$1.npy"
}

# Ten cells each; both move a cell along two axes in four generations. That of 5766 is two gliders of Conway's Life, one
# above the other. Far enough to cross every edge that is in their way.
pattern glider-5766 1,0,0 2,1,0 0,2,0 1,2,0 2,2,0 1,0,1 2,1,1 0,2,1 1,2,1 2,2,1
period glider-5766 B6/S5..7 4 1 1 0
period glider-5766 3D5..7/6 108 27 27 0
changes glider-5766 B6/S5..7 2
pattern glider-4555 0,0,0 3,0,0 0,1,0 3,1,0 1,2,0 2,2,0 1,0,1 2,0,1 1,1,1 2,1,1
period glider-4555 B5/S4,5 4 0 1 1
period glider-4555 3D4..5/5 96 0 24 24
changes glider-4555 B5/S4,5 2

# Oscillators, across the seams of all three axes, with their periods.
pattern blinker 0,0,-1 0,-1,0 -1,0,0 1,0,0 0,1,0 -1,0,1 1,0,1
period blinker B5/S4,5 2 0 0 0
changes blinker B5/S4,5 1
pattern pinwheel -1,1,-1 0,1,-1 -1,-1,0 0,-1,0 -2,0,0 1,0,0 -1,0,1 0,0,1 -1,1,1 0,1,1
period pinwheel B5/S4,5 4 0 0 0
changes pinwheel B5/S4,5 2
pattern waltzer -2,-1,-1 -1,-1,-1 0,-1,-1 -2,0,-1 -1,1,-1 0,1,-1 -2,-1,0 -2,0,0 1,0,0 1,1,0 -1,0,1 0,0,1 0,1,1
period waltzer B5/S4,5 6 0 0 0
changes waltzer B5/S4,5 2
changes waltzer B5/S4,5 3
pattern knife-switch 0,-1,-1 -1,0,-1 0,0,-1 1,0,-1 0,-1,0 -1,0,0 1,0,0 0,0,1
period knife-switch B6/S5..7 2 0 0 0
changes knife-switch B6/S5..7 1
pattern flipping-c -1,0,-1 1,0,-1 -1,0,0 0,0,0 1,0,0
period flipping-c B5/S5,6 2 0 0 0
changes flipping-c B5/S5,6 1
pattern walker 0,-1,-1 -1,0,-1 -1,-1,0 0,-1,0 -1,0,0 0,0,0 0,-1,1 -1,0,1
period walker B6,7/S6,7 2 0 0 0
changes walker B6,7/S6,7 1

# A glider and a still life of seven cells: one glider leaves, along other axes.
pattern collision 1,6,0 2,6,0 0,7,0 3,7,0 0,8,0 3,8,0 1,7,1 2,7,1 1,8,1 2,8,1 4,1,8 4,0,9 3,1,9 5,1,9 4,2,9 3,1,10 \
    5,1,10
"$cells" step 5 '4 5' 32 "$TMP/collision.npy" "$TMP/redirected.npy"
expect_life 'collision, B5/S4,5: 32 generations' B5/S4,5 "$TMP/collision.npy" 32 "$TMP/redirected.npy"
expect_equal 'ten cells are left' "$("$cells" count "$TMP/redirected.npy")" 10
period redirected B5/S4,5 4 -1 1 0
plan
