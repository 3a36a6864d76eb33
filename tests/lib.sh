# A little TAP for tests in bash. A test is tests/<folder>/<name>.sh:
#
#     . "$(dirname "$0")/../lib.sh"
#     expect_status 2 "$ENGINE" run no-such-file.ini          # one result; keeps stdout and stderr
#     expect_stderr_has 'no-such-file.ini'                    # one result about what was kept
#     expect 'the picture is there' test -s "$TMP/out.png"    # one result: the command's success
#     plan                                                    # last: as many results as there were
#
# It runs in the root of the repository, and has:
#
#     ROOT, BUILD, ENGINE          absolute paths: the repository, the build folder, the program
#     TMP                          an empty folder, removed at the end
#     $TMP/stdout, $TMP/stderr     of the last expect_status or run; its exit status is $status
#     $results, $failures          how many there were
#
#     plan [N]                     without a number: the end of the test. With one: its beginning
#     ok NAME                      a result
#     not_ok NAME [LINE…]          a failed one, with lines that say why
#     skip NAME WHY                one that cannot be had here
#     skip_all WHY                 none of this test can be had here; exits
#     run COMMAND…                 runs it, no result
#     expect NAME COMMAND…         succeeds
#     expect_not NAME COMMAND…     fails
#     expect_status N COMMAND…     exits with N
#     expect_stdout_has TEXT       text, not a pattern
#     expect_stdout_hasnt TEXT
#     expect_stderr_has TEXT
#     expect_stderr_hasnt TEXT
#     expect_equal NAME A B        two strings: what it is, what it should be
#     expect_same FILE FILE        byte for byte
# shellcheck shell=bash disable=SC2034 # variables for those who read this file in
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-build}
[[ $BUILD == /* ]] || BUILD=$ROOT/$BUILD
ENGINE=$BUILD/engine
cd "$ROOT" || exit 1
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
status=0
results=0
failures=0

plan() {
    echo "1..${1:-$results}"
}

ok() {
    results=$((results + 1))
    echo "ok $results - ${1//#/}"
}

not_ok() {
    results=$((results + 1))
    failures=$((failures + 1))
    echo "not ok $results - ${1//#/}"
    shift
    [ $# = 0 ] || printf '%s\n' "$@" | sed 's/^/# /'
}

skip() {
    results=$((results + 1))
    echo "ok $results - ${1//#/} # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

run() {
    "$@" </dev/null >"$TMP/stdout" 2>"$TMP/stderr"
    status=$?
}

expect() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1 </dev/null); then ok "$name"; else not_ok "$name" "failed: $*" "$(tail -n 20 <<<"$said")"; fi
}

expect_not() {
    local name=$1
    shift
    if "$@" >/dev/null 2>&1 </dev/null; then not_ok "$name" "should have failed: $*"; else ok "$name"; fi
}

expect_status() {
    local wanted=$1
    shift
    run "$@"
    local name="exit status $wanted: ${*//"$TMP"/TMP}"
    name=${name//"$ROOT/"/}
    if [ "$status" = "$wanted" ]; then ok "$name"; else
        not_ok "$name" "exit status $status" "$(tail -n 20 "$TMP/stdout" "$TMP/stderr")"
    fi
}

# $1: stdout or stderr; $2: has or hasnt; $3: text
_expect_text() {
    local found=hasnt
    grep -qF -e "$3" "$TMP/$1" && found=has
    if [ "$found" = "$2" ]; then ok "$1 $2 '$3'"; else not_ok "$1 $2 '$3'" "$1:" "$(tail -n 20 "$TMP/$1")"; fi
}

expect_stdout_has() { _expect_text stdout has "$1"; }
expect_stdout_hasnt() { _expect_text stdout hasnt "$1"; }
expect_stderr_has() { _expect_text stderr has "$1"; }
expect_stderr_hasnt() { _expect_text stderr hasnt "$1"; }

expect_equal() {
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "is:     $2" "should: $3"; fi
}

expect_same() {
    expect "$(basename "$1") and $(basename "$2") are the same" cmp "$1" "$2"
}
