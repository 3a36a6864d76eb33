#!/bin/bash
# [output] probes: columns of metrics.csv are the cells and particles of the files of the same steps, read without the
# engine; with what is refused, in parts, and in runs that are resumed.
. "$(dirname "$0")/common"
. "$(dirname "$0")/../npy.sh"
printf '[run]\nplugin = life2d-bit\nsteps = 6\n[grid]\nsize = 67 31\n[init]\nsource = random\n[output]\nevery = 1\n' \
    >"$TMP/life.ini"
printf '[run]\nplugin = life3d-packed\nsteps = 3\n[grid]\nsize = 37 6 7\n[init]\nsource = random\n[output]\nevery = 1\n' >"$TMP/life3d.ini"

go() { # go VERB …
    expect_status 0 "$ENGINE" "$@" --quiet
}

# column FILE NAME: the numbers of a column of a table.
column() {
    awk -F, -v name="$2" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print at ? $at : "none" }' "$1"
}

# elements FOLDER FIELD PACK INDEX: element INDEX of the array of each step.
elements() {
    local file
    for file in "$1/$2"-*.npy; do numbers "$file" "$3" | cut -d' ' -f$(($4 + 1)); done
}

for parts in 1 3; do
    go run "$TMP/life.ini" --set "run.output=$TMP/out" --force --set run.parts=$parts \
        --set 'output.probes=cells:0:0  cells:66:30 cells:10:20'
    expect_equal 'the columns come after the metrics' "$(head -1 "$TMP/out/metrics.csv")" \
        'step,population,cells:0:0,cells:66:30,cells:10:20'
    for at in 0:0 66:30 10:20; do
        expect_equal "cells:$at in $parts" "$(column "$TMP/out/metrics.csv" "cells:$at")" \
            "$(elements "$TMP/out" cells C $((${at#*:} * 67 + ${at%:*})))"
    done
    go run "$TMP/life3d.ini" --set "run.output=$TMP/out" --force --set run.parts=$parts \
        --set 'output.probes=cells:36:5:6 cells:1:2:3'
    for at in 36:5:6 1:2:3; do
        IFS=: read -r x y z <<<"$at"
        expect_equal "cells:$at in $parts" "$(column "$TMP/out/metrics.csv" "cells:$at")" \
            "$(elements "$TMP/out" cells C $(((z * 6 + y) * 37 + x)))"
    done
done
expect_equal 'a cell is not always alive' "$(column "$TMP/out/metrics.csv" cells:1:2:3 | sort -u | wc -l)" 2

# Rows between the outputs; the region of the files does not matter.
go run "$TMP/life.ini" --set "run.output=$TMP/all" --set output.probes=cells:66:30
go run "$TMP/life.ini" --set "run.output=$TMP/few" --set output.probes=cells:66:30 --set output.every=0 \
    --set output.metrics_every=1 \
    --set 'output.region=0:5 0:5'
expect_same "$TMP/few/metrics.csv" "$TMP/all/metrics.csv"

# A resumed run goes on with the same columns, and not with others.
go run "$TMP/life.ini" --set "run.output=$TMP/half" --set output.probes=cells:66:30 --set run.steps=3 \
    --set checkpoint.every=3
rm -rf "$TMP/out"
refused 'other columns' 2 'has the columns step,population,cells:66:30, and this run has step,population,cells:1:1' \
    "$ENGINE" resume "$TMP/half" --set run.steps=6 --set output.probes=cells:1:1
go resume "$TMP/half" --set run.steps=6
expect_same "$TMP/half/metrics.csv" "$TMP/all/metrics.csv"

# Particles, and a plugin without metrics: pairs of numbers that stay.
if [ -e "$BUILD/plugins/nbody.so" ]; then
    go run configs/nbody-texts.ini --set "run.output=$TMP/bodies" --set run.steps=2 --set output.every=1 \
        --set output.formats=npy \
        --set particles.count=500 --set 'output.probes=position:7 velocity:499'
    for k in 0 1 2; do
        axis=$(cut -c$((k + 1)) <<<xyz)
        expect_equal "position:7.$axis" "$(column "$TMP/bodies/metrics.csv" "position:7.$axis")" \
            "$(elements "$TMP/bodies" position f $((21 + k)))"
        expect_equal "velocity:499.$axis" "$(column "$TMP/bodies/metrics.csv" "velocity:499.$axis")" \
            "$(elements "$TMP/bodies" velocity f $((1497 + k)))"
    done
    refused 'no such particle' 2 "there is no particle 'position:500': position has 500 particles, counted from 0" \
        "$ENGINE" check configs/nbody-texts.ini --set particles.count=500 --set output.probes=position:500
fi
umask 022
cat >"$TMP/still.c" <<'C'
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self;
    call->result = call->current;
    return 0;
}
static const struct engine_field fields[] = {
    {.name = "four", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_F64, .components = 4, .rank = 1},
    {.name = "big", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_U64, .components = 1, .rank = 1},
    {.name = "less", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_I16, .components = 1, .rank = 1},
    {.name = "wave", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_C64, .components = 1, .rank = 1},
};
static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "nothing", .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE, .advance = advance},
};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {.abi = ENGINE_ABI(0), .name = "still", .version = "1",
                                                          .summary = "stays", .fields = ENGINE_ARRAY(fields),
                                                          .impls = ENGINE_ARRAY(impls)};
C
read -r -a cc <<<"${CC:-cc}"
expect 'a plugin compiles' "${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude "$TMP/still.c" -o "$TMP/still.so"
npy "$TMP/four.npy" '<f8' '3, 4' d 0 0 0 0 1.5 -2.25 1e-300 3 0 0 0 0
npy "$TMP/big.npy" '<u8' 3 Q 0 0 18446744073709551615
npy "$TMP/less.npy" '<i2' 3 s 0 0 -32768
printf '[run]\nplugin = still\n[grid]\nsize = 3\n[init]\nsource = arrays\nfour = four.npy\nbig = big.npy\nless = less.npy\n' >"$TMP/still.ini"
go run "$TMP/still.ini" --plugins "$TMP" --set "run.output=$TMP/still" --set 'output.probes=four:1 big:2 less:2'
expect_equal 'exact numbers' "$(cat "$TMP/still/metrics.csv")" \
    "$(printf 'step,four:1.0,four:1.1,four:1.2,four:1.3,big:2,less:2\n1,1.5,-2.25,1e-300,3,18446744073709551615,-32768')"
refused 'complex numbers' 2 "'wave:1': the numbers are complex; expected" \
    "$ENGINE" check "$TMP/still.ini" --plugins "$TMP" --set output.probes=wave:1

# What is refused.
while IFS='|' read -r probes text; do
    refused "$probes" 2 "$text" "$ENGINE" run "$TMP/life.ini" --set "run.output=$TMP/out" --set "output.probes=$probes"
done <<'CASES'
cells:67:0|there is no cell 'cells:67:0': cells has 67 x 31 cells, counted from 0
cells:0:31|there is no cell 'cells:0:31'
cells:1|'cells:1' is not a cell of cells; expected cells:x:y, counted from 0
cells:1:2:3|'cells:1:2:3' is not a cell of cells; expected cells:x:y
cells|'cells' is not a cell of cells
cells:a:b|'cells:a:b' is not a cell of cells
cells:-1:0|'cells:-1:0' is not a cell of cells
cels:1:2|'cels' is not a state or an output, did you mean 'cells'?
cells:1:2 cells:1:2|'cells:1:2' is listed twice
CASES

# The tables of an ensemble have the probes of an analysis that measures nothing else: those of its members alone.
if [ -e "$BUILD/plugins/pairs.so" ] && [ -e "$BUILD/plugins/rdf.so" ]; then
    printf '%s\n' '[run]' 'plugin = pairs' 'steps = 4' '[particles]' 'count = 64' 'box = 8 8 8' '[init]' \
        'source = fcc' '[analyse]' 'plugin = rdf' '[rdf]' 'r_max = 1' '[output]' 'probes = g:3' 'metrics_every = 2' \
        >"$TMP/rdf.ini"
    go run "$TMP/rdf.ini" --set "run.output=$TMP/many" --force --sweep init.seed=1,2 --set output.formats=
    for member in 1 2; do
        go run "$TMP/rdf.ini" --set "run.output=$TMP/out" --force --set "init.seed=$member"
        expect_equal "member $member" "$(grep "^$member," "$TMP/many/rdf-metrics.csv")" \
            "$(sed "1d; s/^/$member,/" "$TMP/out/rdf-metrics.csv")"
        expect 'there are rows' test "$(wc -l <"$TMP/out/rdf-metrics.csv")" -gt 2
    done
fi
plan
