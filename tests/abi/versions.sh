#!/bin/bash
# A plugin that was built with the header of interface 1.2 works in this engine. Authors see members of a later minor
# version only if they ask for it, and the structures have the same layout for everybody.
. "$(dirname "$0")/../lib.sh"

read -r -a cc <<<"${CC:-cc}"
read -r -a cxx <<<"${CXX:-g++}"
strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
umask 022 # files of a plugin may not be writable by others
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

# ---- A binary of 1.2 ----
expect 'old-life compiles with the header of 1.2' "${cc[@]}" -std=c11 "${strict[@]}" -O2 -Itests/abi/1.2 -fPIC -shared \
    -fvisibility=hidden tests/abi/old-life.c -o "$TMP/old-life.so"

# State after some steps from a pattern whose file gives the rule. $1: plugin; then options.
hash_of() {
    local plugin=$1
    shift
    "$ENGINE" run configs/gosper-gun.ini --plugins "$TMP" --plugins "$BUILD/plugins" --json --quiet --force \
        --set run.plugin="$plugin" --set run.output="$TMP/out" "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}

for pattern in gosper-gun replicator; do # B3/S23 and B36/S23
    options=(--set init.file="$PWD/configs/patterns/$pattern.rle" --set grid.size='131 77' --set run.steps=101)
    expected=$(hash_of life2d-lut "${options[@]}")
    expect "$pattern: life2d-lut gives a hash" test -n "$expected"
    for implementation in cpu cpu-odd cpu-own; do
        expect_equal "$pattern: $implementation of 1.2 comes to the state of life2d-lut" \
            "$(hash_of old-life "${options[@]}" --set run.implementation=$implementation)" "$expected"
    done
done

cat >"$TMP/soup.ini" <<'END'
[run]
plugin = old-life
steps = 40
[grid]
size = 64 48
[init]
source = soup
[old-life]
where = middle
share = 0.5
stripe = 3
[output]
every = 40
formats = png
END
expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --plugins "$TMP"
for implementation in cpu-odd cpu-own; do
    expect "$implementation is bit-equal" grep -Eq "^ *$implementation .*bit-equal" "$TMP/stdout"
done
expect_status 0 "$ENGINE" conform "$TMP/old-life.so"
expect_stdout_hasnt 'not ok'
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --plugins "$TMP" --force --json --set run.output="$TMP/out"
expect_stdout_has '"cells":3072'
expect_stdout_has '"stripe":"3"'
expect_stdout_has '"rate_unit":"old cells/s"'
expect_status 2 "$ENGINE" check "$TMP/soup.ini" --plugins "$TMP" --set old-life.rule=B9/S
expect_stderr_has "'B9/S' is not a rule"
# It cannot say whether its steps use the seed, so they may.
expect_status 0 "$ENGINE" check "$TMP/soup.ini" --plugins "$TMP" --set init.source=defaults --set init.seed=3
expect_status 0 "$ENGINE" list --plugins "$TMP"
expect_stdout_has old-life

# ---- Later members on request ----

# Compiles lines after an include of the header, with ENGINE_MINOR = $1 or without it where that is empty. $2: c or c++.
# What the compiler said is in $TMP/said.
compiles() {
    local minor=$1 language=$2 compiler=("${cc[@]}" -std=c11)
    shift 2
    [ "$language" = c ] || compiler=("${cxx[@]}" -std=c++17)
    printf '%s\n' ${minor:+"#define ENGINE_MINOR $minor"} '#include <engine/plugin.h>' "$@" >"$TMP/plugin.$language"
    "${compiler[@]}" "${strict[@]}" -Iinclude -I. -x "$language" -c "$TMP/plugin.$language" -o "$TMP/plugin.o" >"$TMP/said" 2>&1
}

odd='void odd(struct engine_layout *l); void odd(struct engine_layout *l) { l->row_odd = 1; }'
range='void wide(struct engine_field *f); void wide(struct engine_field *f) { f->range[1] = 1; }'
flags='void flag(struct engine_generator *g); void flag(struct engine_generator *g) { g->flags = 1; }'
part='uint64_t rows(const struct engine_plan *p); uint64_t rows(const struct engine_plan *p) { return p->part.whole[1]; }'
universes='uint64_t all(const struct engine_plan *p); uint64_t all(const struct engine_plan *p) { return p->universes; }'
edge='uint32_t one(const struct engine_plan *p); uint32_t one(const struct engine_plan *p) { return p->edges.kind[0]; }'
symbols='uint32_t all(const struct engine_plan *p); uint32_t all(const struct engine_plan *p) { return p->symbols.count; }'
exchange='int all(const struct engine_team *t); int all(const struct engine_team *t) { return t->exchange != NULL; }'
advise='int has(const struct engine_impl *i); int has(const struct engine_impl *i) { return i->advise != 0; }'
spell='int has(const struct engine_param *p); int has(const struct engine_param *p) { return p->spell != 0; }'
settle='int has(const struct engine_impl *i); int has(const struct engine_impl *i) { return i->settle != 0; }'
abi() {
    echo "extern const struct engine_abi abi; const struct engine_abi abi = ENGINE_ABI($1);"
}

for language in c c++; do
    expect_not "$language: row_odd does not compile for who asks for nothing" compiles '' $language "$odd"
    expect "$language: the compiler names it" grep -q row_odd "$TMP/said"
    expect_not "$language: nor for who asks for 1.1" compiles 1 $language "$odd"
    expect "$language: it compiles for who asks for 1.2" compiles 2 $language "$odd"
    expect_not "$language: range does not compile for who asks for 1.0" compiles 0 $language "$range"
    expect "$language: it compiles for who asks for 1.1" compiles 1 $language "$range"
    expect_not "$language: flags of a generator do not compile for who asks for 1.3" compiles 3 $language "$flags"
    expect "$language: they compile for who asks for 1.4" compiles 4 $language "$flags"
    expect_not "$language: the part of a plan does not compile for who asks for 1.4" compiles 4 $language "$part"
    expect "$language: it compiles for who asks for 1.5" compiles 5 $language "$part"
    expect_not "$language: the universes of a plan do not compile for who asks for 1.6" compiles 6 $language "$universes"
    expect "$language: they compile for who asks for 1.7" compiles 7 $language "$universes"
    expect_not "$language: the edges of a plan do not compile for who asks for 1.7" compiles 7 $language "$edge"
    expect "$language: they compile for who asks for 1.8" compiles 8 $language "$edge"
    expect_not "$language: the symbols of a plan do not compile for who asks for 1.7" compiles 7 $language "$symbols"
    expect "$language: they compile for who asks for 1.8" compiles 8 $language "$symbols"
    expect_not "$language: exchange does not compile for who asks for 1.8" compiles 8 $language "$exchange"
    expect "$language: it compiles for who asks for 1.9" compiles 9 $language "$exchange"
    expect_not "$language: the advice of an implementation does not compile for who asks for 1.8" compiles 8 $language "$advise"
    expect "$language: it compiles for who asks for 1.9" compiles 9 $language "$advise"
    expect_not "$language: the spelling of a parameter does not compile for who asks for 1.9" compiles 9 $language "$spell"
    expect "$language: it compiles for who asks for 1.10" compiles 10 $language "$spell"
    expect_not "$language: the end of a call does not compile for who asks for 1.10" compiles 10 $language "$settle"
    expect "$language: it compiles for who asks for 1.11" compiles 11 $language "$settle"

    expect "$language: ENGINE_ABI(0) compiles for who asks for nothing" compiles '' $language "$(abi 0)"
    expect "$language: ENGINE_ABI(2) compiles for who asks for 1.2" compiles 2 $language "$(abi 2)"
    expect_not "$language: ENGINE_ABI(2) does not compile for who asks for nothing" compiles '' $language "$(abi 2)"
    expect_not "$language: ENGINE_ABI(0) does not compile for who asks for 1.2" compiles 2 $language "$(abi 0)"
    expect_not "$language: a version that is not there yet does not compile" compiles 12 $language
    expect "$language: the compiler says why" grep -q 'ENGINE_MINOR is newer than this header' "$TMP/said"

    for minor in '' 0 1 2 3 4 5 6 7 8 9 10 11; do
        expect "$language: sizes and offsets are frozen, ENGINE_MINOR ${minor:-not defined}" \
            compiles "$minor" $language '#include "tests/unit/abi_layout.h"'
    done
done
expect_not 'C: ENGINE_ABI(2) alone' compiles '' c "$(abi 2)"
expect 'C: the compiler says which line is missing' grep -q '#define ENGINE_MINOR n' "$TMP/said"

# The frozen header is that of the numbers.
printf '%s\n' '#include <engine/plugin.h>' '#include "tests/unit/abi_layout.h"' >"$TMP/frozen.c"
expect 'sizes and offsets of 1.2 are the same' "${cc[@]}" -std=c11 -Itests/abi/1.2 -I. -c "$TMP/frozen.c" -o "$TMP/frozen.o"
expect 'the frozen header is that of 1.2' grep -q '^#define ENGINE_ABI_MINOR 2 ' tests/abi/1.2/engine/plugin.h
plan
