#!/bin/bash
# Macrocell files of very many cells in few squares: check, convert and run take time by the squares. A plain reader in Python
# and Golly compare the cells.
. "$(dirname "$0")/common"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
reader=$ROOT/tests/cli/macrocell.py
cd "$TMP" || exit 1

# soup STATES LEVEL COUNT FILE: random squares, COUNT of each level, of 2^LEVEL cells a side.
soup() {
    perl -e 'my ($states, $level, $count) = @ARGV; srand $level; my ($number, @below) = (0);
        my $rule = $states == 2 ? "B3/S23" : "345/2/$states";
        print "[M2] (test)\n#R $rule\n#G 7\n#N Soup\n";
        for my $n (($states == 2 ? 3 : 1) .. $level) {
            my @made;
            for (1 .. ($n < $level ? $count : 1)) {
                if ($n == 3 && $states == 2) {
                    print map({ join("", map { rand() < 0.3 ? "*" : "." } 1 .. 8) . "\$" } 1 .. 8), "\n";
                } else {
                    my @of = map { $n == 1 ? int rand $states : rand() < 0.2 ? 0 : $below[rand @below] } 1 .. 4;
                    $of[0] = 1 if $n == 1;
                    print "$n @of\n";
                }
                push @made, ++$number;
            }
            @below = @made;
        }' "$@"
}
same() { # same TEXT FILE…: all have the same cells
    expect_equal "$1" 1 "$(python3 "$reader" "${@:2}" | uniq | wc -l)"
}
body() { grep -v '^[#[]' "$1"; }

for case in '2 10 9' '2 17 40' '2 26 60' '2 58 20' '5 9 11' '5 25 30'; do
    set -- $case
    soup "$1" "$2" "$3" >soup.mc
    expect_status 0 timeout -s KILL 20 "$ENGINE" check soup.mc
    expect_status 0 timeout -s KILL 20 "$ENGINE" convert soup.mc out.mc.gz --force --quiet
    same "$case: convert" soup.mc out.mc.gz
    expect_equal "$case: the rule, the generation and the name" "$(grep '^#' soup.mc)" "$(zcat out.mc.gz | grep '^#')"
    expect_status 0 timeout -s KILL 20 "$ENGINE" run soup.mc --quiet --force --set run.implementation=hashlife --set run.steps=0
    same "$case: a run of 0 steps" soup.mc out/soup/cells-0000000000.mc
    if [ "$2" -lt 12 ]; then # cell by cell
        expect_status 0 "$ENGINE" convert soup.mc soup.rle --force --quiet
        expect_status 0 "$ENGINE" convert soup.rle cells.mc --force --quiet
        same "$case: cell by cell" soup.mc cells.mc
    fi
    if [ "$1" = 2 ] && command -v bgolly >/dev/null; then
        bgolly -q -q -a HashLife -m 0 -o golly.mc soup.mc >log 2>&1
        zcat out.mc.gz >out.mc
        expect_equal "$case: as Golly writes it" "$(body golly.mc | md5sum)" "$(body out.mc | md5sum)"
    fi
done

# The least places: cells in the first and the last rows and columns of the root, and very small files.
for quarters in '1 0 0 0' '0 1 0 0' '0 0 1 0' '0 0 0 1' '1 0 0 1' '0 2 2 0' '3 3 3 3' '0 0 0 0'; do
    printf '[M2] (test)\n#R B3/S23\n*$\n$$$$$$$.......*$\n*......*$$$$$$$*......*$\n4 %s\n' "$quarters" >small.mc
    printf '5 4 0 0 4\n6 5 0 0 5\n7 6 6 0 6\n8 7 0 7 7\n' | cat small.mc - >larger.mc
    for file in small larger; do
        expect_status 0 "$ENGINE" convert $file.mc out.mc --force --quiet
        expect_status 0 "$ENGINE" convert out.mc out.rle --force --quiet
        expect_status 0 "$ENGINE" convert out.rle cells.mc --force --quiet
        same "$file $quarters" $file.mc out.mc cells.mc
    done
done

# What lists cells is refused before it starts, and a region is written.
soup 2 21 60 >soup.mc
expect_status 3 timeout -s KILL 5 "$ENGINE" convert soup.mc soup2.rle
expect_stderr_has 'live cells; the converter visits each of them for a rle file, and takes at most 4.29 G'
expect_equal 'no file was begun' '' "$(ls soup2.rle* 2>/dev/null)"
expect_status 0 timeout -s KILL 20 "$ENGINE" run soup.mc --quiet --force --set run.implementation=hashlife --set run.steps=0 \
    --set output.formats=rle --set 'output.region=-99:157 -33:300'
expect_status 0 "$ENGINE" convert out/soup/cells-0000000000.rle region.mc --quiet
soup 2 10 9 >narrow.mc # of one box
expect_status 0 "$ENGINE" run narrow.mc --quiet --set run.implementation=hashlife --set run.steps=0 --set output.formats=rle,mc \
    --set 'output.region=-99:157 -33:300'
for file in rle mc; do
    expect_status 0 "$ENGINE" convert out/narrow/cells-0000000000.$file part.mc --force --quiet
    expect_equal "a region: $file" \
        "$(python3 "$reader" cells narrow.mc | awk '$1 >= -99 && $1 < 157 && $2 >= -33 && $2 < 300' | md5sum)" \
        "$(python3 "$reader" cells part.mc | md5sum)"
done

# `auto` takes a tree if the tiles do not fit.
soup 2 21 40 >soup.mc
expect_status 0 timeout -s KILL 20 "$ENGINE" check soup.mc --set run.memory=100
expect_stdout_has 'hashlife: chosen'
expect_stdout_has 'cpu-serial, cpu, cpu-words: the tiles of the pattern take at least'
soup 2 10 9 >soup.mc
expect_status 0 "$ENGINE" check soup.mc --set run.memory=100
expect_stdout_has 'cpu: chosen'

# ---- A run whose tree reaches beyond 2^28 writes all of it.
printf '#CXRLE Pos=-3,-7\nx = 36, y = 9, rule = B3/S23\n24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bo' >gun.rle
printf 'bo$10bo5bo7bo$11bo3bo$12b2o!\n' >>gun.rle
far=(--set run.implementation=hashlife --set run.steps=$((1 << 50)))
expect_status 0 timeout -s KILL 60 "$ENGINE" run gun.rle --quiet "${far[@]}"
if command -v bgolly >/dev/null; then
    bgolly -q -q -a HashLife -i $((1 << 50)) -m $((1 << 50)) -o golly.mc gun.rle >log 2>&1
    same '2^50 steps of a gun' golly.mc out/gun/cells-*.mc
    expect_equal '2^50 steps of a gun, as Golly writes it' "$(body golly.mc | md5sum)" "$(body out/gun/cells-*.mc | md5sum)"
fi
# A checkpoint far out: the run that goes on from it has the files of the run that was not interrupted.
checkpoints() {
    "$ENGINE" "$@" --quiet --set output.every=$((1 << 40)) --set checkpoint.every=$((1 << 40)) --set checkpoint.keep=all
}
steps() {
    checkpoints run gun.rle "${far[@]}" --set run.output="$TMP/$1" --set run.steps="$2" --set output.metrics_every=$((1 << 40))
}
expect_status 0 steps whole $((3 << 40))
expect_status 0 steps parted $((1 << 40))
cp -r parted tiled
expect_status 0 checkpoints resume parted --set run.steps=$((3 << 40))
for file in whole/cells-*.mc; do
    same "${file##*/} after a checkpoint" "$file" "parted/${file##*/}"
done
expect_equal 'metrics after a checkpoint' "$(cat parted/metrics.csv)" "$(cat whole/metrics.csv)"
expect_equal 'checkpoints of both' "$(ls whole)" "$(ls parted)"
content() {
    gzip -dc "$1/checkpoint-$((3 << 40)).snapshot" | perl -0777 -ne 's/^.*?\n\}\n//s; print' | md5sum
}
expect_equal 'the last checkpoint is the same' "$(content parted)" "$(content whole)"
perl -pi -e 's/^output = .*/output = tiled/' tiled/config.ini
expect_status 2 "$ENGINE" resume tiled --set run.steps=$((1 << 41)) --set run.implementation=cpu
expect_stderr_has 'the grid lies in a tree that is too large for tiles; take an implementation that keeps a tree'
expect_equal 'the checkpoint is not set aside' "$(cd tiled && ls -- *checkpoint*)" "checkpoint-$((1 << 40)).snapshot"
expect_status 2 "$ENGINE" convert whole/checkpoint-$((1 << 40)).snapshot tiles.rle
expect_stderr_has 'holds a grid in tiles; rle files do not hold the places of the tiles'

expect_status 6 timeout -s KILL 60 "$ENGINE" run gun.rle --quiet --force "${far[@]}" --set output.formats=png
expect_stderr_has 'files and pictures show cells from -2^28 to 2^28 - 1: set [output] region, or write the format mc'
plan
