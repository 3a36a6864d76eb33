#!/bin/bash
# Grids that are unbounded along one axis and have edges along another: [grid] size with a 0, and Golly's suffixes :T0,n
# and :Pn,0. The populations are those of bgolly 3.3 (-a QuickLife -m 400); a loop in Python has the cells in their places.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1

value() {
    sed -n "s/^  $1  *\([^ ]*\).*/\1/p" stdout
}

# ---- Populations of Golly
acorn() {
    printf 'x = 7, y = 3, rule = %s\nbo5b$3bo3b$2o2b3o!\n' "$1" >a.rle
}
while read -r rule population size; do
    acorn "$rule"
    expect_status 0 "$ENGINE" run a.rle --force --set run.steps=400
    expect_equal "$rule after 400 steps" "$population" "$(value population)"
    expect_equal "the size of $rule" "$size" "$(sed -n 's/^  size *cells //p' stdout)"
    expect_equal "the suffix of $rule" "$rule" "$(sed -n 's/^x.*rule = //p' out/a/cells-*.rle)"
    hash=$(value hash)
    expect_status 0 "$ENGINE" run a.rle --force --set run.steps=400 --set output.metrics_every=1
    expect_equal "$rule: 400 times one step" "$hash" "$(value hash)"
done <<'END'
B3/S23:T0,20 39 unbounded x 20
B3/S23:P21,0 64 21 x unbounded
B3/S23:P0,130 390 unbounded x 130
END

# ---- Cells in their places
if command -v python3 >/dev/null; then
    cat >loop.py <<'END'
import random, subprocess, sys

def step(cells, rule, wrap, inside):
    counts = {}
    for x, y in cells:
        for near in ((x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j):
            near = wrap(near)
            if inside(near):
                counts[near] = counts.get(near, 0) + 1
    return {c for c, n in counts.items() if n in rule[c in cells]}

def read(path):
    x = y = 0
    count, cells = '', set()
    for line in open(path):
        if line.startswith('#CXRLE Pos='):
            left, top = map(int, line.split('=')[1].split()[0].split(','))
        for c in '' if line[0] in '#x' else line.strip():
            if c.isdigit():
                count += c
                continue
            n, count = int(count or 1), ''
            if c == '$':
                x, y = 0, y + n
                continue
            cells |= {(left + x + i, top + y) for i in range(n) if c == 'o'}
            x += n
    return cells

random.seed(7)
for n, axis, edge, steps in ((1, 1, 'T', 9), (2, 0, 'T', 20), (33, 0, 'P', 45), (67, 1, 'T', 70), (130, 0, 'T', 31),
                             (129, 1, 'P', 30)):
    low = -(n // 2)
    wrap = lambda c: tuple((v - low) % n + low if i == axis and edge == 'T' else v for i, v in enumerate(c))
    inside = lambda c: low <= c[axis] < low + n
    size = [30, 20]
    size[axis] = min(n, size[axis])
    corner = [random.randint(-400, 400), random.randint(-400, 400)]
    corner[axis] = low + random.choice((0, n - size[axis]))
    rows = [''.join(random.choice('boo') for _ in range(size[0])) for _ in range(size[1])]
    cells = {(corner[0] + x, corner[1] + y) for y, row in enumerate(rows) for x, c in enumerate(row) if c == 'o'}
    sides = ['0', '0']
    sides[axis] = str(n)
    open('l.rle', 'w').write('#CXRLE Pos=%d,%d\nx = %d, y = %d, rule = B36/S23:%s%s\n%s!\n' %
                             (*corner, *size, edge, ','.join(sides), '$'.join(rows)))
    subprocess.run([sys.argv[1], 'run', 'l.rle', '--force', '--quiet', '--set', 'run.steps=%d' % steps], check=True)
    for _ in range(steps):
        cells = step(cells, ({3, 6}, {2, 3}), wrap, inside)
    assert cells or n < 3, 'nothing lives'
    assert read('out/l/cells-%010d.rle' % steps) == cells, (n, axis, edge)
END
    expect_status 0 python3 loop.py "$ENGINE"
else
    skip 'cells in their places' 'there is no python3'
fi

# ---- A configuration, coordinates, the edge, and saving
printf '#CXRLE Pos=-3,-5\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >g.rle
printf '[run]\nplugin = life2d-bit\nsteps = 80\n[grid]\nsize = 0 21\n[init]\nfile = g.rle\n' >g.ini
expect_status 0 "$ENGINE" run g.ini --force --set checkpoint.every=50
hash=$(value hash)
expect_equal 'a glider that has passed the seam' '#CXRLE Pos=17,-6 Gen=80' "$(head -n 1 out/g/cells-0000000080.rle)"
rm out/g/checkpoint-0000000080.snapshot out/g/summary.json
expect_status 0 "$ENGINE" resume out/g --set tiles.side=64
expect_equal 'resumed with other tiles, the same hash' "$hash" "$(value hash)"
expect_status 0 "$ENGINE" verify g.ini --set grid.edges=mirror
expect_stdout_has 'cpu-words      bit-equal'
expect_status 0 "$ENGINE" run g.ini --force --set 'grid.edges=unbounded dead' --set run.until=edge \
    --set run.steps=400
expect_stdout_has 'edge: live cells are at an edge of the grid'
expect_equal 'the suffix of a plane' 'B3/S23:P0,21' "$(sed -n 's/^x.*rule = //p' out/g/cells-*.rle)"
expect_status 0 "$ENGINE" run g.ini --force --quiet --set 'grid.size=0 0' --set run.steps=0
expect_equal 'two infinite sides' 'B3/S23' "$(sed -n 's/^x.*rule = //p' out/g/cells-*.rle)"
printf '3D version=1 size=3\nx=3 y=3 z=1 rule=3D4,5/5\nooo$ooo$boo!\n' >v.rle3
printf '[run]\nplugin = life3d-naive\nsteps = 5\n[grid]\nsize = 0 0 6\n[init]\nfile = v.rle3\n[tiles]\nside = 16\n[life3d-naive]\nrule = B4/S3..5\n' >v.ini
expect_status 0 "$ENGINE" run v.ini --force --set output.formats=npy
many=$(value population)
expect_status 0 "$ENGINE" run v.ini --force --set output.formats=npy --set 'grid.size=32 32 6' --set tiles.side=0
expect_equal 'three axes' "$(value population)" "$many"

# ---- Refused
# no TEXT KEY…
no() {
    local text=$1 arguments=()
    shift
    for key in "$@"; do arguments+=(--set "$key"); done
    run "$ENGINE" run g.ini --force --quiet "${arguments[@]}"
    expect_equal "$* is refused" no "$([ "$status" = 0 ] || echo no)"
    expect_stderr_has "$text"
}
no 'x is unbounded if its size is 0 or left out, and only then' 'grid.edges=dead torus'
no 'x is unbounded if its size is 0 or left out, and only then' 'grid.edges=unbounded torus' 'grid.size=30 21'
no 'has edges of a torus, dead or mirror edges' grid.edges=twisted
no 'at most 65536 cells along others' 'grid.size=0 70000'
no 'unbounded along all axes' run.until=settled
no 'it keeps a tree, and the grid has edges along an axis' run.implementation=hashlife
no 'expected y from -10 to 8' grid.edges=dead 'init.at=0 -11'
no 'change where nothing lives' grid.edges=dead life2d-bit.rule=B0123478/S01234678
no 'give both ends of a range of an unbounded grid, within -10:11' 'output.region=-5:5 -11:10'
printf 'x = 1, y = 1, rule = B3/S23:K0,20\no!\n' >k.rle
expect_status 3 "$ENGINE" run k.rle
expect_stderr_has 'only a torus (T) and a plane (P) have an infinite side'
printf 'x = 1, y = 1, rule = B3/S23:T0,20+1\no!\n' >k.rle
expect_status 3 "$ENGINE" run k.rle
expect_stderr_has "at character 7, '+': a grid with an infinite side has no shift"
acorn B3/S23:T0,20
expect_status 3 "$ENGINE" identify a.rle
expect_stderr_has 'the grid is unbounded x 20'
plan
