#!/bin/bash
# Rules of two states with letters, other neighbourhoods and MAP strings: soups become what Golly makes of them.
. "$(dirname "$0")/common"

# state PLUGIN IMPLEMENTATION RULE [SECTION.KEY=VALUE]: prints the population after 100 generations and the CRC
state() {
    local settings=()
    [ $# -lt 4 ] || settings=(--set "$4")
    printf '[run]\nplugin = %s\nsteps = 100\nimplementation = %s\n[%s]\nrule = %s\n' "$1" "$2" "$1" \
        "$3" >"$TMP/soup.ini"
    printf '[grid]\nsize = 97 61\n[init]\nsource = random\nseed = 7\ndensity = 0.3\n[output]\nevery = 100\n' \
        >>"$TMP/soup.ini"
    "$ENGINE" run "$TMP/soup.ini" --force --quiet --set "run.output=$TMP/soup" "${settings[@]}" 2>&1
    echo "$(population soup 100) $(cksum <"$(at soup 100)" | cut -d' ' -f1)"
}

rules=0
while read -r rule result; do
    expect_equal "$rule: cpu-serial" "$(state life2d-bit cpu-serial "$rule")" "$result"
    expect_equal "$rule: cpu" "$(state life2d-bit cpu "$rule")" "$result"
    expect_equal "$rule: life2d-lut" "$(state life2d-lut cpu "$rule" life2d-lut.table=4x4)" "$result"
    rules=$((rules + 1))
done < <(grep -v '^#' tests/golden/golly-rules.txt)
expect_equal 'rules compared with Golly' "$rules" 43

# The instruction sets, sizes for every arrangement of rows in vectors, several steps a pass, batches and threads. For each
# instance the plugin searches for a circuit of the rule, which takes a tenth of a second.
while read -r settings sizes; do
    # shellcheck disable=SC2086
    run "$ENGINE" verify "$TMP/soup.ini" --set run.plugin=life2d-bit --set run.implementation= --impl cpu --steps 9 \
        --set life2d-bit.rule=B2ce3-y/S1c23-a --set run.threads=2 $settings --sweep grid.size="$sizes"
    expect_equal "verify $settings: the exit status" "$status" 0
    [ "$status" = 0 ] || cat "$TMP/stdout" "$TMP/stderr"
done <<'END'
--sweep=life2d-bit.instructions=plain,avx2,auto 2 3,63 5,1000 9,5000 3
--sweep=life2d-bit.steps_per_pass=1,3,16 64 64,1000 9
--set=grid.batch=3 1 1,63 5
END

# T-tetrominoes of tLife are spaceships of speed c/5: on a torus they come back to where they were.
run "$ENGINE" run configs/tlife.ini --force --quiet --set "run.output=$TMP/tlife" --set output.every=20 \
    --set output.formats=npy
expect_equal 'configs/tlife.ini: the exit status' "$status" 0
expect_cells 'the spaceships are back after 240 generations' "$(at tlife 240)" "$(at tlife 0)"
expect_not 'but not after 20' cmp -s "$(at tlife 20)" "$(at tlife 0)"
expect_equal 'of which they consist of four cells each' "$(populations tlife | tr ' ' '\n' | sort -u)" 8

# The letters of a rule in the header of a pattern file count too.
printf 'x = 3, y = 3, rule = B2-a/S12:T31,29\nbo$2bo$3o!\n' >"$TMP/header.rle"
printf '[run]\nplugin = life2d-bit\nsteps = 0\n[init]\nfile = header.rle\n' >"$TMP/header.ini"
run "$ENGINE" run "$TMP/header.ini" --force --quiet --set "run.output=$TMP/header" --set output.formats=rle
expect "the rule of a pattern file reaches the pattern that is written" \
    grep -q 'rule = B2-a/S12:T31,29' "$TMP/header/cells-0000000000.rle"
plan
