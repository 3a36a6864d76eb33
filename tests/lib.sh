# Functions for tests in bash, which print TAP. A test is tests/<folder>/<name>.sh:
#
#     . "$(dirname "$0")/../lib.sh"
#     expect_status 2 "$ENGINE" run no-such-file.ini          # one result; saves stdout and stderr
#     expect_stderr_has 'no-such-file.ini'                    # one result about the saved text
#     expect 'the picture is there' test -s "$TMP/out.png"    # one result: the command succeeds
#     plan                                                    # last: prints the number of results
#
# A test runs in the root of the repository. It can use these variables and functions:
#
#     ROOT, BUILD, ENGINE          absolute paths: the repository, the build folder, the program
#     TMP                          an empty folder, removed at the end
#     $TMP/stdout, $TMP/stderr     output of the last expect_status or run; $status is its exit status
#     $results, $failures          the numbers of results and of failed ones
#
#     plan [N]                     prints the plan: without N at the end of the test, with N at its beginning
#     ok NAME                      a result that passed
#     not_ok NAME [LINE…]          a result that failed, with lines that explain it
#     skip NAME WHY                a result that is not available on this machine
#     skip_all WHY                 skips the whole test and exits
#     run COMMAND…                 runs the command; no result
#     expect NAME COMMAND…         the command succeeds
#     expect_not NAME COMMAND…     the command fails
#     expect_status N COMMAND…     the command exits with status N
#     expect_stdout_has TEXT       the saved stdout contains TEXT, which is not a pattern
#     expect_stdout_hasnt TEXT
#     expect_stderr_has TEXT
#     expect_stderr_hasnt TEXT
#     expect_equal NAME A B        the string A equals the expected string B
#     expect_same FILE FILE        the files are equal byte for byte
#     film_pixels FILE             prints the compressed pixels of all frames of a PNG file or an animated one, and its
#                                  palette: a line for each chunk, with its name and its bytes in hexadecimal digits
#     native_flag                  prints the flag that lets the compiler use all instructions of this processor, if it has
#                                  one. It then compiles the rows of a stencil once, and not for each set of instructions
#     use_python                   makes $TMP/bin/python3, which has NumPy and imports the engine of this tree;
#                                  $python is its path, and $python_program that of the Python behind it
# shellcheck shell=bash disable=SC2034 # tests use the variables
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
    rm -f "$TMP/stdout" "$TMP/stderr"
    "$@" </dev/null >>"$TMP/stdout" 2>>"$TMP/stderr" # mpirun of Open MPI 5 opens a file again, at its beginning
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

film_pixels() {
    perl -e 'local $/; open my $f, "<:raw", $ARGV[0] or die; my $png = <$f>; my $at = 8;
        while ($at < length $png) {
            my ($n, $kind) = unpack "N a4", substr $png, $at;
            my $skip = 4 * ($kind eq "fdAT");
            print "$kind ", unpack("H*", substr $png, $at + 8 + $skip, $n - $skip), "\n" if $kind =~ /IDAT|fdAT|PLTE/;
            $at += $n + 12;
        }' "$1"
}

# member NAME KEY: prints a member of $TMP/NAME.json, the summary of a run; "none" if it has no such member.
member() {
    perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{$ARGV[0]} // "none"' "$2" <"$TMP/$1.json"
}

native_flag() {
    local cc
    read -r -a cc <<<"${CC:-cc}"
    ! "${cc[@]}" -march=native -x c -fsyntax-only /dev/null 2>/dev/null || echo -march=native
}

# A Python without NumPy is a failure and not a skip: the package is a part of the engine.
use_python() {
    local candidate preload=
    python=$TMP/bin/python3 python_program=
    for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
        if "$candidate" -c 'import numpy' 2>/dev/null; then
            python_program=$(command -v "$candidate")
            break
        fi
    done
    if [ -z "$python_program" ]; then
        not_ok 'there is a Python with NumPy' 'tools/setup --tests installs python3-numpy'
        plan
        exit 1
    fi
    # A library with sanitizers needs their own library first. Python itself does not free everything at its end.
    if [ -n "${SANITIZE:-}" ]; then
        preload="LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so):$(${CC:-cc} -print-file-name=libstdc++.so)"
        preload+=" ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
    fi
    mkdir -p "$TMP/bin"
    printf '#!/bin/sh\nexec env PYTHONPATH="%s" ENGINE_LIBRARY="%s" PYTHONDONTWRITEBYTECODE=1 %s "%s" "$@"\n' \
        "$ROOT/python" "$BUILD/libengine.so.0" "$preload" "$python_program" >"$python"
    chmod +x "$python"
}
