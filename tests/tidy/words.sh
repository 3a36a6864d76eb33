#!/bin/bash
# The texts of libengine name no more options, verbs, plugins and formats than tools/words allows, and tools/check-words finds
# each kind.
. "$(dirname "$0")/../lib.sh"

expect 'the texts keep to tools/words' tools/check-words

# tree TEXT…: a small tree whose core/a.c has these lines. finds N KIND: the check finds so many texts of that kind, and
# fails; of no kind, it succeeds.
tree() {
    rm -rf "$TMP/tree"
    mkdir -p "$TMP/tree/core" "$TMP/tree/lib/files" "$TMP/tree/formats/arrays" "$TMP/tree/cli" "$TMP/tree/plugins/rdf" "$TMP/tree/plugins/matrix" "$TMP/tree/tools"
    printf '%s\n' 'ENGINE_FILE_FORMAT("npy", "1.0", "NumPy array", ".npy")' >"$TMP/tree/formats/arrays/npy.c"
    printf '%s\n' 'const struct verb verb_run = {' '    .name = "run",' '};' >"$TMP/tree/cli/verb_run.c"
    printf '%s 0\n' options verbs mpirun plugins formats >"$TMP/tree/tools/words"
    printf '%s\n' "$@" >"$TMP/tree/core/a.c"
}

finds() {
    run tools/check-words "$TMP/tree"
    expect_equal "found: ${1:-nothing}" "$status $(sed -n 's/^core[^:]*:\([0-9]*\): \([a-z]*\): .*/\1 \2/p' "$TMP/stdout" |
        paste -sd ',')" "$([ -n "$1" ] && echo 1 || echo 0) $1"
}

tree '#include "rdf.h"' '/* engine run --set, mpirun, "npy" and rdf */' 'a("matrix", "xyz"[2], "<npy>", "metrics.npy", "a -- b");'
finds ''
tree 'a("use --set to choose");'
finds '1 options'
tree 'a(' '"the verb: `engine list`");' 'b("engine run FILE");' 'c("the engine runs");'
finds '2 verbs,3 verbs'
tree 'a("start it by mpirun");'
finds '1 mpirun'
tree "char quote = '\"';" 'a("such as rdf");' 'b("in order");'
finds '2 plugins'
tree 'a("write npy instead"); b(".npy");'
finds '1 formats,1 formats'

# ---- The ceiling
tree 'a("write npy instead"); b(".npy");'
sed -i 's/^formats .*/formats 2/' "$TMP/tree/tools/words"
finds ''
sed -i 's/^formats .*/formats 1/' "$TMP/tree/tools/words"
finds '1 formats,1 formats'
sed -i 's/^formats .*/formats 3/' "$TMP/tree/tools/words"
finds ''
expect_stdout_has 'tools/words allows 3; lower it'
plan
