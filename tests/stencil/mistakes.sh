#!/bin/bash
# `create` refuses a plugin whose table of fields does not fit the macros of its rule.
. "$(dirname "$0")/../lib.sh"
read -r -a cc <<<"${CC:-cc}"
umask 022 # files of a plugin may not be writable by others
touch "$TMP/empty.ini"

compiled() {
    "${cc[@]}" -std=c11 -fPIC -shared -Iinclude -Itests/stencil -I"$TMP" -DNUMBER=2 -DRULE='"wrong.h"' \
        -DNAME='"wrong"' tests/stencil/plugin.c -lm -o "$TMP/wrong.so"
}

# mistaken NAME RULE SIZE SED REASON…
mistaken() {
    sed "$4" "tests/stencil/$2.h" >"$TMP/wrong.h"
    expect_not "$1: the rule is changed" cmp -s "tests/stencil/$2.h" "$TMP/wrong.h"
    expect "$1: it compiles" compiled
    expect_status 4 "$ENGINE" run "$TMP/empty.ini" --plugins "$TMP" --set run.plugin=wrong \
        --set run.implementation=cpu \
        --set grid.size="$3" --set init.source=random --set run.output="$TMP/out" --force
    expect_stderr_has "$5"
}
mistaken 'a smaller reach' box '9 9' 's/\.reach = {NUMBER, NUMBER, 0}/.reach = {2, 1, 0}/' \
    "the reach of field 'cells' along y is 1; expected STENCIL_REACH, 2"
mistaken 'no reach' line 9 's/\.reach = {NUMBER, 0, 0}/.flags = 0/' \
    "the reach of field 'cells' along x is 0; expected STENCIL_REACH, 2"
mistaken 'fewer axes' star 9 's/ 3), .reach = {NUMBER, NUMBER, NUMBER}/ 1), .reach = {NUMBER, 0, 0}/' \
    "the field 'level' has 1 axes; expected STENCIL_AXES, 3"
mistaken 'a type of another size' box '9 9' 's/ENGINE_U32/ENGINE_U8/' \
    "the type of member 'wide' is not that of its field 'wide'"
mistaken 'a signed type' box '9 9' 's/ENGINE_U32/ENGINE_I32/' \
    "the type of member 'wide' is not that of its field 'wide'"
mistaken 'an integer for a float' mixed '9 9' 's/ENGINE_F32, 2), .reach/ENGINE_U32, 2), .reach/' \
    "the type of member 'level' is not that of its field 'level'"
mistaken 'a member without a field' line 9 's/\.components = 2/.components = 1/' "member 'right' has no field"
mistaken 'a component without a member' line 9 's/\.components = 2/.components = 3/' \
    'STENCIL_CELL has 3 members; expected one for each component of the states'
mistaken 'more sums than metrics' box '9 9' 's/STENCIL_SUMS  *2/STENCIL_SUMS 3/' \
    'the plugin has 2 metrics; expected STENCIL_SUMS, 3'
mistaken 'members of one type in the order of another table' mixed '9 9' \
    's/float, level) member(double, slow/float, slow) member(float, level/; s/ENGINE_F64/ENGINE_F32/' "member 'slow' has the place of field 'level'"
mistaken 'more values than bits' bits '9 9' 's/\.values = MOST + 1/.values = 16/' \
    "the field 'cells' has .values = 16; with STENCIL_BITS 2, expected 1 to 4"
mistaken 'any value' bits '9 9' 's/\.values = MOST + 1/.values = 0/' "the field 'cells' has .values = 0"
mistaken 'metrics without sums' box '9 9' 's/STENCIL_SUMS  *2/METRICS 2/' \
    'the plugin has 2 metrics; expected STENCIL_SUMS, 0'

# A neighbour in a corner of a star, where the offsets are constants.
for offsets in '1, -1, 0' '0, 1, 1' '-1, 0, 2' '2, 1, -1'; do
    sed "s/engine_at(near, [^)]*)/engine_at(near, $offsets)/" tests/stencil/star.h >"$TMP/wrong.h"
    expect_status 1 compiled
    expect_stderr_has 'with STENCIL_STAR, engine_at reads neighbours along one axis at a time'
done
cp tests/stencil/star.h "$TMP/wrong.h"
expect 'STENCIL_STAR: neighbours along the axes compile' compiled
plan
