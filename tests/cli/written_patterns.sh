#!/bin/bash
# The formats cells, life105, life106 and mcl as they are written: the texts, by hand, what is named as lost, what is
# read back, and files of a run. tests/bgolly/written.sh compares such files with Golly.
. "$(dirname "$0")/common"
cd "$TMP" || exit 1
# converted NAME TEXT [LOST]: glider.rle becomes a file of this text, and LOST is named.
converted() {
    expect_status 0 "$ENGINE" convert glider.rle "$1" --force
    expect_equal "the text of $1" "$(cat "$1")" "$2"
    expect_equal "what $1 does not hold" "$(sed 's/.*has: //' stderr)" "${3:-}"
}

# ---- A glider on a torus of 20 x 10, whose first cell is at -10, -5
printf '#CXRLE Pos=-7,2 Gen=5\nx = 3, y = 3, rule = B36/S23:T20,10\nbo$2bo$3o!\n' >glider.rle
converted glider.cells $'!Rule: B36/S23\n.O.\n..O\nOOO' 'the position, the step, the rule, the size and the edges of the grid'
converted glider.lif $'#Life 1.05\n#R 23/36:T20,10\n#P -7 2\n.*.\n..*\n***' 'the step'
converted glider.life $'#Life 1.06\n-6 2\n-5 3\n-7 4\n-6 4\n-5 4' 'the step, the rule, the size and the edges of the grid'
converted glider.mcl $'#MCell 4.00\n#GAME Life\n#RULE 23/36\n#BOARD 20x10\n#WRAP 1\n#L .A$2.A$3A' 'the position, the step'
expect_status 0 "$ENGINE" convert glider.lif back.rle # with its place and its grid
expect_equal 'Life 1.05 is read back' "$(cat back.rle)" \
    $'#CXRLE Pos=-7,2 Gen=0\nx = 3, y = 3, rule = 23/36:T20,10\nbo$2bo$3o!'
expect_status 0 "$ENGINE" convert glider.rle glider.cells.gz
expect_equal 'compressed' "$(gunzip <glider.cells.gz)" "$(cat glider.cells)"

# ---- Positions on the plane, and the words of the author
printf '#N Glider\n#O Richard K. Guy\n#C small\n#CXRLE Pos=100,-200\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
converted plane.cells $'!Rule: B3/S23\n!Name: Glider\n!Author: Richard K. Guy\n!small\n.O.\n..O\nOOO' 'the position, the rule'
converted plane.lif $'#Life 1.05\n#D Name: Glider\n#D Author: Richard K. Guy\n#D small\n#N\n#P 100 -200\n.*.\n..*\n***'
converted plane.life $'#Life 1.06\n101 -200\n102 -199\n100 -198\n101 -198\n102 -198' 'the comments, the rule'
converted plane.mcl $'#MCell 4.00\n#GAME Life\n#RULE 23/3\n#D Name: Glider\n#D Author: Richard K. Guy\n#D small\n#L .A$2.A$3A' \
    'the position'
for ending in lif life; do
    expect_status 0 "$ENGINE" convert "plane.$ending" back.rle --quiet --force
    expect_equal "the place of $ending is read back" "$(grep -o 'Pos=[-0-9,]*' back.rle)" 'Pos=100,-200'
done
printf '#Life 1.05\n#R 23/3:T4,4\n#P 0 0\n***\n' >outside.lif
expect_status 0 "$ENGINE" convert outside.lif outside.rle --force
expect_stderr_has 'the pattern of 3 x 1 cells is not inside its grid of 4 x 4; the cells outside are left out'
expect_equal 'what is inside' "$(cat outside.rle)" $'#CXRLE Pos=0,0 Gen=0\nx = 2, y = 1, rule = 23/3:T4,4\n2o!'

# ---- Rules and edges. Conway's rule has a line of its own in Life 1.05.
printf 'x = 2, y = 1, rule = B3/S23\n2o!\n' >glider.rle
converted conway.lif $'#Life 1.05\n#N\n#P -1 0\n**'
printf 'x = 2, y = 1\n2o!\n' >glider.rle
converted none.lif $'#Life 1.05\n#P -1 0\n**'
converted none.mcl $'#MCell 4.00\n#L 2A'
converted none.cells $'!\nOO'
printf 'x = 2, y = 1, rule = b2-a/S12:P4,4\n2o!\n' >glider.rle
converted letters.lif $'#Life 1.05\n#R b2-a/S12:P4,4\n#P -1 0\n**'
converted letters.mcl $'#MCell 4.00\n#GAME Rules table\n#GOLLY b2-a/S12\n#BOARD 4x4\n#WRAP 0\n#L 2A'
printf 'x = 2, y = 1, rule = B2/S:K4*,4\n2o!\n' >glider.rle
converted seeds.lif $'#Life 1.05\n#R /2:K4*,4\n#P -1 0\n**'
converted seeds.mcl $'#MCell 4.00\n#GAME Life\n#RULE /2\n#L 2A'
printf 'x = 2, y = 1, rule = R5,C0,M1,S34..58,B34..45,NM\n2o!\n' >glider.rle
converted larger.mcl $'#MCell 4.00\n#GAME Larger than Life\n#RULE R5,C0,M1,S34..58,B34..45,NM\n#L 2A'

# ---- Many states: 1 is A, 24 X, 25 aA, 48 aX, 49 bA and 255 jO
printf 'x = 6, y = 2, rule = 345/2/256\n$AXpApXqAyO!\n' >glider.rle
converted many.mcl $'#MCell 4.00\n#GAME Generations\n#RULE 345/2/256\n#L $AXaAaXbAjO'
expect_status 0 "$ENGINE" convert many.mcl many.rle
expect_equal 'its states are read back' "$(tail -n 1 many.rle)" 'AXpApXqAyO!'
for format in cells lif life; do
    refused "256 states in $format" 6 'cannot hold any of the arrays' "$ENGINE" convert glider.rle "many.$format"
    expect 'mcl is named' grep -q 'formats that can: rle .*mcl' stderr
done

# ---- Lines of at most 70 characters and "#L "
perl -e 'print "x = 200, y = 3\n", "bo" x 100, "\$", "bo" x 100, "\$!"' >glider.rle
expect_status 0 "$ENGINE" convert glider.rle long.mcl
expect_equal 'no line is longer' "$(grep '^#L ' long.mcl | awk 'length > 73' | wc -l)" 0
expect_status 0 "$ENGINE" convert long.mcl long.rle --quiet
expect_equal 'the cells of long lines' "$(tail -n +3 long.rle | tr -d '\n')" "$(perl -e 'print "o", "bo" x 99, "\$o", "bo" x 99, "!"')"

# ---- A run, whose files have the whole grid and notes
[ -e "$BUILD/plugins/life2d-bit.so" ] || { plan && exit "$status"; }
printf '[run]\nplugin = life2d-bit\nsteps = 1\noutput = run\n[grid]\nsize = 5 4\n[init]\nfile = blinker.cells\n[output]\nformats = cells life105 life106 mcl npy\n' >run.ini
printf '!\nOOO\n' >blinker.cells
expect_status 0 "$ENGINE" run run.ini --quiet
expect_equal 'plaintext of a run' "$(grep -v '^!' run/cells-0000000001.cells)" $'.....\n..O..\n..O..\n..O..'
expect_equal 'its rule' "$(head -n 1 run/cells-0000000001.cells)" '!Rule: B3/S23'
expect 'its notes' grep -q '^!Plugin: life2d-bit' run/cells-0000000001.cells
expect_equal 'Life 1.06 of a run' "$(cat run/cells-0000000001.life106)" $'#Life 1.06\n0 -1\n0 0\n0 1'
expect_equal 'Life 1.05 of a run' "$(grep -v '^#D' run/cells-0000000001.life105)" \
    $'#Life 1.05\n#R 23/3:T5,4\n#P -2 -2\n.....\n..*..\n..*..\n..*..'
expect_equal 'MCell of a run' "$(grep -v '^#D' run/cells-0000000001.mcl)" \
    $'#MCell 4.00\n#GAME Life\n#RULE 23/3\n#BOARD 5x4\n#WRAP 1\n#L $2.A$2.A$2.A'
plan
