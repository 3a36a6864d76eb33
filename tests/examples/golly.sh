#!/bin/bash
# Compares larger-than-life with Golly's own algorithm of this name: the live cells after each step, from random cells
# on tori, by rules that count the middle cell and by rules that do not.
. "$(dirname "$0")/../lib.sh"
command -v bgolly >/dev/null || skip_all 'bgolly is not installed (Debian: golly)'
umask 022 # files of a plugin may not be writable by others
cp -r examples/larger-than-life "$TMP/plugin"
expect 'the plugin is built' make -s -C "$TMP/plugin" NVCC= CC="${CC:-cc}" ENGINE_INCLUDE="$ROOT/include"

# $1: rule; $2, $3: size
compare() {
    run "$ENGINE" run examples/larger-than-life/larger-than-life.ini --plugins "$TMP/plugin" --quiet --force \
        --set run.output="$TMP/out" --set run.steps=20 --set output.formats=rle --set output.every=20 \
        --set output.metrics_every=1 --set grid.size="$2 $3" --set init.density=0.45 --set larger-than-life.rule="$1"
    bgolly -a 'Larger than Life' -m 20 -i 1 "$TMP/out/cells-0000000000.rle" |
        sed -n 's/^\([0-9]*\): \([0-9,]*\)$/\1 \2/p' | tr -d , | tr ' ' , >"$TMP/golly"
    expect_equal "$1 on $2 x $3: 21 populations, as bgolly counts them" "$(tail -n +2 "$TMP/out/metrics.csv" | xargs)" \
        "$(xargs <"$TMP/golly")"
}

for rule in R5,C0,M1,S34..58,B34..45,NM R5,C0,M0,S33..57,B34..45,NM R4,C0,M1,S41..81,B41..81,NM R7,C0,M1,S65..114,B65..95,NM \
    R10,C0,M1,S198..300,B199..441,NM R1,C0,M0,S2..3,B3..3,NM; do
    compare "$rule" 61 47
    compare "$rule" 128 100
done
compare R31,C0,M0,S1780..3000,B1790..3600,NM 161 147
compare R50,C0,M1,S4590..9000,B4591..10201,NM 261 247
expect_equal 'bgolly counted 21 times' "$(wc -l <"$TMP/golly")" 21
plan
