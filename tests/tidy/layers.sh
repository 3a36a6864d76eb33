#!/bin/bash
# core/, lib/, formats/ and cli/ keep the include rule, and tools/check-layers finds each way to break it.
. "$(dirname "$0")/../lib.sh"

expect 'the sources keep the include rule' tools/check-layers

# tree: makes a small tree that keeps the rule. put FILE LINE…: writes a file there. finds SENTENCE: the check prints it
# and fails; without a sentence it succeeds.
put() {
    mkdir -p "$TMP/tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$TMP/tree/$1"
}

listed='lib/judge/conform/conform.h lib/files/io.h'
tree() {
    rm -rf "$TMP/tree"
    put core/base/error.h '#include <stdio.h>'
    put core/api/handles.h '#include "base/error.h"'
    put lib/files/io.h '#include "base/error.h"'
    put lib/files/io.c '#include "files/io.h"'
    put formats/pictures/png.h '#include "files/io.h"'
    put formats/pictures/png.c '#include "formats/pictures/png.h"' '#include "formats/pictures/shade.h"'
    put formats/pictures/shade.h '#include "base/error.h"'
    put formats/gsd/format.c '#include "common/columns.h"'
    put lib/judge/conform/conform.h '#include "files/io.h"'
    put tools/client-includes "$listed"
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
put core/base/text.h '/* comment */' '#include "api/handles.h"'
finds 'core/base/text.h:2: core/api/handles.h belongs to a later layer: core/api comes after core/base'

tree
put core/base/text.h '#include "files/io.h"'
finds 'core/base/text.h:1: there is no file core/files/io.h; core/ includes its own headers alone'

tree
put lib/files/text.h '#include "formats/pictures/png.h"'
finds 'lib/files/text.h:1: formats/pictures/png.h belongs to a later layer: formats/pictures comes after lib/files'

tree
put lib/judge/judge.h '#include "judge/conform/conform.h"'
finds 'lib/judge/judge.h:1: lib/judge/conform/conform.h belongs to a later layer: lib/judge/conform comes after lib/judge'

tree # png.c includes shade.h: each module needs the other, although no header does
put formats/pictures/shade.h '#include "formats/pictures/png.h"'
finds 'formats/pictures/shade.h:1: these modules include each other: formats/pictures/png -> formats/pictures/shade -> formats/pictures/png'

tree
put formats/pictures/shade.h '#include "formats/pictures/map.h"'
put formats/pictures/map.h '#include "formats/pictures/png.h"'
finds 'formats/pictures/shade.h:1: these modules include each other: formats/pictures/map -> formats/pictures/png -> formats/pictures/shade -> formats/pictures/map'

layers='core/base core/memory core/config core/plugin core/plan core/run core/api lib/objects lib/cuda lib/files formats/patterns formats/particles formats/pictures formats/arrays lib/parts lib/tiles lib/tree lib/record lib/identify lib/ensemble lib/judge lib/judge/conform lib/report lib'
tree
put core/misc/misc.h '#include <stdio.h>'
finds "core/misc/misc.h:1: the folder is not a layer; expected one of $layers"

tree
put lib/misc/misc.h '#include <stdio.h>'
finds "lib/misc/misc.h:1: the folder is not a layer; expected one of $layers"

tree
put core/misc.h '#include <stdio.h>'
finds "core/misc.h:1: the folder is not a layer; expected one of $layers"

tree
put cli/verbs.c '#include "files/io.h"'
finds 'cli/verbs.c:1: there is no file cli/files/io.h; cli/ includes its own headers and <engine/...>'

tree
put cli/verbs.c '#include "../core/api/handles.h"'
finds 'cli/verbs.c:1: there is no file cli/../core/api/handles.h; cli/ includes its own headers and <engine/...>'

tree # judge includes io.h, which is not public
put lib/judge/judge.h '#include <engine/engine.h>' '#include "base/error.h"' '#include "files/io.h"'
finds 'lib/judge/judge.h:3: lib/files/io.h is no public header; a client of the engine includes <engine/...>'
put tools/client-includes 'lib/judge/judge.h lib/files/io.h' "$listed"
finds ''
put lib/judge/judge.h '#include "base/error.h"'
finds 'tools/client-includes:1: lib/judge/judge.h does not include lib/files/io.h any more; remove this line'

# The real sources, with one include added.
rm -rf "$TMP/tree" && mkdir -p "$TMP/tree/tools" && cp -r core lib formats cli "$TMP/tree"
cp tools/client-includes "$TMP/tree/tools"
echo '#include "api/handles.h"' >>"$TMP/tree/core/base/error.h"
run tools/check-layers "$TMP/tree"
expect_stdout_has 'core/api/handles.h belongs to a later layer: core/api comes after core/base'
plan
