#!/bin/bash
# HashLife on an unbounded grid keeps the cells in its tree: it is compared with tiles, and with known fates.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1

# value KEY: what the last run printed for a key.
value() {
    sed -n "s/^  $1  *\([^ ]*\).*/\1/p" stdout
}

printf 'x = 7, y = 3, rule = B3/S23\nbo5b$3bo3b$2o2b3o!\n' >acorn.rle
printf '#CXRLE Pos=-5,7\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
printf 'x = 3, y = 1, rule = B3/S23\n3o!\n' >blinker.rle
cat >gun.rle <<'END'
x = 36, y = 9, rule = B3/S23
24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4b
obo$10bo5bo7bo$11bo3bo$12b2o!
END

# both TEXT FILE KEY…: `hashlife` and `cpu` write the same files.
both() {
    local text=$1 arguments=()
    shift 2
    for key in "$@"; do arguments+=(--set "$key"); done
    for implementation in hashlife cpu; do
        expect_status 0 "$ENGINE" run "$file" --force --set run.implementation=$implementation \
            --set run.output=out/$implementation "${arguments[@]}"
        value hash >hash-$implementation
    done
    rm -f out/*/config.ini out/*/summary.json
    expect_status 0 cmp hash-hashlife hash-cpu
    expect_status 0 diff -r out/hashlife out/cpu
    [ "$(find out/cpu -type f | wc -l)" -gt 1 ] && [ -s hash-cpu ] || ls out/cpu >wrong
    expect_equal "$text: there are files to compare" '' "$(cat wrong 2>/dev/null)"
}
file=acorn.rle
both 'acorn' "$file" run.steps=777 output.every=111 output.metrics_every=7 output.hash_every=50 output.formats=rle,mc
for rule in B01/S23 B03/S238 B02-a3e/S128 B0/S13V; do
    both "$rule" "$file" run.steps=41 output.every=7 output.formats=npy output.hash_every=1 life2d-bit.rule=$rule
done
for reduce in count any mean max; do
    both "blocks: $reduce" "$file" run.steps=130 output.every=65 output.formats=npy life2d-bit.rule=B0/S8 \
        'output.region=-130:101 -71:200' 'output.stride=9 14' output.reduce=$reduce
done
both 'probes' "$file" run.steps=40 output.formats=rle output.metrics_every=1 'output.probes=cells:268435456:268435456 cells:268435453:268435458'

# Macrocell files become trees without a visit to their cells: with cells on both sides of the middle and of the edge of
# the root, in squares of two states and of many (Golly, Macrocell format).
printf '[M2] (test)\n#R B3/S23\n.......*$*$$$**$$$.*$\n$.*.*$\n4 1 2 0 1\n5 3 0 3 3\n6 0 4 4 0\n7 5 5 0 5\n8 6 0 6 6\n' >two.mc
printf '[M2] (test)\n#R B3/S23\n1 1 0 1 1\n2 1 0 0 1\n3 2 2 0 2\n4 3 0 3 3\n5 4 4 0 0\n6 0 5 5 5\n7 6 0 6 6\n8 0 7 7 7\n' >many.mc
for pattern in two many; do
    file=$pattern.mc
    both "$pattern: a macrocell file" "$file" run.steps=30 output.every=10 output.hash_every=1 output.formats=rle
done
expect_status 0 "$ENGINE" run two.mc --force --quiet --set run.steps=0 --set run.implementation=hashlife
expect_status 0 "$ENGINE" convert two.mc two.rle --quiet
expect_status 0 "$ENGINE" convert out/two/cells-0000000000.mc again.rle --quiet
expect_equal 'the cells and the place of the file' "$(grep -v '^#C ' two.rle)" "$(grep -v '^#C ' again.rle)"

# ---- Known fates
expect_status 0 "$ENGINE" run acorn.rle --force --set run.steps=5206 --set run.implementation=hashlife
expect_equal 'acorn: 633 cells' 633 "$(value population)"
expect_status 0 "$ENGINE" run glider.rle --set run.steps=4000000 --set run.implementation=hashlife \
    --set output.formats=rle --quiet
expect_equal 'a glider moves by a cell in four steps' '#CXRLE Pos=999995,1000007 Gen=4000000' \
    "$(head -n 1 out/glider/cells-0004000000.rle)"
# The gun has period 30 and emits a glider of 5 cells in each. It has 2^40 % 30 = 16.
expect_status 0 "$ENGINE" run gun.rle --set run.steps=16 --set run.implementation=cpu
wanted=$(($(value population) + 5 * (((1 << 40) - 16) / 30)))
expect_status 0 "$ENGINE" run gun.rle --force --set run.steps=$((1 << 40)) --set run.implementation=hashlife --json \
    --set output.formats=png --set 'output.region=-64:64 -64:64'
expect_stdout_has "\"population\":$wanted"
expect_status 0 "$ENGINE" run blinker.rle --set run.steps=1000 --set run.implementation=hashlife --set run.until=repeats
expect_stdout_has 'repeats: period 2, first seen at step 0'

# Of W240, a cell makes the cell below it on its right. So after 10^18 steps, the most, the pattern has cells in x = 0 and
# in x = 10^18, and the tree has 2^61 cells a side.
printf '#CXRLE Pos=0,0\nx = 1, y = 1, rule = W240\no!\n' >line.rle
expect_status 0 "$ENGINE" run line.rle --set run.steps=$((10 ** 18)) --set run.implementation=hashlife --json \
    --set output.formats=png --set 'output.region=-64:64 -64:64'
expect_stdout_has '"population":1e+18'

# Two gliders in the corners of 2^56 cells a side fly towards each other. In 64 steps, each moves by 16 cells.
far() {
    local level nw=1 se=2 number=2
    printf '[M2] (test)\n#R B3/S23\n.*$..*$***$\n$$$$$.....***$.....*$......*$\n'
    for ((level = 4; level < 56; level++)); do
        if [ $level = 5 ] && [ "${1:-}" = moved ]; then
            printf "$level 0 0 0 $nw\n$level $se 0 0 0\n"
        else
            printf "$level $nw 0 0 0\n$level 0 0 0 $se\n"
        fi
        nw=$((++number)) se=$((++number))
    done
    echo "56 $nw 0 0 $se"
}
far >far.mc
far moved >moved.mc
show=(--set output.formats=png --set 'output.region=-64:64 -64:64')
expect_status 0 "$ENGINE" run moved.mc --set run.steps=0 "${show[@]}"
hash=$(value hash)
expect_status 0 "$ENGINE" run far.mc --set run.steps=64 "${show[@]}"
expect_stdout_has 'life2d-bit/hashlife'
expect_equal 'two gliders that are 2^56 cells apart' "10 $hash" "$(value population) $(value hash)"
expect_status 4 "$ENGINE" run far.mc --force --set run.steps=64 --set run.implementation=cpu
expect_stderr_has 'the pattern is wider than the tiles of an unbounded grid'
expect_status 3 "$ENGINE" convert far.mc far.rle
expect_stderr_has 'the live cells span 72057594037927936 x 72057594037927936; the limit is 2^48 cells'
# A pattern of few cells may be wider than the tiles, too.
printf '#CXRLE Pos=0,0\nx = 1073741824, y = 1, rule = B3/S23\no1073741822bo!\n' >wide.rle
expect_status 4 "$ENGINE" run wide.rle --set run.steps=1 --set grid.edges=unbounded
expect_stderr_has 'the pattern is wider than the tiles of an unbounded grid'

# ---- Little memory
expect_status 0 "$ENGINE" run acorn.rle --force --set run.steps=5206 --set run.implementation=hashlife \
    --set life2d-bit.memory=1 --set run.threads=2
expect_equal 'with 1 MiB' 633 "$(value population)"
expect_stdout_hasnt ', 0 collections'

# A soup of 1500 x 1500 cells needs more than 1 MiB. The engine saves its state, and goes on from there with more memory.
perl -e 'srand 7; for (1 .. 1500) { print map({ rand() < 0.4 ? "O" : "." } 1 .. 1500), "\n" }' >soup.cells
expect_status 0 "$ENGINE" run soup.cells --set run.steps=16 --set run.implementation=hashlife --set output.formats= \
    --set run.output=out/whole
hash=$(value hash)
expect_status 5 "$ENGINE" run soup.cells --set run.steps=16 --set run.implementation=hashlife --set output.formats= --set run.memory=1
expect_stderr_has 'the state of step 0 is saved'
expect_status 0 "$ENGINE" resume out/soup --set run.memory=64
expect_equal 'resumed with more memory' "$hash" "$(value hash)"

# ---- verify, and resume with both
printf '[run]\nplugin = life2d-bit\nsteps = 300\n[grid]\nedges = unbounded\n[init]\nfile = acorn.rle\n' >r.ini
for from in hashlife cpu; do
    other=$([ $from = cpu ] && echo hashlife || echo cpu)
    expect_status 0 "$ENGINE" run r.ini --force --set run.implementation=$from --set checkpoint.every=120
    hash=$(value hash)
    rm out/r/checkpoint-0000000300.snapshot out/r/summary.json
    expect_status 0 "$ENGINE" resume out/r --set run.implementation=$other
    expect_equal "$from, resumed with $other" "$hash" "$(value hash)"
done
# More blocks than wait to be put into the tree: each of 3^8 blocks has 24 loaves. A snapshot of 3^18 has the
# squares of the tree.
still() {
    printf '[M2] (test)\n#R B3/S23\n$...**$..*..*$...*.*$....*$\n4 1 0 0 1\n5 2 2 2 2\n6 0 3 3 3\n'
    for ((n = 4; n < $1 - 2; n++)); do echo "$((n + 3)) $n $n 0 $n"; done
}
still 14 >still.mc
still 24 >large.mc
expect_status 0 "$ENGINE" run still.mc --set run.implementation=hashlife --set run.steps=3 --set checkpoint.every=2 \
    --set output.formats=
rm out/still/checkpoint-0000000003.snapshot out/still/summary.json
expect_equal 'loaves' $((7 * 8 * 3 * 6561)) "$(value population)"
expect_status 0 "$ENGINE" resume out/still
expect_equal '… from a snapshot' $((7 * 8 * 3 * 6561)) "$(value population)"
expect_status 0 "$ENGINE" run large.mc --set run.implementation=hashlife --set run.steps=2 --set checkpoint.every=2 \
    --set output.formats=
hash=$(value hash)
rm out/large/summary.json
expect_status 0 "$ENGINE" resume out/large --set run.steps=3
expect_equal 'more blocks than a snapshot has, from a snapshot' "$hash" "$(value hash)"
expect_status 0 "$ENGINE" verify r.ini --impl hashlife
expect_stdout_has 'hashlife'

# ---- Cells of many states: generations and ruletable
printf 'x = 2, y = 2, rule = /2/3\n2A$2B!\n' >ship.rle
printf 'x = 6, y = 3, rule = WireWorld\n.2CAB.$C4.C$.4C!\n' >loop.rle
printf 'x = 3, y = 2, rule = 345/2/4\n3A$A.A!\n' >star.rle
printf 'x = 7, y = 3, rule = B3/S23History\n.A5.$3.A3.$2A2.3A!\n' >history.rle
printf 'x = 3, y = 2, rule = B0/S/G3\n3A$A!\n' >b0.rle
for file in star history loop b0; do
    file=$file.rle
    both "$file" "$file" run.steps=34 output.every=17 output.metrics_every=1 output.hash_every=1 output.formats=rle,mc
done
file=b0.rle
for reduce in count:37 mean:38 max:37; do
    both "states in blocks: $reduce" "$file" run.steps=${reduce#*:} output.formats=npy \
        'output.region=-130:101 -71:200' 'output.stride=9 14' output.reduce=${reduce%:*}
done
both 'probes of states' "$file" run.steps=20 output.formats=rle output.metrics_every=1 output.probes=cells:268435456:268435456
printf '[M2] (test)\n#R 345/2/4\n1 1 3 2 1\n2 1 0 0 1\n3 2 2 0 2\n4 3 0 3 3\n5 4 4 0 0\n6 0 5 5 5\n7 6 0 6 6\n8 0 7 7 7\n' >states.mc
file=states.mc
both 'states of a macrocell file' "$file" run.steps=10 output.every=5 output.hash_every=1 output.formats=rle

# The ship of Brian's Brain moves up by a cell in each step. The electron goes round a wire of 10 cells, and 2^40 % 10 = 6.
expect_status 0 "$ENGINE" run ship.rle --quiet --set run.steps=1000003 --set run.implementation=hashlife \
    --set output.formats=rle
expect_equal 'a ship of Brian’s Brain' '#CXRLE Pos=-1,-1000004 Gen=1000003 2A$2B!' \
    "$(sed -n '1p;$p' out/ship/cells-0001000003.rle | tr '\n' ' ' | sed 's/ $//')"
expect_status 0 "$ENGINE" run loop.rle --force --set run.steps=6 --set run.implementation=cpu-serial
hash=$(value hash)
expect_status 0 "$ENGINE" run loop.rle --force --set run.steps=$((1 << 40)) --set run.implementation=hashlife
expect_equal 'an electron in a wire' "$hash" "$(value hash)"

# bgolly has 6462 cells, too.
expect_status 0 "$ENGINE" run star.rle --force --set run.steps=256 --set run.implementation=hashlife --set generations.memory=1 \
    --set run.threads=2
expect_equal 'states: with 1 MiB' 6462 "$(($(value alive) + $(value dying)))"
expect_stdout_hasnt ', 0 collections'
printf '[run]\nplugin = generations\nsteps = 31\n[grid]\nedges = unbounded\n[init]\nfile = b0.rle\n' >r.ini
for from in hashlife cpu; do
    other=$([ $from = cpu ] && echo hashlife || echo cpu)
    expect_status 0 "$ENGINE" run r.ini --force --set run.implementation=$from --set checkpoint.every=13
    hash=$(value hash)
    rm out/r/checkpoint-0000000031.snapshot out/r/summary.json
    expect_status 0 "$ENGINE" resume out/r --set run.implementation=$other
    expect_equal "states: $from, resumed with $other" "$hash" "$(value hash)"
done
expect_status 0 "$ENGINE" verify history.rle --impl hashlife
expect_stdout_has 'hashlife'
printf '[run]\nplugin = generations\nsteps = 9\n[generations]\nrule = 345/2/4\n' >t.ini
for size in '64 64' '64 128'; do
    expect_status 0 "$ENGINE" verify t.ini --impl hashlife --set grid.size="$size" --set init.source=random
    expect_stdout_has 'bit-equal after 1, 2, 7, 100 steps'
done
expect_status 4 "$ENGINE" run loop.rle --force --set grid.size='96 64' --set run.implementation=hashlife
expect_stderr_has 'it takes powers of two from 64 on along each axis, not 96 x 64'
plan
