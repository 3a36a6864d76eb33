#!/bin/bash
# life2d-bit `cpu` skips regions that repeat themselves: no result depends on it. tests/plugins/test_settled.c compares its
# kernels with plain loops.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

cat >"$TMP/soup.ini" <<END
[run]
plugin = life2d-bit
implementation = cpu
steps = 3000
threads = 2
[grid]
size = 300 290
[init]
source = random
density = 0.35
seed = 21
[output]
every = 0
metrics_every = 37
END
gun=(--set init.source=file --set init.file="$ROOT/configs/patterns/gosper-gun.rle" --set init.at='280 270')

# of NAME OPTION…: runs, and keeps the summary as NAME.json and the metrics as NAME.csv.
of() {
    local name=$1
    shift
    "$ENGINE" run "$TMP/soup.ini" --json --quiet --force --set run.output="$TMP/$name" "$@" >"$TMP/$name.json" \
        2>"$TMP/stderr" </dev/null || echo "{\"hash\": \"$name failed\"}" >"$TMP/$name.json"
    cp "$TMP/$name/metrics.csv" "$TMP/$name.csv"
}

# skipped NAME: the percentage that was skipped, as a whole number; nothing if the summary does not say.
skipped() {
    perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{notes}{settled} // "" =~ /^(\d+)/' <"$TMP/$1.json" |
        grep -o '^[0-9]*'
}

of reference --set run.implementation=cpu-serial
for settled in no yes auto; do
    of "$settled" --set life2d-bit.settled=$settled
    expect_equal "a soup, settled = $settled" "$(member "$settled" hash)" "$(member reference hash)"
    expect_equal "its metrics, settled = $settled" "$(cat "$TMP/$settled.csv")" "$(cat "$TMP/reference.csv")"
done
expect_equal 'without it, nothing is skipped' "$(skipped no)" ''
expect 'tiles of the soup were skipped' [ "$(skipped yes)" -gt 20 ]

# Every file of a region is the same, and so is its row of metrics: calls of two passes and one more step.
box=(--set output.every=25 --set 'output.region=31:290 0:97' --set output.metrics_every=25 --set run.steps=1500)
of region_no "${box[@]}" --set life2d-bit.settled=no
of region_yes "${box[@]}" --set life2d-bit.settled=yes
expect_equal 'a file for each 25 steps' "$(cd "$TMP/region_no" && printf '%s\n' cells-*.npy | wc -l)" 61
expect_equal 'files of a region' "$(cd "$TMP/region_yes" && sha256sum cells-*.npy)" "$(cd "$TMP/region_no" && sha256sum cells-*.npy)"
expect_equal 'and their metrics' "$(cat "$TMP/region_yes.csv")" "$(cat "$TMP/region_no.csv")"
expect 'tiles were skipped between them' [ "$(skipped region_yes)" -gt 5 ]

# Where nearly nothing changes, it switches itself on.
of reference "${gun[@]}" --set run.steps=1200 --set run.implementation=cpu-serial --set grid.size='1000 700'
of auto "${gun[@]}" --set run.steps=1200 --set grid.size='1000 700'
expect_equal 'a gun' "$(member auto hash)" "$(member reference hash)"
expect_equal 'its metrics' "$(cat "$TMP/auto.csv")" "$(cat "$TMP/reference.csv")"
expect 'most of its torus was skipped' [ "$(skipped auto)" -ge 50 ]

# A call of many steps, and as many calls of one step.
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu --steps 60 --set life2d-bit.settled=yes \
    --set init.density=0.02 --sweep grid.size='256 256,261 300' --sweep grid.edges=torus,dead,'dead torus' \
    --sweep life2d-bit.rule=B3/S23,B01/S23,B2-a/S12
expect_equal 'all are equal' "$(grep -c ' bit-equal .* = one call of ' "$TMP/stdout")" 18

# Parts do not skip; a batch of large universes does; a run that goes on from a checkpoint begins anew.
of parts --set run.parts=2 --set life2d-bit.settled=yes --set run.steps=500
of whole --set life2d-bit.settled=no --set run.steps=500
expect_equal 'two parts' "$(member parts hash)" "$(member whole hash)"
batch=(--set grid.batch=3 --set grid.size='530 520' --set init.density=0.05 --set run.steps=400 --set output.metrics_every=0)
of batch "${batch[@]}" --set life2d-bit.settled=yes
of plain "${batch[@]}" --set life2d-bit.settled=no
expect_equal 'a batch' "$(member batch hash)" "$(member plain hash)"
expect 'its tiles were skipped' [ "$(skipped batch)" -gt 0 ]
of first --set life2d-bit.settled=yes --set run.steps=1501 --set checkpoint.every=1501
expect_status 0 "$ENGINE" resume "$TMP/first" --set run.steps=3000 --json --quiet
cp "$TMP/stdout" "$TMP/resumed.json"
expect_equal 'resumed' "$(member resumed hash)" "$(member no hash)"

expect_status 2 "$ENGINE" check "$TMP/soup.ini" --set life2d-bit.settled=maybe
expect_stderr_has 'settled = maybe: expected one of auto, yes, no'
plan
