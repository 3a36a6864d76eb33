#!/bin/bash
# Random initial states: every implementation starts from the cells that follow from the seed and the published
# definition of the generator.
. "$(dirname "$0")/common"
"${cc[@]}" -std=c11 -O2 -o "$TMP/random" tests/golden/random.c || {
    echo 'Bail out! random.c does not compile'
    exit 1
}

# The cells of a .npy file as digits.
digits() {
    local header=$((10 + $(od -An -tu2 -j8 -N2 "$1")))
    tail -c +$((header + 1)) "$1" | tr '\000\001' '01'
}

while read -r seed density width height; do
    for impl in $implementations; do
        life soup "$impl" B3/S23 "$width $height" 0 init.source=random "init.seed=$seed" "init.density=$density"
        digits "$(at soup 0)" >"$TMP/is"
        "$TMP/random" "$seed" "$density" $((width * height)) >"$TMP/should"
        expect "$impl: seed $seed, density $density, $width x $height" cmp "$TMP/is" "$TMP/should"
    done
done <<'CASES'
42 0.5 64 64
42 0.5 61 67
1 0.25 129 3
9007199254740993 0.75 33 200
0 0 10 10
7 1 10 10
7 0.001 300 300
CASES
plan
