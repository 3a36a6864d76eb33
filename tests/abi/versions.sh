#!/bin/bash
# Plugins that were built with the headers of interfaces 1.2 and 1.11 work in this engine, and their sources compile with
# the present headers. Authors see members of a later minor version only if they ask for it, and the structures have the
# same layout for everybody.
. "$(dirname "$0")/../lib.sh"

read -r -a cc <<<"${CC:-cc}"
read -r -a cxx <<<"${CXX:-g++}"
strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
umask 022 # files of a plugin may not be writable by others
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

# ---- Plugins of 1.2 and of 1.11 ----

# old SOURCE HEADERS FOLDER OPTION…: compiles a plugin of tests/abi with the headers of a folder.
old() {
    local source=$1 headers=$2 folder=$3
    shift 3
    mkdir -p "$folder"
    expect "$source compiles with the headers in $headers" "${cc[@]}" -std=c11 "${strict[@]}" "$@" -O2 -I"$headers" \
        -fPIC -shared -fvisibility=hidden "tests/abi/$source.c" -o "$folder/$source.so"
}

# Options that ask for 1.2, because ENGINE_MINOR is younger than that version, and generators have further members since.
asks_for_2=(-DENGINE_MINOR=2 -Wno-missing-field-initializers)
old old-life tests/abi/1.2 "$TMP/frozen"
old old-life include "$TMP/present" "${asks_for_2[@]}"
for source in old-brain old-rows; do
    old $source tests/abi/1.11 "$TMP/frozen"
    old $source include "$TMP/present"
done

# State after some steps. $1: folder of plugins; $2: configuration; then options.
hash_of() {
    local folder=$1 configuration=$2
    shift 2
    "$ENGINE" run "$configuration" --plugins "$folder" --plugins "$BUILD/plugins" --json --quiet --force \
        --set run.output="$TMP/out" "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}

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
for pattern in gosper-gun replicator; do # B3/S23 and B36/S23
    options=(--set init.file="$PWD/configs/patterns/$pattern.rle" --set grid.size='131 77' --set run.steps=101)
    expected=$(hash_of "$TMP" configs/gosper-gun.ini --set run.plugin=life2d-lut "${options[@]}")
    expect "$pattern: life2d-lut gives a hash" test -n "$expected"
    for headers in frozen present; do
        for implementation in cpu cpu-odd cpu-own; do
            expect_equal "$pattern: $implementation of 1.2, headers $headers, comes to the state of life2d-lut" \
                "$(hash_of "$TMP/$headers" configs/gosper-gun.ini --set run.plugin=old-life "${options[@]}" \
                    --set run.implementation=$implementation)" "$expected"
        done
    done
done

for headers in frozen present; do
    expect_status 0 "$ENGINE" verify "$TMP/soup.ini" --plugins "$TMP/$headers"
    for implementation in cpu-odd cpu-own; do
        expect "$headers: $implementation is bit-equal" grep -Eq "^ *$implementation .*bit-equal" "$TMP/stdout"
    done
    expect_status 0 "$ENGINE" run "$TMP/soup.ini" --plugins "$TMP/$headers" --force --json --set run.output="$TMP/out"
    expect_stdout_has '"cells":3072'
    expect_stdout_has '"stripe":"3"'
    expect_stdout_has '"rate_unit":"old cells/s"'
    expect_status 2 "$ENGINE" check "$TMP/soup.ini" --plugins "$TMP/$headers" --set old-life.rule=B9/S
    expect_stderr_has "'B9/S' is not a rule"
    # It cannot say whether its steps use the seed, so they may.
    expect_status 0 "$ENGINE" check "$TMP/soup.ini" --plugins "$TMP/$headers" --set init.source=defaults \
        --set init.seed=3
    expect_status 0 "$ENGINE" list --plugins "$TMP/$headers"
    expect_stdout_has old-life
done

cat >"$TMP/brain.ini" <<'END'
[run]
plugin = old-brain
steps = 60
threads = 2
[grid]
size = 61 47
[init]
source = random
seed = 5
[generations]
rule = /2/3
[output]
every = 0
END
cat >"$TMP/rows.ini" <<'END'
[run]
plugin = old-rows
steps = 5
[matrix]
rows = 53
columns = 31
element = int32
[init]
source = random
[output]
every = 0
END

# same NAME CONFIGURATION PLUGIN OPTIONS IMPLEMENTATION…: the implementations of 1.11, which may have options behind
# them, come to the state of a plugin of this version.
same() {
    local name=$1 configuration=$TMP/$2.ini plugin=$3 expected headers implementation
    read -r -a options <<<"$4"
    shift 4
    expected=$(hash_of "$TMP" "$configuration" --set run.plugin="$plugin" "${options[@]}")
    expect "$name: $plugin gives a hash" test -n "$expected"
    for headers in frozen present; do
        for implementation in "$@"; do
            read -r -a chosen <<<"--set run.implementation=$implementation"
            expect_equal "$name: $implementation of 1.11, headers $headers, comes to the state of $plugin" \
                "$(hash_of "$TMP/$headers" "$configuration" "${options[@]}" "${chosen[@]}")" "$expected"
        done
    done
}
same 'a torus' brain generations '' cpu cpu-team cpu-batch cpu-settle cpu-dead 'cpu --set run.parts=3' \
    'cpu-team --set run.parts=3'
same 'dead edges' brain generations '--set grid.edges=dead' cpu cpu-dead 'cpu --set run.parts=2'
same 'a batch' brain generations '--set grid.batch=3' cpu cpu-batch
same 'rows and columns' rows transpose '' cpu 'cpu --set run.parts=2' 'cpu --set run.parts=3'

# The headers of today give the same plugins, so one of each pair is enough here.
for plugin in old-life.so old-brain.so old-rows.so; do
    words=()
    [ $plugin != old-rows.so ] || words=("$TMP/rows.ini")
    expect_status 0 "$ENGINE" conform "$TMP/frozen/$plugin" "${words[@]}"
    expect_stdout_hasnt 'not ok'
done

for headers in frozen present; do
    # The members whose meaning extensions have since 1.12, and what retired names promised.
    expect_status 0 "$ENGINE" check "$TMP/brain.ini" --plugins "$TMP/$headers"
    expect_stdout_has 'cpu: chosen; would pay in any case'
    expect_status 0 "$ENGINE" run "$TMP/brain.ini" --plugins "$TMP/$headers" --force --json --set run.output="$TMP/out" \
        --set run.implementation=cpu-settle --set init.source=blinks --set output.formats=png,rle --set run.steps=9
    expect_stdout_has '"settled-steps":"9"'
    expect_equal "$headers: the plugin's colours" \
        "$(perl -0777 -ne '/PLTE(.{9})/s and print join " ", unpack "C*", $1' "$TMP/out/cells-0000000009.png")" \
        '1 2 3 255 0 0 0 0 255'
    expect "$headers: the plugin's spelling" grep -q 'rule = old:brain' "$TMP/out/cells-0000000009.rle"
done

# ---- Later members on request ----

# Compiles lines after an include of the header, with ENGINE_MINOR = $1 or without it where that is empty. $2: c or c++.
# What the compiler said is in $TMP/said.
compiles() {
    local minor=$1 language=$2 compiler=("${cc[@]}" -std=c11)
    shift 2
    [ "$language" = c ] || compiler=("${cxx[@]}" -std=c++17)
    printf '%s\n' ${minor:+"#define ENGINE_MINOR $minor"} '#include <engine/plugin.h>' "$@" >"$TMP/plugin.$language"
    "${compiler[@]}" "${strict[@]}" -Iinclude -I. -x "$language" -fsyntax-only "$TMP/plugin.$language" >"$TMP/said" 2>&1
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
extension='int has(const struct engine_plugin *p); int has(const struct engine_plugin *p) { return p->extension != 0; }'
each='int differ(const struct engine_plan *p); int differ(const struct engine_plan *p) { return p->each != NULL; }'
rows='unsigned own(void); unsigned own(void) { return ENGINE_OWN_ROWS; }'
abi() {
    echo "extern const struct engine_abi abi; const struct engine_abi abi = ENGINE_ABI($1);"
}

capabilities=()
for header in batch bench edges files layout parts pictures queue retired tiles tree; do
    capabilities+=("#include <engine/$header.h>")
done

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
    expect_not "$language: extensions do not compile for who asks for 1.11" compiles 11 $language "$extension"
    expect "$language: they compile for who asks for 1.12" compiles 12 $language "$extension"
    expect_not "$language: the plans of universes do not compile for who asks for 1.15" compiles 15 $language "$each"
    expect "$language: they compile for who asks for 1.16" compiles 16 $language "$each"

    # Who asks for 1.12 includes the headers of the capabilities by name.
    expect "$language: ENGINE_OWN_ROWS compiles for who asks for 1.11" compiles 11 $language "$rows"
    expect_not "$language: it does not for who asks for 1.12" compiles 12 $language "$rows"
    expect "$language: it does with its header" compiles 12 $language '#include <engine/parts.h>' "$rows"
    expect "$language: who asks for the newest version gets all headers" \
        compiles ENGINE_ABI_MINOR $language '#include "tests/unit/abi_layout.h"'

    expect "$language: ENGINE_ABI(0) compiles for who asks for nothing" compiles '' $language "$(abi 0)"
    expect "$language: ENGINE_ABI(2) compiles for who asks for 1.2" compiles 2 $language "$(abi 2)"
    expect_not "$language: ENGINE_ABI(2) does not compile for who asks for nothing" compiles '' $language "$(abi 2)"
    expect_not "$language: ENGINE_ABI(0) does not compile for who asks for 1.2" compiles 2 $language "$(abi 0)"
    expect_not "$language: a version that is not there yet does not compile" compiles 17 $language
    expect "$language: the compiler says why" grep -q 'ENGINE_MINOR is newer than this header' "$TMP/said"

    for minor in '' 0 1 2 3 4 5 6 7 8 9 10 11; do
        expect "$language: sizes and offsets are frozen, ENGINE_MINOR ${minor:-not defined}" \
            compiles "$minor" $language '#include "tests/unit/abi_layout.h"'
    done
    for minor in 12 13 14 15 16; do
        expect "$language: sizes and offsets are frozen, ENGINE_MINOR $minor" \
            compiles $minor $language "${capabilities[@]}" '#include "tests/unit/abi_layout.h"'
    done
done
expect_not 'C: ENGINE_ABI(2) alone' compiles '' c "$(abi 2)"
expect 'C: the compiler says which line is missing' grep -q '#define ENGINE_MINOR n' "$TMP/said"

# The frozen headers are those of the numbers.
printf '%s\n' '#include <engine/plugin.h>' '#include "tests/unit/abi_layout.h"' >"$TMP/frozen.c"
for minor in 2 11; do
    expect "sizes and offsets of 1.$minor are the same" "${cc[@]}" -std=c11 -DENGINE_MINOR=$minor \
        -Itests/abi/1.$minor -I. -c "$TMP/frozen.c" -o "$TMP/frozen.o"
    expect "the frozen header is that of 1.$minor" \
        grep -q "^#define ENGINE_ABI_MINOR $minor " tests/abi/1.$minor/engine/plugin.h
done
plan
