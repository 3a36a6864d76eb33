#!/bin/bash
# A batch: each universe is the run with its seed, for several plugins and implementations; the table of universes;
# files that a batch starts from; checkpoints; and what is refused.
. "$(dirname "$0")/../lib.sh"

cat >"$TMP/soup.ini" <<END
[run]
plugin = life2d-bit
steps = 50
output = $TMP/out
[grid]
size = 20 12
batch = 5
[init]
source = random
seed = 7
[output]
formats = npy
END

# engine_run FOLDER [SECTION.KEY=VALUE…]: its output in $TMP/stdout
engine_run() {
    local folder=$1 settings=() setting
    shift
    for setting; do settings+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/soup.ini" --force --set run.output="$TMP/$folder" "${settings[@]}"
}

hash_of() {
    sed -n 's/^ *hash *\([0-9a-f]*\).*/\1/p' "$TMP/stdout"
}

# same_as_alone [SECTION.KEY=VALUE…]: hashes and metrics in universes.csv are those of five runs.
same_as_alone() {
    local seed metric i=0
    engine_run batch "$@"
    rm -f "$TMP/alone.csv"
    head -n 1 "$TMP/batch/universes.csv" >"$TMP/alone.csv"
    for seed in 7 8 9 10 11; do
        engine_run alone "$@" grid.batch=1 run.parts=1 init.seed=$seed
        metric=$(tail -n 1 "$TMP/alone/metrics.csv" 2>/dev/null)
        echo "$i,$seed,$(hash_of),${metric#*,}" >>"$TMP/alone.csv"
        i=$((i + 1))
    done
    expect_same "$TMP/batch/universes.csv" "$TMP/alone.csv"
}

for impl in cpu-serial cpu; do
    same_as_alone run.implementation=$impl
    same_as_alone run.implementation=$impl grid.size='65 9' life2d-bit.rule=B36/S23
done
same_as_alone run.implementation=cpu grid.size='64 64' life2d-bit.instructions=plain
same_as_alone run.implementation=cpu grid.size='900 600' run.steps=3 # too large for vectors
same_as_alone run.plugin=life2d-lut life2d-bit.rule=B3/S23

# Universes of several pieces of 65536 cells, and pieces of several universes.
same_as_alone run.implementation=cpu grid.size='300 300' run.steps=2

# The universes of a batch that is divided into parts, also those of a part with one universe, of a grid that cannot be
# cut, and of an implementation that cannot be divided.
same_as_alone run.implementation=cpu-serial run.parts=2
same_as_alone run.implementation=cpu run.parts=5 run.threads=2
same_as_alone run.parts=3 grid.edges='sphere sphere' grid.size='12 12'
for plugin in larger-than-life ruletable; do
    [ ! -e "$BUILD/plugins/$plugin.so" ] || same_as_alone run.plugin=$plugin run.parts=4 grid.size='40 30'
done
# A rule with random numbers: a part has the seeds of its universes.
read -r -a cc <<<"${CC:-cc}"
expect 'ising compiles' "${cc[@]}" -std=c11 -O2 -ffp-contract=off -fvisibility=hidden -fPIC -shared -Iinclude \
    examples/ising/plugin.c examples/ising/cpu.c -lm -o "$TMP/ising.so"
same_as_alone run.plugins="$TMP" run.plugin=ising run.parts=3 run.steps=7 grid.size='24 16'
engine_run whole run.parts=1 output.metrics_every=10
engine_run batch run.parts=4 output.metrics_every=10
for file in universes.csv metrics.csv cells-0000000050.npy; do expect_same "$TMP/batch/$file" "$TMP/whole/$file"; done

# metrics.csv has the mean over the universes.
engine_run batch run.implementation=cpu
mean=$(awk -F, 'NR > 1 {sum += $4} END {printf "%.17g", sum / (NR - 1)}' "$TMP/batch/universes.csv")
expect_equal 'metrics.csv has the mean' "$(tail -n 1 "$TMP/batch/metrics.csv" | cut -d, -f2)" "$mean"

# The array of the file is (batch, y, x), and a batch can start from it: 20 steps and 30 more are 50.
expect 'the array has three axes' grep -a -q "'shape': (5, 12, 20)" "$TMP/batch/cells-0000000050.npy"
engine_run first run.steps=20
engine_run then run.steps=30 init.source=file init.file="$TMP/first/cells-0000000020.npy"
expect_equal 'a batch goes on from its file' "$(cut -d, -f3 "$TMP/then/universes.csv")" \
    "$(cut -d, -f3 "$TMP/batch/universes.csv")"

engine_run then run.steps=30 init.source=file init.file="$TMP/first/cells-0000000020.npy" run.parts=3
expect_equal 'also in parts' "$(cut -d, -f3 "$TMP/then/universes.csv")" "$(cut -d, -f3 "$TMP/batch/universes.csv")"

# One pattern starts all universes: a blinker has period 2, and all hashes are the same.
printf 'x = 3, y = 1, rule = B3/S23\n3o!\n' >"$TMP/blinker.rle"
engine_run blinker init.source=file init.file="$TMP/blinker.rle" run.steps=2
expect_equal 'all universes start from the pattern' \
    "$(cut -d, -f3,4 "$TMP/blinker/universes.csv" | sort -u | grep -c ',3$')" 1

# A checkpoint holds all universes.
engine_run whole run.steps=4000
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --force --set run.output="$TMP/cut" --set run.steps=2500 \
    --set checkpoint.every=1000
expect_status 0 "$ENGINE" resume "$TMP/cut" --set run.steps=4000
expect_same "$TMP/cut/universes.csv" "$TMP/whole/universes.csv"
expect_status 2 "$ENGINE" resume "$TMP/cut" --set run.steps=5000 --set grid.batch=4
expect_stderr_has 'grid.batch: a resumed run cannot change this key'

# The next run in the folder removes the table.
engine_run whole grid.batch=1
expect_not 'the table is removed' test -e "$TMP/whole/universes.csv"

# refused SENTENCE [SECTION.KEY=VALUE…]
refused() {
    local sentence=$1 settings=() setting
    shift
    for setting; do settings+=(--set "$setting"); done
    expect_status 2 "$ENGINE" run "$TMP/soup.ini" --force "${settings[@]}"
    expect_stderr_has "$sentence"
}

refused 'rle cannot hold any field of a batch of life2d-bit; expected some of npy' output.formats=rle
refused '[output] universe = 5: the batch has 5 universes; expected 0 to 4' output.formats=png output.universe=5
refused 'universe: nothing uses this key, because life2d-bit writes no batch of grids' grid.batch=1 output.universe=0
refused 'the batch has 5 universes, and each part needs one; give at most 5' run.parts=6
refused '[analyse] takes a run of one universe' analyse.plugin=rdf
refused 'field cells of life3d-packed is neither' run.plugin=life3d-packed grid.size='8 8 8'
refused 'batch = 0: out of range, expected 1 to' grid.batch=0

# Pictures: all universes as tiles, or one alone, which is the picture of its run.
size() { # FILE: width and height
    perl -e 'open my $f, "<:raw", $ARGV[0] or die; read $f, my $head, 24; print join " ", unpack "x16NN", $head' "$1"
}
engine_run tiles output.formats='png apng' output.every=25 output.scale=2
# Two tiles of 20 x 12 in a row, with gaps of a cell, are 41 x 38; three would be 62 wide.
expect_equal 'a mosaic' "$(size "$TMP/tiles/cells-0000000050.png")" '82 76'
expect_equal 'a film of mosaics' "$(size "$TMP/tiles/cells.apng")" '82 76'
for parts in 2 5; do
    engine_run parts output.formats='png apng' output.every=25 output.scale=2 run.parts=$parts run.threads=3
    expect_equal "$parts parts: the same film" "$(film_pixels "$TMP/parts/cells.apng")" \
        "$(film_pixels "$TMP/tiles/cells.apng")"
done
for universe in 0 3; do
    engine_run one output.formats='png apng' output.every=25 output.universe=$universe
    engine_run alone output.formats='png apng' output.every=25 grid.batch=1 init.seed=$((7 + universe))
    for file in cells-0000000000.png cells-0000000050.png cells.apng; do
        expect_equal "universe $universe: $file" "$(film_pixels "$TMP/one/$file")" "$(film_pixels "$TMP/alone/$file")"
    done
done
expect_not 'another universe is another picture' test "$(film_pixels "$TMP/one/cells-0000000000.png")" = \
    "$(engine_run one output.formats=png output.every=25 output.universe=1 >/dev/null; film_pixels \
    "$TMP/one/cells-0000000000.png")"
for scale in 0 1 8; do # the figure that check gives is at least the size of the film
    engine_run film output.formats=apng output.every=10 output.scale=$scale
    run "$ENGINE" check "$TMP/soup.ini" --json --set output.formats=apng --set output.every=10 --set output.scale=$scale
    most=$(perl -ne 'print $1 if /"disk_bytes_most": *([0-9]+)/' "$TMP/stdout")
    expect "scale $scale: check states at least the size of the film" test "$(stat -c %s "$TMP/film/cells.apng")" \
        -le "${most:-0}"
done
# A snapshot says that it is a batch. convert draws the mosaic, and writes universe 3 as the run with its seed would be
# written.
engine_run snapshot output.formats=snapshot output.every=25 output.scale=2
engine_run alone output.formats=snapshot grid.batch=1 init.seed=10
snapshot=$TMP/snapshot/cells-0000000050.snapshot
convert=("$ENGINE" convert "$snapshot")
expect_status 0 "${convert[@]}" "$TMP/tiles.png" --scale 2
expect_equal 'a mosaic from a snapshot' "$(film_pixels "$TMP/tiles.png")" \
    "$(film_pixels "$TMP/tiles/cells-0000000050.png")"
for format in rle png vti; do
    expect_status 0 "${convert[@]}" "$TMP/three.$format" --universe 3
    expect_status 0 "$ENGINE" convert "$TMP/alone/cells-0000000050.snapshot" "$TMP/ten.$format"
    expect_same "$TMP/three.$format" "$TMP/ten.$format"
done
for format in rle rle3 vti; do
    expect_status 6 "${convert[@]}" "$TMP/all.$format"
    expect_stderr_has \
        "all.$format: a $format file holds one universe, and $snapshot has 5; choose one with --universe 0 to --universe 4"
done
expect_status 2 "${convert[@]}" "$TMP/all.rle" --universe 5
expect_stderr_has "--universe 5: $snapshot has 5 universes; expected a number from 0 to 4"
expect_status 2 "$ENGINE" convert "$TMP/three.rle" "$TMP/all.npy" --universe 0
expect_stderr_has 'three.rle does not state that it holds a batch; expected a snapshot of a run with several universes'

expect_status 0 "$ENGINE" report "$TMP/tiles"
expect 'a page shows the mosaic' grep -q 'cells-0000000050.png</figcaption>' "$TMP/tiles/report.html"

# Every implementation against the reference.
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu-serial,cpu --sweep grid.batch=2,17 \
    --sweep grid.size='64 8,33 5,1 1'
expect_stdout_has 'cells 33 x 5, batch of 17'
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu-serial,cpu --sweep grid.batch=3,17 --set run.parts=3
expect_stdout_has 'in 3 parts'
expect_status 0 "$ENGINE" check "$TMP/soup.ini" --set run.parts=2
expect_stdout_has 'parts           2 of the universes'

# Universes of the reference against their runs alone. The broken one leaves the last universe of more than ten as it was.
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --impl cpu-serial --set grid.batch=3 --set grid.size='7 5'
expect_stdout_has '; each universe = its run alone'
expect 'universes compiles' "${cc[@]}" -std=c11 -O2 -fvisibility=hidden -fPIC -shared -Iinclude \
    tests/conform/broken/universes.c -o "$TMP/universes.so"
printf '[run]\nplugin = universes\n[grid]\nsize = 3\nbatch = 11\n[init]\nsource = random\n' >"$TMP/universes.ini"
universes() { "$ENGINE" verify "$TMP/universes.ini" --plugins "$TMP" "$@"; }
expect_status 0 universes
expect_status 0 universes --set universes.how=last --set grid.batch=10
expect_status 1 universes --set universes.how=last
expect_stdout_has 'BROKEN: universe 10 of the batch after 7 steps: cells (0) is'
expect_status 1 universes --set universes.how=last --json
expect_equal 'as JSON' "$(perl -MJSON::PP -e 'local $/; for (map { @{$_->{checks}} } @{decode_json(<STDIN>)}) {
    print "$_->{universe} $_->{against}" unless $_->{holds} }' <"$TMP/stdout")" '10 its run alone'
plan
