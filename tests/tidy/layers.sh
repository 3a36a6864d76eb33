#!/bin/bash
# core/ and cli/ keep the include rule, and tools/check-layers finds each way to break it.
. "$(dirname "$0")/../lib.sh"

expect 'the sources keep the include rule' tools/check-layers

# tree: makes a small tree that keeps the rule. put FILE LINE…: writes a file there. finds SENTENCE: the check prints it
# and fails; without a sentence it succeeds.
put() {
    mkdir -p "$TMP/tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$TMP/tree/$1"
}

tree() {
    rm -rf "$TMP/tree"
    put core/base/error.h '#include <stdio.h>'
    put core/io/io.h '#include "base/error.h"'
    put core/io/io.c '#include "io/io.h"' '#include "io/png.h"'
    put core/io/png.h '#include "base/error.h"'
    put core/judge/conform/conform.h '#include "io/io.h"'
    put cli/main.h '#include <engine/engine.h>'
    put cli/main.c '#include "main.h"'
}

finds() {
    local wanted="0 "
    [ -n "$1" ] && wanted="1 $1"
    run tools/check-layers "$TMP/tree"
    expect_equal "found: ${1:-nothing}" "$status $(<"$TMP/stdout")" "$wanted"
}

tree
finds ''

tree
put core/base/text.h '/* comment */' '#include "io/io.h"'
finds 'core/base/text.h:2: core/io/io.h belongs to a later layer: io comes after base'

tree
put core/judge/judge.h '#include "judge/conform/conform.h"'
finds 'core/judge/judge.h:1: core/judge/conform/conform.h belongs to a later layer: judge/conform comes after judge'

tree
put core/io/png.h '#include "io/io.h"' # io.c includes png.h: each module needs the other, although no header does
finds 'core/io/png.h:1: these modules include each other: core/io/io -> core/io/png -> core/io/io'

tree
put core/io/png.h '#include "io/shade.h"'
put core/io/shade.h '#include "io/io.h"'
finds 'core/io/shade.h:1: these modules include each other: core/io/io -> core/io/png -> core/io/shade -> core/io/io'

tree
put core/io/shade.h '#include "io/png.h"'
put core/io/png.c '#include "io/shade.h"'
finds 'core/io/shade.h:1: these modules include each other: core/io/png -> core/io/shade -> core/io/png'

layers='base memory config plugin io plan run ensemble judge judge/conform report api'
tree
put core/misc/misc.h '#include <stdio.h>'
finds "core/misc/misc.h:1: the folder is not a layer; expected one of $layers"

tree
put core/misc.h '#include <stdio.h>'
finds "core/misc.h:1: the folder is not a layer; expected one of $layers"

tree
put cli/verbs.c '#include "io/io.h"'
finds 'cli/verbs.c:1: there is no file cli/io/io.h; cli/ includes its own headers and <engine/...>'

tree
put cli/verbs.c '#include "../core/io/io.h"'
finds 'cli/verbs.c:1: there is no file cli/../core/io/io.h; cli/ includes its own headers and <engine/...>'

# The real sources, with one include added.
rm -rf "$TMP/tree" && mkdir "$TMP/tree" && cp -r core cli "$TMP/tree"
echo '#include "api/handles.h"' >>"$TMP/tree/core/base/error.h"
run tools/check-layers "$TMP/tree"
expect_stdout_has 'core/api/handles.h belongs to a later layer: api comes after base'
plan
