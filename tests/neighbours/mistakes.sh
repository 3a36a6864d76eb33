#!/bin/bash
# `create` refuses a plugin whose table of fields does not fit the members of its rule.
. "$(dirname "$0")/../lib.sh"
read -r -a cc <<<"${CC:-cc}"
umask 022 # files of a plugin may not be writable by others
touch "$TMP/empty.ini"

# mistaken NAME SED REASON
mistaken() {
    sed "$2" tests/neighbours/space.h >"$TMP/wrong.h"
    expect_not "$1: the rule is changed" cmp -s tests/neighbours/space.h "$TMP/wrong.h"
    expect "$1: it compiles" "${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude -Itests/neighbours -I"$TMP" \
        -DRULE='"wrong.h"' -DNAME='"wrong"' tests/neighbours/plugin.c -lm -o "$TMP/wrong.so"
    expect_status 4 "$ENGINE" run "$TMP/empty.ini" --plugins "$TMP" --set run.plugin=wrong \
        --set run.implementation=cpu --set particles.count=10 --set init.source=random --set run.output="$TMP/out" --force
    expect_stderr_has "$3"
}
mistaken 'fields of one type in another order' \
    's/FIELD("position"/FIELD("other"/; s/FIELD("velocity"/FIELD("position"/; s/FIELD("other"/FIELD("velocity"/' \
    "member 'position' has the place of field 'velocity'; put the members in the order of the fields"
mistaken 'a type of another size' 's/ENGINE_INPUT, ENGINE_F64/ENGINE_INPUT, ENGINE_F32/' \
    "the type of member 'mass' is not that of its field 'mass'"
plan
