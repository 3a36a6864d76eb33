#!/bin/bash
# Plugins that end the program, or change how it rounds and prints numbers (tests/bad/unruly.c).
. "$(dirname "$0")/common"
bad=$BUILD/tests/bad
cat >"$TMP/unruly.ini" <<'INI'
[run]
plugin = unruly
steps = 4
[grid]
size = 20 10
[init]
source = thirds
[output]
every = 2
formats = npy
metrics_every = 1
[checkpoint]
every = 2
INI

# run_unruly WHAT FUNCTION [OPTION]…: the folder is $TMP/WHAT-FUNCTION.
run_unruly() {
    local what=$1 function=$2
    shift 2
    UNRULY="$what $function" run "$ENGINE" run "$TMP/unruly.ini" --plugins "$bad" \
        --set "run.output=$TMP/$what-$function" "$@"
}

run_unruly nothing nowhere
expect_equal 'a plugin that obeys: status 0' "$status" 0

# ---- The plugin ends the program: status 4, and the message names the plugin and its function
for function in constructor check shape probe layout work generate create advance measure destroy cost; do
    run_unruly exit $function
    expect_equal "exit in $function: status 4" "$status" 4
    expect_stderr_has \
        "engine: the plugin unruly, or a library that it uses, ended the program with status 0 in its $function;"
done
run_unruly exit advance
expect_status 0 "$ENGINE" resume "$TMP/exit-advance" --plugins "$bad" --quiet
expect_same "$TMP/nothing-nowhere/metrics.csv" "$TMP/exit-advance/metrics.csv"

run_unruly thread advance
expect_equal 'a thread of the plugin calls exit(3): status 4' "$status" 4
expect_stderr_has 'the plugin unruly, or a library that it uses, ended the program with status 3 in its advance;'
OMP_NUM_THREADS=1 run_unruly quit-thread probe
expect_equal 'pthread_exit in the only thread: status 4' "$status" 4
run_unruly child advance
expect_equal 'a child process of the plugin calls exit: status 0' "$status" 0
expect_same "$TMP/nothing-nowhere/metrics.csv" "$TMP/child-advance/metrics.csv"

UNRULY='exit constructor' run "$ENGINE" list --plugins "$bad"
expect_equal 'list: status 4' "$status" 4
expect_stderr_has 'the plugin unruly, or a library that it uses, ended the program with status 0 in its constructor;'
expect_stdout_has liar # those that were listed before

# ---- The plugin changes how numbers are printed and rounded: the files are those of a plugin that does not. The locale
# has a decimal comma; it is made here, because few machines have one.
comma() {
    {
        echo '<code_set_name> ASCII'
        echo '<comment_char> %'
        echo '<escape_char> /'
        echo CHARMAP
        for ((i = 0; i < 128; i++)); do printf '<U%04X> /x%02x c\n' $i $i; done
        echo 'END CHARMAP'
    } >"$TMP/ascii"
    printf '%s\n' 'comment_char %' 'escape_char /' LC_NUMERIC 'decimal_point ","' 'thousands_sep "."' 'grouping 3' \
        'END LC_NUMERIC' >"$TMP/comma.source"
    localedef -c -i "$TMP/comma.source" -f "$TMP/ascii" "$TMP/locales/comma" 2>"$TMP/localedef"
}
mkdir "$TMP/locales"
comma
expect_equal 'the locale has a decimal comma' "$(LOCPATH=$TMP/locales LC_ALL=comma locale decimal_point)" ,
export LOCPATH=$TMP/locales
# With LOCPATH, newlocale of glibc loses a copy of this path, which the leak checker of the sanitizers would report.
echo 'leak:__argz_add_sep' >"$TMP/lost"
export LSAN_OPTIONS=suppressions=$TMP/lost:print_suppressions=0

# The summary without what differs from run to run.
summary() {
    json "$1/summary.json" '{hash}' && json "$1/summary.json" '{metrics}{level}'
}
for what in locale thread-locale rounding; do
    for function in constructor probe create advance measure; do
        run_unruly $what $function
        folder=$TMP/$what-$function
        expect_equal "$what in $function: status 0" "$status" 0
        expect_same "$TMP/nothing-nowhere/metrics.csv" "$folder/metrics.csv"
        expect_equal "$what in $function: the summary" "$(summary "$folder")" "$(summary "$TMP/nothing-nowhere")"
    done
done
expect_equal 'rounding: the metric of step 3' "$(sed -n 5p "$TMP/rounding-advance/metrics.csv")" 3,0.20000000000000001
plan
