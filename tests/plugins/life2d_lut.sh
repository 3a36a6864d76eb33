#!/bin/bash
# Compares life2d-lut with the reference of life2d-bit, which counts neighbours and uses no tables: the hashes are the
# same.
. "$(dirname "$0")/../lib.sh"

cat >"$TMP/soup.ini" <<END
[run]
plugin = life2d-bit
output = $TMP/out
[grid]
size = 1 1
[init]
source = random
density = 0.45
seed = 20
END

# hash PLUGIN IMPLEMENTATION [SECTION.KEY=VALUE…]
hash() {
    local plugin=$1 implementation=$2 settings=() setting
    shift 2
    for setting; do settings+=(--set "$setting"); done
    "$ENGINE" run "$TMP/soup.ini" --json --quiet --force --set run.plugin="$plugin" \
        --set run.implementation="$implementation" "${settings[@]}" 2>"$TMP/stderr" |
        sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}

vbmi=$(grep -m 1 -c avx512_vbmi2 /proc/cpuinfo 2>/dev/null)

# same RULE SIZE STEPS THREADS: every implementation and table against the reference.
same() {
    local rule=$1 size=$2 steps=$3 threads=$4 wanted found wrong='' table
    local common=("grid.size=$size" "run.steps=$steps" "run.threads=$threads")
    wanted=$(hash life2d-bit cpu-serial "${common[@]}" "life2d-bit.rule=$rule")
    for table in serial 6x3 4x4 sums auto; do
        [ "$table" = sums ] && [ "$vbmi" != 1 ] && continue
        if [ "$table" = serial ]; then
            found=$(hash life2d-lut cpu-serial "${common[@]}" "life2d-lut.rule=$rule")
        else
            found=$(hash life2d-lut cpu "${common[@]}" "life2d-lut.rule=$rule" "life2d-lut.table=$table")
        fi
        [ -n "$found" ] && [ "$found" = "$wanted" ] || wrong+=" $table:${found:-$(cat "$TMP/stderr")}"
    done
    expect_equal "$rule on $size, $steps steps, $threads threads" "$wrong" ''
}

for size in '1 1' '2 1' '1 2' '3 3' '63 2' '64 5' '65 64' '127 3' '128 1' '511 7' '512 6' '513 9' '1000 33'; do
    same B3/S23 "$size" 7 2
done
for rule in B36/S23 B3678/S34678 B0123478/S01234678 B1357/S02468 B8/S7 B/S8; do
    same "$rule" '77 30' 4 3
    same "$rule" '576 11' 5 1
done
same B3/S23 '4100 70' 100 4

[ "$vbmi" = 1 ] || skip 'table = sums' 'this processor has no AVX-512 VBMI'
plan
