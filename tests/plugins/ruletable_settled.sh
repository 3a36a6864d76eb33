#!/bin/bash
# ruletable `cpu` skips tiles that are what they were two steps ago, and no result depends on it. The reference, cpu-serial,
# computes every cell.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/ruletable.so" ] || skip_all 'ruletable was not built'

cat >"$TMP/wires.ini" <<END2
[run]
plugin = ruletable
implementation = cpu
steps = 1200
threads = 2
[grid]
size = 300 90
[init]
file = $ROOT/configs/patterns/wireworld-xor.rle
[output]
every = 0
metrics_every = 7
formats =
[ruletable]
rule = WireWorld
END2

# of NAME OPTION…: runs, and keeps the summary as NAME.json and the metrics as NAME.csv.
of() {
    local name=$1
    shift
    "$ENGINE" run "$TMP/wires.ini" --json --quiet --force --set run.output="$TMP/$name" "$@" >"$TMP/$name.json" \
        2>"$TMP/stderr" </dev/null || echo "{\"hash\": \"$name failed\"}" >"$TMP/$name.json"
    cp "$TMP/$name/metrics.csv" "$TMP/$name.csv"
}

# skipped NAME: the percentage that was skipped, as a whole number; 0 if the summary does not say.
skipped() {
    perl -MJSON::PP -e 'local $/; (decode_json(<STDIN>)->{notes}{settled} // "0") =~ /^(\d+)/; print $1' <"$TMP/$1.json"
}

of reference --set run.implementation=cpu-serial
for settled in no yes auto; do
    of "$settled" --set ruletable.settled=$settled
    expect_equal "wires, settled = $settled" "$(member "$settled" hash)" "$(member reference hash)"
    expect_equal "their metrics, settled = $settled" "$(cat "$TMP/$settled.csv")" "$(cat "$TMP/reference.csv")"
done
expect_equal 'without it, nothing is skipped' "$(skipped no)" 0
expect 'wires at rest are skipped' [ "$(skipped yes)" -gt 50 ]
expect 'where this pays, too' [ "$(skipped auto)" -gt 50 ]

# Every file of a region is the same, and so is its row of metrics: calls of an odd number of steps.
box=(--set output.every=13 --set 'output.region=7:131 20:71' --set output.formats=npy --set output.metrics_every=13)
of region_no "${box[@]}" --set ruletable.settled=no
of region_yes "${box[@]}" --set ruletable.settled=yes
expect_equal 'a file for each 13 steps' "$(cd "$TMP/region_no" && printf '%s\n' cells-*.npy | wc -l)" 94
expect_equal 'files of a region' "$(cd "$TMP/region_yes" && sha256sum cells-*.npy)" "$(cd "$TMP/region_no" && sha256sum cells-*.npy)"
expect_equal 'and their metrics' "$(cat "$TMP/region_yes.csv")" "$(cat "$TMP/region_no.csv")"
expect 'tiles were skipped between them' [ "$(skipped region_yes)" -gt 50 ]

# A blinker has the period 2, a glider has not: only its tiles are computed. Life as a table of transitions.
cat >"$TMP/Life.table" <<END2
n_states:2
neighborhood:Moore
symmetries:permute
var a={0,1}
var b={0,1}
0,1,1,1,0,0,0,0,0,1
1,0,0,0,0,0,0,0,0,0
1,1,0,0,0,0,0,0,0,0
1,1,1,1,1,a,b,0,0,0
1,1,1,1,1,1,1,a,b,0
END2
blinkers() {
    printf 'x = %s, y = 3, rule = Life\n%s' "$1" "$2" >"$TMP/life.rle"
    of life --set ruletable.rule=Life --set ruletable.folder="$TMP" --set init.file="$TMP/life.rle" --set grid.size='1024 512' --set init.at='30 6' \
        --set ruletable.settled=yes --set run.steps="$3"
    of plain --set ruletable.rule=Life --set ruletable.folder="$TMP" --set init.file="$TMP/life.rle" --set grid.size='1024 512' --set init.at='30 6' \
        --set ruletable.settled=no --set run.steps="$3"
    expect_equal "Life, $1 columns: the same state" "$(member life hash)" "$(member plain hash)"
}
blinkers 23 'bo7bo7bo$bo7bo7bo$bo7bo7bo!' 1001
expect 'all but the first steps of blinkers are skipped' [ "$(skipped life)" -ge 99 ]
expect_equal 'nine cells are alive' "$(tail -n 1 "$TMP/life.csv")" '1001,9'
blinkers 3 'bo$2bo$3o!' 4000
expect 'a glider is computed, and little else' [ "$(skipped life)" -ge 97 ]
expect_equal 'five cells are alive' "$(tail -n 1 "$TMP/life.csv")" '4000,5'

# Sizes that are no multiples of a tile, and all edges. Those that join other edges than opposite ones do not skip.
sizes='128 32,129 33,159 39,160 47'
expect_status 0 "$ENGINE" verify "$TMP/wires.ini" --impl cpu --steps 60 --set ruletable.settled=yes --set init.source=random \
    --set init.file= --set init.density=0.02 --sweep grid.size="$sizes" \
    --sweep grid.edges='torus,dead,mirror,mirror dead,torus mirror,twisted torus'
expect_equal 'all are equal' "$(grep -c ' bit-equal after ' "$TMP/stdout")" 24
more=(--impl cpu --steps 60 --set ruletable.settled=yes --set init.source=random --set init.file= --set init.density=0.05)
expect_status 0 "$ENGINE" verify "$TMP/wires.ini" "${more[@]}" --set grid.size='160 160' --set grid.edges=sphere
expect_equal 'a sphere too' "$(grep -c ' bit-equal after ' "$TMP/stdout")" 1
expect_status 0 "$ENGINE" verify "$TMP/wires.ini" "${more[@]}" --set grid.size='160 39' --set grid.edges=fixed --set grid.edge_value=1
expect_equal 'and fixed edges' "$(grep -c ' bit-equal after ' "$TMP/stdout")" 1

# 300 steps of a soup of Life that settles, with gliders that cross tiles and edges.
life=(--set ruletable.rule=Life --set ruletable.folder="$TMP" --set init.source=random --set init.file= --set init.density=0.3 --set run.steps=300)
wrong=''
for size in '128 32' '129 33' '159 47'; do
    for edges in torus dead 'mirror torus' 'torus mirror'; do
        of reference --set run.implementation=cpu-serial "${life[@]}" --set grid.size="$size" --set grid.edges="$edges"
        of yes --set ruletable.settled=yes "${life[@]}" --set grid.size="$size" --set grid.edges="$edges"
        [ "$(member yes hash)" = "$(member reference hash)" ] && [ "$(skipped yes)" -gt 0 ] ||
            wrong+=" $size $edges $(skipped yes)"
    done
done
expect_equal 'soups of Life' "$wrong" ''
of reference --set run.implementation=cpu-serial

# Parts do not skip; a run that goes on from a checkpoint begins anew; so does one that a program changes.
of parts --set run.parts=2 --set ruletable.settled=yes
expect_equal 'two parts' "$(member parts hash)" "$(member reference hash)"
expect_equal 'they do not skip' "$(skipped parts)" 0
of first --set ruletable.settled=yes --set run.steps=601 --set checkpoint.every=601
expect_status 0 "$ENGINE" resume "$TMP/first" --set run.steps=1200 --json --quiet
cp "$TMP/stdout" "$TMP/resumed.json"
expect_equal 'resumed' "$(member resumed hash)" "$(member reference hash)"
use_python
cat >"$TMP/change.py" <<'END2'
import sys
import engine

runs = [engine.run(sys.argv[1], {"ruletable.settled": word, "run.output": sys.argv[2]}) for word in ("yes", "no")]
for run in runs:
    run.advance(199)
    before = run["cells"].copy()
    run.advance(2)
    run["cells"] = before  # what the next step computes is in the other buffer already, and what follows is not
    run.advance(1)
    run.advance(50)
print((runs[0]["cells"] == runs[1]["cells"]).all())
try:
    runs[0]["cells"] = before + 4
except engine.Error as error:
    print(error)
END2
# shellcheck disable=SC2154 # use_python sets it
"$python" "$TMP/change.py" "$TMP/wires.ini" "$TMP/python" >"$TMP/stdout" 2>&1
expect_equal 'a state that a program writes' "$(head -n 1 "$TMP/stdout")" True
expect_stdout_has 'field cells: element 0 of the array is not one of its values, 0 to 3'

expect_status 2 "$ENGINE" check "$TMP/wires.ini" --set ruletable.settled=maybe
expect_stderr_has 'settled = maybe: expected one of auto, yes, no'
plan
