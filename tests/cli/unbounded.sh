#!/bin/bash
# [grid] edges = unbounded and [tiles] side: patterns with known fates, grids in tiles compared with arrays, and what is
# refused.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1

# value KEY: what the last run printed for a key.
value() {
    sed -n "s/^  $1  *\([^ ]*\).*/\1/p" stdout
}

# ---- Patterns: LifeWiki, "R-pentomino" and "Acorn"
printf 'x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n' >r.rle
printf 'x = 7, y = 3, rule = B3/S23\nbo5b$3bo3b$2o2b3o!\n' >acorn.rle
printf '#CXRLE Pos=-5,7\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
expect_status 0 "$ENGINE" run r.rle --set run.steps=1103 --set output.formats=rle,mc
expect_equal 'R-pentomino: 116 cells' 116 "$(value population)"
expect_equal 'and no size' unbounded "$(sed -n 's/^  size *cells //p' stdout)"
expect_equal 'a file without the suffix of a bounded grid' 'x = 501, y = 525, rule = B3/S23' \
    "$(grep '^x' out/r/cells-0000001103.rle)"
expect_status 0 "$ENGINE" convert out/r/cells-0000001103.mc mc.rle --quiet
expect_equal 'RLE and macrocell give the pattern the same place' "$(head -n 1 out/r/cells-0000001103.rle)" \
    "$(head -n 1 mc.rle)"
expect_status 0 "$ENGINE" run acorn.rle --set run.steps=5206 --quiet --set output.metrics_every=5206
expect_equal 'acorn: 633 cells' 5206,633 "$(tail -n 1 out/acorn/metrics.csv)"
expect_status 0 "$ENGINE" check pulsar.rle
expect_stdout_has 'cells: unbounded' # the pattern of this name comes with the engine
# A glider of Pos=-5,7 is 10 cells further after 40 steps.
expect_status 0 "$ENGINE" run glider.rle --set run.steps=40 --quiet --set output.formats=rle
expect_equal 'a glider moves by a cell in four steps' '#CXRLE Pos=5,17 Gen=40' "$(head -n 1 out/glider/cells-0000000040.rle)"
expect_status 0 "$ENGINE" run glider.rle --force --set run.steps=40 --quiet --set output.formats=rle --set 'init.at=-100 50'
expect_equal '[init] at counts from the middle' '#CXRLE Pos=-90,60 Gen=40' "$(head -n 1 out/glider/cells-0000000040.rle)"
expect_status 0 "$ENGINE" run glider.rle --force --set run.steps=40 --quiet --set output.formats=cells \
    --set 'output.region=4:9 16:21'
expect_equal 'a region counts from the middle' '/..O/...O/.OOO//' \
    "$(grep -v '^!' out/glider/*.cells | sed 's/\.*$//' | tr '\n' /)"
# A glider in three axes: life3d-packed takes no array that is as wide as an unbounded grid.
for plugin in life3d-packed life3d-naive; do
    printf '[run]\nplugin = %s\nsteps = 60\n[grid]\nedges = unbounded\n[init]\nfile = bays-redirection.rle3\n' $plugin >volume.ini
    expect_status 0 "$ENGINE" run volume.ini --force --quiet --json --set run.implementation=cpu
    sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' stdout >$plugin.hash
done
expect 'life3d-packed has the cells of life3d-naive' cmp life3d-packed.hash life3d-naive.hash
expect 'and they have a hash' test -s life3d-naive.hash
for option in 'grid.size=40 40' grid.edges=dead; do
    expect_status 0 "$ENGINE" run glider.rle --force --quiet --set "$option" --json
    expect_stdout_has '"size":"'
    expect_stdout_hasnt unbounded
done

# ---- Tiles and arrays: the same hash and the same metrics
# same SIDE STEPS CONFIGURATION…
same() {
    local side=$1 steps=$2 arguments=() array tiles
    shift 2
    for key in "$@"; do arguments+=(--set "$key"); done
    for tiled in 0 "$side"; do
        run "$ENGINE" run same.ini --force "${arguments[@]}" --set "run.steps=$steps" --set "tiles.side=$tiled"
        tiles=$(value hash):$(cat out/same/metrics.csv)
        [ "$tiled" = 0 ] && array=$tiles
    done
    [ ${#array} -gt 40 ] || array="a hash and metrics"
    expect_equal "${1#*=}, $steps steps, tiles of $side: ${*:2}" "$array" "$tiles"
}
printf '[run]\n[grid]\n[init]\nsource = random\n[output]\nmetrics_every = 7\n' >same.ini
same 16 51 run.plugin=life2d-bit 'grid.size=64 48' init.density=0.3
same 8 50 run.plugin=life2d-bit 'grid.size=8 8'
same 32 131 run.plugin=life2d-bit 'grid.size=96 32' init.density=0.02 life2d-bit.rule=B0/S23
same 100 61 run.plugin=life2d-bit 'grid.size=200 300' init.density=0.02 run.implementation=cpu-words
same 16 25 run.plugin=life2d-bit 'grid.size=48 32' life2d-bit.rule=B0123478/S34678 run.implementation=cpu-serial
same 256 100 run.plugin=life2d-bit 'grid.size=512 768' init.density=0.001
same 24 30 run.plugin=life2d-lut 'grid.size=48 72'
same 16 40 run.plugin=ruletable 'grid.size=32 64' ruletable.rule=WireWorld
same 16 40 run.plugin=generations 'grid.size=64 32' generations.rule=B2/S345/C4
same 50 5 run.plugin=larger-than-life 'grid.size=100 150' larger-than-life.rule=R5,C2,S33..57,B34..45
same 8 20 run.plugin=life3d-packed 'grid.size=16 24 8' 'life3d-packed.rule=B5/S4..5'
same 12 13 run.plugin=life3d-shared 'grid.size=24 12 36' init.density=0.1

# ---- An unbounded grid and a torus that is large enough
expect_status 0 "$ENGINE" run r.rle --force --quiet --set run.steps=700 --set output.formats=cells
mv out/r/cells-0000000700.cells plane.cells
expect_status 0 "$ENGINE" run r.rle --force --quiet --set run.steps=700 --set output.formats=rle --set 'grid.size=1024 1024'
run "$ENGINE" convert out/r/cells-0000000700.rle torus.cells --quiet
cells() { grep -v '^!' "$1" | sed 's/\.*$//'; }
expect_equal 'the same cells as on a large torus' "$(cells torus.cells | grep -c .):$(cells torus.cells | tr -dc O | wc -c)" \
    "$(cells plane.cells | grep -c .):$(cells plane.cells | tr -dc O | wc -c)"

# ---- B0: the background changes at each step
printf '[run]\nplugin = life2d-bit\nsteps = 11\n[grid]\nedges = unbounded\n[init]\nfile = r.rle\n[life2d-bit]\nrule = B03/S23\n' >r.ini
expect_status 0 "$ENGINE" run r.ini --force --set checkpoint.every=7
hash=$(value hash)
expect_equal 'B0 after an odd step: nearly all cells live' 2.88230376152e+17 "$(value population)"
rm out/r/checkpoint-0000000011.snapshot out/r/summary.json
expect_status 0 "$ENGINE" resume out/r --set tiles.side=64
expect_equal 'resumed with other tiles, the same hash' "$hash" "$(value hash)"
expect_status 0 "$ENGINE" run r.ini --force --set tiles.side=128
expect_equal 'the hash does not depend on the tiles' "$hash" "$(value hash)"
expect_status 0 "$ENGINE" verify r.ini
expect_stdout_has 'cpu-words      bit-equal'

# ---- A blinker: it is the same after a round of an even number of steps, and another one after the odd round behind it
printf 'x = 3, y = 1, rule = B3/S23\n3o!\n' >blinker.rle
expect_status 0 "$ENGINE" run blinker.rle --quiet --set run.steps=31 --set output.formats=cells
expect_equal 'a blinker after 31 steps stands upright' 'O/O/O/' "$(grep -v '^!' out/blinker/*.cells | tr '\n' /)"

# ---- Sparse patterns: random cells, a full row and wide gaps, which a loop in Python writes and compares
if command -v python3 >/dev/null; then
    cat >sparse.py <<'END'
import itertools, random, sys
random.seed(7)
width, height = 9000, 300
rows = [bytearray(width) for y in range(height)]
for i in range(300):
    rows[random.randrange(height)][random.randrange(width)] = 1
rows[100] = bytearray([1] * width)
rows[0][0] = rows[-1][-1] = 1
if sys.argv[1] == 'write':
    print('x = %d, y = %d, rule = B3/S23' % (width, height))
    print('$\n'.join(''.join('%d%c' % (len(list(run)), 'bo'[value]) for value, run in itertools.groupby(row))
                     for row in rows) + '!')
else:
    data = open(sys.argv[2], 'rb').read()
    header, cells = data[:-width * height], data[-width * height:]
    print(header.endswith(b'\n') and b'(300, 9000)' in header and cells == b''.join(rows))
END
    python3 sparse.py write >sparse.rle
    expect_status 0 "$ENGINE" convert sparse.rle sparse.mc --quiet
    for file in rle mc; do
        for implementation in cpu hashlife; do
            expect_status 0 "$ENGINE" run sparse.$file --force --quiet --set run.steps=0 --set output.formats=npy \
                --set run.implementation=$implementation
            expect_equal "sparse.$file, $implementation" True \
                "$(python3 sparse.py compare out/sparse/cells-0000000000.npy)"
            expect_status 0 "$ENGINE" run sparse.$file --force --quiet --set run.steps=0 \
                --set output.formats=life106,rle,mc --set run.implementation=$implementation
            for format in life106 rle mc; do
                run "$ENGINE" convert out/sparse/cells-0000000000.$format again.npy --force --quiet
                expect_equal "sparse.$file, $implementation, written as $format" True \
                    "$(python3 sparse.py compare again.npy)"
            done
        done
    done
fi
# Two gliders 100 000 cells apart along both axes: 10^10 cells, of which nobody reads the dead ones.
printf 'x = 100003, y = 100003, rule = B3/S23\nbo$2bo$3o99998$100001bo$100002bo$100000b3o!\n' >far.rle
expect_status 0 "$ENGINE" run far.rle --set run.steps=4 --set output.metrics_every=4 --set output.formats=npy \
    --set 'output.region=49999:50005 49999:50005'
expect_equal 'two gliders far apart' 10 "$(value population)"
# A file of the final state is a pattern, and takes no memory and no time for the dead cells. A glider has the same shape
# after four steps.
body() { grep -v '^#' "$1" | tr -d '\n'; }
for implementation in cpu hashlife; do
    expect_status 0 "$ENGINE" run far.rle --force --quiet --set run.steps=4 --set run.implementation=$implementation
    if [ $implementation = cpu ]; then
        mv out/far/cells-0000000004.rle far4.rle
    else
        run "$ENGINE" convert out/far/cells-0000000004.mc far4.rle --force --quiet
    fi
    expect_equal "the final state of $implementation" "$(body far.rle)" "$(body far4.rle)"
    expect_equal "its place, $implementation" '#CXRLE Pos=-50000,-50000 Gen=4' "$(head -n 1 far4.rle)"
done
from=far.rle
for to in far.mc far.life far.mcl far5.rle; do
    expect_status 0 "$ENGINE" convert "$from" "$to" --quiet
    [ "$to" = far.mcl ] || from=$to # the engine reads all cells of a .mcl file
done
expect_equal 'converted three times' "$(body far.rle):10" \
    "$(body far5.rle | sed 's/bo/, rule = B3\/S23bo/'):$(grep -vc '^#' far.life)"
expect_equal 'MCell has the same runs' "$(body far.rle | sed 's/.*23//; s/!//; s/b/./g; s/o/A/g')" \
    "$(sed -n 's/^#L //p' far.mcl | tr -d '\n')"
printf '3D version=1\nx=2000 y=3 z=1800 rule=B5/S4..5\n2o$o1998bo/$2bo1796/$$1999bo!\n' >far.rle3
expect_status 0 "$ENGINE" run far.rle3 --force --quiet --set run.steps=0 --set grid.edges=unbounded
expect_equal 'three axes' '2o$o1998bo/$2bo1796/2$1999bo!' "$(tail -n 1 out/far/cells-0000000000.rle3)"

printf 'x = 6000003, y = 6000003, rule = B3/S23\nbo$2bo$3o5999998$6000001bo$6000002bo$6000000b3o!\n' >far.rle
expect_status 0 "$ENGINE" check far.rle # a torus of twice the size would have 18 TB

# ---- [run] memory: the state is saved, and the run goes on with more
expect_status 0 "$ENGINE" run acorn.rle --force --set run.steps=5206
hash=$(value hash)
printf '[run]\nplugin = life2d-bit\nsteps = 5206\nmemory = 1\n[grid]\nedges = unbounded\n[init]\nfile = acorn.rle\n[tiles]\nside = 512\n' >m.ini
expect_status 0 "$ENGINE" check m.ini
expect_stdout_has '1.05 MB for the tiles at most'
expect_status 5 "$ENGINE" run m.ini --quiet
expect_stderr_has 'set [run] memory to more; the state of step '
step=$(sed -n 's/.*the state of step \([0-9]*\) is saved.*/\1/p' stderr)
expect_equal 'saved at a step between the first and the last' yes "$([ "$step" -gt 300 ] && [ "$step" -lt 5206 ] && echo yes)"
expect_equal 'as a checkpoint' "checkpoint-$(printf %010d "$step").snapshot" "$(ls out/m | grep snapshot)"
expect_status 0 "$ENGINE" resume out/m --set run.memory=64
expect_equal 'resumed with more memory' "$hash" "$(value hash)"
expect_status 0 "$ENGINE" run m.ini --force --set run.steps=1 --set tiles.side=0 --set grid.edges= --set 'grid.size=64 64'
expect_stderr_has 'neither in tiles nor in a tree'

# ---- The hash, as docs/reference/unbounded.md has it: blinkers in two blocks, one of them at negative places
if use_hash && command -v python3 >/dev/null; then
    printf 'x = 603, y = 301, rule = B3/S23\n3o300$600b3o!\n' >two.rle
    expect_status 0 "$ENGINE" run two.rle --set run.steps=2 --set 'init.at=-10 -3'
    hash=$(value hash)
    { head -c 3958 /dev/zero && printf '\1\1\1' && head -c 135 /dev/zero; } | hash_of >first
    { head -c 2638 /dev/zero && printf '\1\1\1' && head -c 1455 /dev/zero; } | hash_of >second
    python3 - "$(cat first)" "$(cat second)" <<'PY' | hash_of >wanted
import struct, sys
p = 2**61 - 1
roots = ((0x43f6a8885a308de, 0x13198a2e0370734a), (0x82efa98ec4e6c8f, 0x52821e638d0137a))
sums = [0, 0]
for text, (x, y) in zip(sys.argv[1:], ((-1, -1), (9, 4))):
    halves = int(text[16:], 16), int(text[:16], 16)
    for k in 0, 1:
        sums[k] += halves[k] * pow(roots[k][0], x % (p - 1), p) * pow(roots[k][1], y % (p - 1), p)
sys.stdout.buffer.write(b"\0" + struct.pack("<2Q", *(sum % p for sum in sums)))
PY
    expect_equal 'the hash of an unbounded grid' "$(cat wanted)" "$hash"
else
    skip 'the hash of an unbounded grid' 'there is no program that computes it'
fi

# ---- Refused
# no TEXT KEY…
no() {
    local text=$1 arguments=()
    shift
    for key in "$@"; do arguments+=(--set "$key"); done
    expect_status 2 "$ENGINE" run r.ini --force --quiet "${arguments[@]}"
    expect_stderr_has "$text"
}
no 'x is unbounded if its size is 0 or left out' 'grid.size=64 64'
no 'takes no [grid] batch' grid.batch=2
no 'takes no [grid] batch' run.parts=2
no 'side: 16: expected a power of 2 from 64 up' tiles.side=16
no 'side: 96: expected a power of 2 from 64 up' tiles.side=96
no '64 cells along x, which is not a multiple of 48' tiles.side=48 grid.edges=torus 'grid.size=64 64'
no 'give [output] region' output.formats=apng output.every=5
no 'give both ends' 'output.region=0: 0:4'
no 'an analysis takes no grid in tiles' analyse.plugin=rdf
no 'starts from a pattern' init.file= init.source=random
no 'x is unbounded if its size is 0 or left out' 'grid.edges=unbounded dead' 'grid.size=64 64'
printf '[run]\nplugin = transpose\n[tiles]\nside = 4\n[matrix]\nrows = 8\ncolumns = 8\nelement = float32\n' >matrix.ini
expect_status 2 "$ENGINE" run matrix.ini
expect_stderr_has 'tiles hold the states of grids'
expect_status 4 "$ENGINE" run r.ini --force --set run.implementation=hashlife --set tiles.side=64 --set grid.edges= \
    --set 'grid.size=64 64'
expect_stderr_has 'ENGINE_UNIFORM'
plan
