#!/bin/bash
# until = settled and until = edge, the line of the summary about dead edges, and the warning about the seam of a torus.
# Generations and populations are those of LifeWiki ("R-pentomino", "Acorn", "Lidka", "Glider-producing switch engine");
# that of B3/S23-c is from the list of its long-lived patterns.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1

# pattern NAME RULE CELLS: $TMP/NAME.rle
pattern() { printf 'x = 0, y = 0, rule = %s\n%s!\n' "$2" "$3" >"$1.rle"; }

# go NAME STEPS UNTIL [KEY]…: the condition that ended the run, "null" if none did
go() {
    local name=$1 arguments=(--set "run.steps=$2" --set "run.until=$3")
    shift 3
    for key in "$@"; do arguments+=(--set "$key"); done
    run timeout -k 5 120 "$ENGINE" run "$name.rle" --force --quiet --json --set output.formats= "${arguments[@]}"
    [ "$status" = 0 ] || head -c 500 stderr
    json stdout '{ended}'
}

ships=', and spaceships that depart'
pattern r B3/S23 'b2o$2o$bo'
pattern acorn B3/S23 'bo$3bo$2o2b3o'
pattern letters B3/S23-c '3o$bo$o'
pattern glider B3/S23 'bo$2bo$3o'
pattern blinker B3/S23 '3o'
pattern pulsar B3/S23 '2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o'
pattern diehard B3/S23 '6bo$2o$bo3b3o'
pattern gun B3/S23 '24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o'
expect_equal 'R-pentomino' "$(go r 5000 settled)" "settled: at step 1103, with 116 live cells, period 2$ships"
first=$(json stdout '{step}')/$(json stdout '{hash}')
expect_equal '… with other looks and tiles' "$(go r 5000 settled run.until_every=37 tiles.side=64)" \
    "settled: at step 1103, with 116 live cells, period 2$ships"
expect_equal '… not within 1100 steps' "$(go r 1100 settled checkpoint.every=600)" null
expect_status 0 "$ENGINE" resume out/r --set run.steps=5000 --json --quiet
expect_equal '… resumed, it ends as the whole run' "$(json stdout '{step}')/$(json stdout '{hash}') $(json stdout '{ended}')" \
    "$first settled: at step 1103, with 116 live cells, period 2$ships"
expect_equal 'acorn' "$(go acorn 20000 settled)" "settled: at step 5206, with 633 live cells, period 2$ships"
run "$ENGINE" identify letters.rle --json
cells=$(json stdout '{population}') period=$(json stdout '{period}')
expect_equal 'B3/S23-c, and identify finds the same with another method' "$(go letters 5000 settled)" \
    "settled: at step 352, with $cells live cells, period $period$ships"
expect_equal 'a glider' "$(go glider 5000 settled)" "settled: at step 0, with 5 live cells, period 4$ships"
expect_equal 'a blinker' "$(go blinker 5000 settled run.until_every=1)" 'settled: at step 0, with 3 live cells, period 2'
expect_equal 'a pulsar' "$(go pulsar 5000 settled)" 'settled: at step 0, with 48 live cells, period 3'
expect_equal 'diehard' "$(go diehard 5000 settled)" 'settled: at step 130, with 0 live cells, period 1'
expect_equal 'a gun never settles' "$(go gun 1000 settled)" null

# ---- In a tree: at the second look, the spaceships are 2^26 cells away
tree=run.implementation=hashlife
expect_equal 'a tree: R-pentomino' "$(go r 5000 settled $tree)" "settled: at step 1103, with 116 live cells, period 2$ships"
expect_equal '… looked at once' "$(go r 268435456 settled $tree run.until_every=268435456)" \
    "settled: at step 1103, with 116 live cells, period 2$ships"
expect_equal '… acorn' "$(go acorn 20000 settled $tree)" "settled: at step 5206, with 633 live cells, period 2$ships"
expect_equal '… diehard' "$(go diehard 5000 settled $tree)" 'settled: at step 130, with 0 live cells, period 1'
expect_equal '… a gun' "$(go gun 1000 settled $tree)" null
pattern ship /2/3 '2A$2B'
expect_equal '… three states' "$(go ship 1000 settled $tree)" "settled: at step 0, with 4 live cells, period 1$ships"
pattern b0 B0123478/S01234678 '5o$o2b4o$3o2b2o$2b4o$o2bo2bo' # B3/S23 of dead cells
expect_equal '… B0' "$(go b0 2000 settled $tree)" "$(go b0 2000 settled)"
expect_equal '… whose background is 1' "$(json stdout '{ended}')" 'settled: at step 5, with 8 live cells, period 1'

# Two gliders that will meet a block and each other: nothing departs yet.
pattern meets B3/S23 'bo$2bo$3o97$100b2o$100b2o'
expect_equal 'a glider on its way to a block' "$(go meets 300 settled)" null

# ---- Edges: the glider's lowest row is 10 at first, and moves by one in steps 1, 5, 9, …
expect_equal 'a glider comes to the edge' \
    "$(go glider 100 edge run.until_every=1 'grid.size=20 20' 'init.at=8 8' grid.edges=dead) $(json stdout '{step}')" \
    'edge: live cells are at an edge of the grid 33'
expect_equal '… to the seam of a torus' \
    "$(go glider 100 edge run.until_every=1 'grid.size=20 20' 'init.at=8 8' grid.edges=torus) $(json stdout '{step}')" \
    'edge: live cells are at an edge of the grid 33'
expect_equal '… of a grid of bytes, in parts' \
    "$(go glider 100 edge run.until_every=1 'grid.size=20 20' 'init.at=8 8' grid.edges=dead run.implementation=cpu-serial run.parts=2)" \
    'edge: live cells are at an edge of the grid'
expect_equal '… and not too soon' "$(go glider 32 edge run.until_every=1 'grid.size=20 20' 'init.at=8 8' grid.edges=dead)" null
printf '[run]\nplugin = life2d-bit\n[grid]\nsize = 20 20\n[init]\nfile = glider.rle\nat = 8 8\n' >glider.ini
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=100 --set grid.edges=dead
expect_stdout_has 'edge           live cells were at a dead edge at step 100'
expect_stderr_hasnt torus
expect_equal '… in summary.json' "$(json out/glider/summary.json '{edge}')" 100
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=100 --set grid.edges=dead --set output.metrics_every=1
expect_stdout_has 'edge           live cells were at a dead edge at step 48'
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=32 --set grid.edges=dead
expect_stdout_hasnt 'dead edge'
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=36
expect_stderr_has 'at step 36, live cells are at the seam of the torus'
expect_stdout_hasnt 'dead edge'
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=36 --set grid.edges=torus
expect_stderr_hasnt seam
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=36 --set grid.edges=dead --set 'init.at=17 8'
expect_stdout_hasnt 'dead edge' # it was there from the start
expect_status 0 "$ENGINE" run glider.ini --force --set run.steps=9 --set grid.edges=dead --set init.file= \
    --set init.source=random --set init.at=
expect_stdout_hasnt 'dead edge'

# ---- Refused
refuse() {
    expect_status 2 "$ENGINE" run glider.ini --force --quiet --set "run.until=$1" "${@:3}"
    expect_stderr_has "$2"
}
refuse settled 'take repeats instead of settled'
refuse edge 'edge needs one grid of states that has edges' --set grid.size= --set grid.edges=unbounded
refuse edge 'no [grid] batch' --set grid.batch=2
refuse settle 'repeats, unchanged, settled or edge'
plan
